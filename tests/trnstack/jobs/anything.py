"""Stands in for the frameworks of containers, so that scripts' way from their first line to their result can be run."""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class Anything:
    """Whatever a framework gives: it can be called, calculated with, and asked for whatever it may have."""

    number = 1.0

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_given: Any, **_named: Any) -> "Anything":
        return Anything()

    def __getitem__(self, _index: Any) -> "Anything":
        return Anything()

    def __mro_entries__(self, _bases: Any) -> tuple[type, ...]:
        return ()

    def __float__(self) -> float:
        return Anything.number

    def __iter__(self) -> Iterator["Anything"]:
        return iter((Anything(), Anything()))

    def _calculated(self, *_given: Any) -> "Anything":
        return Anything()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _calculated
    __matmul__ = __rmatmul__ = __pow__ = __mod__ = _calculated


class _Module(ModuleType):
    """A module that has whatever is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names: Sequence[str], has: dict[str, dict[str, Any]]) -> None:
        self._names, self._has = names, has

    def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        made = _Module(spec.name)
        made.__dict__.update(self._has.get(spec.name, {}))
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: the module is what it is."""


@contextmanager
def frameworks(*names: str, has: dict[str, dict[str, Any]]) -> Iterator[None]:
    """Stands in for frameworks while it lasts.

    Args:
        names: Their packages.
        has: What a module really has, by its name.
    """
    before, finder = set(sys.modules), _Finder(names, has)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in names:
                del sys.modules[name]
