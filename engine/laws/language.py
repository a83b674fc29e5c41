"""The notation in which rules are written, and the e-graph's sorts and constructors.

A rule is a Python function of typed parameters that returns a law between patterns:

    def delta_sift(s: Spec, n: Dims, a: Tensor) -> Statement:
        return ein(s, delta(n), a) >> ein1(sift(s, n), a)

`>>` rewrites one way, `==` both ways, a comma adds side conditions. Index algebra is done by
*primitives*: pure Python functions on specs, sizes and numbers. A primitive that returns None
does not apply: the rule does not match there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.spec import Dims, Spec
from eggrad.engine.terms.fixed_arrays import Entries
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import FUNCTION_NODES, NUMERIC_NODES

Number = Fraction
Name = str
Property = str
Wrt = tuple[str, Dims]

P = ParamSpec("P")
R = TypeVar("R")

# The constructors of slopes of element-wise functions, by the number of operands.
SLOPE_NODES: Final = {1: "slope", 2: "slope2", 3: "slope3"}

# Each constructor of the sort Tensor with the sorts of its arguments. `Object` is a Python value.
CONSTRUCTORS: Final[dict[str, tuple[str, ...]]] = {
    "variable": ("Object",),
    "constant": ("Object", "Object"),
    "array": ("Object",),
    "delta": ("Object",),
    "indicator": ("Object", "Object"),
    "size": ("Object",),
    "scale": ("Object", "Tensor"),
    "ein": ("Object", "Tensor", "Tensor"),
    "ein1": ("Object", "Tensor"),
    "add": ("Tensor", "Tensor"),
    "subtract": ("Tensor", "Tensor"),
    "negate": ("Tensor",),
    "divide": ("Tensor", "Tensor"),
    "power": ("Tensor", "Tensor"),
    **{name: ("Object", *("Tensor",) * n) for n, name in FUNCTION_NODES.items()},
    **dict.fromkeys(MATRIX_FUNCTIONS, ("Tensor",)),
    "cofactors": ("Object", "Tensor"),
    **{name: ("Object", "Object", *("Tensor",) * n) for n, name in NUMERIC_NODES.items()},
}


class Tensor:
    """A pattern of sort Tensor; also the type of a rule's tensor parameters."""

    def __rshift__(self, other: "Tensor") -> "Law":
        """State that this side may be rewritten into the other."""
        return Law(self, other)

    def __eq__(self, other: object) -> "Law":  # pyright: ignore[reportIncompatibleMethodOverride]
        """State that either side may be rewritten into the other."""
        return Law(self, cast(Tensor, other), both=True)

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Parameter(Tensor):
    """A pattern variable; `kind` is the annotation of the rule's parameter."""

    name: str
    kind: object


@dataclass(frozen=True, eq=False)
class Node(Tensor):
    """A constructor applied to patterns."""

    constructor: str
    args: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Call(Tensor):
    """A primitive applied to patterns; `function` is None for the analysis `dims`."""

    function: Callable[..., Any] | None
    args: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Literal(Tensor):
    """A Python value in a pattern."""

    value: object


@dataclass(frozen=True, eq=False)
class Differ(Tensor):
    """The condition that two tensors are not known to be equal."""

    first: Tensor
    second: Tensor


@dataclass(frozen=True, eq=False)
class Known(Tensor):
    """That a tensor has a property: as a condition that it is known, or what a fact concludes."""

    property: Any
    tensor: Any


@dataclass(frozen=True, eq=False)
class Law:
    """Two sides, whether it goes both ways, and its side conditions."""

    left: Tensor
    right: Tensor
    both: bool = False
    conditions: tuple[Tensor, ...] = field(default=())

    @property
    def node(self) -> Node:
        """The left side of a rule, which applies a constructor."""
        return cast(Node, self.left)


Statement = Law | tuple[Law | Tensor | bool, ...]
Claim = Tensor | tuple[Tensor | bool, ...]


def is_pattern(value: object) -> bool:
    """Whether a primitive's argument is a pattern rather than a plain value."""
    return isinstance(value, Tensor)


def primitive(function: Callable[P, R | None]) -> Callable[P, R]:
    """Let a pure function be called with patterns as well as with values.

    Within a rule a primitive has a value: where it returns None the rule does not match.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if any(is_pattern(a) for a in args):
            return cast(R, Call(call, args))
        return cast(R, function(*args, **kwargs))

    return call


class Condition:
    """A test as a partial function: the word "holds", or None.

    Plain booleans would be confused with the numbers 0 and 1, which are equal to them.
    """

    def __init__(self, function: Callable[..., bool]) -> None:
        """Wrap a test."""
        self.function = function

    def __call__(self, *args: object) -> str | None:
        """Apply the test."""
        return "holds" if self.function(*args) else None


def condition(function: Callable[P, bool]) -> Callable[P, bool]:
    """Let a test be called with patterns as well as with values."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> bool:
        if any(is_pattern(a) for a in args):
            return cast(bool, Call(Condition(call), args))
        return function(*args, **kwargs)

    return call


def differ(a: Tensor, b: Tensor) -> Tensor:
    """Require that two tensors are not known to be equal, for rules that another one serves."""
    return Differ(a, b)


def known(p: Property, a: Tensor) -> Tensor:
    """Require that a tensor is known to have a property, or conclude that it has."""
    return Known(p, a)


def dims(a: Tensor) -> Dims:
    """The sizes of a tensor's axes."""
    return cast(Dims, Call(None, (a,)))


def variable(x: Wrt) -> Tensor:
    """The variable with that name and those axes."""
    return Node("variable", (x,))


def const(c: Number | int, n: Dims) -> Tensor:
    """The tensor whose every entry is `c`."""
    return Node("constant", (Fraction(c) if isinstance(c, int) else c, n))


def array(x: Entries) -> Tensor:
    """The tensor of some numbers."""
    return Node("array", (x,))


def delta(n: Dims) -> Tensor:
    """The identity on `n`, axes `n + n`."""
    return Node("delta", (n,))


def indicator(n: Dims, p: Constraints) -> Tensor:
    """The tensor of axes `n` that is 1 where the constraints hold, and 0 elsewhere."""
    return Node("indicator", (n, p))


def size(d: object) -> Tensor:
    """A size as a scalar."""
    return Node("size", (d,))


def ein(s: Spec, a: Tensor, b: Tensor) -> Tensor:
    """The product of two tensors."""
    return Node("ein", (s, a, b))


def ein1(s: Spec, a: Tensor) -> Tensor:
    """A transpose, diagonal, trace or sum of one tensor."""
    return Node("ein1", (s, a))


def scale(c: Number | int, a: Tensor) -> Tensor:
    """A rational multiple: what the product with a scalar constant is in the e-graph."""
    return Node("scale", (Fraction(c) if isinstance(c, int) else c, a))


def add(a: Tensor, b: Tensor) -> Tensor:
    """A sum."""
    return Node("add", (a, b))


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """A difference."""
    return Node("subtract", (a, b))


def negate(a: Tensor) -> Tensor:
    """A negative."""
    return Node("negate", (a,))


def divide(a: Tensor, b: Tensor) -> Tensor:
    """An element-wise quotient; a scalar on either side meets every entry of the other."""
    return Node("divide", (a, b))


def power(a: Tensor, p: Tensor | Number | int) -> Tensor:
    """A tensor to a scalar exponent."""
    exponent = p if is_number_free(p) else const(cast(Number, p), ())
    return Node("power", (a, exponent))


def is_number_free(p: object) -> bool:
    """Whether an exponent is a tensor pattern, not a number (or a pattern of one)."""
    return p.kind is Tensor if isinstance(p, Parameter) else isinstance(p, Node)


def fn(name: Name, *args: Tensor) -> Tensor:
    """An element-wise function of one operand or several, all of the same axes."""
    return Node(FUNCTION_NODES[len(args)], (name, *args))


def inv(a: Tensor) -> Tensor:
    """The inverse matrix."""
    return Node("inv", (a,))


def det(a: Tensor) -> Tensor:
    """The determinant."""
    return Node("det", (a,))


def adj(a: Tensor) -> Tensor:
    """The adjugate matrix."""
    return Node("adj", (a,))


def logabsdet(a: Tensor) -> Tensor:
    """The logarithm of the determinant's absolute value."""
    return Node("logabsdet", (a,))


def signdet(a: Tensor) -> Tensor:
    """The sign of the determinant."""
    return Node("signdet", (a,))


def cofactors(k: int, a: Tensor) -> Tensor:
    """The k-th derivative of the determinant."""
    return Node("cofactors", (k, a))


def D(a: Tensor, x: Wrt) -> Tensor:  # noqa: N802 - the field writes it so
    """The derivative: axes of `a`, then axes of `x`."""
    return Node("derivative", (a, x))


def slope(name: Name, *args: Tensor, place: int = 0) -> Tensor:
    """The derivative of an element-wise function by one of its operands, at every entry."""
    return Node(SLOPE_NODES[len(args)], (name, place, *args))


def pullback(node: Tensor, place: int, cotangent: Tensor) -> Tensor:
    """What a node passes on to its operand number `place`, given its own cotangent."""
    return Node("pullback", (node, place, cotangent))


# Operations that only lowered terms have.


# A variable with its declared properties.
Variable = tuple[str, Dims, tuple[str, ...]]


def declared(x: Variable) -> Tensor:
    """The variable with that name, those axes and those properties."""
    return Node("variable", (x,))


def expm1(a: Tensor) -> Tensor:
    """`exp(a) - 1`."""
    return Node("numeric", ("expm1", None, a))


def log1mexp(a: Tensor) -> Tensor:
    """`log(1 - exp(a))`, for a < 0."""
    return Node("numeric", ("log1mexp", None, a))


def log1mexp_exp(a: Tensor) -> Tensor:
    """`log(1 - exp(-exp(a)))`."""
    return Node("numeric", ("log1mexp_exp", None, a))


def log1p(a: Tensor) -> Tensor:
    """`log(1 + a)`."""
    return Node("numeric", ("log1p", None, a))


def softplus(a: Tensor) -> Tensor:
    """`log(1 + exp(a))`."""
    return Node("numeric", ("softplus", None, a))


def sigmoid(a: Tensor) -> Tensor:
    """`1 / (1 + exp(-a))`."""
    return Node("numeric", ("sigmoid", None, a))


def exp_difference(a: Tensor, b: Tensor) -> Tensor:
    """`exp(a - b)`."""
    return Node("numeric2", ("exp_difference", None, a, b))


def hypot(a: Tensor, b: Tensor) -> Tensor:
    """`√(a² + b²)`."""
    return Node("numeric2", ("hypot", None, a, b))


def extreme(f: Name, s: Spec, a: Tensor) -> Tensor:
    """The maximum or minimum, by its name, along the axes that the unary spec takes away."""
    return Node("numeric", (f, s, a))


def selection(n: Dims, a: Tensor) -> Tensor:
    """1 where the index along the axes of sizes `n` is the integer that `a` has, 0 elsewhere.

    The axes are those of `a`, then `n`. Where `n` has several sizes, the last axis of `a` has the
    index along each of them.
    """
    return Node("numeric", ("selection", n, a))


def argsort(k: int, a: Tensor) -> Tensor:
    """The places of the entries in ascending order along axis `k`; equal ones in their order."""
    return Node("numeric", ("argsort", k, a))


def of_each(f: Name, a: Tensor) -> Tensor:
    """A function of each matrix of a stack, by its name."""
    return Node("numeric", (f, None, a))


def logsumexp(s: Spec, a: Tensor) -> Tensor:
    """The log of what the unary spec makes of `exp(a)`."""
    return Node("numeric", ("logsumexp", s, a))


def softmax(s: Spec, a: Tensor) -> Tensor:
    """`exp(a)`, divided by what the unary spec makes of it."""
    return Node("numeric", ("softmax", s, a))


def log_softmax(s: Spec, a: Tensor) -> Tensor:
    """The logarithm of `softmax`."""
    return Node("numeric", ("log_softmax", s, a))


def norm(s: Spec, a: Tensor) -> Tensor:
    """The root of what the unary spec makes of `a²`."""
    return Node("numeric", ("norm", s, a))


def logdet(known: str, a: Tensor) -> Tensor:
    """The log of the determinant of a matrix that is `known` to be "positive definite", or ""."""
    return Node("numeric", ("logdet", known, a))


def cholesky(a: Tensor) -> Tensor:
    """The lower triangular L with `L L' = a`."""
    return Node("numeric", ("cholesky", None, a))


def inverse_from_cholesky(a: Tensor) -> Tensor:
    """The inverse of `a a'`, for a lower triangular a."""
    return Node("numeric", ("inverse_from_cholesky", None, a))


def logdet_from_cholesky(a: Tensor) -> Tensor:
    """The log of the determinant of `a a'`, for a lower triangular a."""
    return Node("numeric", ("logdet_from_cholesky", None, a))


def solve(a: Tensor, b: Tensor) -> Tensor:
    """The inverse of `a` times the first axis of `b`."""
    return Node("numeric2", ("solve", None, a, b))
