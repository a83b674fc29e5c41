"""Which NumPy kernels compute a node, and how much each of them has to do.

A node's work is a sum of terms `repeats * rate(units)`: the rate is the measured time of one
kernel (`rates.py`), units and repeats are products of sizes. So work is found once for an
expression and timed at any sizes. The layout of an operand is not known: results are taken to be
in C order, and what a kernel wants in another order is copied.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final, cast

from eggrad.engine.costs.cost import DEFAULT_SIZE
from eggrad.engine.costs.product_kernels import Step, product_steps
from eggrad.engine.indices.sparsity import Sparsity, plan_of, visited_dims
from eggrad.engine.indices.spec import Dims, Size, Spec, scaling
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.functions import EXTREMES, FUNCTIONS, MATRIX_FUNCTIONS, function_of, record
from eggrad.engine.terms.term import (
    LEAVES,
    NUMERIC,
    Term,
    postorder,
    term_sparsity,
)

__all__ = ["Work", "dag_work", "node_work", "term_work"]

Constants = tuple[Fraction | None, ...]

# Element-wise operations by the kernels that they call.
_COMPOSED: Final[dict[str, tuple[str, ...]]] = {f.name: f.rates for f in FUNCTIONS.values()} | {
    "add": ("arithmetic",),
    "subtract": ("arithmetic",),
    "multiply": ("arithmetic",),
    "square": ("arithmetic",),
}
_POWERS: Final[dict[Fraction, tuple[str, ...]]] = {
    Fraction(0): (),
    Fraction(1): (),
    Fraction(2): ("arithmetic",),
    Fraction(3): ("arithmetic", "arithmetic"),
    Fraction(-1): ("reciprocal",),
    Fraction(-2): ("arithmetic", "reciprocal"),
    Fraction(1, 2): ("sqrt",),
    Fraction(-1, 2): ("sqrt", "reciprocal"),
}
# What one operation on a NumPy scalar counts as.
_SCALAR: Final = frozenset({"arithmetic", "scaling", "negate", "divide", "reciprocal", "power"})
_MATRIX: Final = {f.name: f.rate for f in MATRIX_FUNCTIONS.values()} | {"cholesky": "cholesky"}
_REDUCING: Final = frozenset(
    {
        "cholesky",
        "inverse_from_cholesky",
        "logdet",
        "logdet_from_cholesky",
        "logsumexp",
        *EXTREMES,
        "norm",
        "product_of_pairs",
        "solve",
        "symmetric_product",
    }
)


@dataclass(frozen=True, slots=True)
class Work:
    """`repeats` times the time that the kernel `rate` takes for `units`; both products of sizes.

    >>> Work.of("matmul", ("n", 2, "m", 3))
    Work(rate='matmul', units=(6, 'm', 'n'), repeats=())
    """

    rate: str
    units: Dims = ()
    repeats: Dims = ()

    @classmethod
    def of(cls, rate: str, units: Iterable[Size] = (), repeats: Iterable[Size] = ()) -> "Work":
        """The work with its products in canonical form, so that equal work is equal."""
        return cls(rate, _product(units), _product(repeats))


def _product(sizes: Iterable[Size]) -> Dims:
    own = tuple(sizes)
    # A size of 0 counts as 1, as everywhere in costs.
    number = prod(max(1, d) for d in own if isinstance(d, int))
    symbols = sorted(d for d in own if isinstance(d, str))
    return (*([number] if number != 1 else []), *symbols)


def node_work(
    constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
    deltas: tuple[Sparsity, ...], *, same: bool = False, constants: Constants = (),
) -> tuple[Work, ...]:  # fmt: skip
    """The work of one e-node.

    `args` and `out` are the dims of its operands and of itself, `deltas` says which operands are
    deltas, `constants` which are constant and of what value, `same` that both operands are one.

    >>> spec = ((0, 1), (1,), (0,))
    >>> work = node_work("ein", (spec,), (("m", "n"), ("n",)), ("m",), (False, False))
    >>> [(w.rate, w.units) for w in work]
    [('gemv', ('m', 'n')), ('gemv_row', ('m',)), ('fresh', ('m',))]
    """
    if constructor in LEAVES:
        return ()
    if constructor in ("ein", "ein1"):
        steps = _product_steps(data[0], args, deltas, constants, same)
    elif constructor == "scale":
        factors: Constants = (data[0], *constants)
        steps = _product_steps(scaling(len(out)), ((), *args), (False, *deltas), factors, False)
    elif constructor in _MATRIX or constructor == "cofactors":
        steps = _matrix_steps(constructor, data, args, out)
    elif constructor in ("numeric", "numeric2") and data[0] in _REDUCING:
        steps = _reducing_steps(data[0], data[1], args, out)
    else:
        names = _elementwise_rates(constructor, data, constants)
        steps = [(name if out else _on_scalars(name), out, ()) for name in names]
        # An element-wise operation needs every entry of a delta.
        for dims, is_delta in zip(args, deltas, strict=False):
            if is_delta is True and dims:
                steps += [("zeros", dims, ()), ("diagonal", dims[len(dims) // 2 :], ())]
        steps = steps or [("view", (), ())]
    if all(rate != "view" for rate, _, _ in steps) and not (
        constructor == "ein" and plan_of(data[0], args, deltas, _length)
    ):
        # An indicator that is needed as an array.
        stored = (d for d, known in zip(args, deltas, strict=False) if known and known is not True)
        steps += [("zeros", d, ()) for d in stored]
    # A result of some size lies in memory that the process did not have a moment ago.
    if out and all(rate != "view" for rate, _, _ in steps):
        steps.append(("fresh", out, ()))
    return tuple(Work.of(*step) for step in steps)


def _length(size: Size) -> int:
    # Which of two indices is the longer hardly matters here.
    return size if isinstance(size, int) else DEFAULT_SIZE


def _product_steps(
    spec: Spec,
    args: tuple[Dims, ...],
    deltas: tuple[Sparsity, ...],
    constants: Constants,
    same: bool,
) -> list[Step]:
    """The steps of a product; one with an indicator reads or writes entries through a view."""
    planned = plan_of(spec, args, deltas, _length)
    if planned is not None:
        if planned.is_view:
            return [("view", (), ())]
        return [("arithmetic", tuple(visited_dims(spec, args, deltas, _length).values()), ())]
    return product_steps(spec, args, [known is True for known in deltas], constants, same)


def _elementwise_rates(
    constructor: str, data: tuple[Any, ...], constants: Constants
) -> tuple[str, ...]:
    if constructor == "power":
        exponent = constants[1] if len(constants) > 1 else None
        return ("power",) if exponent is None else _POWERS.get(exponent, ("power",))
    if constructor == "divide" and constants and constants[0] is not None:
        return ("reciprocal",)
    if constructor in FUNCTION_NODES.values():
        return record(data[0]).rates
    name = data[0] if constructor in ("numeric", "numeric2") else constructor
    return _COMPOSED.get(name, (name,))


def _on_scalars(name: str) -> str:
    return "scalar" if name in _SCALAR else "scalar_function"


def _matrix_steps(
    constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims
) -> list[Step]:
    n = args[0][0]
    cube = (n, n, n)
    if constructor != "cofactors":
        return [(_MATRIX[constructor], cube, ())]
    order = data[0]
    return [("adj" if order else "det", cube, ()), *[("arithmetic", out, ())] * (order > 1)]


def _reducing_steps(name: str, known: object, args: tuple[Dims, ...], out: Dims) -> list[Step]:
    """The steps of an operation of lowered terms that is not element-wise."""
    whole = args[0]
    match name:
        case "logdet":
            decomposition = "cholesky" if known == "positive definite" else "slogdet"
            return [(decomposition, (whole[0],) * 3, ()), ("log", whole[:1], ()), ("sum", (), ())]
        case "cholesky" | "inverse_from_cholesky":
            return [(name, (whole[0],) * 3, ())]
        case "logdet_from_cholesky":
            return [("log", whole[:1], ()), ("sum", whole[:1], ()), ("scalar", (), ())]
        case "solve":
            return [("solve", (whole[0],) * 3, ()), ("matmul", (*whole, *args[1][1:]), ())]
        case "symmetric_product":
            return _symmetric_steps(cast(int, known), whole, args[1][1:])
        case "product_of_pairs":
            # A product with half as many columns takes as long as a symmetric one of all.
            (m, n), inner = whole, args[1][:-1]
            product = ("syrk", (*inner, m, n, n), ())
            return [("transposed", (m, n, n), ()), product, ("broadcast", out, ())]
        case name if name in EXTREMES:
            return [(EXTREMES[name].rate, whole, ())]
        case "norm":
            return [("dot", whole, ()), ("sqrt", out, ()), *[("scalar_function", (), ())] * 4]
        case _:
            passes = [(rate, whole, ()) for rate in ("sum", "arithmetic", "exp", "sum")]
            return [*passes, ("sum", out, ()), ("log", out, ()), ("arithmetic", out, ())]


def _symmetric_steps(order: int, matrix: Dims, inner: Dims) -> list[Step]:
    """A symmetric product of scaled rows for every weight, and for a cube for every column."""
    m, n = matrix
    copies = (*inner, *(n,) * (order - 2))
    slices = [("arithmetic", matrix, copies), ("syrk", (m, n, n), copies)]
    return [*slices, *[("scalar_function", (), copies)] * 6]


def term_work(term: Term) -> tuple[Work, ...]:
    """The work of one node of a term, its operands given.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> term_work(apply("exp", variable("x", ("n",))))[0]
    Work(rate='exp', units=('n',), repeats=())
    """
    constructor, data = term.op, (term.data,)
    if term.op == "einsum":
        constructor = "ein" if len(term.args) == 2 else "ein1"
    elif function := function_of(term.op, term.data):
        constructor, data = FUNCTION_NODES[len(term.args)], (function.key,)
    elif term.op in NUMERIC:
        constructor, data = "numeric", (term.op, term.data)
    return node_work(
        constructor,
        data,
        tuple(a.dims for a in term.args),
        term.dims,
        tuple(term_sparsity(a) for a in term.args),
        same=len(term.args) == 2 and term.args[0] is term.args[1],
        constants=tuple(a.value if a.op == "constant" else None for a in term.args),
    )


def dag_work(roots: Iterable[Term]) -> dict[Work, int]:
    """All work of a DAG, each shared node once, with how often it occurs."""
    found: dict[Work, int] = {}
    for node in postorder(*roots):
        for work in term_work(node):
            found[work] = found.get(work, 0) + 1
    return found
