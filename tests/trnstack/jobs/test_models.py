import pytest

from tests.trnstack.jobs.conftest import planned
from trnstack.jobs.models import LLAMAS, llama_of


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("Llama-2-7B", 6_738_415_616), ("Llama-3-8B", 8_030_261_248), ("Llama-3-70B", 70_553_706_496)],
)
def test_parameters(name, parameters):
    """The shapes come to the parameters that Hugging Face counts of the published weights."""
    assert next(llama for llama in LLAMAS if llama.name == name).parameters == parameters


@pytest.mark.parametrize(
    ("environment", "name"),
    [("llama2-7b-trn1", "Llama-2-7B"), ("llama3-8b-trn1", "Llama-3-8B"), ("llama3-70b-trn1", "Llama-3-70B")],
)
def test_environments(environment, name):
    """The models of the environments are found, their parameters rounded."""
    assert llama_of(planned(environment).environment.training.model).name == name
