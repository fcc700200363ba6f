"""Asks container registries and chart repositories for the digests of what a lock names."""

from ami.registry.client import Registry, https_address, no_credentials
from ami.registry.errors import RegistryError

__all__ = ["Registry", "RegistryError", "https_address", "no_credentials"]
