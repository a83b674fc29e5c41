"""Tensor derivatives by equality saturation.

>>> import eggrad as eg
>>> A, x = eg.variable("A", ("m", "n")), eg.variable("x", ("n",))
>>> (A @ x).shape
('m',)

Everything is loaded at first use: importing this package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eggrad.engine.compiled import CompiledFunction
    from eggrad.engine.errors import (
        BudgetExceeded,
        EggradError,
        ParseError,
        RuleError,
        ShapeError,
        UnknownVariable,
        UnsoundRules,
        UnsupportedOperation,
    )
    from eggrad.frontend.api import (
        Problem,
        compile,
        derivative,
        gradient,
        hessian,
        jacobian,
        parse,
        simplify,
    )
    from eggrad.frontend.expression import Expression
    from eggrad.frontend.functions import (
        abs,
        adj,
        arccos,
        arcsin,
        arctan,
        constant,
        cos,
        delta,
        det,
        einsum,
        exp,
        inv,
        log,
        relu,
        sign,
        sin,
        sum,
        tan,
        tanh,
        transpose,
        variable,
    )

__all__ = [
    "BudgetExceeded",
    "CompiledFunction",
    "EggradError",
    "Expression",
    "ParseError",
    "Problem",
    "RuleError",
    "ShapeError",
    "UnknownVariable",
    "UnsoundRules",
    "UnsupportedOperation",
    "abs",
    "adj",
    "arccos",
    "arcsin",
    "arctan",
    "compile",
    "constant",
    "cos",
    "delta",
    "derivative",
    "det",
    "einsum",
    "exp",
    "gradient",
    "hessian",
    "inv",
    "jacobian",
    "log",
    "parse",
    "relu",
    "sign",
    "simplify",
    "sin",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "variable",
]

_ERRORS = frozenset(
    {
        "BudgetExceeded",
        "EggradError",
        "ParseError",
        "RuleError",
        "ShapeError",
        "UnknownVariable",
        "UnsoundRules",
        "UnsupportedOperation",
    }
)
_API = frozenset(
    {
        "Problem",
        "compile",
        "derivative",
        "gradient",
        "hessian",
        "jacobian",
        "parse",
        "simplify",
    }
)


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}")
    if name in _ERRORS:
        module = "engine.errors"
    elif name == "CompiledFunction":
        module = "engine.compiled"
    elif name in _API:
        module = "frontend.api"
    else:
        module = "frontend.expression" if name == "Expression" else "frontend.functions"
    found = getattr(import_module(f"eggrad.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
