"""What can be wrong with a sandbox itself, as opposed to the programs in it."""


class SandboxError(RuntimeError):
    """The sandbox cannot be had or has stopped working; the message says what to do."""
