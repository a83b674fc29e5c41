"""What forms that lose no digits pass on in reverse mode: in forms that lose none.

So a function can be differentiated as it is computed: the logarithm of a sum of exponentials
passes on shares, and none of its exponentials is left. Forms whose slopes may overflow, as that
of 1/expm1(a) does, have no law here: they are stable once their derivatives are there.
"""

from typing import cast

from eggrad.engine.terms.operations import OF_CODE
from eggrad.rules.notation import *

stable_forms = Ruleset(
    "stable_forms",
    "forms that lose no digits: contributions to the adjoints of operands",
    "the number of contributions that have no value yet",
)

SHARES, SUM = softmax(s, a), logsumexp(s, a)


def _beside(whole: Tensor, slope: Tensor, place: int = 0) -> Law:
    """The law that `whole`, entry by entry, passes on its cotangent times its slope."""
    return pullback(whole, place, g) >> ein("LA,A->LA", g, slope)


def _shared(g: Tensor) -> Tensor:
    """What log Σ exp a passes on of the sum of a cotangent with the axes of a."""
    lead = leading(dims(g), dims(a))
    return ein(pull_shared(weighted(s), lead), ein1(behind(s, lead), g), SHARES)


stable_forms.state(
    "the chain rule, with the slope in a form that loses no digits",
    pull_softplus=_beside(softplus(a), sigmoid(a)),
    pull_sigmoid=_beside(sigmoid(a), sigmoid(a) * sigmoid(-1 * a)),
    pull_first_of_logaddexp=_beside(logaddexp(a, b), sigmoid(a + -1 * b)),
    pull_second_of_logaddexp=_beside(logaddexp(a, b), sigmoid(b + -1 * a), 1),
    pull_first_of_exp_difference=_beside(exp_difference(a, b), exp_difference(a, b)),
    pull_second_of_exp_difference=_beside(exp_difference(a, b), -1 * exp_difference(a, b), 1),
    pull_logsumexp=(
        pullback(SUM, 0, g) >> ein(pull_shared(weighted(s), leading(dims(g), dims(SUM))), g, SHARES)
    ).noted("log Σ exp a passes its cotangent to every entry by its share of the sum."),
    pull_log_softmax=(pullback(log_softmax(s, a), 0, g) >> g + -1 * _shared(g)).noted(
        "a - log Σ exp a passes on its cotangent, less what its sum does."
    ),
    pull_softmax=(
        pullback(SHARES, 0, g)
        >> ein("LA,A->LA", g, SHARES) + -1 * _shared(ein("LA,A->LA", g, SHARES))
    ).noted("Shares s pass on s·g, less what log Σ exp a passes on of the sum of that."),
)

WITH_LAW = frozenset(cast(Node, rule.statement.node.args[0]).args[0] for rule in stable_forms.rules)
"""The operations of code that are differentiated here."""

WITHOUT_LAW = frozenset(OF_CODE).difference(WITH_LAW)
"""Those that no law differentiates: functions are not written by them first."""
