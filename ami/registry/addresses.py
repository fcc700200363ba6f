"""Where a request may go: hosts, origins, and the proxy of the environment."""

from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

import urllib3

from ami.loopback import is_loopback

#: Connections that are kept open to one host; more threads than that open further ones.
_KEPT_CONNECTIONS = 8


def origin(url: str) -> str:
    """Returns a URL's scheme, host and port: what may see the secrets that were meant for it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def may_lead_to(url: str, target: str) -> bool:
    """Tells whether an answer of one URL may send us to another: over HTTPS, or within this machine.

    The target is of somebody else's making and may be any text.
    """
    try:
        parts = urlsplit(target)
        _ = parts.port
    except ValueError:
        return False
    if not parts.hostname or parts.username is not None:
        return False
    if is_loopback(target):
        return parts.scheme in {"http", "https"} and is_loopback(url)
    return parts.scheme == "https"


def proxy_of(url: str) -> str | None:
    """Returns the address of the proxy that the environment names for a URL; None where there is none.

    HTTPS_PROXY, HTTP_PROXY and NO_PROXY count, in lower case too; this machine is never asked by a proxy.
    """
    parts = urlsplit(url)
    proxy = getproxies_environment().get(parts.scheme)
    if not proxy or is_loopback(url) or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def pool(proxy: str | None) -> urllib3.PoolManager:
    """Returns a pool of connections, by a proxy where one is given.

    Raises:
        urllib3.exceptions.HTTPError: The proxy's address isn't one.
    """
    if proxy is None:
        return urllib3.PoolManager(maxsize=_KEPT_CONNECTIONS)
    return urllib3.ProxyManager(proxy, proxy_headers=_proxy_headers(proxy), maxsize=_KEPT_CONNECTIONS)


def _proxy_headers(proxy: str) -> dict[str, str]:
    parts = urlsplit(proxy)
    if parts.username is None:
        return {}
    user, password = unquote(parts.username), unquote(parts.password or "")
    return dict(urllib3.make_headers(proxy_basic_auth=f"{user}:{password}", proxy_basic_auth_encoding="utf-8"))
