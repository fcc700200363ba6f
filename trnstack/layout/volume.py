"""Under which name a file system is reached."""


def dns_name(file_system_id: str, region: str) -> str:
    """Returns the name under which a file system is reached that stands already.

    Source: FSx API reference, FileSystem, ``DNSName``; CloudFormation gives it for those that it makes.
    """
    return f"{file_system_id}.fsx.{region}.amazonaws.com"
