"""The errors that CloudFormation's API answers with."""

from moto.core.exceptions import ServiceException


class ApiError(ServiceException):
    """A CloudFormation error, raised as ``ApiError(message)`` or ``ApiError(message, code=code)``.

    moto looks for the error's model in the service that an exception's module names, so errors of our own must not be
    raised as moto's class, whose module names a service ``core`` that does not exist.
    """

    def __init__(self, message: str, *, code: str = "ValidationError") -> None:
        super().__init__(code, message)
