"""Element-wise functions: one record each, from which every list of functions is read.

Rules of differentiation attach to a function by its name, in `rules/calculus/slopes.py`; the oracle
has references of its own. All else that is to be known of a function stands here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from math import ceil, floor, inf, pi, trunc
from types import MappingProxyType
from typing import Any, Final, Literal, cast
from weakref import WeakValueDictionary

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims, Spec, output_dims
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS

# An element-wise function that was never measured counts as this one, of middling price.
UNKNOWN_FUNCTION: Final = "tanh"

Parity = Literal["odd", "even", ""]
Monotone = Literal["increasing", "decreasing", ""]


@dataclass(frozen=True, kw_only=True)
class Function:
    """What is known of an element-wise function.

    `code` is its text in NumPy, with a place for each operand, `standard` that in the words of the
    array API standard, where `own` has what the standard lacks (`engine/backends/`); `rates` are
    the kernels that it calls, where that is not the one of its name, and `price` is what an entry
    costs, where an addition costs 1. What is `lowered` occurs in generated code alone.

    `latex` is its name there, or with places for the operands the whole; `matrix` its name in
    matrix notation, where that is another one.

    `spelled` has its text in other languages that are printed, with places for the operands, where
    that is no call by its name there: "torch", "matlab", "julia" and "sympy"; of what is `lowered`
    also "python", which other array libraries have in their own words, and "jax". In Julia and
    SymPy tests give truth values, which choices and other tests take.

    It is defined between the ends of `domain`, has values between those of `span`, is `odd`,
    `even` or neither, `monotone` where it never falls or never rises, and `total` if it is finite
    for all reals. A function that `keeps_sign` is positive for positive operands, and not negative
    at 0; `exact` gives its rational values. `undone_by` is the function that leads back from its
    values; a `composite` one has a definition by others, which comparing uses.

    An `operator`, as each test is, has a sign in Python and no name.

    A `stepwise` function is constant but for jumps; an `is_test` is 1 or 0. A `damping` function
    has no larger relative error than its operand, a `lossy` one may lose digits, and one that
    `grows` may overflow. Code avoids it where there is another form, unless it `may_grow`: as a
    divisor it leads to the right 0.
    """

    name: str
    sentence: str = ""
    arity: int = 1
    code: str = ""
    standard: str = ""
    rates: tuple[str, ...] = ()
    price: int = 10
    lowered: bool = False
    latex: str = ""
    matrix: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    domain: tuple[float, float] = (-inf, inf)
    span: tuple[float, float] = (-inf, inf)
    parity: Parity = ""
    monotone: Monotone = ""
    total: bool = False
    analytic: bool = False
    keeps_sign: bool = False
    zero_at_zero_alone: bool = False
    stepwise: bool = False
    is_test: bool = False
    operator: bool = False
    exact: Callable[[Fraction], Fraction | None] = lambda _: None
    undone_by: str = ""
    composite: bool = False
    damping: bool = False
    lossy: bool = False
    grows: bool = False
    may_grow: bool = False

    def __post_init__(self) -> None:
        """Let NumPy have a function of this name, if nothing else is said."""
        if not self.code:
            places = ", ".join(["{}"] * self.arity)
            object.__setattr__(self, "code", f"np.{self.name}({places})")
        if not self.standard:
            object.__setattr__(self, "standard", self.code.replace("np.", "xp."))
        if not self.rates:
            object.__setattr__(self, "rates", (self.name,))
        if self.is_test:
            object.__setattr__(self, "stepwise", True)
            object.__setattr__(self, "operator", True)

    @property
    def key(self) -> str:
        """What the e-graph calls it."""
        return self.name

    @property
    def is_zero_at_zero(self) -> bool:
        """Whether its value at 0 is 0."""
        return self.exact(Fraction(0)) == 0

    @property
    def vanishes(self) -> bool:
        """Whether it is 0 on an interval: what it multiplies may be left out there."""
        return self.is_test or (self.keeps_sign and not self.zero_at_zero_alone)

    @property
    def is_never_negative(self) -> bool:
        """Whether no value is below 0."""
        return self.span[0] >= 0

    @property
    def is_within_one(self) -> bool:
        """Whether all values are between -1 and 1."""
        return self.span[0] >= -1 and self.span[1] <= 1


def _at(values: Mapping[int, int]) -> Callable[[Fraction], Fraction | None]:
    """The rational values of a function that has some few."""

    def exact(c: Fraction) -> Fraction | None:
        found = values.get(int(c)) if c.denominator == 1 else None
        return None if found is None else Fraction(found)

    return exact


def _test(
    name: str, sentence: str, standard: str, spelled: Mapping[str, str], arity: int = 2
) -> Function:
    """What is 1 where something holds and 0 elsewhere, also beside infinities and NaN."""
    return Function(
        name=name,
        sentence=sentence,
        arity=arity,
        standard=standard,
        spelled=spelled,
        rates=("arithmetic",),
        span=(0, 1),
        total=True,
        composite=True,
        is_test=True,
    )


def _relu(c: Fraction) -> Fraction:
    return max(c, Fraction(0))


def _sign(c: Fraction) -> Fraction:
    return Fraction((c > 0) - (c < 0))


def _floor(c: Fraction) -> Fraction:
    return Fraction(floor(c))


def _ceil(c: Fraction) -> Fraction:
    return Fraction(ceil(c))


def _trunc(c: Fraction) -> Fraction:
    return Fraction(trunc(c))


def _round(c: Fraction) -> Fraction:
    return Fraction(round(c))


_KNOWN: Final = (
    Function(
        name="sin",
        sentence="The sine of every entry.",
        latex=r"\sin",
        span=(-1, 1),
        parity="odd",
        total=True,
        analytic=True,
        exact=_at({0: 0}),
    ),
    Function(
        name="cos",
        sentence="The cosine of every entry.",
        latex=r"\cos",
        span=(-1, 1),
        parity="even",
        total=True,
        analytic=True,
        exact=_at({0: 1}),
    ),
    Function(
        name="tan",
        sentence="The tangent of every entry.",
        composite=True,
        latex=r"\tan",
        parity="odd",
        exact=_at({0: 0}),
    ),
    Function(
        name="arcsin",
        spelled={"matlab": "asin({})", "julia": "asin.({})", "sympy": "asin({})"},
        standard="xp.asin({})",
        sentence="The inverse sine of every entry.",
        monotone="increasing",
        latex=r"\arcsin",
        domain=(-1, 1),
        span=(-pi / 2, pi / 2),
        parity="odd",
        keeps_sign=True,
        zero_at_zero_alone=True,
        exact=_at({0: 0}),
        undone_by="sin",
    ),
    Function(
        name="arccos",
        spelled={"matlab": "acos({})", "julia": "acos.({})", "sympy": "acos({})"},
        standard="xp.acos({})",
        sentence="The inverse cosine of every entry.",
        latex=r"\arccos",
        domain=(-1, 1),
        span=(0, pi),
        exact=_at({1: 0}),
        undone_by="cos",
    ),
    Function(
        name="arctan",
        spelled={"matlab": "atan({})", "julia": "atan.({})", "sympy": "atan({})"},
        standard="xp.atan({})",
        sentence="The inverse tangent of every entry.",
        monotone="increasing",
        latex=r"\arctan",
        span=(-pi / 2, pi / 2),
        parity="odd",
        total=True,
        analytic=True,
        keeps_sign=True,
        zero_at_zero_alone=True,
        exact=_at({0: 0}),
        undone_by="tan",
        damping=True,
    ),
    Function(
        name="tanh",
        sentence="The hyperbolic tangent of every entry.",
        monotone="increasing",
        composite=True,
        latex=r"\tanh",
        span=(-1, 1),
        parity="odd",
        total=True,
        analytic=True,
        keeps_sign=True,
        zero_at_zero_alone=True,
        exact=_at({0: 0}),
        damping=True,
    ),
    Function(
        name="exp",
        sentence="The exponential of every entry.",
        monotone="increasing",
        latex=r"\exp",
        span=(0, inf),
        total=True,
        analytic=True,
        exact=_at({0: 1}),
        lossy=True,
        grows=True,
    ),
    Function(
        name="log",
        sentence="The natural logarithm of every entry.",
        monotone="increasing",
        latex=r"\log",
        domain=(0, inf),
        exact=_at({1: 0}),
        lossy=True,
    ),
    Function(
        name="sign",
        sentence="The sign of every entry: -1, 0 or 1.",
        monotone="increasing",
        span=(-1, 1),
        parity="odd",
        total=True,
        keeps_sign=True,
        zero_at_zero_alone=True,
        exact=_sign,
    ),
    Function(
        name="relu",
        spelled={
            "torch": "torch.relu({})",
            "matlab": "max({}, 0)",
            "julia": "max.({}, 0)",
            "sympy": "Max({}, 0)",
        },
        standard="xp.maximum({}, 0.0)",
        sentence="The greater of zero and the entry, for every entry.",
        monotone="increasing",
        composite=True,
        code="np.maximum({}, 0)",
        rates=("maximum",),
        span=(0, inf),
        total=True,
        keeps_sign=True,
        exact=_relu,
    ),
    Function(
        name="abs",
        spelled={"sympy": "Abs({})"},
        sentence="The absolute value of every entry.",
        latex=r"\left|{}\right|",
        span=(0, inf),
        parity="even",
        total=True,
        keeps_sign=True,
        zero_at_zero_alone=True,
        exact=abs,
    ),
    Function(
        name="floor",
        sentence="The greatest integer that is no greater than the entry, for every entry.",
        monotone="increasing",
        stepwise=True,
        rates=("arithmetic",),
        latex=r"\left\lfloor {} \right\rfloor",
        total=True,
        exact=_floor,
    ),
    Function(
        name="trunc",
        spelled={"matlab": "fix({})", "sympy": "sign({0}) * floor(Abs({0}))"},
        sentence="The integer between the entry and 0 that is next to it, for every entry.",
        composite=True,
        parity="odd",
        monotone="increasing",
        stepwise=True,
        rates=("arithmetic",),
        total=True,
        exact=_trunc,
    ),
    Function(
        name="ceil",
        spelled={"sympy": "ceiling({})"},
        sentence="The least integer that is no less than the entry, for every entry.",
        composite=True,
        monotone="increasing",
        stepwise=True,
        rates=("arithmetic",),
        latex=r"\left\lceil {} \right\rceil",
        total=True,
        exact=_ceil,
    ),
    Function(
        name="round",
        spelled={
            "matlab": "round({0}) + (abs({0} - fix({0})) == 0.5)"
            " .* (2 * round({0} / 2) - round({0}))",
            "sympy": "Piecewise((2 * floor({0} / 2 + S.Half), Eq(Mod({0}, 1), S.Half)),"
            " (floor({0} + S.Half), True))",
        },
        standard="xp.round({})",
        sentence="The nearest integer to every entry; of two the even one.",
        monotone="increasing",
        stepwise=True,
        code="np.rint({})",
        rates=("arithmetic",),
        parity="odd",
        total=True,
        exact=_round,
    ),
    Function(
        name="maximum",
        spelled={"matlab": "max({}, {})", "julia": "max.({}, {})", "sympy": "Max({}, {})"},
        sentence="The greater of two entries.",
        composite=True,
        arity=2,
        latex=r"\max",
        matrix="max",
        total=True,
    ),
    Function(
        name="minimum",
        spelled={"matlab": "min({}, {})", "julia": "min.({}, {})", "sympy": "Min({}, {})"},
        sentence="The lesser of two entries.",
        composite=True,
        arity=2,
        rates=("maximum",),
        latex=r"\min",
        matrix="min",
        total=True,
    ),
    Function(
        name="pow",
        operator=True,
        spelled={"matlab": "{} .^ {}", "julia": "{} .^ {}", "sympy": "{} ** {}"},
        standard="{} ** {}",
        sentence="A power of every entry, each with an exponent of its own.",
        arity=2,
        code="np.power({}, {})",
        rates=("power",),
    ),
    Function(
        name="mod",
        spelled={"sympy": "Mod({}, {})"},
        standard="xp.remainder({}, {})",
        sentence="The remainder of a division that rounds down: it has the sign of the divisor.",
        arity=2,
        rates=("divide", "divide"),
    ),
    _test(
        "greater",
        "1 where the first entry is greater than the second, 0 elsewhere.",
        "{} > {}",
        {"matlab": "{} > {}", "julia": "{} .> {}", "sympy": "{} > {}"},
    ),
    _test(
        "greater_equal",
        "1 where the first entry is no less than the second, 0 elsewhere.",
        "{} >= {}",
        {"matlab": "{} >= {}", "julia": "{} .>= {}", "sympy": "{} >= {}"},
    ),
    _test(
        "equal",
        "1 where two entries are the same, 0 elsewhere.",
        "{} == {}",
        {"matlab": "{} == {}", "julia": "{} .== {}", "sympy": "Eq({}, {})"},
    ),
    _test(
        "not_equal",
        "0 where two entries are the same, 1 elsewhere.",
        "{} != {}",
        {"matlab": "{} ~= {}", "julia": "{} .!= {}", "sympy": "Ne({}, {})"},
    ),
    _test(
        "logical_not",
        "1 where the entry is 0, 0 elsewhere.",
        "xp.logical_not({})",
        {"matlab": "{} == 0", "julia": ".!{}", "sympy": "Not({})"},
        arity=1,
    ),
    _test(
        "logical_and",
        "1 where neither entry is 0, 0 elsewhere.",
        "xp.logical_and({}, {})",
        {"matlab": "{} & {}", "julia": "{} .& {}", "sympy": "And({}, {})"},
    ),
    _test(
        "logical_or",
        "0 where both entries are 0, 1 elsewhere.",
        "xp.logical_or({}, {})",
        {"matlab": "{} | {}", "julia": "{} .| {}", "sympy": "Or({}, {})"},
    ),
    Function(
        name="where",
        spelled={
            "matlab": "choose({}, {}, {})",
            "julia": "ifelse.({}, {}, {})",
            "sympy": "Piecewise(({1}, {0}), ({2}, True))",
        },
        sentence="The second entry where the first is not 0, the third elsewhere.",
        composite=True,
        arity=3,
        rates=("maximum",),
    ),
    Function(name="expm1", lowered=True, price=12, grows=True, spelled={"sympy": "exp({}) - 1"}),
    Function(name="log1p", lowered=True, price=20, spelled={"sympy": "log(1 + {})"}),
    Function(name="sinh", lowered=True, price=14, grows=True),
    Function(name="cosh", lowered=True, price=14, grows=True, may_grow=True),
    Function(
        name="log_cosh",
        standard="own.log_cosh({})",
        lowered=True,
        price=80,
        code="log_cosh({})",
        rates=(
            "abs",
            "sinh",
            "arithmetic",
            "log1p",
            "arithmetic",
            "expm1",
            "log1p",
            "arithmetic",
        ),
    ),
    Function(
        name="softplus",
        spelled={
            "python": "np.logaddexp(0, {})",
            "jax": "jax.nn.softplus({})",
            # Beyond the threshold, where the difference is lost in rounding, it is its operand.
            "torch": "torch.nn.functional.softplus({}, threshold=40)",
            "matlab": "max({0}, 0) + log1p(exp(-abs({0})))",
            "julia": "max.({0}, 0) .+ log1p.(exp.(-abs.({0})))",
            "sympy": "log(1 + exp({}))",
        },
        standard="own.softplus({})",
        lowered=True,
        price=28,
        code="softplus({})",
        rates=("maximum", "exp", "log1p"),
    ),
    Function(
        name="sigmoid",
        spelled={
            "python": "np.exp(-np.logaddexp(0, -{}))",
            "jax": "jax.nn.sigmoid({})",
            "torch": "torch.sigmoid({})",
            "matlab": "1 ./ (1 + exp(-{}))",
            "julia": "1 ./ (1 .+ exp.(-{}))",
            "sympy": "1 / (1 + exp(-{}))",
        },
        standard="own.sigmoid({})",
        lowered=True,
        price=9,
        code="sigmoid({})",
        rates=("negate", "exp", "arithmetic", "divide"),
    ),
    Function(
        name="log1mexp",
        spelled={
            "python": "np.where({0} > -0.7, np.log(-np.expm1({0})), np.log1p(-np.exp({0})))",
            "matlab": "choose({0} > -0.7, log(-expm1({0})), log1p(-exp({0})))",
            "julia": "ifelse.({0} .> -0.7, log.(-expm1.({0})), log1p.(-exp.({0})))",
            "sympy": "log(1 - exp({}))",
        },
        standard="own.log1mexp({})",
        lowered=True,
        price=50,
        code="log1mexp({})",
        rates=("expm1", "negate", "log", "exp", "negate", "log1p", "arithmetic"),
    ),
    Function(
        name="log1mexp_exp",
        spelled={
            "python": "np.where({0} < -40, {0}, np.where({0} < 0, np.log(-np.expm1(-np.exp({0}))), "
            "np.log1p(-np.exp(-np.exp({0})))))",
            "matlab": "choose({0} < -40, {0}, choose({0} < 0, log(-expm1(-exp({0}))), "
            "log1p(-exp(-exp({0})))))",
            "julia": "ifelse.({0} .< -40, {0}, ifelse.({0} .< 0, log.(-expm1.(-exp.({0}))), "
            "log1p.(-exp.(-exp.({0})))))",
            "sympy": "log(1 - exp(-exp({})))",
        },
        standard="own.log1mexp_exp({})",
        lowered=True,
        price=60,
        code="log1mexp_exp({})",
        rates=("exp", "expm1", "negate", "log", "exp", "negate", "log1p", "arithmetic"),
    ),
    Function(
        name="logaddexp",
        spelled={
            "matlab": "max({0}, {1}) + log1p(exp(-abs({0} - {1})))",
            "julia": "max.({0}, {1}) .+ log1p.(exp.(-abs.({0} .- {1})))",
            "sympy": "log(exp({}) + exp({}))",
        },
        arity=2,
        lowered=True,
        price=40,
    ),
    Function(
        name="exp_difference",
        spelled={
            "python": "np.exp({} - {})",
            "matlab": "exp({} - {})",
            "julia": "exp.({} .- {})",
            "sympy": "exp({} - {})",
        },
        standard="xp.exp({} - {})",
        arity=2,
        lowered=True,
        price=8,
        rates=("arithmetic", "exp"),
    ),
    Function(
        name="hypot",
        spelled={"sympy": "sqrt({}**2 + {}**2)"},
        arity=2,
        lowered=True,
        price=20,
        rates=("arithmetic", "arithmetic", "sqrt"),
    ),
)

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({f.name: f for f in _KNOWN})
"""The record of every function, by its name."""


@dataclass(frozen=True, kw_only=True)
class MatrixFunction:
    """A function of a square matrix: a matrix of the same axes, or a scalar.

    `code` is its text in generated code, `python`, `matlab`, `julia` and `sympy` in what is
    printed; `rate` the kernel that it calls. `thirds` of n³ operations are counted: elimination
    takes two, with substitution six.
    """

    name: str
    sentence: str
    code: str
    python: str
    rate: str
    thirds: int
    latex: str
    matlab: str
    julia: str
    sympy: str
    is_scalar: bool = False


_OF_MATRICES: Final = (
    MatrixFunction(
        name="inv",
        sentence="The inverse of a square matrix.",
        code="inverse({})",
        python="np.linalg.inv({})",
        rate="inv",
        thirds=6,
        latex=r"{}^{{-1}}",
        matlab="inv({})",
        julia="inv({})",
        sympy="{}.inv()",
    ),
    MatrixFunction(
        name="det",
        sentence="The determinant of a square matrix.",
        code="np.linalg.det({})",
        python="np.linalg.det({})",
        rate="det",
        thirds=2,
        latex=r"\det",
        matlab="det({})",
        julia="det({})",
        sympy="{}.det()",
        is_scalar=True,
    ),
    MatrixFunction(
        name="adj",
        sentence="The adjugate of a square matrix: det times inv, continued to all matrices.",
        code="adjugate({})",
        python="np.linalg.det({0}) * np.linalg.inv({0})",
        rate="adj",
        thirds=9,
        latex=r"\operatorname{adj}",
        matlab="det({0}) * inv({0})",
        julia="det({0}) * inv({0})",
        sympy="{}.adjugate()",
    ),
    MatrixFunction(
        name="logabsdet",
        sentence="The logarithm of the absolute value of a square matrix's determinant.",
        code="np.linalg.slogdet({})[1]",
        python="np.linalg.slogdet({})[1]",
        rate="slogdet",
        thirds=2,
        latex=r"\log\left|\det\left({}\right)\right|",
        matlab="log(abs(det({})))",
        julia="logabsdet({})[1]",
        sympy="log(Abs({}.det()))",
        is_scalar=True,
    ),
    MatrixFunction(
        name="signdet",
        sentence="The sign of a square matrix's determinant: -1, 0 or 1.",
        code="np.linalg.slogdet({})[0]",
        python="np.linalg.slogdet({})[0]",
        rate="slogdet",
        thirds=2,
        latex=r"\operatorname{sign}\det",
        matlab="sign(det({}))",
        julia="logabsdet({})[2]",
        sympy="sign({}.det())",
        is_scalar=True,
    ),
)

MATRIX_FUNCTIONS: Final[Mapping[str, MatrixFunction]] = MappingProxyType(
    {f.name: f for f in _OF_MATRICES}
)
"""The record of every function of a square matrix, by its name."""

_OWN: Final[WeakValueDictionary[str, "OwnFunction"]] = WeakValueDictionary()
_NUMBERS: Final = count(1)


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnFunction(Function):
    """A function that a user declares: it is what terms have as their data, and no other equals it.

    Each of `slopes` is the derivative by one operand, a function from scalar terms to a term of
    element-wise operations; None where there is none. `evaluate` has the function of arrays for
    each array library that it can be computed with. `cite` is where it is from.
    """

    slopes: tuple[Callable[..., Any] | None, ...] = ()
    evaluate: Mapping[str, Callable[..., Any]] = field(default_factory=dict[str, Any])
    cite: str = "declared"
    number: int = field(default_factory=lambda: next(_NUMBERS))

    def __post_init__(self) -> None:
        """Let the e-graph find it, as long as it is used."""
        object.__setattr__(self, "code", f"{self.name}({', '.join(['{}'] * self.arity)})")
        object.__setattr__(self, "standard", self.code)
        object.__setattr__(self, "rates", (UNKNOWN_FUNCTION,))
        _OWN[self.key] = self

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        """Whether it is the same function: another one may be called and known alike."""
        return self is other

    def function_for(self, library: str) -> Callable[..., Any]:
        """The function of arrays of a library; `UnsupportedOperation` where there is none."""
        if library not in self.evaluate:
            raise UnsupportedOperation(
                f"{self.name} has no function of {library} arrays: evaluate="
            )
        return self.evaluate[library]

    @property
    def key(self) -> str:
        """Its name and number: others may have the same name."""
        return f"{self.name} {self.number}"


def record(key: str) -> Function:
    """The function that the e-graph calls so.

    >>> record("sin").parity
    'odd'
    """
    found = FUNCTIONS.get(key) or _OWN.get(key)
    if found is None:
        raise UnsupportedOperation(f"no function is called {key!r}")
    return found


def function_of(op: str, data: object) -> Function | None:
    """The function that a term applies, given its operation and data, if it is one.

    >>> function_of("sin", None).name, function_of("add", None)
    ('sin', None)
    """
    if isinstance(data, OwnFunction):
        return data
    found = FUNCTIONS.get(op)
    return None if found is None or found.lowered else found


ELEMENTWISE: Final = tuple(f.name for f in _KNOWN if not f.lowered)
"""The functions that expressions have."""

CALLED: Final = tuple(f for f in ELEMENTWISE if not FUNCTIONS[f].operator)
"""Those that Python calls by their names."""

UNARY: Final = tuple(f for f in ELEMENTWISE if FUNCTIONS[f].arity == 1)
"""Those of one operand."""


@dataclass(frozen=True, kw_only=True)
class Extreme:
    """The greatest or the least entry along some axes.

    `code` is its text in generated code, given the array and the axes, `python` the function that
    is printed; `rate` the kernel that it calls, `price` what an entry counts. `of_two` is the
    function of two tensors, entry by entry, that gives the same of each pair.
    """

    name: str
    sentence: str
    code: str
    python: str
    of_two: str
    rate: str = "sum"
    price: int = 1


EXTREMES: Final[Mapping[str, Extreme]] = MappingProxyType(
    {
        f.name: f
        for f in (
            Extreme(
                name="max",
                sentence="The greatest entry along some axes.",
                code="np.max({x}, {k})",
                python="np.max",
                of_two="maximum",
            ),
            Extreme(
                name="min",
                sentence="The least entry along some axes.",
                code="np.min({x}, {k})",
                python="np.min",
                of_two="minimum",
            ),
        )
    }
)
"""The reductions of expressions that are no sums, by their names."""

LOWERED: Final = tuple(f.name for f in _KNOWN if f.lowered)
"""Those that lowered terms alone have."""


# Operations of their own data: extremes along axes, functions of each matrix of a stack, and what
# only lowered terms have.
#
# Those are forms that lose no digits or time in generated code.


# What loses no digits.
FOR_DIGITS: Final = (*LOWERED, "logsumexp", "softmax", "log_softmax", "norm", "logdet")
# What no expression has, only code.
OF_CODE: Final = (
    *FOR_DIGITS, "solve", "symmetric_product", "product_of_pairs", "inverse_from_cholesky",
    "logdet_from_cholesky",
)  # fmt: skip
NUMERIC: Final = (*EXTREMES, *STACK_FUNCTIONS, "selection", "argsort", "scan", *OF_CODE)
# Those that expressions have.
PUBLIC: Final = (*EXTREMES, *STACK_FUNCTIONS)
# What only formulas have, for people to read.
FOR_READING: Final = ("matrix_power",)
# Ways to compute that are chosen when code is written.
FOR_CODE: Final = ("stepped_product",)


_OF_SQUARE_MATRICES: Final = (
    *("logdet", "logdet_from_cholesky", "solve", "inverse_from_cholesky"),
    "matrix_power",
)


def places_dims(chosen: Dims, *indices: Dims) -> Dims:
    """The axes of the places that a selection looks at.

    Where it chooses from several axes, it has an operand for each, or the last axis of its only
    operand has the index along each.

    >>> places_dims(("n",), ("k",)), places_dims(("m", "n"), ("k", 2))
    (('k',), ('k',))
    >>> places_dims(("m", "n"), ("k",), ("k",))
    ('k',)
    """
    return indices[0][:-1] if len(indices) < len(chosen) else indices[0]


def result_dims(name: str, data: object, *args: Dims) -> Dims:
    """The axes of an operation's result.

    `data` is the unary spec of `max`, `min`, `logsumexp` and `norm`, and that of the sum by which
    a `softmax` divides, also of a `log_softmax`; what the matrix of `logdet` is known to be, the
    order of a `symmetric_product`, and the exponent of a `matrix_power`. It is the sizes of the
    axes that a `selection` chooses from, the axis along which `argsort` orders, and which result of
    a loop a `scan` is.

    >>> result_dims("symmetric_product", 2, ("m", "n"), ("m", "k"))
    ('k', 'n', 'n')
    """
    first, last = args[0], args[-1]
    match name:
        case "scan":
            # What the e-graph has of a loop says them last.
            return cast("tuple[Any, ...]", data)[-1]
        case _ if name in STACK_FUNCTIONS:
            return STACK_FUNCTIONS[name].dims(first)
        case _ if name in _OF_SQUARE_MATRICES:
            if len(first) != 2 or first[0] != first[1]:
                raise ShapeError(f"{name} needs a square matrix, its argument has axes {first}")
            return () if name.startswith("logdet") else last
        case "symmetric_product":
            if len(first) != 2 or last[:1] != first[:1]:
                raise ShapeError(f"{name}: a matrix {first} cannot have weights {last}")
            return last[1:] + first[1:] * cast(int, data)
        case "product_of_pairs":
            if len(first) != 2 or last[-1:] != first[:1]:
                raise ShapeError(f"{name}: a matrix {first} cannot have weights {last}")
            return last[:-1] + first[1:] * 2
        case "selection":
            chosen = cast(Dims, data)
            if len(args) not in (1, len(chosen)):
                raise ShapeError(f"{name}: {len(args)} operands for {len(chosen)} axes")
            if len({*args}) > 1:
                raise ShapeError(f"{name}: places along axes have different axes, {args}")
            if len(args) < len(chosen) and first[-1:] != (len(chosen),):
                raise ShapeError(
                    f"{name}: {len(chosen)} axes need as many places, not {first[-1:]}"
                )
            return (*places_dims(chosen, *args), *chosen)
        case "argsort":
            if not 0 <= cast(int, data) < len(first):
                raise ShapeError(f"{name}: there is no axis {data}, the argument has axes {first}")
            return first
        case _ if name in (*EXTREMES, "logsumexp", "norm"):
            return output_dims(cast(Spec, data), first)
        case _ if first != last:
            raise ShapeError(f"{name}: one operand has axes {first}, the other {last}")
        case _:
            return first
