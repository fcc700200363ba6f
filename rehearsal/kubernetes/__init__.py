"""What is in a cluster of the embedded AWS: an API server that keeps or refuses objects, and Helm's releases."""

from rehearsal.kubernetes.errors import ApiServerError
from rehearsal.kubernetes.server import ApiServer, Key, Release, Stored

__all__ = ["ApiServer", "ApiServerError", "Key", "Release", "Stored"]
