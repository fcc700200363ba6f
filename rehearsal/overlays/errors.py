"""The error that an overlay answers with."""

from moto.core.exceptions import ServiceException


class OverlayError(ServiceException):
    """An AWS service error, raised as ``OverlayError(code, message)``.

    moto looks for the error's model in the service that an exception's module names, so errors of our own must not be
    raised as moto's class, whose module names a service ``core`` that doesn't exist.
    """
