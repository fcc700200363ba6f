"""The ``neuron`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import Section, Text

SdkVersion = Annotated[str, StringConstraints(pattern=r"^2\.[0-9]{1,3}\.[0-9]{1,3}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^(NEURON|FI)_[A-Z0-9_]+$", max_length=128)]


class Neuron(Section):
    """The Neuron SDK and how jobs use it."""

    sdk: Annotated[SdkVersion, Field(description='A release in quotes, such as "2.30.0"')]
    framework: Annotated[Literal["pytorch", "jax"], Field(description="The framework that jobs are written in")]
    precision: Annotated[
        Literal["fp32", "bf16", "fp16", "fp8"], Field(description="The number format that the model is trained in")
    ] = "bf16"
    stochastic_rounding: Annotated[
        bool, Field(description="Whether low-precision results are rounded at random, which keeps small updates")
    ] = True
    compiler_flags: Annotated[tuple[Text, ...], Field(description="Further flags for neuronx-cc")] = ()
    environment: Annotated[
        dict[VariableName, str], Field(description="Further NEURON_* and FI_* variables for every job")
    ] = {}
