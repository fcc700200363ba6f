"""Which nodes reach an FSx for Lustre file system by EFA: those of the types that can, in the file system's zone."""

#: FSx takes Nitro v4 and newer types with EFA as clients, but for this family.
#: Source: FSx for Lustre user guide, "Working with EFA-enabled file systems" and "Configuring EFA clients".
_EXCLUDED_FAMILY = "trn2"


def reaches_by_efa(instance_type: str, *, efa_interfaces: int) -> bool:
    """Tells whether nodes of a type, with so many EFA interfaces in use, can reach an EFA-enabled file system by EFA.

    trn1.32xlarge and trn1n.32xlarge are Nitro v4; trn1.2xlarge has no EFA. All others than the trn2 family (trn2u
    among it) are taken to be newer.
    """
    return efa_interfaces > 0 and not instance_type.startswith(_EXCLUDED_FAMILY)
