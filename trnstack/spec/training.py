"""The ``training`` section: what will be trained, for sizing, storage checks, cost and jobs."""

from typing import Annotated, Literal

from pydantic import Field

from trnstack.spec.base import Section

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Billions = Annotated[float, Field(gt=0, le=10_000_000, strict=False)]


class Model(Section):
    """The model's shape."""

    parameters_billion: Billions
    layers: Count
    hidden_size: Count
    attention_heads: Count
    sequence_length: Count


class Parallelism(Section):
    """How the model and its data are spread over the cores."""

    tensor: Count = 1
    pipeline: Count = 1
    data: Literal["auto"] | Count = "auto"
    zero_stage: Annotated[int, Field(ge=0, le=3)] = 1


class Training(Section):
    """A training run."""

    model: Model
    global_batch_size: Count
    micro_batch_size: Count = 1
    parallelism: Parallelism = Parallelism()
    activation_checkpointing: Literal["none", "selective", "full"] = "selective"
    tokens_billion: Billions | None = None
    checkpoint_interval_minutes: Count = 30
    checkpoints_kept: Count = 5
