"""AWS's clients for one set of credentials, and whether it is AWS that they reach or a rehearsal."""

import base64
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from botocore.config import Config

from account.calls import call, client_of, signed_in
from account.refusals import AccountError, incomplete, unreadable
from ami.loopback import is_loopback
from ami.registry import Registry, https_address
from ami.registry.names import ecr_region
from ami.resolve.asking import Failure, NoAccountError, ResolveError

#: Makes the client of a service in a region.
Clients = Callable[[str, str], Any]

#: Waits and asks again where AWS throttles, fails or can't be reached: up to 20 s before each of five further attempts.
#:
#: Source: AWS SDKs and Tools reference guide, "Retry behavior", standard mode.
_PATIENCE = Config(retries={"mode": "standard", "total_max_attempts": 6}, connect_timeout=5, read_timeout=30)
#: The services that every lock is resolved from.
_SERVICES = ("sts", "ssm", "ec2", "eks")


class Aws:
    """The clients of one set of credentials, each made once; may be asked from any number of threads.

    Args:
        make: Makes the client of a service in a region.
        region: The environment's region.
    """

    def __init__(self, make: Clients, *, region: str) -> None:
        self.region = region
        self._make = make
        self._made: dict[tuple[str, str], Any] = {}
        self._passwords: dict[str, tuple[str, str]] = {}
        # A session is not safe to make clients from in several threads at once; clients are safe to use.
        self._making, self._signing_in = threading.Lock(), threading.Lock()

    def client(self, service: str, region: str | None = None) -> Any:
        """Returns a service's client, in the environment's region or another one.

        Raises:
            AccountError: AWS's configuration can't be used.
        """
        key = service, region or self.region
        with self._making:
            if key not in self._made:
                self._made[key] = self._make(*key)
            return self._made[key]

    def account(self) -> str:
        """Returns the account of the credentials; every identity may ask for it, whatever its policies.

        Raises:
            NoAccountError: There are no credentials that AWS takes, or AWS can't be reached.

        Source: AWS STS API reference, GetCallerIdentity.
        """
        try:
            account: str = call(self.client("sts"), "get_caller_identity")["Account"]
        except AccountError as error:
            raise NoAccountError([Failure(error.message, error.hint)]) from error
        return account

    def rehearsal(self) -> str | None:
        """Returns the address of the embedded AWS that answers on this machine; None where AWS itself is asked.

        Raises:
            ResolveError: Some services are asked here and others elsewhere, so that nobody could tell what a pin is of.
        """
        try:
            addresses = {service: self.client(service).meta.endpoint_url for service in _SERVICES}
        except AccountError as error:
            raise NoAccountError([Failure(error.message, error.hint)]) from error
        here = {service: address for service, address in addresses.items() if is_loopback(address)}
        if here and len({urlsplit(address).netloc for address in addresses.values()}) > 1:
            others = ", ".join(f"{service} at {address}" for service, address in addresses.items())
            raise ResolveError(
                [Failure(f"AWS is asked in several places: {others}", "set AWS_ENDPOINT_URL for all services, or none")]
            )
        return next(iter(here.values()), None)

    def registry(self) -> Registry:
        """Returns the client of container registries; a rehearsal serves them all itself, below ``/registry/HOST``."""
        here = self.rehearsal()
        address = https_address if here is None else (lambda host: f"{here}/registry/{host}")
        return Registry(address=address, credentials=self.ecr_credentials)

    def ecr_credentials(self, host: str) -> tuple[str, str] | None:
        """Returns user and password for a host of ECR, asked for once a region; None for another host.

        The password is good for every registry that the identity may read from.

        Raises:
            AccountError: AWS gives no password.

        Source: Amazon ECR API reference, GetAuthorizationToken.
        """
        region = ecr_region(host)
        if region is None:
            return None
        with self._signing_in:
            if region not in self._passwords:
                self._passwords[region] = self._password(region)
            return self._passwords[region]

    def _password(self, region: str) -> tuple[str, str]:
        granted = call(self.client("ecr", region), "get_authorization_token")["authorizationData"]
        if not granted:
            raise incomplete("authorizationData", service="ECR", region=region)
        try:
            user, _, password = base64.b64decode(granted[0]["authorizationToken"]).decode().partition(":")
        except ValueError as error:
            raise unreadable(error, service="ECR", region=region) from error
        return user, password


def connect(region: str) -> Aws:
    """Returns AWS's clients with the credentials in use, as AWS's own tools find them.

    Raises:
        NoAccountError: There are none, or AWS's configuration can't be used.
    """
    try:
        session = signed_in()
    except AccountError as error:
        raise NoAccountError([Failure(error.message, error.hint)]) from error
    return Aws(lambda service, where: client_of(session, service, where, _PATIENCE), region=region)
