"""How a rehearsal says that something went otherwise than it should."""


class RehearsalError(Exception):
    """A step of the rehearsal did not end as it should; the message says which and shows what was printed."""
