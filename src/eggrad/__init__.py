"""Tensor derivatives by equality saturation.

>>> import eggrad as eg
>>> A, x = eg.variable("A", ("m", "n")), eg.variable("x", ("n",))
>>> (A @ x).shape
('m',)

Everything is loaded at first use: importing this package is quick.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eggrad import linalg, special, stats
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
    from eggrad.frontend.expression.special import stop_gradient
    from eggrad.frontend.interface.branches import cond, while_loop
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
    from eggrad.frontend.interface.transforms import (
        checkpoint,
        elementwise_grad,
        grad,
        jacfwd,
        jacrev,
        jit,
        value_and_grad,
        vmap,
    )

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
    "checkpoint",
    "compile",
    "cond",
    "constant",
    "convexity",
    "cos",
    "delta",
    "derivative",
    "det",
    "einsum",
    "elementwise_grad",
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
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
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
    "stats",
    "stop_gradient",
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
    "while_loop",
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
    "frontend.interface.branches": ("cond", "while_loop"),
    "frontend.interface.compile": ("compile",),
    "frontend.interface.convexity": ("Certificate", "Convexity", "CurvatureBound", "convexity"),
    "frontend.interface.definition": ("Definition", "parse_elementwise"),
    "frontend.interface.derivatives": ("derivative", "gradient", "simplify"),
    "frontend.interface.loops": ("scan",),
    "frontend.interface.products": ("hessian", "hvp", "jacobian", "jvp", "vjp"),
    "frontend.interface.transforms": (
        "checkpoint",
        "elementwise_grad",
        "grad",
        "jacfwd",
        "jacrev",
        "jit",
        "value_and_grad",
        "vmap",
    ),
    "frontend.expression.special": ("stop_gradient",),
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
_OWN = "eggrad.function declares a function by its derivative, and how it is computed"
# What others look for who know JAX or autograd.
_INSTEAD = {
    **dict.fromkeys(
        ("custom_jvp", "custom_vjp", "custom_gradient", "extend", "primitive", "defvjp"), _OWN
    ),
    **dict.fromkeys(("lax", "nn", "numpy", "scipy"), "write NumPy's functions, and eggrad's own"),
    "hessian_vector_product": "eggrad.hvp(f)(x, v) is the Hessian of f at x, times v",
    "make_vjp": "eggrad.vjp(f)(x) is the value, and a function that pulls a cotangent back",
    "make_jvp": "eggrad.jvp(f)((x,), (v,)) is the value, and its change along v",
    **dict.fromkeys(
        ("tree_util", "tree", "builtins"),
        "tuples, lists and dicts are taken as they are; jax.tree_util works beside eggrad",
    ),
    "random": "write NumPy's generators; arrays that are drawn are arguments or constants",
    "pmap": "eggrad.vmap computes many examples at once",
    "remat": "write eggrad.checkpoint, or nothing: what is kept is found by cost",
    "linearize": "eggrad.jvp(f)(primals, tangents) is the change along a direction",
    "fori_loop": "write a loop of Python's, or eggrad.scan, whose step is traced once",
    **dict.fromkeys(("switch", "select"), "write numpy.select, or eggrad.cond for each branch"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that has it, once."""
    if name not in __all__:
        _look_up(name)
    if name in ("linalg", "special", "stats"):
        found = import_module(f"eggrad.{name}")
    else:
        home = _HOME.get(name, "frontend.expression.functions")
        found = getattr(import_module(f"eggrad.{home}"), name)
    globals()[name] = found
    return found


def _look_up(name: str) -> None:
    """Refuse a name that no function with a record has."""
    public = name[:1] != "_"
    if not public or name not in import_module("eggrad.engine.terms.functions").CALLED:
        advice = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
        if advice and sys._getframe(2).f_code.co_name == "_handle_fromlist":
            # Python would leave the advice out.
            raise ImportError(f"cannot import name {name!r} from 'eggrad'{advice}")
        raise AttributeError(f"module 'eggrad' has no attribute {name!r}{advice}")


def __dir__() -> list[str]:
    """Offer the public names, loaded or not."""
    return __all__
