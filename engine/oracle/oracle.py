"""The reference evaluator that tests judge by: each node's definition, in plain NumPy.

Slow and literal on purpose. It shares no code with the rules or with code generation, but for
the check of the values given (`binding`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import isinf
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.spec import Spec
from eggrad.engine.indices.texts import as_float
from eggrad.engine.oracle.digits import eigenvalues, number_of, numbers, singular_values
from eggrad.engine.terms.assumptions import drawn, stated
from eggrad.engine.terms.binding import (
    Array,
    bind,
    check_memory,
    concrete,
    enlarged,
    made_sizes,
    symbols,
)
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term, postorder, variables

# What the operations of terms are, in plain NumPy: the definitions that the oracle applies.


def _relu(x: Array) -> Array:
    return np.where(x < 0, 0, x)


def _sign(x: Array) -> Array:
    return np.where(x > 0, 1, np.where(x < 0, -1, x))


def _det(matrix: Array) -> Any:
    """By elimination, so that any dtype will do."""
    return np.prod(_pivots(matrix))


def _pivots(matrix: Array) -> Array:
    """The diagonal after elimination, and the sign of the rows' exchanges."""
    rows, sign = matrix.copy(), 1
    for i in range(len(rows)):
        pivot = i + int(np.argmax(np.abs(rows[i:, i])))
        if pivot != i:
            rows[[i, pivot]] = rows[[pivot, i]]
            sign = -sign
        if rows[i, i] == 0:
            return rows[i, i : i + 1]
        rows[i + 1 :] -= np.outer(rows[i + 1 :, i] / rows[i, i], rows[i])
    # A sign of the rows' kind.
    signs = sign * (rows[:1, 0] / rows[:1, 0]) if len(rows) else np.array([sign], rows.dtype)
    return np.append(np.diagonal(rows), signs)


def _inv(matrix: Array) -> Array:
    if matrix.dtype != np.float64:
        return _inv_by_elimination(matrix)
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def _inv_by_elimination(matrix: Array) -> Array:
    """For numbers that LAPACK does not have; NaN where a pivot is 0."""
    n = len(matrix)
    rows = np.concatenate([matrix, np.eye(n).astype(matrix.dtype)], axis=1)
    for i in range(n):
        pivot = i + int(np.argmax(np.abs(rows[i:, i])))
        if rows[pivot, i] == 0:
            return np.full_like(matrix, np.nan)
        rows[[i, pivot]] = rows[[pivot, i]]
        rows[i] = rows[i] / rows[i, i]
        others = np.arange(n) != i
        rows[others] -= np.outer(rows[others, i], rows[i])
    return rows[:, n:]


def _pseudoinverse(matrix: Array) -> Array:
    """For numbers that LAPACK does not have; NaN where neither rows nor columns are independent."""
    turned = matrix.T
    if len(matrix) < len(turned):
        return turned @ _inv_by_elimination(matrix @ turned)
    return _inv_by_elimination(turned @ matrix) @ turned


def _each(function: Callable[[Array], Any]) -> Callable[[Array], Array]:
    """A function of each matrix of a stack, one by one; NaN where there is no value."""

    def call(stack: Array) -> Array:
        shape = stack.shape[:-2]
        found = [function(stack[place]) for place in np.ndindex(shape)]
        of_none = np.shape(function(np.eye(*stack.shape[-2:]))) if not found else np.shape(found[0])
        return np.array(found, stack.dtype).reshape(shape + of_none)

    return call


def _symmetric(function: Callable[[Array], Any]) -> Callable[[Array], Array]:
    """A function of the symmetric part."""
    return _each(lambda matrix: function((matrix + matrix.T) / 2))


def _lapack(
    function: Callable[[Array], Any], of_numbers: Callable[[Array], Array] | None = None
) -> Callable[[Array], Any]:
    """A function that LAPACK has, of numbers in double precision; another one of `Number`."""

    def call(matrix: Array) -> Any:
        if of_numbers and matrix.dtype == np.object_:
            return of_numbers(matrix)
        plain = matrix.astype(np.float64)
        try:
            return np.asarray(function(plain))
        except np.linalg.LinAlgError:
            return np.full_like(function(np.zeros_like(plain)), np.nan)

    return call


def _exponential(matrix: Array) -> Array:
    """The series, of a part of the matrix whose power of two is wanted."""
    halvings = 2 + int(np.ceil(np.log2(1 + np.nan_to_num(np.abs(matrix).sum()))))
    term = result = np.eye(len(matrix), dtype=matrix.dtype)
    for k in range(1, 24):
        term = term @ matrix / (2**halvings * k)
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result


def _cholesky(matrix: Array) -> Array:
    """Column by column; NaN where the matrix is not positive definite."""
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        done = factor[:, :j] @ factor[j, :j]
        factor[j, j] = np.sqrt(matrix[j, j] - done[j])
        factor[j + 1 :, j] = (matrix[j + 1 :, j] - done[j + 1 :]) / factor[j, j]
    return factor


def holds(constraints: Constraints, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Array:
    """Whether all constraints hold, index by index."""
    numbers = [*sizes.values(), *(c for _, f in constraints for _, c in f)]
    # Integers of Python where those of NumPy might overflow.
    dtype = np.int64 if all(abs(n) < 2**30 for n in numbers) else np.object_
    places = (index.astype(dtype) for index in np.indices(shape, sparse=True))
    value: dict[int | str, Any] = {**dict(enumerate(places)), **sizes, "": 1}
    result = np.ones(shape, bool)
    for r, f in constraints:
        n = np.asarray(sum(c * value[key] for key, c in f))
        result &= n % r == 0 if isinstance(r, int) else n >= 0 if r == ">=" else n == 0
    return result


def _parity(order: Sequence[int]) -> int:
    inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    return -1 if inversions % 2 else 1


def cofactors(k: int, matrix: Array) -> Array:
    """By explicit minors: zero where a row or a column repeats."""
    n = len(matrix)
    result = np.zeros((n, n) * k, matrix.dtype)
    for rows in permutations(range(n), k):
        for columns in permutations(range(n), k):
            minor = np.delete(np.delete(matrix, rows, 0), columns, 1)
            sign = _parity(rows) * _parity(columns) * (-1) ** (sum(rows) + sum(columns))
            place = tuple(i for pair in zip(rows, columns, strict=True) for i in pair)
            result[place] = sign * _det(minor)
    return result


def _selection(places: Sequence[Array], sizes: tuple[int, ...]) -> Array:
    """1 at the index next to a number, counted from the end if that is negative; 0 elsewhere.

    What is out of range chooses nothing that is known.
    """
    along = np.rint(places if len(places) == len(sizes) else np.moveaxis(places[0], -1, 0))
    result = np.ones(along.shape[1:] + sizes)
    for axis, (chosen, n) in enumerate(zip(along, sizes, strict=True)):
        found = np.arange(n) == np.where(chosen < 0, chosen + n, chosen)[..., None]
        one = np.where(found.any(-1, keepdims=True), found, np.nan)
        spread = (1,) * axis + (n,) + (1,) * (len(sizes) - axis - 1)
        result = result * one.reshape(chosen.shape + spread)
    return result


OPERATIONS: Final[dict[str, Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "divide": np.divide,
    "power": lambda base, exponent: base**exponent,
    "negate": np.negative,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mod": np.mod,
    "pow": np.power,
    "logical_and": lambda a, b: (a != 0) & (b != 0),
    "logical_or": lambda a, b: (a != 0) | (b != 0),
    "where": lambda test, a, b: np.where(test != 0, a, b),
    "round": np.rint,
    "relu": _relu,
    "sign": _sign,
    "inv": _inv,
    "det": _det,
    "logabsdet": lambda matrix: np.log(np.abs(_pivots(matrix))).sum(),
    "signdet": lambda matrix: np.prod(_sign(_pivots(matrix))),
    "adj": lambda matrix: cofactors(1, matrix).T,
    "step": lambda x: np.where(x > 0, 1, 0),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "log_cosh": lambda x: np.log(np.cosh(x)),
    "log1mexp": lambda x: np.log(-np.expm1(x)),
    "log1mexp_exp": lambda x: np.log(-np.expm1(-np.exp(x))),
    "logaddexp": lambda a, b: np.log(np.exp(a) + np.exp(b)),
    "exp_difference": lambda a, b: np.exp(a - b),
    "hypot": lambda a, b: np.sqrt(a**2 + b**2),
    "area_sine": np.arcsinh,
    "angle_of": np.arctan2,
    "logdet": lambda matrix: np.log(_det(matrix)),
    "cholesky": _symmetric(_cholesky),
    "eigenvalues": _symmetric(_lapack(np.linalg.eigvalsh, eigenvalues)),
    "eigenvectors": _symmetric(_lapack(lambda a: np.linalg.eigh(a)[1])),
    "eigenvector_signs": _symmetric(
        _lapack(lambda a: np.sign(np.diag(np.linalg.eigh(a, "U")[1].T @ np.linalg.eigh(a)[1])))
    ),
    "singular_values": _each(
        _lapack(lambda a: np.linalg.svd(a, compute_uv=False), singular_values)
    ),
    "left_singular_vectors": _each(_lapack(lambda a: np.linalg.svd(a, full_matrices=False)[0])),
    "right_singular_vectors": _each(
        _lapack(lambda a: np.linalg.svd(a, full_matrices=False)[2].T)
    ),
    "pseudoinverse": _each(_lapack(np.linalg.pinv, _pseudoinverse)),
    "orthonormal_factor": _each(_lapack(lambda a: np.linalg.qr(a)[0])),
    "matrix_exponential": _each(_exponential),
    "inverses": _each(_inv),
    "determinants": _each(_det),
    "logabsdets": _each(lambda matrix: np.log(np.abs(_pivots(matrix))).sum()),
    "signdets": _each(lambda matrix: np.prod(_sign(_pivots(matrix)))),
    "inverse_from_cholesky": lambda factor: _inv(factor @ factor.T),
    "logdet_from_cholesky": lambda factor: 2 * np.log(np.diagonal(factor)).sum(),
    "solve": lambda matrix, right: np.tensordot(_inv(matrix), right, 1),
} | {
    name: getattr(np, name)
    for name in (
        "sin", "cos", "tan", "arcsin", "arccos", "arctan", "tanh", "exp", "log", "abs",
        "expm1", "log1p", "sinh", "cosh",
        "floor", "ceil", "trunc", "greater", "greater_equal", "equal", "not_equal", "logical_not",
    )
}  # fmt: skip

# Computed with the digits of floats alone: signs of vectors are LAPACK's, places are integers.
_OF_FLOATS: Final = frozenset(
    (
        *("eigenvectors", "left_singular_vectors", "right_singular_vectors", "orthonormal_factor"),
        *("eigenvector_signs", "selection", "argsort"),
    )
)


def has_digits(term: Term) -> bool:
    """Whether `evaluate` computes a term with as many digits as are asked for.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> has_digits(apply("exp", variable("x")))
    True
    """
    return not any(
        t.op in _OF_FLOATS
        or isinstance(t.data, OwnFunction)
        or (t.op == "scan" and not all(has_digits(r) for r in t.loop.step.results))
        for t in postorder(term)
    )


def evaluate(
    roots: Sequence[Term],
    values: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
    digits: int = 0,
) -> list[Array]:
    """The value of each root, in float64 or in the widest dtype among `values`.

    `sizes` gives the size symbols that no variable fixes. With `digits` the values are real, and
    computed with are numbers of so many digits (`engine/oracle/digits.py`), in arrays of objects;
    what is infinite is NaN then. It is for terms that `has_digits` is true of.

    Raises `UnknownVariable` for a missing value or size, `ShapeError` for a value of another shape
    than its variable, and `BudgetExceeded` for arrays larger than the memory.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> evaluate([einsum("i->", variable("x", ("n",)))], {"x": [1, 2, 3]})
    [array(6.)]
    """
    arrays, bound = bind(variables(*roots), values, sizes)
    check_memory([t.dims for t in postorder(*roots)], bound, together=True)
    with np.errstate(all="ignore"):
        if digits:
            arrays = {name: numbers(a, digits) for name, a in arrays.items()}
        done = _evaluated(list(postorder(*roots)), arrays, bound, digits)
    return [done[r] for r in roots]


def value(term: Term, values: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> Array:
    """The value of one term: `evaluate` for a single root.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> value(apply("abs", variable("x", (3,))), {"x": [-1, 0, 2]})
    array([1., 0., 2.])
    """
    return evaluate([term], values, sizes)[0]


def _evaluated(
    nodes: Sequence[Term], arrays: Mapping[str, Array], sizes: Mapping[str, int], digits: int = 0
) -> dict[Term, Array]:
    """The value of each node, operands first, at arrays that fit."""
    dtype = np.result_type(np.float64, *arrays.values())
    done: dict[Term, Array] = {}
    for node in nodes:
        if node.op == "variable":
            done[node] = arrays[node.name]
            continue
        args = [done[a] for a in node.args]
        shape = concrete(node.dims, sizes)
        if node.op == "constant":
            number = number_of(digits)(node.value) if digits else _number(node.value, dtype)
            found: Any = np.full(shape, number)
        else:
            found = applied(node, args, shape, sizes, digits)
        done[node] = numbers(found, digits) if digits else np.asarray(found, dtype=dtype)
    return done


def applied(
    node: Term,
    args: list[Array],
    shape: tuple[int, ...],
    sizes: Mapping[str, int],
    digits: int = 0,
) -> Any:
    """The value of a node that is no variable and no constant, given those of its operands.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> applied(apply("abs", variable("x")), [np.array(-1.0)], (), {})
    np.float64(1.0)
    """
    match node.op:
        case "array":
            return node.array.values
        case "size":
            return float(concrete((node.symbol,), sizes)[0])
        case "delta":
            half = shape[: len(shape) // 2]
            return np.eye(int(np.prod(half, dtype=int))).reshape(shape)
        case "indicator":
            return holds(node.constraints, shape, sizes)
        case "einsum":
            spec = node.spec
            operands = [x for pair in zip(args, spec, strict=False) for x in pair]
            return np.einsum(*operands, spec[-1])
        case "cofactors":
            return cofactors(node.number, args[0])
        case "max" | "min":
            return (np.max if node.op == "max" else np.min)(args[0], axis=_gone(node.spec))
        case "logsumexp":
            return np.log(np.einsum(np.exp(args[0]), *node.spec))
        case "selection":
            return _selection(args, shape[len(shape) - len(node.chosen) :])
        case "argsort":
            return np.argsort(args[0], axis=node.number, kind="stable")
        case "scan":
            return _states(node, args, sizes, digits)
        case "softmax" | "log_softmax":
            share = np.exp(args[0]) / np.exp(args[0]).sum(_gone(node.spec), keepdims=True)
            return share if node.op == "softmax" else np.log(share)
        case "product_of_pairs":
            return np.einsum("...s,sa,sb->...ab", args[1], args[0], args[0])
        case "symmetric_product":
            order = node.number
            matrices = [x for k in range(order) for x in (args[0], [0, 1 + k])]
            inner = list(range(1 + order, order + args[1].ndim))
            return np.einsum(*matrices, args[1], [0, *inner], [*inner, *range(1, 1 + order)])
        case "matrix_power":
            return np.linalg.matrix_power(args[0], node.number)
        case "norm":
            return np.sqrt(np.einsum(np.abs(args[0]) ** 2, *node.spec))
        case "mean":
            return np.mean(args[0], axis=_gone(node.spec))
        case "norm1":
            return np.einsum(np.abs(args[0]), *node.spec)
        case _ if isinstance(node.data, OwnFunction):
            return _own_value(node.data, args)
        case name:
            return OPERATIONS[name](*args)


def _gone(spec: Spec) -> tuple[int, ...]:
    """The axes that a unary spec takes away."""
    source, out = spec
    return tuple(k for k, i in enumerate(source) if i not in out)


def _states(node: Term, args: Sequence[Array], sizes: Mapping[str, int], digits: int) -> Array:
    """The states of a loop, one step after the other."""
    loop, step = node.loop, node.loop.step
    count, read = len(step.carries), len(step.carries) + len(step.slices)
    length, *loop_sizes = concrete((loop.length, *loop.sizes), sizes)
    inner = {**dict(zip(step.sizes, loop_sizes, strict=True)), str(step.steps): 1}
    nodes = list(postorder(*step.results))
    states = list(args[:count])
    found = np.zeros((length, *states[loop.carry].shape), states[loop.carry].dtype)
    for k in reversed(range(length)) if loop.backwards else range(length):
        one = [*(s[None] for s in states), *(a[k : k + 1] for a in args[count:read]), *args[read:]]
        names = (v.name for v in (*step.carries, *step.slices, *step.constants))
        done = _evaluated(nodes, dict(zip(names, one, strict=True)), inner, digits)
        after = [done[r][0] for r in step.results]
        found[k] = (states if loop.part == "before" else after)[loop.carry]
        states = after
    return states[loop.carry] if loop.part == "last" else found


def _own_value(function: OwnFunction, args: Sequence[Array]) -> Any:
    """What its `evaluate` gives; few functions know of long doubles."""
    return function.function_for("numpy")(*(np.asarray(a, float) for a in args))


def _number(number: Fraction, dtype: np.dtype[Any]) -> Any:
    nearest = as_float(number)
    if isinf(nearest):
        return nearest
    # The second term is what float64 rounds away; it counts in long double only.
    return dtype.type(nearest) + dtype.type(float(number - Fraction(nearest)))


def numeric_derivative(
    term: Term,
    wrt: Term,
    values: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
    step: float = 1e-3,
) -> Array:
    """The derivative by central differences (thesis, section 4.7), axes of `term` then of `wrt`.

    Two steps, `step` and half of it, extrapolated: the error is of the order of `step**4`, so
    about 1e-11 for smooth functions. The formula of the thesis has the opposite sign. An entry
    within `step` of a kink, as that of `abs`, has no meaningful value. `wrt` needs a value
    even where `term` does not contain it.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x = variable("x", (2,))
    >>> numeric_derivative(apply("exp", x), x, {"x": [0, 0]}).round(9)
    array([[1., 0.],
           [0., 1.]])
    """
    name = wrt.name
    arrays, bound = bind(variables(term, wrt), values, sizes)
    at = arrays[name]
    result = np.empty((*concrete(term.dims, bound), *at.shape), at.dtype)
    nodes = list(postorder(term))

    def shifted(place: tuple[int, ...], h: float) -> Array:
        moved = at.copy()
        moved[place] += h
        return _evaluated(nodes, arrays | {name: moved}, bound)[term]

    with np.errstate(all="ignore"):
        for place in np.ndindex(at.shape):
            wide, narrow = (
                (shifted(place, h) - shifted(place, -h)) / (2 * h) for h in (step, step / 2)
            )
            result[(..., *place)] = (4 * narrow - wide) / 3
    return result


def random_sizes(
    terms: Iterable[Term], rng: np.random.Generator, choices: Sequence[int] = (1, 2, 3)
) -> dict[str, int]:
    """A size for each symbol in the terms.

    >>> from eggrad.engine.terms.term import variable
    >>> random_sizes([variable("x", ("n",))], np.random.default_rng(0), choices=(4,))
    {'n': 4}
    """
    roots = list(terms)
    drawn = {symbol: int(rng.choice(choices)) for symbol in symbols(*roots)}
    return enlarged(drawn, made_sizes(*roots))


def random_values(
    variables: Iterable[Term],
    sizes: Mapping[str, int],
    rng: np.random.Generator,
    kind: str = "normal",
) -> dict[str, Array]:
    """A value for each variable that has the properties it declares.

    `kind` is "normal", or "special": entries from a mixture of normals, zeros, ones, minus ones,
    small integers and ties.

    >>> from eggrad.engine.terms.term import variable
    >>> A = variable("A", ("n", "n"), ["positive definite"])
    >>> a = random_values([A], {"n": 3}, np.random.default_rng(0))["A"]
    >>> bool((a == a.T).all() and (np.linalg.eigvalsh(a) > 0).all())
    True
    """
    result: dict[str, Array] = {}
    for variable in variables:
        array = drawn(variable.assumed, _entries(concrete(variable.dims, sizes), rng, kind), rng)
        if array is None:
            raise UnsupportedOperation(
                f"variable {variable.name}: no values were found that are "
                f"{', '.join(stated(variable.assumed))}"
            )
        result[variable.name] = array
    return result


def _entries(shape: tuple[int, ...], rng: np.random.Generator, kind: str) -> Array:
    normal = np.asarray(rng.normal(size=shape))
    if kind == "normal":
        return normal
    if kind != "special":
        raise ValueError(f"kind is 'normal' or 'special', not {kind!r}")
    tie = float(rng.normal())
    return np.choose(
        rng.integers(0, 6, size=shape),
        [
            normal,
            np.zeros(shape),
            np.ones(shape),
            -np.ones(shape),
            rng.integers(-3, 4, size=shape).astype(float),
            np.full(shape, tie),
        ],
    )


# Whether two terms agree wherever the left one is defined, as the sides of a rule do.


# What the entries of a sample are multiplied by.
_WIDTHS: Final = (1, 1, 0.2, 1, 1, 5, 30)
# Larger results are inaccurate.
_LARGE: Final = 1e6


def is_law(left: Term, right: Term, samples: int = 16) -> bool:
    """Whether two terms agree at many values wherever the left one is defined.

    Half of the samples have zeros, ones and ties; some are wide, some narrow.

    >>> from eggrad.engine.terms.term import apply, constant, power, variable
    >>> a = variable("a")
    >>> square = power(a, constant(2))
    >>> is_law(apply("abs", square), square), is_law(apply("sign", square), constant(1))
    (True, False)
    """
    known = variables(left, right)
    names = symbols(left, right)
    for k in range(samples):
        rng = np.random.default_rng(k)
        sizes = dict.fromkeys(names, 1 + k % 4)
        drawn = random_values(known, sizes, rng, ("normal", "special")[k % 2])
        values = {name: _WIDTHS[k % len(_WIDTHS)] * value for name, value in drawn.items()}
        expected, actual = evaluate([left, right], values, sizes)
        counts = np.abs(expected) < _LARGE
        if not np.allclose(expected[counts], actual[counts], rtol=1e-5, atol=1e-7):
            return False
    return True
