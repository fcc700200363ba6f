"""The shapes of Llamas, as far as an environment does not say them: heads of keys, the inner width, the vocabulary.

Sources: the ``config.json`` of each model on Hugging Face, meta-llama; the count of parameters follows from it.
"""

from dataclasses import dataclass

from trnstack.spec.training import Model

#: An environment may round its parameters; further off than this, it is another model.
_LIKENESS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Llama:
    """A Llama's shape.

    Attributes:
        key_heads: Heads of keys and values.
        intermediate_size: The inner width of the feed-forward part.
        rope_theta: The base of the rotary embedding.
    """

    name: str
    layers: int
    hidden_size: int
    attention_heads: int
    key_heads: int
    intermediate_size: int
    vocabulary: int
    rope_theta: float

    @property
    def parameters(self) -> int:
        """How many parameters it has: embeddings, output, and for each layer attention, feed-forward and norms."""
        width, head = self.hidden_size, self.hidden_size // self.attention_heads
        attention = 2 * width * width + 2 * width * self.key_heads * head
        layer = attention + 3 * width * self.intermediate_size + 2 * width
        return 2 * self.vocabulary * width + self.layers * layer + width

    def is_of(self, model: Model) -> bool:
        """Tells whether an environment's model is this one."""
        shape = (model.layers, model.hidden_size, model.attention_heads)
        alike = abs(model.parameters_billion * 1e9 - self.parameters) <= _LIKENESS * self.parameters
        return shape == (self.layers, self.hidden_size, self.attention_heads) and alike


LLAMAS = (
    Llama(
        name="Llama-2-7B",
        layers=32,
        hidden_size=4096,
        attention_heads=32,
        key_heads=32,
        intermediate_size=11_008,
        vocabulary=32_000,
        rope_theta=10_000.0,
    ),
    Llama(
        name="Llama-3-8B",
        layers=32,
        hidden_size=4096,
        attention_heads=32,
        key_heads=8,
        intermediate_size=14_336,
        vocabulary=128_256,
        rope_theta=500_000.0,
    ),
    Llama(
        name="Llama-3-70B",
        layers=80,
        hidden_size=8192,
        attention_heads=64,
        key_heads=8,
        intermediate_size=28_672,
        vocabulary=128_256,
        rope_theta=500_000.0,
    ),
)


def llama_of(model: Model) -> Llama | None:
    """Returns the Llama that an environment's model is; None of another."""
    return next((llama for llama in LLAMAS if llama.is_of(model)), None)


def config(llama: Llama, sequence_length: int) -> dict[str, object]:
    """Returns a model's shape as Hugging Face's ``config.json`` has it."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": llama.vocabulary,
        "hidden_size": llama.hidden_size,
        "intermediate_size": llama.intermediate_size,
        "num_hidden_layers": llama.layers,
        "num_attention_heads": llama.attention_heads,
        "num_key_value_heads": llama.key_heads,
        "max_position_embeddings": sequence_length,
        "rope_theta": llama.rope_theta,
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
        "initializer_range": 0.02,
        "tie_word_embeddings": False,
        "use_cache": False,
    }
