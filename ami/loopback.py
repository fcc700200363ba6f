"""Whether an address is of this machine: a rehearsal's, and no other's. Locking and synthesis ask it here alike."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Tells whether a URL is of this machine: ``127.0.0.1`` and its network, ``::1`` or ``localhost``.

    A name is none of this machine's, whatever it is resolved to, and neither is what is no URL.
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
