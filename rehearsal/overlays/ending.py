"""What goes with an instance when it ends, which moto keeps."""

from typing import Any


def interfaces_go(backend: Any) -> None:
    """Lets the first network interface of each instance end with it, as EC2 lets what it has made for the instance.

    moto makes it without that, so that it would hold its subnet and its security groups for ever. One that a request
    has described says for itself whether it goes.

    Source: EC2 user guide, "Delete a network interface": interfaces that are made with an instance go with it.
    """
    for interface in backend.enis.values():
        if interface.instance is not None and interface.description == "Primary network interface":
            interface.delete_on_termination = True
