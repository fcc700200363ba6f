"""What goes wrong when a registry is asked."""


class RegistryError(Exception):
    """A registry or chart repository gave no digest.

    Attributes:
        message: What was asked for and why it wasn't had, in lower case without a full stop.
        hint: What to do about it, in the same form.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint
