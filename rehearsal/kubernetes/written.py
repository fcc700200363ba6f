"""What controllers write into the objects of their own charts: the certificates by which an API server calls them.

Whoever writes a field owns it. Who applies it on the server afterwards, with another value and without force, is
refused. A controller of its own release knows no such thing: it updates what is there, and makes nothing.

Source: Kubernetes documentation, "Server-Side Apply", Conflicts; open-policy-agent/cert-controller, pkg/rotator, which
Kueue, JobSet and Kubeflow Trainer run; controller-runtime, pkg/webhook (the folder that certificates are read from).
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from rehearsal.kubernetes.kinds import Object

#: Where a controller with webhooks mounts the Secret of its certificate.
_FOLDER = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108 - a path in a container
_KEYS = ("ca.crt", "ca.key", "tls.crt", "tls.key")
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")

#: A field, as the keys that lead to it; an element of a list is known by its name.
Field = tuple[str, ...]


class Written(NamedTuple):
    """Fields of an object that somebody else writes.

    Attributes:
        kind, name: The object, in its release's namespace or in none.
        fields: The fields.
        by: Who writes them, as an API server knows them.
    """

    kind: str
    name: str
    fields: tuple[Field, ...]
    by: str


def certificates(objects: Iterable[Object]) -> Iterator[Written]:
    """Yields what the controllers of a release write once they run."""
    objects = tuple(objects)
    for secret, manager in _controllers(objects):
        yield Written("Secret", secret, tuple(("data", key) for key in _KEYS), manager)
        for each in objects:
            if each["kind"] in _WEBHOOKS:
                names = (webhook["name"] for webhook in each.get("webhooks") or ())
                fields = tuple(("webhooks", name, "clientConfig", "caBundle") for name in names)
                yield Written(each["kind"], each["metadata"]["name"], fields, manager)


def declared(fields: Iterable[Field], found: Object) -> list[Field]:
    """Returns the fields that an object says something of."""
    return [field for field in fields if _is_at(found, field)]


def _controllers(objects: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """Yields the Secrets of certificates, each with who writes it."""
    for each in objects:
        if each["kind"] == "Deployment":
            pod = each["spec"]["template"]["spec"]
            secrets = {
                volume["name"]: (volume.get("secret") or {}).get("secretName") for volume in pod.get("volumes") or ()
            }
            for container in pod["containers"]:
                command = (container.get("command") or [container["name"]])[0]
                for mount in container.get("volumeMounts") or ():
                    secret = secrets.get(mount["name"])
                    if secret and mount["mountPath"] == _FOLDER:
                        yield secret, PurePosixPath(command).name


def _is_at(value: Any, field: Field) -> bool:
    for key in field:
        if isinstance(value, list):
            value = {each.get("name"): each for each in value}
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True
