"""Words of the company world.

Every text follows from ids and records when somebody asks for it; the simulator draws no words and
stores none. Nothing hidden is told but what the specification says a player learns from words.
"""
