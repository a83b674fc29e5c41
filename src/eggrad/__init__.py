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
    from eggrad.frontend import special
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
    from eggrad.frontend.budget_warning import BudgetWarning
    from eggrad.frontend.compilation import compile
    from eggrad.frontend.conditions import where
    from eggrad.frontend.derivative_products import hvp, jvp, vjp
    from eggrad.frontend.elementwise_definition import Definition, parse_elementwise
    from eggrad.frontend.equivalence import Verdict, equivalent
    from eggrad.frontend.expression import Expression
    from eggrad.frontend.functions import (
        abs,
        adj,
        arccos,
        arcsin,
        arctan,
        ceil,
        constant,
        cos,
        delta,
        det,
        einsum,
        exp,
        floor,
        inv,
        log,
        max,
        maximum,
        min,
        minimum,
        mod,
        relu,
        round,
        sign,
        sin,
        sum,
        tan,
        tanh,
        transpose,
        trunc,
        variable,
    )
    from eggrad.frontend.own_functions import function
    from eggrad.frontend.size_symbols import SizeWarning
    from eggrad.frontend.softmax import log_softmax, logsumexp, softmax
    from eggrad.frontend.transforms import grad, value_and_grad

__all__ = [
    "Budget",
    "BudgetExceeded",
    "BudgetWarning",
    "CompiledFunction",
    "Definition",
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
    "ceil",
    "compile",
    "constant",
    "cos",
    "delta",
    "derivative",
    "det",
    "einsum",
    "equivalent",
    "exp",
    "floor",
    "function",
    "grad",
    "gradient",
    "hessian",
    "hvp",
    "inv",
    "jacobian",
    "jvp",
    "log",
    "log_softmax",
    "logsumexp",
    "max",
    "maximum",
    "min",
    "minimum",
    "mod",
    "parse",
    "parse_elementwise",
    "parse_matrix",
    "relu",
    "round",
    "sign",
    "simplify",
    "sin",
    "softmax",
    "special",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "trunc",
    "value_and_grad",
    "variable",
    "vjp",
    "where",
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
    "frontend.budget_warning": ("BudgetWarning",),
    "frontend.compilation": ("compile",),
    "frontend.conditions": ("where",),
    "frontend.derivative_products": ("hvp", "jvp", "vjp"),
    "frontend.elementwise_definition": ("Definition", "parse_elementwise"),
    "frontend.equivalence": ("Verdict", "equivalent"),
    "frontend.expression": ("Expression",),
    "frontend.own_functions": ("function",),
    "frontend.size_symbols": ("SizeWarning",),
    "frontend.softmax": ("log_softmax", "logsumexp", "softmax"),
    "frontend.transforms": ("grad", "value_and_grad"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}")
    if name == "special":
        return import_module("eggrad.frontend.special")
    module = _HOME.get(name, "frontend.functions")
    found = getattr(import_module(f"eggrad.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
