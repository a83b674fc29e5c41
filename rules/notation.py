"""What a file of rules is written with: `from eggrad.rules.notation import ...`.

>>> rules = Ruleset("mine", "what I know about logarithms", "the number of functions")
>>> @rules.rule(cite="arithmetic")
... def log_of_exp(a: Tensor) -> Statement:
...     '''log exp a = a.'''
...     return fn("log", fn("exp", a)) >> a
>>> log_of_exp.text
"fn('log', fn('exp', a)) >> a"
"""

from eggrad.engine.indices.spec import parse_spec
from eggrad.engine.laws.arithmetic import (
    exponent_product,
    exponent_sum,
    nonzero,
    not_one,
    plus,
    times,
)
from eggrad.engine.laws.index_algebra import (
    compose,
    elementwise,
    inline,
    is_identity,
    join,
    matrix_transpose,
    nothing_summed,
    outer,
    swap,
)
from eggrad.engine.laws.language import (
    D,
    Dims,
    Entries,
    Name,
    Number,
    Spec,
    Statement,
    Tensor,
    Wrt,
    add,
    adj,
    array,
    condition,
    const,
    delta,
    det,
    differ,
    dims,
    divide,
    ein,
    ein1,
    fn,
    inv,
    known,
    negate,
    power,
    primitive,
    scale,
    size,
    slope,
    subtract,
    variable,
)
from eggrad.engine.laws.numeric_language import Variable, declared
from eggrad.engine.laws.properties import (
    invertible,
    nonnegative,
    nonzero_almost,
    positive,
    within_one,
)
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.rules.common.conditions import (
    is_elementwise,
    is_even,
    is_matrix_product,
    is_odd,
    is_positive,
    is_transpose,
    is_whole,
)

__all__ = [
    "BulkRule", "D", "Dims", "Entries", "Name", "Number", "Rule", "Ruleset", "Spec", "Statement",
    "Tensor", "Variable", "Wrt", "add", "adj", "array", "compose", "condition", "const", "declared",
    "delta", "det", "differ", "dims", "divide", "ein", "ein1", "elementwise", "exponent_product",
    "exponent_sum", "fn", "inline", "inv", "invertible", "is_elementwise", "is_even",
    "is_identity", "is_matrix_product", "is_odd", "is_positive", "is_transpose", "is_whole",
    "join", "known", "matrix_transpose", "negate", "nonnegative", "nonzero", "nonzero_almost",
    "not_one", "nothing_summed", "outer", "parse_spec", "plus", "positive", "power", "primitive",
    "scale", "size", "slope", "subtract", "swap", "times", "variable", "within_one",
]  # fmt: skip
