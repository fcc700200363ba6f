"""Stands in for the two functions by which the CDK works in a cluster, as no code of a function is run here.

The functions are known by what their code is, not by their names. What they would do is done on the records of the
embedded AWS, after looking at what has to be right on AWS for it: the way there, the role, the chart, the objects.

Source: aws-cdk-lib 2.275, ``custom-resources/lib/provider-framework`` and ``aws-eks-v2/lib/kubectl-provider``, with the
code that they deploy.
"""

from moto.awslambda.models import LambdaFunction

from rehearsal.kubectl import framework, handler
from rehearsal.kubectl.world import StandIn, code_of

#: What is in the code of a function that can be stood in for.
_KNOWN: tuple[tuple[frozenset[str], StandIn], ...] = (
    (framework.FILES, framework.answer),
    (handler.FILES, handler.answer),
)


def stand_in_for(function: LambdaFunction) -> StandIn | None:
    """Gives what stands in for a function; None for a function of whose code nothing is known."""
    return next((stand_in for files, stand_in in _KNOWN if files <= code_of(function)), None)
