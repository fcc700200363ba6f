"""A cluster's API server, as far as what a stack applies needs one: it keeps objects, or says why it does not."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rehearsal.kubernetes.errors import ApiServerError
from rehearsal.kubernetes.held import holders
from rehearsal.kubernetes.immutable import refusals
from rehearsal.kubernetes.kinds import DEFINITION, Kind, Object, kinds
from rehearsal.kubernetes.written import Field, declared

#: Source: Kubernetes documentation, "Namespaces", "Initial namespaces".
_FIRST_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")


@dataclass(frozen=True, slots=True)
class Key:
    """What an object is known by.

    Attributes:
        group: Its kind's group.
        kind: Its kind's name.
        namespace: Its namespace; empty of kinds without.
        name: Its name.
    """

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Stored:
    """An object that is there.

    Attributes:
        content: The object, with its namespace.
        release: Namespace and name of the Helm release that it belongs to; None of others.
        written: The fields that a controller has written, each with who it is; their values are not kept.
    """

    content: Object
    release: tuple[str, str] | None = None
    written: Mapping[Field, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A Helm release that is installed.

    Attributes:
        name, namespace: What it is called, and where.
        chart, version: The chart, as its ``Chart.yaml`` says.
        revision: How often it was installed or upgraded.
        values_hash: The SHA-256 of the values.
        images: The images that its objects start.
        unrendered: Why its templates could not be rendered here, in which case it has no objects; empty if they were.
    """

    name: str
    namespace: str
    chart: str
    version: str
    revision: int
    values_hash: str
    images: tuple[str, ...] = ()
    unrendered: str = ""


@dataclass(slots=True)
class ApiServer:
    """What is in a cluster.

    Attributes:
        minor: Tells the cluster's Kubernetes minor, which an update may change.
        objects: The objects by what they are known by.
        releases: Helm's releases by namespace and name.
    """

    minor: Callable[[], str]
    objects: dict[Key, Stored] = field(default_factory=dict)
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _FIRST_NAMESPACES:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self.objects[Key("", "Namespace", "", name)] = Stored(namespace)

    def kind_of(self, found: Object) -> Kind:
        """Gives an object's kind.

        Raises:
            ApiServerError: There is no such kind, as ``kubectl`` says it.
        """
        definitions = (each.content for key, each in self.objects.items() if key.kind == DEFINITION[1])
        kind = kinds(definitions).get((found["apiVersion"], found["kind"]))
        if kind is None:
            metadata = found["metadata"]
            message = (
                f'resource mapping not found for name: "{metadata["name"]}" namespace: '
                f'"{metadata.get("namespace", "")}": no matches for kind "{found["kind"]}" in version '
                f'"{found["apiVersion"]}"\nensure CRDs are installed first'
            )
            raise ApiServerError("", message)
        return kind

    def key_of(self, found: Object, namespace: str = "default") -> Key:
        """Gives what an object is known by; without a namespace of its own it is in the one that is given."""
        kind = self.kind_of(found)
        place = found["metadata"].get("namespace") or namespace
        return Key(kind.group, kind.name, place if kind.namespaced else "", found["metadata"]["name"])

    def has_namespace(self, name: str) -> bool:
        """Says whether a namespace is there."""
        return Key("", "Namespace", "", name) in self.objects

    def create(self, found: Object, namespace: str = "default") -> Key:
        """Takes an object that is not there yet.

        Raises:
            ApiServerError: It is refused, or there is one of that name.
        """
        key = self.key_of(found, namespace)
        if key in self.objects:
            raise ApiServerError("AlreadyExists", f'{self.kind_of(found).addressed} "{key.name}" already exists')
        return self.apply(found, namespace)

    def apply(self, found: Object, namespace: str = "default", release: tuple[str, str] | None = None) -> Key:
        """Takes an object, in the place of the one that is there under its name.

        Args:
            found: The object, as a manifest has it.
            namespace: The namespace, where it names none.
            release: The Helm release that it belongs to.

        Raises:
            ApiServerError: Its kind or its namespace is not there, it is not valid, or it changes what can't change.
        """
        key = self.key_of(found, namespace)
        if key.namespace and not self.has_namespace(key.namespace):
            raise ApiServerError("NotFound", f'namespaces "{key.namespace}" not found')
        place = {"namespace": key.namespace} if key.namespace else {}
        placed: Object = {**found, "metadata": {**found["metadata"], **place}}
        self.check(placed)
        old = self.objects.get(key)
        for refusal in refusals(old.content, placed) if old else ():
            raise _invalid(found, refusal)
        written = old.written if old else {}
        self.objects[key] = Stored(placed, release or (old.release if old else None), written)
        return key

    def write(self, key: Key, fields: Iterable[Field], by: str) -> None:
        """Notes that a controller has written fields of an object; of one that is not there it writes nothing."""
        if key in self.objects:
            old = self.objects[key]
            self.objects[key] = replace(old, written={**old.written, **dict.fromkeys(fields, by)})

    def conflicts(self, key: Key, found: Object) -> tuple[str, ...]:
        """Returns what keeps an object from being applied on the server: fields in it that are somebody else's.

        Source: Kubernetes documentation, "Server-Side Apply", Conflicts.
        """
        written = self.objects[key].written if key in self.objects else {}
        return tuple(f".{'.'.join(each)} of {written[each]}" for each in declared(written, found))

    def check(self, found: Object) -> None:
        """Refuses an object that is not as the cluster's minor has it.

        Of the kinds that charts bring, those are looked at that the project has a schema of; what else a chart makes of
        its own kinds is taken.

        Raises:
            ApiServerError: It is not; the message says where.
        """
        # Both load schemas of all kinds, which only a cluster with objects needs.
        from trnstack.kubernetes.schemas import custom_schemas  # noqa: PLC0415
        from trnstack.kubernetes.validation import problems  # noqa: PLC0415

        named = (found["apiVersion"], found["kind"])
        if self.kind_of(found).definition and named not in custom_schemas():
            return
        wrong = problems([found], self.minor())
        if wrong:
            subject = f"{found['kind']} {found['metadata']['name']}: "
            raise _invalid(found, "; ".join(each.removeprefix(subject) for each in wrong))

    def delete(self, key: Key) -> None:
        """Lets an object go, with what goes with it: a namespace's objects, a definition's kinds.

        Raises:
            ApiServerError: It is not there, or something that uses it keeps it.
        """
        gone = self.objects.get(key)
        if gone is None:
            raise ApiServerError("NotFound", f'{key.kind.lower()}s "{key.name}" not found')
        kept = next(holders(gone.content, (each.content for each in self.objects.values())), None)
        if kept is not None:
            user = f"{kept['kind']} {kept['metadata']['name']}"
            raise ApiServerError("Timeout", f"{key.kind} {key.name} waits for {user}, which uses it")
        for other in list(self._with(key, gone.content)):
            del self.objects[other]
        del self.objects[key]

    def of_kinds(self, definition: Object) -> Iterator[tuple[Key, Stored]]:
        """Yields the objects of the kinds that a resource definition brings."""
        spec = definition["spec"]
        sought = (spec["group"], spec["names"]["kind"])
        yield from ((key, each) for key, each in self.objects.items() if (key.group, key.kind) == sought)

    def described(self) -> Mapping[str, Any]:
        """Gives everything that is there, as plain data."""
        return {
            "releases": [
                {name: getattr(release, name) for name in release.__dataclass_fields__}
                for _, release in sorted(self.releases.items())
            ],
            "objects": [
                {"release": "/".join(each.release) if each.release else None, "content": each.content}
                for _, each in sorted(self.objects.items(), key=lambda item: _order(item[0]))
            ],
        }

    def _with(self, key: Key, content: Object) -> Iterator[Key]:
        """Yields what goes with an object."""
        if (key.group, key.kind) == ("", "Namespace"):
            yield from (other for other in self.objects if other.namespace == key.name)
        elif key.kind == DEFINITION[1]:
            yield from (other for other, _ in self.of_kinds(content))


def _order(key: Key) -> tuple[str, ...]:
    return (key.namespace, key.kind, key.group, key.name)


def _invalid(found: Object, what: str) -> ApiServerError:
    return ApiServerError("Invalid", f'{found["kind"]} "{found["metadata"]["name"]}" is invalid: {what}')
