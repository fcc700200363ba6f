"""Where an image lies in a mirror."""


def mirrored(image: str, mirror: str | None) -> str:
    """Returns the image's name in a mirror: its own repository and tag below the mirror's registry and prefix.

    ``public.ecr.aws/neuron/x:1`` in ``111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror`` is
    ``111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror/neuron/x:1``. Without a mirror it is the image itself.
    """
    if mirror is None:
        return image
    first, _, rest = image.partition("/")
    has_registry = bool(rest) and ("." in first or ":" in first or first == "localhost")
    return f"{mirror.rstrip('/')}/{rest if has_registry else image}"
