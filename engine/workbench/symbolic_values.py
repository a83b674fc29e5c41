"""The entries of terms as exact values with symbols, by the oracle's definitions."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.indices.affine import size_form
from eggrad.engine.laws.matching import SYMBOLS, Closing, Hole
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term, postorder
from eggrad.engine.workbench.symbols import ONE, Algebra, Polynomial, Undecided, Value

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Array]

# What the variables begin with that stand for numbers of a law.
NUMBER: Final = "number_"


def symbols(algebra: Algebra, name: str, dims: Sequence[Any]) -> Array:
    """An array of symbols, one for each entry of a variable."""
    found = np.empty(concrete(tuple(dims), SYMBOLS), object)
    for place in np.ndindex(found.shape):
        found[place] = Value(algebra, algebra.of(algebra.atom("variable", name, place)))
    return found


def _determinant(a: Array) -> Value:
    """The sum over permutations."""
    found: Any = a.flat[0] * 0 + 1 if a.size else 1
    total: Any = found * 0
    for order in permutations(range(len(a))):
        part = found
        for i, j in enumerate(order):
            part = part * a[i, j]
        inversions = sum(x > y for k, x in enumerate(order) for y in order[k + 1 :])
        total = total - part if inversions % 2 else total + part
    return total


def _cofactors(k: int, a: Array) -> Array:
    """Minors with their signs; zero where a row or a column repeats."""
    n = len(a)
    found = np.full((n, n) * k, a.flat[0] * 0, object)
    for rows in permutations(range(n), k):
        for columns in permutations(range(n), k):
            minor = np.delete(np.delete(a, rows, 0), columns, 1)
            sign = (-1) ** (sum(rows) + sum(columns) + _odd(rows) + _odd(columns))
            place = tuple(i for pair in zip(rows, columns, strict=True) for i in pair)
            found[place] = sign * (_determinant(minor) if minor.size else a.flat[0] * 0 + 1)
    return found


def _odd(order: Sequence[int]) -> int:
    return sum(x > y for k, x in enumerate(order) for y in order[k + 1 :])


def _inverse(a: Array) -> Array:
    return _cofactors(1, a).T / _determinant(a)


def _where(test: Value, a: Value, b: Value) -> Value:
    """A choice needs what it chooses to be defined, and no more."""
    no = test.is_zero()
    algebra = test.algebra
    chosen = algebra.plus(a.number, algebra.times(no.number, (b - a).number))
    if a.domain == b.domain:
        return Value(algebra, chosen, test.domain | a.domain)
    choice = ("choice", frozenset(no.number.items()), b.domain, a.domain)
    return Value(algebra, chosen, {*test.domain, choice})


def _relu(a: Value) -> Value:
    return a * a.is_positive()


def _rounded(a: Value) -> Value:
    """To the nearest integer; of two to the even one."""
    shifted = a + Fraction(1, 2)
    below = shifted.floor()
    odd = below - 2 * (below * Fraction(1, 2)).floor()
    return below - (shifted - below).is_zero() * odd


# Entry by entry: what the oracle decides by comparing numbers.
_ENTRIES: Final[Mapping[str, Callable[..., Value]]] = {
    "relu": _relu,
    "sign": Value.sign,
    "step": Value.is_positive,
    "floor": Value.floor,
    "ceil": lambda a: -(-a).floor(),
    "trunc": lambda a: a.is_positive() * a.floor() - (1 - a.is_positive()) * (-a).floor(),
    "round": _rounded,
    "maximum": lambda a, b: a + _relu(b - a),
    "minimum": lambda a, b: a - _relu(a - b),
    "mod": lambda a, b: a - b * (a / b).floor(),
    "greater": lambda a, b: (a - b).is_positive(),
    "greater_equal": lambda a, b: (a - b).is_positive() + (a - b).is_zero(),
    "equal": lambda a, b: (a - b).is_zero(),
    "not_equal": lambda a, b: 1 - (a - b).is_zero(),
    "logical_not": Value.is_zero,
    "logical_and": lambda a, b: (1 - a.is_zero()) * (1 - b.is_zero()),
    "logical_or": lambda a, b: 1 - a.is_zero() * b.is_zero(),
    "where": _where,
}

# Of whole matrices: what the oracle finds by elimination, choosing pivots.
_MATRICES: Final[Mapping[str, Callable[..., Any]]] = {
    "det": _determinant,
    "inv": _inverse,
    "adj": lambda a: _cofactors(1, a).T,
    "logabsdet": lambda a: abs(_determinant(a)).log(),
    "signdet": lambda a: _determinant(a).sign(),
    "logdet": lambda a: _determinant(a).log(),
    "solve": lambda a, b: np.tensordot(_inverse(a), b, 1),
    "inverse_from_cholesky": lambda a: _inverse(a @ a.T),
}

_OF_EACH: Final = {
    "inverses": "inv", "determinants": "det", "logabsdets": "logabsdet", "signdets": "signdet",
}  # fmt: skip

# What the oracle computes of numbers with symbols as of others.
_PLAIN: Final = frozenset((
    *("array", "size", "delta", "indicator", "einsum", "add", "subtract", "negate", "divide"),
    *("abs", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "tanh", "expm1"),
    *("log1p", "sinh", "cosh", "log_cosh", "softplus", "sigmoid", "log1mexp", "log1mexp_exp"),
    *("logaddexp", "exp_difference", "hypot", "logsumexp", "softmax", "log_softmax", "norm"),
    *("norm1", "mean", "power", "pow", "logdet_from_cholesky"),
))  # fmt: skip


def evaluate(algebra: Algebra, roots: Sequence[Term], arrays: Arrays) -> list[Array]:
    """The entries of each root; `Undecided` where an operation is beyond the arithmetic.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> algebra, x = Algebra(), variable("x")
    >>> exp, = evaluate(algebra, [apply("exp", x)], {"x": symbols(algebra, "x", ())})
    >>> algebra.is_zero((exp.item() - exp.item()).number)
    True
    """
    done: dict[Term, Array] = {}
    for node in postorder(*roots):
        if node.op == "variable":
            done[node] = arrays[node.name]
            continue
        args = [done[a] for a in node.args]
        shape = concrete(node.dims, SYMBOLS)
        found = np.asarray(_value(algebra, node, args, shape), object)
        done[node] = (
            np.broadcast_to(np.vectorize(_like(algebra), otypes=[object])(found), shape)
            if found.size
            else np.empty(shape, object)
        )
    return [done[r] for r in roots]


def _like(algebra: Algebra) -> Callable[[Any], Value]:
    zero = Value(algebra, {})
    return zero.like


def _value(algebra: Algebra, node: Term, args: list[Array], shape: tuple[int, ...]) -> Any:
    name = node.op
    if name == "constant":
        return np.full(shape, node.value, object)
    if name == "size":
        return sum(
            c * (symbols(algebra, f"{NUMBER}{k}", ()).item() if k else 1)
            for k, c in size_form(node.symbol)
        )
    if name in _ENTRIES:
        entries: Any = np.frompyfunc(_ENTRIES[name], len(args), 1)
        return entries(*args)
    if name in _MATRICES:
        if not args[0].size:
            raise Undecided("a matrix without entries")
        of_matrix: Any = _MATRICES[name]
        return of_matrix(*args)
    if name in _OF_EACH and args[0].size:
        found = np.empty(shape, object)
        of_one: Any = _MATRICES[_OF_EACH[name]]
        for place in np.ndindex(args[0].shape[:-2]):
            found[place] = of_one(args[0][place])
        return found
    if name == "cofactors" and args[0].size:
        return _cofactors(node.number, args[0])
    if name in ("max", "min"):
        gone = tuple(k for k, i in enumerate(node.spec[0]) if i not in node.spec[1])
        if not all(args[0].shape[k] for k in gone):
            raise Undecided("an extreme of no entries")
        pair: Any = np.frompyfunc(_ENTRIES["maximum" if name == "max" else "minimum"], 2, 1)
        for axis in reversed(gone):
            args[0] = pair.reduce(args[0], axis=axis)
        return args[0]
    if name in _PLAIN:
        return oracle.applied(node, args, shape, SYMBOLS)
    raise Undecided(f"{name} has no exact values with symbols")


# Derivatives ----------------------------------------------------------------------------------


def filled(algebra: Algebra, closing: Closing, arrays: Arrays) -> dict[str, Array]:
    """The arrays, with those of the holes of an instance: its derivatives, slopes and pullbacks."""
    found = dict(arrays)
    for name, hole in closing.holes.items():
        found[name] = _hole(algebra, hole, found)
    return found


def _hole(algebra: Algebra, hole: Hole, arrays: Arrays) -> Array:
    node, *rest = hole.args
    (values,) = evaluate(algebra, [cast(Term, node)], arrays)
    if hole.constructor == "derivative":
        wrt = cast(Term, rest[0])
        return _jacobian(algebra, values, arrays[wrt.name], wrt.name)
    node = cast(Term, node)
    operand = node.args[cast(int, rest[0])]
    if operand.op != "variable" or [a.op for a in node.args].count("variable") < len(node.args):
        raise Undecided("a slope at something else than variables")
    if len({a.name for a in node.args}) < len(node.args):
        raise Undecided("a slope by one of two operands that are the same")
    inner = arrays[operand.name]
    jacobian = _jacobian(algebra, values, inner, "")
    if hole.constructor == "slope":
        found = np.empty(inner.shape, object)
        for k in np.ndindex(inner.shape):
            found[k] = jacobian[k + k]
        return found
    g = arrays[cast(Term, rest[1]).name]
    if not node.order:
        return np.asarray(np.multiply.outer(g, jacobian), object)
    return np.asarray(np.tensordot(g, jacobian, axes=node.order), object)


def _jacobian(algebra: Algebra, values: Array, by: Array, name: str) -> Array:
    """Derivatives by symbols; of other variables, by a variable `name`, they are symbols too."""
    found = np.empty(values.shape + by.shape, object)
    for x in np.ndindex(by.shape):
        variable = cast(Value, by[x])
        ((symbol, _),) = next(iter(variable.number))

        def slope(k: int, symbol: int = symbol, x: tuple[int, ...] = x) -> Polynomial:
            _, other, place = algebra.atoms[k]
            if k == symbol:
                return ONE
            if not name or other in ("x", "y") or other.startswith(NUMBER):
                return {}
            return algebra.of(algebra.atom("variable", f"{other}_{name}", place + x))

        for place in np.ndindex(values.shape):
            value = cast(Value, values[place])
            found[place + x] = value.made(algebra.derivative(value.number, slope))
    return found
