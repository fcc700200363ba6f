"""What every section of the environment file shares: strictness, and the types that stand in more than one of them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints


class Section(BaseModel):
    """A frozen part of the file that refuses unknown keys and values of another type."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", protected_namespaces=())


def no_control_characters(text: str) -> str:
    """Returns the text, if all of it can be printed on one line.

    Raises:
        ValueError: It holds a control character.
    """
    if not text.isprintable():
        raise ValueError("must not hold control characters")
    return text


Name = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$"),
    Field(description="2 to 32 lower-case letters, digits and hyphens, starting with a letter"),
]
Text = Annotated[str, StringConstraints(min_length=1, max_length=256), AfterValidator(no_control_characters)]
AccountId = Annotated[str, StringConstraints(pattern=r"^[0-9]{12}$")]
ZoneId = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,6}[0-9]{1,2}-az[0-9]{1,2}$")]
RegionName = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]$")]
Cidr = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$")]
RoleArn = Annotated[
    str,
    StringConstraints(
        pattern=r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9_+=,.@-]+/)*[A-Za-z0-9_+=,.@-]{1,64}$", max_length=640
    ),
]
KeyArn = Annotated[
    str,
    StringConstraints(pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/[A-Za-z0-9_/-]+$", max_length=400),
]
RemovalPolicy = Literal["retain", "destroy"]
CapacityReservationId = Annotated[str, StringConstraints(pattern=r"^cr-[0-9a-f]{17}$")]
