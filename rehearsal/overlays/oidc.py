"""OpenID Connect providers: who may ask one that stands already."""

from moto.core.responses import ActionResult, EmptyResult
from moto.iam.responses import IamResponse


class OidcProviders(IamResponse):
    """IAM's operations on the clients of a provider; adding one twice, or removing none, is no error.

    Source: IAM API reference, AddClientIDToOpenIDConnectProvider and RemoveClientIDFromOpenIDConnectProvider, which are
    idempotent.
    """

    def add_client_id_to_open_id_connect_provider(self) -> ActionResult:
        """Answers AddClientIDToOpenIDConnectProvider."""
        clients, name = self._clients(), self._get_param("ClientID")
        if name not in clients:
            clients.append(name)
        return EmptyResult()

    def remove_client_id_from_open_id_connect_provider(self) -> ActionResult:
        """Answers RemoveClientIDFromOpenIDConnectProvider."""
        clients, name = self._clients(), self._get_param("ClientID")
        if name in clients:
            clients.remove(name)
        return EmptyResult()

    def _clients(self) -> list[str]:
        provider = self.backend.get_open_id_connect_provider(self._get_param("OpenIDConnectProviderArn"))
        clients: list[str] = provider.client_id_list
        return clients
