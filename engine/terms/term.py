"""The term: an immutable, hash-consed node of a tensor expression's DAG.

Terms are positional and closed: an axis has a place and a size, no name. Two terms that are
built alike are the same object, so equality is identity. Builders check shapes and nothing
else: no builder simplifies. All walks are loops, so depth is limited by memory alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from hashlib import sha256
from operator import attrgetter
from threading import Lock
from typing import Any, Final, Literal, NamedTuple, cast
from weakref import WeakValueDictionary

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import constraints as conditions
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import checked_dims, resized_dims
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.indicator_plan import Chosen, Sparsity
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size, Spec, scaling
from eggrad.engine.indices.texts import LONGEST_NAME, is_text, shown
from eggrad.engine.terms.assumptions import closure
from eggrad.engine.terms.fixed_arrays import FixedArray, fixed_array_called
from eggrad.engine.terms.functions import Function, OwnFunction, function_of, record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.operations import FOR_CODE, FOR_READING, NUMERIC, result_dims

# What the data of a node say, by its operation.


class Payload:
    """A node whose `data` have a type that its operation decides."""

    __slots__ = ()
    data: object

    @property
    def name(self) -> str:
        """What a variable is called."""
        return cast(tuple[str], self.data)[0]

    @property
    def assumed(self) -> tuple[str, ...]:
        """What a variable is declared to be."""
        return cast(tuple[str, tuple[str, ...]], self.data)[1]

    @property
    def value(self) -> Fraction:
        """The number that every entry of a constant is."""
        return cast(Fraction, self.data)

    @property
    def array(self) -> FixedArray:
        """The numbers of an array."""
        return cast(FixedArray, self.data)

    @property
    def symbol(self) -> str:
        """The size whose value a scalar is."""
        return cast(str, self.data)

    @property
    def constraints(self) -> Constraints:
        """The conditions under which an indicator is 1."""
        return cast(Constraints, self.data)

    @property
    def spec(self) -> Spec:
        """The indices of a product's operands and of its result."""
        return cast(Spec, self.data)

    @property
    def chosen(self) -> Dims:
        """The sizes of the axes that a selection chooses from."""
        return cast(Dims, self.data)

    @property
    def loop(self) -> "Loop":
        """Which result of a loop it is."""
        return cast("Loop", self.data)

    @property
    def number(self) -> int:
        """The whole number of an operation that has one, as the order of `cofactors`."""
        return cast(int, self.data)


LEAVES: Final = frozenset({"variable", "constant", "array", "delta", "indicator", "size"})
"""The operations without operands."""


class Term(Payload):
    """A node: its operation `op`, what else identifies it (`data`), operands and axis sizes.

    | op | data | operands |
    |---|---|---|
    | `variable` | (name, assumptions) | |
    | `constant` | the value of every entry, a `Fraction` | |
    | `array` | the numbers, a `FixedArray` | |
    | `delta` | | |
    | `indicator` | the constraints on its indices | |
    | `size` | a size that is no integer; the scalar whose value it is | |
    | `einsum` | the spec | one or two |
    | `add` `subtract` `divide` | | two |
    | `power` | | base, scalar exponent |
    | those of `functions`, as `sin` and `maximum` | the function, if declared | as many as it has |
    | `negate`, those of `MATRIX_FUNCTIONS` | | one |
    | `cofactors` | k, the order of the derivative of `det` that it is | one |
    | `scan` | which result of a loop it is, a `Loop` | starts, slices, constants |
    | those of `NUMERIC` and `FOR_READING` | see `functions` | one or two |
    | those of `FOR_CODE` | see the module that makes them | any number |
    """

    __slots__ = ("__weakref__", "args", "data", "dims", "op")
    op: str
    args: tuple["Term", ...]
    dims: Dims

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: terms are immutable."""
        raise AttributeError("terms are immutable")

    def __reduce__(self) -> tuple[Callable[..., "Term"], tuple[object, ...]]:
        """Pickle by building anew, so that identity stays equality."""
        return _make, (self.op, self.data, self.args, self.dims)

    @property
    def order(self) -> int:
        """The number of axes."""
        return len(self.dims)

    def __repr__(self) -> str:
        """Show the node alone, for debugging; printing a whole term is the frontend's work."""
        return f"<{self.op} {self.data} {self.dims} of {len(self.args)}>"


_terms: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()
# Two threads that make one term at once have to get the same object.
_making = Lock()


def _make(op: str, data: object, args: tuple[Term, ...], dims: Dims) -> Term:
    key = (op, data, args, dims)
    found = _terms.get(key)
    if found is not None:
        return found
    made = object.__new__(Term)
    for name, value in zip(("op", "data", "args", "dims"), key, strict=True):
        object.__setattr__(made, name, value)
    with _making:
        return _terms.setdefault(key, made)


def variable(name: str, dims: Sequence[Size] = (), assume: Iterable[str] = ()) -> Term:
    """A variable with the given axis sizes, declared properties, and what those imply.

    >>> variable("A", ("n", "n"), ["positive definite"]).data
    ('A', ('invertible', 'positive definite', 'positive semidefinite', 'symmetric'))
    """
    if not is_text(name):
        raise UnsupportedOperation(f"no text can have the name {shown(name)}")
    if len(name) > LONGEST_NAME:
        raise UnsupportedOperation(f"a name has at most {LONGEST_NAME} characters, not {len(name)}")
    words = closure(assume)
    return _make("variable", (name, tuple(sorted(words))), (), checked_dims(dims))


def constant(value: int | Fraction, dims: Sequence[Size] = ()) -> Term:
    """The tensor whose every entry is `value`."""
    return _make("constant", Fraction(value), (), checked_dims(dims))


def array(values: FixedArray) -> Term:
    """The tensor of some numbers."""
    return _make("array", values, (), values.values.shape)


def delta(dims: Sequence[Size]) -> Term:
    """The identity on `dims`: a product of Kronecker deltas with axes `dims + dims`."""
    axes = checked_dims(dims)
    return _make("delta", None, (), axes + axes)


def indicator(dims: Sequence[Size], constraints: Iterable[Constraint]) -> Term:
    """The tensor that is 1 where its indices meet some constraints, and 0 elsewhere.

    >>> indicator(("n",), [("=", ((0, 1), ("", -2)))]).data
    (('=', ((0, 1), ('', -2))),)
    """
    axes = checked_dims(dims)
    found = conditions.canonical(axes, constraints)
    if any(abs(c) > MAXIMAL_SIZE for _, f in found for _, c in f):
        raise UnsupportedOperation(f"conditions on indices have numbers up to {MAXIMAL_SIZE}")
    return _make("indicator", found, (), axes)


def size(symbol: Size) -> Term:
    """A size as a scalar: a `size` node for a symbol, a constant for an integer."""
    (checked,) = checked_dims((symbol,))
    return constant(checked) if isinstance(checked, int) else _make("size", checked, (), ())


def einsum(spec: Spec | str, *args: Term) -> Term:
    r"""`C[s3] = sum over (s1 s2)\s3 of A[s1] B[s2]` (thesis, equation 2.1), or its unary form."""
    parsed = (
        specs.parse_spec(spec) if isinstance(spec, str) else specs.canonical(spec[:-1], spec[-1])
    )
    specs.check(parsed)
    if len(args) not in (1, 2):
        raise ShapeError(f"product *({specs.format_spec(parsed)}): one or two operands, please")
    return _make("einsum", parsed, args, specs.output_dims(parsed, *(a.dims for a in args)))


def add(a: Term, b: Term) -> Term:
    """The sum of two terms of the same axes."""
    return _make("add", None, (a, b), _same("+", a, b).dims)


def subtract(a: Term, b: Term) -> Term:
    """The difference of two terms of the same axes."""
    return _make("subtract", None, (a, b), _same("-", a, b).dims)


def divide(a: Term, b: Term) -> Term:
    """The element-wise quotient; a scalar on either side meets every entry of the other."""
    dims = a.dims if not b.dims else b.dims if not a.dims else _same("/", a, b).dims
    return _make("divide", None, (a, b), dims)


def negate(a: Term) -> Term:
    """The negative."""
    return _make("negate", None, (a,), a.dims)


def power(base: Term, exponent: Term) -> Term:
    """Every entry of `base` (or `base` once, for a scalar) to a scalar exponent."""
    if exponent.dims:
        raise ShapeError(f"^: the exponent must be a scalar, it has {exponent.order} axes")
    return _make("power", None, (base, exponent), base.dims)


def apply(function: str | Function, *args: Term) -> Term:
    """An element-wise function of operands of the same axes, or one of a square matrix."""
    elementwise = function if isinstance(function, Function) else function_of(function, None)
    name = function if isinstance(function, str) else function.name
    if elementwise is None and name not in MATRIX_FUNCTIONS:
        raise UnsupportedOperation(f"no function is called {shown(name)}")
    arity = elementwise.arity if elementwise else 1
    if len(args) != arity:
        raise UnsupportedOperation(
            f"{name} has {arity} operand{'s' * (arity > 1)}, not {len(args)}"
        )
    if elementwise is not None:
        data = elementwise if isinstance(elementwise, OwnFunction) else None
        return _make(name, data, args, reduce(partial(_same, name), args).dims)
    return _make(name, None, args, MATRIX_FUNCTIONS[name].dims(None, args[0].dims))


def cofactors(k: int, a: Term) -> Term:
    """The k-th derivative of `det` at a square matrix, axes (row, column) k times.

    `cofactors(1, X)` is the matrix of cofactors, the transpose of `adj(X)`.
    """
    return _make("cofactors", k, (a,), result_dims("cofactors", k, a.dims))


_WITH_DATA: Final = (*NUMERIC, *FOR_READING)


def numeric(name: str, *args: Term, data: object = None) -> Term:
    """An operation that only code or formulas have; `operations.py` says what `data` is."""
    if name not in _WITH_DATA:
        raise UnsupportedOperation(f"no numeric operation is called {shown(name)}")
    if name == "scan":
        loop = loop_described(data)
        return _make(name, loop, args, loop.dims)
    return _make(name, data, args, result_dims(name, data, *(a.dims for a in args)))


def selection(chosen: Sequence[Size], *places: Term) -> Term:
    """1 where the last indices are the places that integers say, 0 elsewhere.

    With an operand for each axis it is the product of as many selections, of which laws know.
    Raises `ShapeError` where the operands have different axes, or are not one or one for each.

    >>> i, j = variable("i", ("k",)), variable("j", ("k",))
    >>> selection(("m", "n"), i, j).dims
    ('k', 'm', 'n')
    """
    whole = numeric("selection", *places, data=tuple(chosen))
    if len(places) == 1:
        return whole
    found, *others = (
        numeric("selection", a, data=(d,)) for d, a in zip(chosen, places, strict=True)
    )
    rows = tuple(range(places[0].order))
    for k, one in enumerate(others, found.order):
        before = tuple(range(k))
        found = einsum((before, (*rows, k), (*before, k)), found, one)
    return found


def for_code(op: str, data: object, args: tuple[Term, ...], dims: Dims) -> Term:
    """A way to compute that is chosen when code is written, such as `stepped_product`."""
    return _make(op, data, args, dims)


def _same(operation: str, a: Term, b: Term) -> Term:
    """The second of two terms, which have the same axes."""
    if a.dims != b.dims:
        raise ShapeError(f"{operation}: the left side has axes {a.dims}, the right side {b.dims}")
    return b


def term_sparsity(term: Term) -> Sparsity:
    """What costs know of an operand that is a delta, an indicator or a selection."""
    if term.op == "selection":
        return Chosen(len(term.chosen))
    return term.constraints if term.op == "indicator" else term.op == "delta"


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The same operation on other operands."""
    match term.op:
        case leaf if leaf in LEAVES:
            return term
        case "einsum":
            return einsum(term.spec, *args)
        case "cofactors":
            return cofactors(term.number, *args)
        case "add" | "subtract" | "divide" | "negate" | "power":
            return _BUILDERS[term.op](*args)
        case name if name in _WITH_DATA:
            return numeric(name, *args, data=term.data)
        case name if name in FOR_CODE:
            return for_code(term.op, term.data, args, term.dims)
        case name:
            return apply(function_of(name, term.data) or name, *args)


_BUILDERS: Final[dict[str, Callable[..., Term]]] = {
    build.__name__: build
    for build in (add, subtract, divide, negate, power, delta, indicator, size)
}


_ARGS: Final = attrgetter("args")


def postorder(*roots: Term, operands: Callable[[Term], Sequence[Term]] = _ARGS) -> Iterator[Term]:
    """Every node once, after its operands, or after what `operands` says that it needs.

    >>> x = variable("x")
    >>> [t.op for t in postorder(add(x, apply("exp", x)))]
    ['variable', 'exp', 'add']
    """
    seen: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(operands(node)))


def variables(*roots: Term) -> tuple[Term, ...]:
    """The variables that occur, by name."""
    found = {t for t in postorder(*roots) if t.op == "variable"}
    return tuple(sorted(found, key=lambda t: (t.name, str(t.dims))))


# Loops, whose steps are data of their terms.


Part = Literal["before", "after", "last"]
"""Which states of a loop a term is: before each step, after each step, or after all of them."""


@dataclass(frozen=True, eq=False)
class LoopStep:
    """A step of a loop, `carries` → `results`, which reads `slices` and `constants` beside.

    All are terms, the first three variables; `recurrence` in `loops.py` makes them. But for the
    constants they have a first axis, of size `steps`: a symbol, for they say what all steps do at
    once, or 1 where they say what one does. Entry k of a result depends on entries k of carries and
    slices. A step is closed: other sizes than numbers are its symbols, `sizes`.
    """

    key: str
    steps: Size
    sizes: tuple[str, ...]
    carries: tuple[Term, ...]
    slices: tuple[Term, ...]
    constants: tuple[Term, ...]
    results: tuple[Term, ...]

    def __reduce__(self) -> tuple[Callable[..., "LoopStep"], tuple[Any, ...]]:
        """Pickle the terms; a step like it may be there already."""
        kinds = self.carries, self.slices, self.constants, self.results
        return step_with, (self.steps, self.sizes, *kinds)


# The e-graph has keys of steps; this finds them, as long as a term has them.
_steps: WeakValueDictionary[str, LoopStep] = WeakValueDictionary()


def step_with(steps: Size, sizes: tuple[str, ...], *kinds: tuple[Term, ...]) -> LoopStep:
    """The step with these carries, slices, constants and results: like ones are one object."""
    numbers: dict[Term, int] = {}
    key = sha256(repr((steps, sizes)).encode())
    for t in postorder(*(t for ts in kinds for t in ts)):
        numbers[t] = len(numbers)
        constructor, data, args = parts(t)
        key.update(repr((constructor, data, t.dims, [numbers[a] for a in args])).encode())
    key.update(repr([[numbers[t] for t in ts] for ts in kinds]).encode())
    made = LoopStep(key.hexdigest(), steps, sizes, *kinds)
    with _making:
        return _steps.setdefault(made.key, made)


class Loop(NamedTuple):
    """Which result of a loop a term is: the states of one carry, in the order of the slices.

    `sizes` are what those of the step stand for, and `length` is how many steps there are. A loop
    that runs `backwards` takes the last slices first.
    """

    step: LoopStep
    sizes: Dims
    carry: int
    part: Part
    backwards: bool
    length: Size

    @property
    def inside(self) -> dict[Size, Size]:
        """What the size symbols of the step stand for."""
        return dict(zip(self.step.sizes, self.sizes, strict=True))

    @property
    def dims(self) -> Dims:
        """The axes of the result."""
        axes = resized_dims(self.step.results[self.carry].dims[1:], self.inside)
        return axes if self.part == "last" else (self.length, *axes)

    @property
    def described(self) -> tuple[Any, ...]:
        """The same as words and numbers, for the e-graph, and the axes of the result."""
        step, *rest = self
        return (step.key, *rest, self.dims)

    def resized(self, sizes: Mapping[Size, Size]) -> "Loop":
        """The same with size symbols replaced."""
        *replaced, length = resized_dims((*self.sizes, self.length), sizes)
        return self._replace(sizes=tuple(replaced), length=length)


def loop_described(data: Any) -> Loop:
    """The loop that the e-graph describes so, as long as a term has its step."""
    return data if isinstance(data, Loop) else Loop(_steps[data[0]], *data[1:-1])


def steps_of(*roots: Term) -> tuple[LoopStep, ...]:
    """The steps of loops that occur, those within others first."""
    found: dict[LoopStep, None] = {}
    for t in postorder(*roots):
        if t.op == "scan" and t.loop.step not in found:
            found |= dict.fromkeys((*steps_of(*t.loop.step.results), t.loop.step))
    return tuple(found)


def _with_steps(roots: Iterable[Term]) -> Iterator[Term]:
    """Every node once, those of steps as well."""
    listed = tuple(roots)
    return postorder(*(r for step in steps_of(*listed) for r in step.results), *listed)


def own_functions(*roots: Term) -> tuple[OwnFunction, ...]:
    """The declared functions that occur, operands first; two of one name are an error."""
    found = dict.fromkeys(t.data for t in _with_steps(roots) if isinstance(t.data, OwnFunction))
    names: dict[str, OwnFunction] = {}
    for function in found:
        if names.setdefault(function.name, function) is not function:
            raise UnsupportedOperation(f"two different functions are called {shown(function.name)}")
    return tuple(found)


def fixed_arrays(*roots: Term) -> tuple[FixedArray, ...]:
    """The arrays of known numbers that occur."""
    return tuple(dict.fromkeys(t.array for t in _with_steps(roots) if t.op == "array"))


def only_indices(*roots: Term) -> frozenset[Term]:
    """The nodes whose entries say places and nothing else: they need not be floating-point.

    >>> x, y = variable("x", ("n",)), variable("y", ("n",))
    >>> of_x = numeric("selection", x, data=(3,))
    >>> only_indices(of_x) == {x}, only_indices(of_x, x), only_indices(einsum("nk,n->k", of_x, x))
    (True, frozenset(), frozenset())
    """
    found, others = set[Term](), {*roots}
    # Users come before what they use.
    for node in reversed([*postorder(*roots)]):
        copied = _copied(node) if node in found and node not in others else None
        for k, a in enumerate(node.args):
            (found if node.op == "selection" or k == copied else others).add(a)
    return frozenset(found - others)


def _copied(product: Term) -> int | None:
    """The operand of a product whose entries those of the product are; None of all else."""
    if product.op != "einsum":
        return None
    rest = [k for k, a in enumerate(product.args) if a.op not in ("constant", "selection")]
    ones = all(a.value == 1 for a in product.args if a.op == "constant")
    kept = {*product.spec[-1]}
    for a, part in zip(product.args, product.spec, strict=False):
        if a.op == "selection":
            kept |= {*part[len(part) - len(a.chosen) :]}
    return rest[0] if len(rest) == 1 and ones and kept >= {*sum(product.spec, ())} else None


def substitute_sizes(roots: Sequence[Term], sizes: Mapping[Size, Size]) -> tuple[Term, ...]:
    """The same terms with size symbols replaced."""
    done: dict[Term, Term] = {}
    for t in postorder(*roots):
        dims = resized_dims(t.dims, sizes)
        if t.op == "size":
            done[t] = size(*resized_dims((t.symbol,), sizes))
        elif t.op == "indicator":
            done[t] = indicator(dims, conditions.resized_all(t.constraints, sizes))
        elif t.op == "selection":
            args = tuple(done[a] for a in t.args)
            done[t] = numeric(t.op, *args, data=resized_dims(t.chosen, sizes))
        elif t.op == "scan":
            args = tuple(done[a] for a in t.args)
            done[t] = numeric(t.op, *args, data=t.loop.resized(sizes))
        elif t.args:
            done[t] = rebuild(t, tuple(done[a] for a in t.args))
        else:
            done[t] = _make(t.op, t.data, (), dims)
    return tuple(done[r] for r in roots)


# Terms as the e-graph has them: a constructor, its data, its operands.


# The constructors of element-wise functions, by the number of operands.
FUNCTION_NODES: Final = {1: "function", 2: "function2", 3: "function3"}

# The constructors of numeric operations, by the number of operands.
MOST_OPERANDS: Final = 64
NUMERIC_NODES: Final = {
    n: "numeric" if n == 1 else f"numeric{n}" for n in range(1, MOST_OPERANDS + 1)
}
NUMERIC_NAMES: Final = frozenset(NUMERIC_NODES.values())

Parts = tuple[str, tuple[object, ...], tuple[Term, ...]]


def is_multiple(t: Term) -> bool:
    """Whether a term is a number times a tensor: `scale` in the e-graph."""
    return t.op == "einsum" and t.data == scaling(t.order) and t.args[0].op == "constant"


def parts(t: Term) -> Parts:
    """The constructor of a term, its data and its operands.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> parts(apply("exp", variable("x")))[:2]
    ('function', ('exp',))
    """
    if is_multiple(t):
        return "scale", (t.args[0].data,), t.args[1:]
    match t.op:
        case "variable":
            return "variable", ((t.name, t.dims, t.assumed),), ()
        case "constant":
            return "constant", (t.data, t.dims), ()
        case "array":
            return "array", (t.array.entries,), ()
        case "delta":
            return "delta", (t.dims[: t.order // 2],), ()
        case "indicator":
            return "indicator", (t.dims, t.data), ()
        case "size" | "cofactors":
            return t.op, (t.data,), t.args
        case "einsum":
            return product_parts(t)
        case op if function := function_of(op, t.data):
            return FUNCTION_NODES[len(t.args)], (function.key,), t.args
        case op if op in _WITH_DATA:
            data = t.loop.described if op == "scan" else t.data
            return NUMERIC_NODES[len(t.args)], (op, data), t.args
        case op:
            return op, (), t.args


def product_parts(t: Term) -> Parts:
    """A product as it stands, be it a multiple or not."""
    return "ein" if len(t.args) == 2 else "ein1", (t.data,), t.args


def parts_as_written(t: Term) -> Parts:
    """The same, of a multiple those of the product that it is."""
    return product_parts(t) if t.op == "einsum" else parts(t)


def assembled(constructor: str, data: Sequence[Any], args: tuple[Term, ...]) -> Term:
    """The term with these parts.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> term = apply("exp", variable("x"))
    >>> assembled(*parts(term)) is term
    True
    """
    match constructor:
        case "variable":
            name, dims, assume = data[0]
            return variable(name, dims, assume)
        case "constant":
            return constant(Fraction(data[0]), data[1])
        case "array":
            return array(fixed_array_called(data[0][2]))
        case "delta" | "indicator" | "size" as name:
            return _BUILDERS[name](*data)
        case "ein" | "ein1":
            return einsum(data[0], *args)
        case "scale":
            return einsum(scaling(args[0].order), constant(Fraction(data[0])), *args)
        case "cofactors":
            return cofactors(int(data[0]), *args)
        case _ if constructor in FUNCTION_NODES.values():
            return apply(record(data[0]), *args)
        case name if name in NUMERIC_NAMES:
            return numeric(data[0], *args, data=data[1])
        case name if name in MATRIX_FUNCTIONS:
            return apply(name, *args)
        case name:
            return _BUILDERS[name](*args)
