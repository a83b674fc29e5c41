"""What holds at symmetric matrices alone.

Equal values at symmetric matrices have equal derivatives only within their space, so these laws
are applied where a term is printed, compiled or compared, and no more differentiated.
"""

from eggrad.engine.laws.language import Spec, Statement, condition, ein1, inv
from eggrad.engine.laws.numeric_language import Variable, declared
from eggrad.engine.laws.rule import Ruleset
from eggrad.rules.functions.linalg import is_transpose

symmetric = Ruleset(
    "symmetric", "what holds at symmetric matrices alone", "the number of transposed variables"
)


@condition
def is_symmetric(x: Variable) -> bool:
    """Whether a variable is declared symmetric."""
    return "symmetric" in x[2]


@symmetric.rule(cite="declared", thin=True)
def symmetric_variable(s: Spec, x: Variable) -> Statement:
    """X' = X for a variable that is declared symmetric."""
    return ein1(s, declared(x)) >> declared(x), is_transpose(s), is_symmetric(x)


@symmetric.rule(cite="declared", thin=True)
def symmetric_inverse(s: Spec, x: Variable) -> Statement:
    """(X⁻¹)' = X⁻¹ for a variable that is declared symmetric."""
    return ein1(s, inv(declared(x))) >> inv(declared(x)), is_transpose(s), is_symmetric(x)
