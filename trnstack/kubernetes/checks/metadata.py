"""Names, labels and annotations: of objects, and of the templates in them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.templates import templates

#: Kinds whose names have another form than most, with what is said of it.
_RBAC = {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}
_LABELS = {"Namespace"}
_OLD_LABELS = {"Service"}
#: Job names get into labels of their pods; CronJobs' and TrainJobs' leave room for what is put behind them.
_LONGEST = {"Job": 63, "CronJob": 52}
#: The size of all annotations of an object, keys and values, in bytes.
_MOST_ANNOTATIONS = 256 * 1024


def problems(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields names, labels and annotations that the API server refuses.

    Source: kubernetes/kubernetes, staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go and
    pkg/util/validation/validation.go; names by kind: pkg/apis/*/validation, ValidateNameFunc of each.
    """
    metadata, kind = found["metadata"], found["kind"]
    name = metadata.get("name")
    if not name:
        yield "metadata.name", "it is missing"
        return
    form, words = _form(kind)
    if not form(name):
        yield "metadata.name", f"'{name}' is not {words}"
    elif len(name) > _LONGEST.get(kind, len(name)):
        yield "metadata.name", f"{len(name)} characters are more than {_LONGEST[kind]}"
    namespace = metadata.get("namespace")
    if namespace and not forms.is_label(namespace):
        yield "metadata.namespace", f"'{namespace}' is not {_A_LABEL}"
    yield from _words(metadata, "metadata")
    for path, template in templates(found):
        yield from _words(template.get("metadata") or {}, f"{path}.metadata")


_A_LABEL = "at most 63 characters of a-z, 0-9 and -, with a letter or digit at both ends"
_A_SUBDOMAIN = "at most 253 characters of a-z, 0-9, - and ., with a letter or digit at both ends and beside each dot"


def _form(kind: str) -> tuple[Callable[[str], bool], str]:
    """Returns how a kind's names are told, and in words."""
    if kind in _RBAC:
        return (lambda name: name not in {".", ".."} and not set("/%") & set(name)), "a name without / and %"
    if kind in _OLD_LABELS:
        return forms.is_old_label, f"{_A_LABEL}, a letter at its beginning"
    return (forms.is_label, _A_LABEL) if kind in _LABELS else (forms.is_subdomain, _A_SUBDOMAIN)


def _words(metadata: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for key, value in (metadata.get("labels") or {}).items():
        if not forms.is_key(key):
            yield f"{path}.labels", f"'{key}' is not a label's key"
        if not forms.is_label_value(value or ""):
            yield f"{path}.labels.{key}", f"'{value}' is not a label's value"
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        # The API server looks at annotations' keys in lower case.
        if not forms.is_key(key.lower()):
            yield f"{path}.annotations", f"'{key}' is not an annotation's key"
    size = sum(len(key.encode()) + len((value or "").encode()) for key, value in annotations.items())
    if size > _MOST_ANNOTATIONS:
        yield f"{path}.annotations", f"{size:,} bytes are more than {_MOST_ANNOTATIONS:,}"
