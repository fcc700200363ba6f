"""What an API server answers in the place of an object."""


class ApiServerError(Exception):
    """An API server refuses something.

    Attributes:
        reason: Its word for it, such as ``NotFound``; empty where ``kubectl`` refuses before it asks.
        message: Its sentence.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"Error from server ({reason}): {message}" if reason else f"error: {message}")
        self.reason = reason
        self.message = message
