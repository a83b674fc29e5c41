"""The notation in which laws are written, and the e-graph's sorts and constructors.

A law is two patterns, in letters that stand for tensors, numbers, specs and axes:

    a - b >> a + -1 * b
    ein(s, delta(n), a) >> ein1(sift(s, n), a)

`>>` rewrites one way, `==` both ways. `a * b` is the element-wise product, `c * a` a multiple,
`a + 1` a sum with ones, `a @ b` the product of matrices, `a.T` a transpose, and
`ein("i,i->", a, b)` a product by its einsum text. Numbers are compared, `c > 0`, where a condition
is meant. Index algebra is done by *primitives*: pure Python functions on specs, sizes and numbers.
A primitive that returns None does not apply: the rule does not match there.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast, get_args

from eggrad.engine.errors import RuleError
from eggrad.engine.indices.spec import MATRIX_PRODUCT, TRANSPOSE, Dims, Spec, parse_spec
from eggrad.engine.terms.functions import Function, record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import FUNCTION_NODES, NUMERIC_NODES

Number = Fraction
Name = str
Property = str
Wrt = tuple[str, Dims]
# A variable with its declared properties.
Variable = tuple[str, Dims, tuple[str, ...]]

P = ParamSpec("P")
R = TypeVar("R")

# The constructors of slopes of element-wise functions, by the number of operands.
SLOPE_NODES: Final = {1: "slope", 2: "slope2", 3: "slope3"}

# What laws of derivatives are about.
DIFFERENTIATED: Final = ("derivative", "pullback", *SLOPE_NODES.values())

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


def pullback_node(constructor: str) -> str:
    """The constructor of what a node passes on: place, the node's arguments, its cotangent.

    It has the node's arguments and not the node, whose e-class may have others as well.
    """
    return f"pullback_{constructor}"


# Constructors of what is no term until a law says what it is.
DIFFERENTIAL: Final[dict[str, tuple[str, ...]]] = {
    "seed": ("Object",),
    "derivative": ("Tensor", "Object"),
    **{name: ("Object", "Object", *("Tensor",) * n) for n, name in SLOPE_NODES.items()},
    **{
        pullback_node(name): ("Object", *sorts, "Tensor")
        for name, sorts in CONSTRUCTORS.items()
        if "Tensor" in sorts
    },
}


@dataclass(frozen=True)
class Row:
    """A law or a fact in a table: what it states, where, and what is said of it."""

    statement: Any
    conditions: tuple[Any, ...] = ()
    sentence: str = ""
    options: Mapping[str, str | bool] = field(default_factory=dict[str, str | bool])

    def noted(self, sentence: str = "", **options: str | bool) -> "Row":
        """The same with a sentence, where that says more than the law, and options of a rule.

        Options are `cite`, `domain`, `exceptions`, `widens` and the like.
        """
        return replace(self, sentence=sentence, options=options)


class Statable:
    """What a row of a table may begin with."""

    def when(self, *conditions: object) -> Row:
        """The statement where some conditions hold."""
        return Row(self, conditions)

    def noted(self, sentence: str = "", **options: str | bool) -> Row:
        """The statement with a sentence and options."""
        return Row(self).noted(sentence, **options)


class Tensor(Statable):
    """A pattern: of a tensor, or of a number, a spec or whatever else a law has a letter for."""

    def __rshift__(self, other: "Tensor | Number | int") -> "Law":
        """State that this side may be rewritten into the other, or the tensor of a number."""
        return Law(self, _like(self, other))

    def __eq__(self, other: object) -> "Law":  # pyright: ignore[reportIncompatibleMethodOverride]
        """State that either side may be rewritten into the other; of a number a condition."""
        if _is_value(self):
            return cast("Law", _compared("==", self, other))
        return Law(self, cast(Tensor, other), both=True)

    __hash__ = object.__hash__

    def __ne__(self, other: object) -> bool:
        """Require that a number is another one than `other`, or a tensor another tensor."""
        if _is_value(self):
            return cast(bool, _compared("!=", self, other))
        return cast(bool, Differ(self, _like(self, other)))

    def __gt__(self, other: object) -> "Tensor":
        """Require that a number is above another; of tensors the comparison of their entries."""
        return _compared(">", self, other)

    def __ge__(self, other: object) -> "Tensor":
        """Require that a number is another or above; of tensors the comparison."""
        return _compared(">=", self, other)

    def __lt__(self, other: object) -> "Tensor":
        """Require that a number is below another."""
        return _compared("<", self, other)

    def __le__(self, other: object) -> "Tensor":
        """Require that a number is another or below."""
        return _compared("<=", self, other)

    def __add__(self, other: object) -> "Tensor":
        """The sum; of axes those of one, then those of the other."""
        return _sum(self, other)

    def __radd__(self, other: object) -> "Tensor":
        """The sum, or the axes of both."""
        return _sum(other, self)

    def __sub__(self, other: object) -> "Tensor":
        """The difference."""
        return Node("subtract", _alike(self, other))

    def __rsub__(self, other: object) -> "Tensor":
        """The difference."""
        return Node("subtract", _alike(other, self))

    def __neg__(self) -> "Tensor":
        """The negative; the opposite of a number."""
        return Call(opposite, (self,)) if _is_number(self) else Node("negate", (self,))

    def __mul__(self, other: object) -> "Tensor":
        """The element-wise product; a multiple, where one side is a number; axes several times."""
        if _is_axes(self):
            return Call(repeated, (self, other))
        if _is_number(self):
            return scale(cast(Number, self), cast(Tensor, other))
        if _is_number(other):
            return scale(cast(Number, other), self)
        return Node("ein", (Like(self, "ein"), self, other))

    def __rmul__(self, other: object) -> "Tensor":
        """The multiple by a number."""
        return scale(cast(Number, other), self)

    def __matmul__(self, other: "Tensor") -> "Tensor":
        """The product of matrices."""
        return Node("ein", (MATRIX_PRODUCT, self, other))

    def __truediv__(self, other: object) -> "Tensor":
        """The element-wise quotient."""
        return Node("divide", (_scalar(self), _scalar(other)))

    def __rtruediv__(self, other: object) -> "Tensor":
        """The element-wise quotient."""
        return Node("divide", (_scalar(other), self))

    def __pow__(self, exponent: "Tensor | Number | int") -> "Tensor":
        """The power, for a scalar exponent."""
        return power(self, exponent)

    def __call__(self, *args: "Tensor | Number | int") -> "Tensor":
        """The element-wise function of that name."""
        return fn(cast(Name, self), *args)

    def __abs__(self) -> "Tensor":
        """The absolute value of every entry."""
        return fn("abs", self)

    @property
    def T(self) -> "Tensor":  # noqa: N802 - as in NumPy
        """The transpose of a matrix."""
        return Node("ein1", (TRANSPOSE, self))

    def __getitem__(self, place: int | slice) -> "Tensor":
        """A part of axes or of a spec, as of the tuple that it is."""
        start, stop = (place.start, place.stop) if isinstance(place, slice) else (place, place)
        return Call(Part(start, stop, isinstance(place, slice)), (self,))

    # Without it Python would look for items until there is none.
    __iter__ = None

    def __invert__(self) -> "Tensor":
        """Require that a condition does not hold."""
        if not isinstance(self, Call):
            raise RuleError("~ stands before a condition, as in ~is_identity(s)")
        return Call(Negation(_tested(self.function)), self.args)


@dataclass(frozen=True, eq=False)
class Parameter(Tensor):
    """A pattern variable: its letter, and what it stands for."""

    name: str
    kind: object

    def __getattr__(self, name: str) -> "Tensor":
        """What is known of the function that a letter names, as in `f.is_test`."""
        if self.kind is not Name or not (
            name in Function.__dataclass_fields__ or hasattr(Function, name)
        ):
            raise AttributeError(name)
        return Call(Attribute(name), (self,))


@dataclass(frozen=True, eq=False)
class Node(Tensor):
    """A constructor applied to patterns."""

    constructor: str
    args: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Like(Tensor):
    """What is left open beside an operand until a law has its sides.

    It is the axes `of` a "constant", or the spec of an element-wise product, "ein". What the left
    side has is a letter there: the axes `n`, a spec that `is_elementwise`.
    """

    operand: Tensor
    of: str = "constant"


@dataclass(frozen=True, eq=False)
class Grouped(Tensor):
    """A spec by its text, in which capitals stand for as many axes as its operands have there."""

    text: str
    operands: tuple[Tensor, ...]


@dataclass(frozen=True, eq=False)
class Call(Tensor):
    """A primitive applied to patterns; `function` is None for the analysis `dims`."""

    function: Callable[..., Any] | None
    args: tuple[object, ...]

    def __bool__(self) -> bool:
        """Raise `RuleError` for a comparison: in `0 <= c <= 1` Python asks for the truth of one."""
        if isinstance(self.function, Comparison):
            sign, number = self.function.sign, self.function.number
            raise RuleError(f"write two conditions for what is {sign} {number} and more")
        return True

    def __getattr__(self, name: str) -> "Tensor":
        """What has that name in the named tuple that a primitive computes."""
        made: Any = getattr(self.function, "__annotations__", {}).get("return")
        for candidate in (made, *get_args(made)):
            if name in getattr(candidate, "_fields", ()):
                return Call(Part(candidate._fields.index(name), None, False, name), (self,))
        raise AttributeError(name)


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
class Law(Statable):
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


# Letters: what each stands for.


def letters(names: str, kind: object) -> tuple[Any, ...]:
    """Letters that stand for values of one kind, such as `Number`, `Spec` or `Dims`.

    >>> c, k = letters("c k", Number)
    >>> (c > 0).function.holds(Fraction(2))
    True
    """
    return tuple(Parameter(name, kind) for name in names.split())


def tensors(names: str) -> tuple[Tensor, ...]:
    """Letters that stand for tensors.

    >>> a, b = tensors("a b")
    >>> (a + b).constructor
    'add'
    """
    return letters(names, Tensor)


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


class Negation(Condition):
    """The test that another one fails."""

    def __init__(self, test: Callable[..., bool]) -> None:
        """Negate a test."""
        self.test = test
        super().__init__(self.fails)

    def fails(self, *args: object) -> bool:
        """Whether the test fails."""
        return not self.test(*args)


@dataclass(frozen=True)
class Part:
    """The function that takes an item of a tuple, or those from one place to another."""

    start: int | None
    stop: int | None
    several: bool
    name: str = ""

    def __call__(self, whole: tuple[Any, ...]) -> Any:
        """The items, or the item; None where there is none."""
        if self.several:
            return whole[self.start : self.stop]
        place = cast(int, self.start)
        return whole[place] if -len(whole) <= place < len(whole) else None

    @property
    def __name__(self) -> str:
        """How it is written."""
        if self.name:
            return f".{self.name}"
        ends = ("" if end is None else str(end) for end in (self.start, self.stop))
        return f"[{':'.join(ends) if self.several else self.start}]"


@dataclass(frozen=True)
class Attribute:
    """The function that looks something up in the record of a function's name."""

    __name__: str

    def __call__(self, name: Name) -> Any:
        """What the record has."""
        return getattr(record(name), self.__name__)


_SIGNS: Final[Mapping[str, tuple[Callable[[Any, Any], bool], Name]]] = {
    "==": (operator.eq, "equal"),
    "!=": (operator.ne, "not_equal"),
    ">": (operator.gt, "greater"),
    ">=": (operator.ge, "greater_equal"),
    "<": (operator.lt, "less"),
    "<=": (operator.le, "less_equal"),
}


@dataclass(unsafe_hash=True)
class Comparison(Condition):
    """The test how a number compares with another, which is fixed, by a sign of Python."""

    sign: str
    number: Any

    def __post_init__(self) -> None:
        """Wrap the test."""
        super().__init__(self.holds)

    def holds(self, c: Any) -> bool:
        """Whether a number, or what is known of a function, compares so."""
        return _SIGNS[self.sign][0](c, self.number)


def condition(function: Callable[P, bool]) -> Callable[P, Any]:
    """Let a test be called with patterns as well as with values."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        if any(is_pattern(a) for a in args):
            return Call(Condition(call), args)
        return function(*args, **kwargs)

    return call


@condition
def is_same(x: object, y: object) -> bool:
    """Whether two values that are no tensors are equal."""
    return x == y


def as_condition(c: object) -> object:
    """What is looked up, in a record or in what was computed, as the test whether it is so."""
    if isinstance(c, Call) and isinstance(c.function, Attribute | Part):
        return Call(Condition(c.function), c.args)
    return c


def _tested(function: Callable[..., Any] | None) -> Callable[..., bool]:
    return function.function if isinstance(function, Condition) else cast(Any, function)


def known(p: Property, a: Tensor) -> Tensor:
    """Require that a tensor is known to have a property, or conclude that it has."""
    return Known(p, a)


def dims(a: Tensor) -> Dims:
    """The sizes of a tensor's axes."""
    return cast(Dims, Call(None, (a,)))


def _operation(
    sentence: str, constructor: str, *given: object, arguments: int = 1
) -> Callable[..., Tensor]:
    """What applies a constructor to arguments that are `given`, then to some more."""

    def apply(*args: Any) -> Tensor:
        if len(args) != arguments:
            name = given[0] if given else constructor
            raise TypeError(f"{name}() takes {arguments} arguments, but {len(args)} were given")
        return Node(constructor, (*given, *args))

    apply.__doc__ = sentence
    return apply


variable = _operation("The variable with that name and those axes.", "variable")
declared = _operation("The variable with that name, those axes and those properties.", "variable")
array = _operation("The tensor of some numbers.", "array")
delta = _operation("The identity on `n`, axes `n + n`.", "delta")
indicator = _operation("1 where conditions on indices hold, 0 elsewhere.", "indicator", arguments=2)
size = _operation("A size as a scalar.", "size")
add = _operation("A sum.", "add", arguments=2)
subtract = _operation("A difference.", "subtract", arguments=2)
negate = _operation("A negative.", "negate")
divide = _operation("A quotient; a scalar meets every entry of the other.", "divide", arguments=2)
cofactors = _operation("The k-th derivative of the determinant.", "cofactors", arguments=2)


def const(c: Number | int, n: Dims) -> Tensor:
    """The tensor whose every entry is `c`."""
    return Node("constant", (Fraction(c) if isinstance(c, int) else c, n))


def ein(s: Spec | str, a: Tensor, b: Tensor) -> Tensor:
    """The product of two tensors, by its spec or its einsum text.

    Capitals stand for any number of axes: `ein("A,AX->AX", a, b)`.
    """
    return Node("ein", (_spec(s, a, b), a, b))


def ein1(s: Spec | str, a: Tensor) -> Tensor:
    """A transpose, diagonal, trace or sum of one tensor, by its spec or its einsum text."""
    return Node("ein1", (_spec(s, a), a))


def _spec(s: Spec | str, *operands: Tensor) -> Spec | Grouped:
    if not isinstance(s, str):
        return s
    return parse_spec(s) if s.islower() or not s.strip(",->") else Grouped(s, operands)


def scale(c: Number | int, a: Tensor) -> Tensor:
    """A rational multiple: what the product with a scalar constant is in the e-graph."""
    return Node("scale", (Fraction(c) if isinstance(c, int) else c, a))


def power(a: Tensor, p: Tensor | Number | int) -> Tensor:
    """A tensor to a scalar exponent."""
    return Node("power", (a, _scalar(p)))


@primitive
def opposite(p: Number) -> Number:
    """The negative of a number."""
    return -Fraction(p)


@primitive
def plus(c: Number, d: Number) -> Number:
    """The sum of two numbers."""
    return c + d


@primitive
def joined(a: Dims, b: Dims) -> Dims:
    """The axes `a`, then `b`."""
    return a + b


@primitive
def repeated(a: Dims, count: int) -> Dims:
    """The axes `a` so many times."""
    return a * count


def _is_letter(p: object) -> bool:
    """Whether it is a letter that stands for a number."""
    return isinstance(p, Parameter) and p.kind in (Number, int)


def _is_value(p: object) -> bool:
    """Whether `==` and `!=` compare it rather than state a law."""
    return (
        _is_letter(p) or _is_axes(p) or (isinstance(p, Call) and isinstance(p.function, Attribute))
    )


def _is_axes(p: object) -> bool:
    """Whether it stands for axes, by its kind or by what computes it."""
    match p:
        case Parameter(kind=kind):
            return kind == Dims
        case Call(function=None | Part()):
            return True
        case Call(function=function):
            return getattr(function, "__annotations__", {}).get("return") in (Dims, Dims | None)
        case _:
            return isinstance(p, tuple)


def _sum(a: object, b: object) -> Tensor:
    if _is_axes(a):
        return Call(joined, (a, b))
    if _is_number(a) and _is_number(b):
        return Call(plus, (a, b))
    return Node("add", _alike(a, b))


def _is_number(p: object) -> bool:
    """Whether it is a number, or a letter for one, or computed of such."""
    if isinstance(p, Parameter):
        return _is_letter(p)
    return isinstance(p, int | Fraction) or (isinstance(p, Call) and p.function is not None)


def _number(p: object) -> Number:
    return Fraction(p) if isinstance(p, int) else cast(Number, p)


def _scalar(p: object) -> Tensor:
    """An operand of a quotient, or an exponent: a number is a scalar."""
    return const(_number(p), ()) if _is_number(p) else cast(Tensor, p)


def _alike(a: object, b: object) -> tuple[Tensor, Tensor]:
    """The operands of a sum, of which one may be a number."""
    beside = cast(Tensor, b if _is_number(a) else a)
    return _like(beside, a), _like(beside, b)


def _like(a: Tensor, b: object) -> Tensor:
    """An operand of a sum; of a number the tensor of its entries that has the axes of `a`."""
    return const(_number(b), cast(Dims, Like(a))) if _is_number(b) else cast(Tensor, b)


def _compared(sign: str, a: Tensor, b: object) -> Tensor:
    """A condition on a number, or the tests of the entries of two tensors."""
    if isinstance(b, Call):
        same = cast(Tensor, is_same(a, b))
        return same if sign == "==" else ~same
    if _is_number(a):
        if not isinstance(b, int | Fraction) and _is_letter(a):
            raise RuleError(f"a letter is compared with a number, as c {sign} 0")
        return Call(Comparison(sign, Fraction(b) if isinstance(b, int) else b), (a,))
    return fn(_SIGNS[sign][1], a, _like(a, b))


def fn(name: Name, *args: Tensor | Number | int) -> Tensor:
    """An element-wise function of one operand or several, all of the same axes, or numbers."""
    # A branch rather than a condition, which laws may have spread.
    beside = next((a for a in reversed(args) if not _is_number(a)), None)
    if len(args) not in FUNCTION_NODES:
        raise RuleError(
            f"{name} of {len(args)} operands: a function has {len(FUNCTION_NODES)} at most"
        )
    operands = [a if beside is None else _like(cast(Tensor, beside), a) for a in args]
    return Node(FUNCTION_NODES[len(args)], (name, *operands))


def named(names: str) -> tuple[Callable[..., Tensor], ...]:
    """Element-wise functions, by their names, to be called with patterns.

    >>> (exp,) = named("exp")
    >>> exp(*tensors("a")).args[0]
    'exp'
    """
    return tuple(partial(fn, name) for name in names.split())


# The element-wise functions that the notation has words for; `fn` calls all others by name.
exp, log, sign, relu, sin, cos, tan, tanh = named("exp log sign relu sin cos tan tanh")
arcsin, arccos, arctan, floor, ceil, trunc = named("arcsin arccos arctan floor ceil trunc")
where, maximum, minimum, mod, equal, not_equal = named("where maximum minimum mod equal not_equal")
greater, greater_equal, less, less_equal = named("greater greater_equal less less_equal")
logical_and, logical_or, logical_not = named("logical_and logical_or logical_not")


inv, det, adj, logabsdet, signdet = (
    _operation(MATRIX_FUNCTIONS[name].sentence, name)
    for name in ("inv", "det", "adj", "logabsdet", "signdet")
)


def D(a: Tensor, x: Wrt) -> Tensor:  # noqa: N802 - the field writes it so
    """The derivative: axes of `a`, then axes of `x`."""
    return Node("derivative", (a, x))


def slope(name: Name, *args: Tensor, place: int = 0) -> Tensor:
    """The derivative of an element-wise function by one of its operands, at every entry."""
    return Node(SLOPE_NODES[len(args)], (name, place, *args))


def pullback(node: Tensor, place: int, cotangent: Tensor) -> Tensor:
    """What a node passes on to its operand number `place`, given the cotangent of the node."""
    return Node("pullback", (node, place, cotangent))


# Operations that only lowered terms have.


def extreme(f: Name, s: Spec, a: Tensor) -> Tensor:
    """The maximum or minimum, by its name, along the axes that the unary spec takes away."""
    return Node("numeric", (f, s, a))


def selection(n: Dims, a: Tensor) -> Tensor:
    """1 where the index along the axes of sizes `n` is the integer that `a` has, 0 elsewhere.

    The axes are those of `a`, then `n`. Where `n` has several sizes, the last axis of `a` has the
    index along each of them.
    """
    return Node("numeric", ("selection", n, a))


def of_each(f: Name, a: Tensor) -> Tensor:
    """A function of each matrix of a stack, by its name."""
    return Node("numeric", (f, None, a))


def _of_code(name: str, sentence: str, operands: int = 1) -> Callable[..., Tensor]:
    """An operation of lowered terms that is said by its operands alone."""
    return _operation(sentence, NUMERIC_NODES[operands], name, None, arguments=operands)


def _by_data(name: str, sentence: str) -> Callable[..., Tensor]:
    """An operation of lowered terms that has something beside its operand, which comes first."""
    return _operation(sentence, NUMERIC_NODES[1], name, arguments=2)


expm1, log1p, log1mexp, log1mexp_exp, softplus, sigmoid, exp_difference, logaddexp, hypot = (
    _of_code(name, record(name).sentence, record(name).arity)
    for name in (
        *("expm1", "log1p", "log1mexp", "log1mexp_exp", "softplus", "sigmoid", "exp_difference"),
        *("logaddexp", "hypot"),
    )
)
area_sine = _of_code("area_sine", record("area_sine").sentence)
argsort = _by_data("argsort", "The places of the entries in ascending order along an axis.")
logsumexp = _by_data("logsumexp", "The log of what the unary spec makes of `exp(a)`.")
softmax = _by_data("softmax", "`exp(a)`, divided by what the unary spec makes of it.")
log_softmax = _by_data("log_softmax", "The logarithm of `softmax`.")
norm = _by_data("norm", "The root of what the unary spec makes of `a²`.")
norm1 = _by_data("norm1", "What the unary spec makes of `|a|`.")
logdet = _by_data(
    "logdet", 'The log of det, of what is "positive definite" or, with "", of any matrix.'
)
cholesky = _of_code("cholesky", "The lower triangular L with `L L' = a`.")
inverse_from_cholesky = _of_code("inverse_from_cholesky", "The inverse of `L L'`, given L.")
logdet_from_cholesky = _of_code("logdet_from_cholesky", "The log of det `L L'`, given L.")
step = _of_code("step", "1 where `a` is positive, 0 elsewhere.")
solve = _of_code("solve", "The inverse of `a` times the first axis of `b`.", 2)
