"""Other programs' doors to a company: a server of the Model Context Protocol, a task of Inspect.

Each needs an extra of its own, which is imported by the module of that door only.
"""
