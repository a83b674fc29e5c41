"""Calls of the public functions with right arguments, by the names of their parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from inspect import signature
from random import Random
from typing import Any, Final, get_args

import numpy as np

import eggrad as eg
from eggrad.frontend.expression import numpy_protocols
from eggrad.frontend.text.words import FormatName

Draw = Callable[[Random], Any]
SIZES: Final = {"m": 2, "n": 3}
X, Y, Z = (eg.variable(name, ("n",)) for name in "xyz")
A = eg.variable("A", ("n", "n"))
B = eg.variable("B", ("m", "n"))
C = eg.variable("c")
P = eg.variable("p", (3,))
Q = eg.variable("Q", (3, 3), "symmetric")
SCALARS: Final = (C, eg.sum(X), X @ A @ X, eg.exp(C) * eg.sum(Y), eg.log(1 + C**2), eg.det(A))
VECTORS: Final = (X, A @ Y, eg.tanh(X) * Y, X / (1 + Y**2), eg.where(X > 0, X, Y))
MATRICES: Final = (A, A @ A, eg.exp(A), A.T + eg.delta(("n",)), eg.inv(A))
FIXED: Final = (P, Q, Q @ P, eg.sin(P), Q * 2)
LONG, HUGE = eg.variable("l", (10**5,)), eg.variable("H", (10**9, 10**9))
LARGE: Final = (LONG, HUGE, HUGE @ HUGE, eg.exp(LONG), eg.sum(HUGE, 0))
ARRAYS: Final = (2, 0.5, np.arange(3.0), np.eye(3), [1, 2, 3], np.float64(2), True)
TEXTS: Final = {
    "parse": ("declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x",
              "declare x 1 expression sin(x) + 2"),
    "parse_matrix": ("norm2(A*x - b)^2", "x'*A*x", "log(det(A)) + c*sum(exp(x))", "softmax(x)"),
    "parse_index": ("x_i A_ij x_j", "f_ij = A_ij + b_i b_j", "sum_i exp(x_i)"),
    "parse_latex": (r"\|Ax - b\|_2^2", r"x^\top A x + \log \sum_i e^{x_i}", r"\frac{c}{2} A^{-1}"),
    "parse_elementwise": ("f[i] = x[i] ** 2", "f[i; j] = exp (A[i; j] * x[j])"),
    "parse_json": ((eg.exp(X) * Y).to("json"), Q.to("json")),
}  # fmt: skip
DIMS: Final = {"A": ("n", "n"), "x": ("n",), "b": ("n",), "c": ()}
SPECS: Final = ("ij,j->i", "i,i", "ij->ji", "ii", "...i,i->...")
KEYS: Final = (0, -1, slice(None), slice(1, None), (..., 0), None, [0, 1], np.array([0, 2]))
FUNCTIONS: Final = (
    lambda x: np.sum(x * x), lambda x: np.exp(x).sum(), lambda x, y: np.sum(x) * np.sum(y),
    lambda p: np.sum(p["w"]) if isinstance(p, dict) else np.sum(p * 2.0),
)  # fmt: skip


@cache
def own_function() -> Any:
    return eg.function("gauss", derivative=lambda a: -a * own_function()(a), evaluate=_gauss)


def _gauss(a: Any) -> Any:
    return np.exp(-a * a / 2)


def one_of(*values: Any) -> Draw:
    return lambda rng: rng.choice(values)


def expressions(rng: Random) -> Any:
    kinds = (SCALARS, VECTORS, MATRICES, FIXED, FIXED, ARRAYS)
    return rng.choice(LARGE if rng.random() < 0.05 else rng.choice(kinds))


def lists_of(draw: Draw) -> Draw:
    return lambda rng: [draw(rng) for _ in range(rng.randint(1, 3))]


# By the name of a parameter, for it means the same everywhere; a scalar where one is wanted.
BY_NAME: Final[Mapping[str, Draw]] = {
    **dict.fromkeys(("f", "g", "a", "b", "x", "value", "c_and_lower"), expressions),
    "A": one_of(*MATRICES, Q),
    "name": one_of("x", "w", "theta"),
    "dims": one_of((), ("n",), ("m", "n"), (3,), ("n", 4)),
    "assume": one_of((), "symmetric", ["positive"], ("integer",)),
    "axis": one_of(None, 0, -1, (0,), [0, 1]),
    **dict.fromkeys(("keepdims", "lower", "reverse", "has_aux", "exact", "check", "reference",
                     "hermitian", "full_matrices", "compute_uv", "unit_diagonal", "jit",
                     "eigvals_only"), one_of(True, False)),
    "spec": one_of(*SPECS),
    "operands": expressions,
    "condition": one_of(X > 0, X >= Y, True, np.array([True, False, True])),
    "wrt": one_of("x", "A", "c", X, A, "p"),
    "v": one_of("v", X, "w"),
    "w": one_of("v", X, "w"),
    "mode": one_of("auto", "forward", "reverse"),
    "entries": one_of("independent", "pairs"),
    "budget": one_of(None, eg.Budget(), eg.Budget(nodes=100), eg.Budget(iterations=1)),
    "rules": one_of(None, []),
    "sizes": one_of(None, {"n": 3}, {"m": 2, "n": 3}),
    "backend": one_of("numpy", "numpy", "array_api", None),
    "structure": one_of("dense", "factored"),
    "columns": one_of(None, 1),
    "language": one_of(*get_args(FormatName)),
    "argnums": one_of(0, (0,), -1),
    "in_axes": one_of(0, (0,), None),
    "out_axes": one_of(0, -1),
    "ord": one_of(None, 2, 1, "fro", np.inf),
    "rcond": one_of(None, 1e-10),
    "trans": one_of(0, 1, "T"),
    "length": one_of(None, 4, "k"),
    "start": one_of(0.0, np.zeros(3), C, (0.0, np.ones(2))),
    "xs": one_of(None, np.ones((4, 3)), np.ones(4), B),
    "step": one_of(lambda h, x: (h * 2.0, None), lambda h, x: (h, h)),
    "derivative": one_of(lambda a: 2 * a, (lambda a, b: b, lambda a, b: a)),
    "evaluate": one_of(None, np.square, {"numpy": np.square}),
    "latex": one_of("", "F", r"\phi"),
    "parity": one_of("", "odd", "even"),
    "monotone": one_of("", "increasing"),
    "range": one_of(None, (0, 1)),
    "domain": one_of(None, (0, np.inf)),
    "source": one_of("nobody", "declared"),
    "functions": lambda rng: rng.choice(((), [own_function()])),
    "shapes": one_of({"x": ("n",), "A": ("n", "n")}, {"x": (3,), "A": (3, 3)}),
    "nodes": one_of(None, 100),
    "iterations": one_of(None, 1, 4),
    "seconds": one_of(None, 0.5, 2),
    "samples": one_of(10, 100),
    "seed": one_of(0, 7),
    "cotangent": expressions,
    "order": one_of("C", "K"),
    "dtype": one_of(float, np.float64, "f8"),
    "place": one_of(0, -1),
    "shape": one_of(-1, (3,), (1, 3)),
    "axes": one_of(None, (1, 0), (0,)),
    "values": lambda rng: values_of(rng.choice((*VECTORS, *SCALARS))),
    **dict.fromkeys(("n", "k", "offset", "decimals", "deg", "shift", "ind", "repeats", "kth",
                     "axis1", "axis2", "destination", "indices", "obj"), one_of(0, 1, 2, [0, 1])),
    **dict.fromkeys(("arrays", "tup"), lists_of(expressions)),
    "indices_or_sections": one_of(1, 3, [1], np.array([1, 2])),
    "kind": one_of(None, "stable"),
}  # fmt: skip
_SCALAR: Final = {"f": one_of(*SCALARS), "x": one_of("x", X, "c", "A")}
_TENSOR: Final = {"f": one_of(*SCALARS, *VECTORS), "x": one_of("x", X, "A")}
_FUNCTION: Final = {"f": one_of(*FUNCTIONS)}
_OF_TEXT: Final = {
    "dims": one_of(DIMS, None, "A: n n, x: n, b: n, c:"),
    "assume": one_of({}, None, {"A": "symmetric"}, "A: symmetric"),
}
_NOTATIONS: Final = ("parse_matrix", "parse_index", "parse_latex")
# By the name of the function, and that of the parameter.
MEANT: Final[Mapping[str, Mapping[str, Draw]]] = {
    **{name: {"text": one_of(*texts)} for name, texts in TEXTS.items()},
    **{name: {"text": one_of(*TEXTS[name]), **_OF_TEXT} for name in _NOTATIONS},
    **dict.fromkeys(("gradient", "hessian", "hvp"), _SCALAR),
    **dict.fromkeys(("jacobian", "jvp", "vjp"), _TENSOR),
    **dict.fromkeys(("grad", "value_and_grad", "vmap"), _FUNCTION),
    **dict.fromkeys(("jit", "jacfwd", "jacrev", "checkpoint"), _FUNCTION),
    "derivative": {"f": one_of(*SCALARS, *VECTORS, *FIXED)},
    "constant": {"value": one_of(2, 0.5, Fraction(1, 3), [1, 2])},
    "delta": {"dims": one_of(("n",), (3,), ("m", "n"))},
    "function": {"name": one_of("mine", "own_1")},
    "linalg.qr": {"mode": one_of("economic", "r")},
    "linalg.cho_solve": {"c_and_lower": one_of((A, True), (Q, False)), "b": one_of(X, A, P)},
    "parse_elementwise": {
        "sizes": one_of(None, {"i": "n"}, {"i": 3, "j": 3}),
        "text": one_of(*TEXTS["parse_elementwise"]),
    },
    "compile": {"f": one_of(*VECTORS, *SCALARS, [X @ X, 2 * X], FIXED[2])},
}


def values_of(f: Any) -> dict[str, Any]:
    """Values of the variables of an expression."""
    rng = np.random.default_rng(0)
    own = f.variables
    return {v.name: rng.normal(size=[SIZES.get(d, d) for d in v.dims]) for v in own}


def public_names() -> list[str]:
    """The functions that the package offers, those of its modules as well."""
    found = []
    for name in eg.__all__:
        own = getattr(eg, name)
        if name == "stats":  # rows with methods of any arguments, which have tests of their own
            continue
        if name in ("linalg", "special"):
            found += [f"{name}.{inner}" for inner in own.__all__]
        elif name == "Budget" or not isinstance(own, type):
            found.append(name)
    return found


_REDUCTIONS: Final = (
    "all", "any", "argmax", "argsort", "cumprod", "cumsum", "max", "mean", "min", "prod", "ptp",
    "squeeze", "std", "sum", "var",
)  # fmt: skip
_OPERATORS: Final = (
    "__add__", "__and__", "__divmod__", "__eq__", "__floordiv__", "__ge__", "__lt__", "__matmul__",
    "__mod__", "__mul__", "__ne__", "__pow__", "__rmatmul__", "__rpow__", "__rsub__", "__truediv__",
    "dot",
)  # fmt: skip
# The arguments of methods; the first ones are called most often.
ARGUMENTS: Final[Mapping[str, Draw]] = {
    "evaluate": lambda rng: [values_of(rng.choice((*VECTORS, *SCALARS)))],
    "substitute": lambda rng: [{rng.choice("xyzc"): rng.choice((Y, 2, X + 1))}],
    "to": lambda rng: [rng.choice(get_args(FormatName))],
    "__getitem__": lambda rng: [rng.choice(KEYS)],
    "cost": one_of([{"m": 2, "n": 3}], [3]),
    "clip": one_of([0, 1]),
    "repeat": one_of([2], [2, 0]),
    "round": one_of([], [2]),
    "swapaxes": one_of([0, 0], [0, -1]),
    "take": one_of([0], [[0, 1], 0]),
    "astype": one_of([float]),
    "compress": one_of([[True, False, True], 0]),
    "item": one_of([0], []),
    "reshape": one_of([-1], [(3,)], [1, 3]),
    "transpose": one_of([], [(1, 0)]),
    **dict.fromkeys(_REDUCTIONS, one_of([], [0], [-1])),
    **dict.fromkeys(_OPERATORS, lambda rng: [expressions(rng)]),
    **dict.fromkeys(("copy", "ravel", "flatten", "trace", "diagonal", "__round__"), one_of([])),
}
METHODS: Final = (*ARGUMENTS, *([*ARGUMENTS][:4] * 4))


@dataclass
class Call:
    """A call: what is called in words, what is called, and the arguments."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    options: dict[str, Any]

    def __str__(self) -> str:
        parts = [*map(_text, self.args), *(f"{k}={_text(v)}" for k, v in self.options.items())]
        return f"{self.name}({', '.join(parts)})"


def _text(value: Any) -> str:
    try:
        return " ".join(repr(value).split())[:120]
    except Exception as error:
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def right_call(rng: Random) -> Call:
    """A call with right arguments, most of them."""
    kind = rng.random()
    if kind < 0.55:
        return _of_function(rng)
    if kind < 0.8:
        return _of_method(rng)
    if kind < 0.88:
        return _of_numpy(rng)
    others = (_of_problem, _of_definition, _of_verdict, _of_declared, _of_factored)
    return rng.choice((_of_compiled, _of_compiled, _of_traced, _of_traced, *others))(rng)


def _of_function(rng: Random) -> Call:
    name = rng.choice(public_names())
    home, _, inner = name.rpartition(".")
    function = getattr(getattr(eg, home) if home else eg, inner)
    return Call(f"eg.{name}", function, *_arguments(name, function, rng))


@cache
def _numpy_functions() -> list[tuple[Any, Any]]:
    """NumPy's functions that expressions know, each with ours."""
    own = numpy_protocols._FUNCTIONS.items()
    return [(f, ours) for f, ours in own if getattr(f, "__module__", "").startswith("numpy")]


def _of_numpy(rng: Random) -> Call:
    function, ours = rng.choice(_numpy_functions())
    args, options = _arguments("", ours, rng)
    # Someone has to be an expression, or NumPy does not ask.
    if args:
        args[0] = rng.choice((X, A, P, Q, C, LONG, HUGE))
    return Call(f"np.{function.__name__}", function, args, options)


def _arguments(name: str, function: Any, rng: Random) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    options: dict[str, Any] = {}
    meant = MEANT.get(name, {})
    for p in signature(function).parameters.values():
        draw = meant.get(p.name) or BY_NAME.get(p.name, expressions)
        if p.kind == p.VAR_POSITIONAL:
            args += [draw(rng) for _ in range(rng.randint(1, 2))]
        elif p.kind == p.VAR_KEYWORD:
            continue
        elif p.default is p.empty and p.kind != p.KEYWORD_ONLY:
            args.append(draw(rng))
        elif p.default is p.empty or rng.random() < 0.3:
            options[p.name] = draw(rng)
    # What is passed by keyword and what is left over for `*args` do not go together.
    if any(p.kind == p.VAR_POSITIONAL for p in signature(function).parameters.values()):
        return args, {
            n: v
            for n, v in options.items()
            if signature(function).parameters[n].kind
            == signature(function).parameters[n].KEYWORD_ONLY
        }
    return args, options


def _of_method(rng: Random) -> Call:
    f = rng.choice((*SCALARS, *VECTORS, *MATRICES, *FIXED, *LARGE))
    name = rng.choice(METHODS)
    own = name == "evaluate" and f not in {*LARGE}
    args = [values_of(f)] if own else [*ARGUMENTS[name](rng)]
    return Call(f"({f!r}).{name}", getattr(f, name), args, {})


def _of_compiled(rng: Random) -> Call:
    f = rng.choice((*VECTORS, *FIXED))
    backend = rng.choice(("numpy", "numpy", "array_api"))
    made = eg.compile(f, backend)
    return Call(f"eg.compile({f!r}, {backend!r})", made, [], values_of(f))


def _of_traced(rng: Random) -> Call:
    name = rng.choice(
        ("grad", "value_and_grad", "hessian", "jacobian", "vmap", "hvp", "jvp", "vjp")
    )
    f = rng.choice(FUNCTIONS[:2])
    x = rng.choice((np.ones(3), 2.0, [1.0, 2.0], np.ones((2, 2)), X))
    args = {"hvp": [x, x], "jvp": [(x,), (x,)]}.get(name, [x])
    return Call(f"eg.{name}(<a function>)", getattr(eg, name)(f), args, {})


def _of_problem(rng: Random) -> Call:
    problem = eg.parse(rng.choice(TEXTS["parse"]))
    return Call(f"{problem!r}.derivative", problem.derivative, ["x"], {})


def _of_definition(rng: Random) -> Call:
    d = eg.parse_elementwise("f[i] = x[i] ** 2 * c", {"x": ("n",), "c": ()}, sizes={"i": "n"})
    name = rng.choice(("evaluate", "adjoint", "jacobian", "to", "of"))
    args: Mapping[str, list[Any]] = {
        "evaluate": [{"x": [1.0, 2.0], "c": 3.0}], "adjoint": ["x"], "jacobian": ["x"],
        "to": [rng.choice(get_args(FormatName))], "of": [expressions(rng)],
    }  # fmt: skip
    return Call(f"{d!r}.{name}", getattr(d, name), [*args[name]], {})


def _of_verdict(rng: Random) -> Call:
    verdict = eg.equivalent(eg.log(eg.exp(X)), X)
    return Call("a verdict.explain", verdict.explain, [rng.choice(get_args(FormatName))], {})


def _of_declared(rng: Random) -> Call:
    own = own_function()
    if rng.random() < 0.7:
        return Call("gauss", own, [expressions(rng)], {})
    return Call("gauss.check", own.check, [10], {"seed": 3})


def _of_factored(rng: Random) -> Call:
    f = eg.compile(eg.jacobian(P * P, P), structure="factored")(p=np.arange(1.0, 4.0))
    name = rng.choice(("solve", "__matmul__", "todense", "diagonal", "aslinearoperator"))
    args = [np.ones(3)] if name in ("solve", "__matmul__") else []
    return Call(f"a factored tensor.{name}", getattr(f, name), args, {})
