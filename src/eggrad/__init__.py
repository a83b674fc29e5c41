"""Tensor derivatives by equality saturation.

>>> import eggrad as eg
>>> A, x = eg.variable("A", ("m", "n")), eg.variable("x", ("n",))
>>> (A @ x).shape
('m',)

Everything is loaded at first use: importing this package is quick.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eggrad.engine.compilation.compiled import CompiledFunction
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
    from eggrad.engine.runtime.factored import FactoredTensor
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.frontend.calculus.budget_warning import BudgetWarning
    from eggrad.frontend.calculus.compilation import compile
    from eggrad.frontend.elementwise.definition import Definition, parse_elementwise
    from eggrad.frontend.expression import special
    from eggrad.frontend.expression.conditions import where
    from eggrad.frontend.expression.expression import Expression
    from eggrad.frontend.expression.functions import (
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
    from eggrad.frontend.expression.own_functions import function
    from eggrad.frontend.expression.size_symbols import SizeWarning
    from eggrad.frontend.expression.softmax import log_softmax, logsumexp, softmax
    from eggrad.frontend.interface.api import (
        Problem,
        derivative,
        gradient,
        hessian,
        jacobian,
        parse,
        parse_matrix,
        simplify,
    )
    from eggrad.frontend.interface.derivative_products import hvp, jvp, vjp
    from eggrad.frontend.interface.equivalence import Verdict, equivalent
    from eggrad.frontend.interface.transforms import grad, value_and_grad

# In a clone on a system without symbolic links the folders are found where the links lead to.
if not Path(__file__).with_name("engine").is_dir():
    __path__.append(str(Path(__file__).parents[2]))

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
    "engine.compilation.compiled": ("CompiledFunction",),
    "engine.runtime.factored": ("FactoredTensor",),
    "engine.saturation.schedule": ("Budget",),
    "frontend.interface.api": (
        "Problem",
        "derivative",
        "gradient",
        "hessian",
        "jacobian",
        "parse",
        "parse_matrix",
        "simplify",
    ),
    "frontend.calculus.budget_warning": ("BudgetWarning",),
    "frontend.calculus.compilation": ("compile",),
    "frontend.expression.conditions": ("where",),
    "frontend.interface.derivative_products": ("hvp", "jvp", "vjp"),
    "frontend.elementwise.definition": ("Definition", "parse_elementwise"),
    "frontend.interface.equivalence": ("Verdict", "equivalent"),
    "frontend.expression.expression": ("Expression",),
    "frontend.expression.own_functions": ("function",),
    "frontend.expression.size_symbols": ("SizeWarning",),
    "frontend.expression.softmax": ("log_softmax", "logsumexp", "softmax"),
    "frontend.interface.transforms": ("grad", "value_and_grad"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}")
    if name == "special":
        return import_module("eggrad.frontend.expression.special")
    module = _HOME.get(name, "frontend.expression.functions")
    found = getattr(import_module(f"eggrad.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
