"""The ``training`` section: what will be trained, for sizing, storage checks, cost and jobs."""

from typing import Annotated, Literal

from pydantic import Field

from trnstack.spec.base import Section

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Billions = Annotated[float, Field(gt=0, le=10_000_000, strict=False)]


class Model(Section):
    """The model's shape."""

    parameters_billion: Annotated[Billions, Field(description="Parameters, in billions")]
    layers: Annotated[Count, Field(description="Transformer layers")]
    hidden_size: Annotated[Count, Field(description="The width of the hidden state")]
    attention_heads: Annotated[Count, Field(description="Attention heads of a layer")]
    key_value_heads: Annotated[
        Count | None,
        Field(description="Heads of keys and values of a layer, where queries share them; null: not counted"),
    ] = None
    sequence_length: Annotated[Count, Field(description="Tokens in a sequence")]


class Parallelism(Section):
    """How the model and its data are spread over the cores."""

    tensor: Annotated[Count, Field(description="Over how many NeuronCores each layer is split")] = 1
    pipeline: Annotated[Count, Field(description="Into how many stages the layers are split")] = 1
    data: Annotated[
        Literal["auto"] | Count,
        Field(description="How many copies of the model there are; auto: as many as the fleet holds"),
    ] = "auto"
    zero_stage: Annotated[
        int,
        Field(
            ge=0,
            le=3,
            description="What copies share instead of repeating: 1 optimizer state, 2 gradients, 3 parameters",
        ),
    ] = 1


class Training(Section):
    """A training run."""

    model: Annotated[Model, Field(description="The model's shape")]
    global_batch_size: Annotated[Count, Field(description="Sequences in a step, over all copies of the model")]
    micro_batch_size: Annotated[Count, Field(description="Sequences that one copy takes at a time")] = 1
    parallelism: Annotated[Parallelism, Field(description="How the model and its data are spread over the cores")] = (
        Parallelism()
    )
    activation_checkpointing: Annotated[
        Literal["none", "selective", "full"],
        Field(description="What is computed anew in the backward pass instead of being kept"),
    ] = "selective"
    tokens_billion: Annotated[Billions | None, Field(description="Tokens to train on, in billions; null: unknown")] = (
        None
    )
    checkpoint_interval_minutes: Annotated[
        Count, Field(description="Minutes of training from one checkpoint to the next")
    ] = 30
    checkpoints_kept: Annotated[Count, Field(description="How many checkpoints are kept")] = 5
    checkpoint_master_weights: Annotated[
        bool,
        Field(description="Whether checkpoints hold the FP32 weights beside those of 16 bits, for exact resumption"),
    ] = True
    checkpoint_stall_percent: Annotated[
        int, Field(ge=1, le=100, description="The share of the time that training may wait for checkpoints")
    ] = 5
