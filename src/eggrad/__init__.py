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
        AssumptionViolated,
        BudgetExceeded,
        EggradError,
        MissingRule,
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
    from eggrad.frontend.expression import linalg, special
    from eggrad.frontend.expression.expression import Expression, where
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
        eye,
        floor,
        inv,
        log,
        log_softmax,
        logsumexp,
        max,
        maximum,
        min,
        minimum,
        mod,
        ones,
        relu,
        round,
        sign,
        sin,
        softmax,
        sum,
        tan,
        tanh,
        transpose,
        trunc,
        variable,
        zeros,
    )
    from eggrad.frontend.expression.own_functions import function
    from eggrad.frontend.interface.compile import compile
    from eggrad.frontend.interface.convexity import (
        Certificate,
        Convexity,
        CurvatureBound,
        convexity,
    )
    from eggrad.frontend.interface.definition import Definition, parse_elementwise
    from eggrad.frontend.interface.derivatives import derivative, gradient, simplify
    from eggrad.frontend.interface.equivalence import Verdict, equivalent
    from eggrad.frontend.interface.loops import scan
    from eggrad.frontend.interface.products import hessian, hvp, jacobian, jvp, vjp
    from eggrad.frontend.interface.properties import Properties, properties
    from eggrad.frontend.interface.reading import (
        Problem,
        parse,
        parse_index,
        parse_json,
        parse_latex,
        parse_matrix,
        parse_numpy,
    )
    from eggrad.frontend.interface.transforms import grad, value_and_grad, vmap

__version__ = "0.1.0"

# In a clone on a system without symbolic links the folders are found where the links lead to.
if not Path(__file__).with_name("engine").is_dir():
    __path__.append(str(Path(__file__).parents[2]))

__all__ = [
    "AssumptionViolated",
    "Budget",
    "BudgetExceeded",
    "BudgetWarning",
    "Certificate",
    "CompiledFunction",
    "Convexity",
    "CurvatureBound",
    "Definition",
    "EggradError",
    "Expression",
    "FactoredTensor",
    "MissingRule",
    "ParseError",
    "Problem",
    "Properties",
    "RuleError",
    "ShapeError",
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
    "convexity",
    "cos",
    "delta",
    "derivative",
    "det",
    "einsum",
    "equivalent",
    "exp",
    "eye",
    "floor",
    "function",
    "grad",
    "gradient",
    "hessian",
    "hvp",
    "inv",
    "jacobian",
    "jvp",
    "linalg",
    "log",
    "log_softmax",
    "logsumexp",
    "max",
    "maximum",
    "min",
    "minimum",
    "mod",
    "ones",
    "parse",
    "parse_elementwise",
    "parse_index",
    "parse_json",
    "parse_latex",
    "parse_matrix",
    "parse_numpy",
    "properties",
    "relu",
    "round",
    "scan",
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
    "vmap",
    "where",
    "zeros",
]

_HOMES = {
    "engine.errors": (
        "AssumptionViolated",
        "BudgetExceeded",
        "EggradError",
        "MissingRule",
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
    "frontend.calculus.budget_warning": ("BudgetWarning",),
    "frontend.expression.expression": ("Expression", "where"),
    "frontend.expression.own_functions": ("function",),
    "frontend.interface.compile": ("compile",),
    "frontend.interface.convexity": ("Certificate", "Convexity", "CurvatureBound", "convexity"),
    "frontend.interface.definition": ("Definition", "parse_elementwise"),
    "frontend.interface.derivatives": ("derivative", "gradient", "simplify"),
    "frontend.interface.loops": ("scan",),
    "frontend.interface.products": ("hessian", "hvp", "jacobian", "jvp", "vjp"),
    "frontend.interface.transforms": ("grad", "value_and_grad", "vmap"),
    "frontend.interface.equivalence": ("Verdict", "equivalent"),
    "frontend.interface.properties": ("Properties", "properties"),
    "frontend.interface.reading": (
        "Problem",
        "parse",
        "parse_index",
        "parse_json",
        "parse_latex",
        "parse_matrix",
        "parse_numpy",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        _look_up(name)
    if name in ("linalg", "special"):
        found = import_module(f"eggrad.frontend.expression.{name}")
    else:
        home = _HOME.get(name, "frontend.expression.functions")
        found = getattr(import_module(f"eggrad.{home}"), name)
    globals()[name] = found
    return found


def _look_up(name: str) -> None:
    """Refuse a name that no function with a record has."""
    public = name[:1] != "_"
    if not public or name not in import_module("eggrad.engine.terms.functions").CALLED:
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
