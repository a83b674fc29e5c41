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
        UnsolvableSystem,
        UnsoundRules,
        UnsupportedOperation,
    )
    from eggrad.engine.factored import FactoredTensor
    from eggrad.engine.report import Budget
    from eggrad.frontend.api import (
        Problem,
        derivative,
        gradient,
        hessian,
        jacobian,
        parse,
        parse_matrix,
        simplify,
    )
    from eggrad.frontend.compilation import compile
    from eggrad.frontend.derivative_products import hvp, jvp, vjp
    from eggrad.frontend.equivalence import Verdict, equivalent
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
    from eggrad.frontend.size_symbols import SizeWarning
    from eggrad.frontend.transforms import grad, value_and_grad

__all__ = [
    "Budget",
    "BudgetExceeded",
    "CompiledFunction",
    "EggradError",
    "Expression",
    "FactoredTensor",
    "ParseError",
    "Problem",
    "RuleError",
    "ShapeError",
    "SizeWarning",
    "UnknownVariable",
    "UnsolvableSystem",
    "UnsoundRules",
    "UnsupportedOperation",
    "Verdict",
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
    "equivalent",
    "exp",
    "grad",
    "gradient",
    "hessian",
    "hvp",
    "inv",
    "jacobian",
    "jvp",
    "log",
    "parse",
    "parse_matrix",
    "relu",
    "sign",
    "simplify",
    "sin",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "value_and_grad",
    "variable",
    "vjp",
]

_HOMES = {
    "engine.errors": (
        "BudgetExceeded",
        "EggradError",
        "ParseError",
        "RuleError",
        "ShapeError",
        "UnknownVariable",
        "UnsolvableSystem",
        "UnsoundRules",
        "UnsupportedOperation",
    ),
    "engine.compiled": ("CompiledFunction",),
    "engine.factored": ("FactoredTensor",),
    "engine.report": ("Budget",),
    "frontend.api": (
        "Problem",
        "derivative",
        "gradient",
        "hessian",
        "jacobian",
        "parse",
        "parse_matrix",
        "simplify",
    ),
    "frontend.compilation": ("compile",),
    "frontend.derivative_products": ("hvp", "jvp", "vjp"),
    "frontend.equivalence": ("Verdict", "equivalent"),
    "frontend.expression": ("Expression",),
    "frontend.size_symbols": ("SizeWarning",),
    "frontend.transforms": ("grad", "value_and_grad"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}")
    module = _HOME.get(name, "frontend.functions")
    found = getattr(import_module(f"eggrad.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
