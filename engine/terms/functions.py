"""Element-wise functions: one record each, from which every list of functions is read.

Rules of differentiation attach to a function by its name, in `rules/calculus/slopes.py`; the oracle
has references of its own. What languages call a function stands in their tables of words.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from fractions import Fraction
from itertools import count
from math import ceil, floor, inf, pi, trunc
from types import MappingProxyType
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.operation import Operation

# An element-wise function that was never measured counts as this one, of middling price.
UNKNOWN_FUNCTION: Final = "tanh"

Parity = Literal["odd", "even", ""]
Monotone = Literal["increasing", "decreasing", ""]
Curvature = Literal["convex", "concave", ""]


@dataclass(frozen=True)
class Function(Operation):
    """What is known of an element-wise function, beside what is known of every operation.

    It has `arity` operands, is defined between the ends of `domain`, has values between those of
    `span`, is `odd`, `even` or neither, `monotone` where it never falls or never rises, convex or
    concave by its `curvature`, and `total` if it is finite for all reals. A function that
    `keeps_sign` is positive for positive operands, and not negative at 0; `exact` gives its
    rational values. `undone_by` is the function that leads
    back from its values; a `composite` one has a definition by others, which comparing uses.

    An `operator`, as each test is, has a sign in Python and no name.

    A `stepwise` function is constant but for jumps; an `is_test` is 1 or 0. A `damping` function
    has no larger relative error than its operand, a `lossy` one may lose digits, and one that
    `grows` may overflow. Code avoids it where there is another form, unless it `may_grow`: as a
    divisor it leads to the right 0.
    """

    _: KW_ONLY
    arity: int = 1
    domain: tuple[float, float] = (-inf, inf)
    span: tuple[float, float] = (-inf, inf)
    parity: Parity = ""
    monotone: Monotone = ""
    curvature: Curvature = ""
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
        super().__post_init__()
        if not self.code:
            object.__setattr__(self, "code", f"np.{self.name}({self.places})")
        if self.is_test:
            object.__setattr__(self, "stepwise", True)
            object.__setattr__(self, "operator", True)

    @property
    def places(self) -> str:
        """Places for its operands, as in a call."""
        return ", ".join(["{}"] * self.arity)

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


def _test(name: str, sentence: str, arity: int = 2) -> Function:
    """What is 1 where something holds and 0 elsewhere, also beside infinities and NaN."""
    return Function(
        name,
        sentence,
        arity=arity,
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


# fmt: off
_KNOWN: Final = (
    Function("sin", "The sine of every entry.", span=(-1, 1), parity="odd", total=True,
        analytic=True, exact=_at({0: 0})),
    Function("cos", "The cosine of every entry.", span=(-1, 1), parity="even", total=True,
        analytic=True, exact=_at({0: 1})),
    Function("tan", "The tangent of every entry.", parity="odd", composite=True,
        exact=_at({0: 0})),
    Function("arcsin", "The inverse sine of every entry.", domain=(-1, 1), span=(-pi / 2, pi / 2),
        parity="odd", monotone="increasing", keeps_sign=True, zero_at_zero_alone=True,
        exact=_at({0: 0}), undone_by="sin"),
    Function("arccos", "The inverse cosine of every entry.", domain=(-1, 1), span=(0, pi),
        exact=_at({1: 0}), undone_by="cos"),
    Function("arctan", "The inverse tangent of every entry.", span=(-pi / 2, pi / 2),
        parity="odd", monotone="increasing", total=True, analytic=True, keeps_sign=True,
        zero_at_zero_alone=True, exact=_at({0: 0}), undone_by="tan", damping=True),
    Function("tanh", "The hyperbolic tangent of every entry.", span=(-1, 1), parity="odd",
        monotone="increasing", total=True, analytic=True, keeps_sign=True,
        zero_at_zero_alone=True, composite=True, exact=_at({0: 0}), damping=True),
    Function("exp", "The exponential of every entry.", span=(0, inf), monotone="increasing",
        total=True, analytic=True, exact=_at({0: 1}), lossy=True, grows=True,
        curvature="convex"),
    Function("log", "The natural logarithm of every entry.", domain=(0, inf),
        monotone="increasing", curvature="concave", exact=_at({1: 0}), lossy=True),
    Function("sign", "The sign of every entry: -1, 0 or 1.", span=(-1, 1), parity="odd",
        monotone="increasing", total=True, keeps_sign=True, zero_at_zero_alone=True, exact=_sign),
    Function("relu", "The greater of zero and the entry, for every entry.",
        code="np.maximum({}, 0)", rates=("maximum",), span=(0, inf), monotone="increasing",
        total=True, keeps_sign=True, composite=True, exact=_relu,
        curvature="convex"),
    Function("abs", "The absolute value of every entry.", span=(0, inf), parity="even",
        total=True, keeps_sign=True, zero_at_zero_alone=True, exact=abs,
        curvature="convex"),
    Function("floor", "The greatest integer that is no greater than the entry, for every entry.",
        rates=("arithmetic",), monotone="increasing", total=True, stepwise=True, exact=_floor),
    Function("trunc", "The integer between the entry and 0 that is next to it, for every entry.",
        rates=("arithmetic",), parity="odd", monotone="increasing", total=True, stepwise=True,
        composite=True, exact=_trunc),
    Function("ceil", "The least integer that is no less than the entry, for every entry.",
        rates=("arithmetic",), monotone="increasing", total=True, stepwise=True, composite=True,
        exact=_ceil),
    Function("round", "The nearest integer to every entry; of two the even one.",
        code="np.rint({})", rates=("arithmetic",), parity="odd", monotone="increasing",
        total=True, stepwise=True, exact=_round),
    Function("maximum", "The greater of two entries.", arity=2, total=True, composite=True,
        curvature="convex"),
    Function("minimum", "The lesser of two entries.", arity=2, rates=("maximum",), total=True,
        composite=True,
        curvature="concave"),
    Function("pow", "A power of every entry, each with an exponent of its own.", arity=2,
        code="np.power({}, {})", rates=("power",), operator=True),
    Function("mod",
        "The remainder of a division that rounds down: it has the sign of the divisor.", arity=2,
        rates=("divide", "divide")),
    _test("greater", "1 where the first entry is greater than the second, 0 elsewhere."),
    _test("greater_equal", "1 where the first entry is no less than the second, 0 elsewhere."),
    _test("equal", "1 where two entries are the same, 0 elsewhere."),
    _test("not_equal", "0 where two entries are the same, 1 elsewhere."),
    _test("logical_not", "1 where the entry is 0, 0 elsewhere.", arity=1),
    _test("logical_and", "1 where neither entry is 0, 0 elsewhere."),
    _test("logical_or", "0 where both entries are 0, 1 elsewhere."),
    Function("where", "The second entry where the first is not 0, the third elsewhere.", arity=3,
        rates=("maximum",), composite=True),
    Function("expm1", "exp(a) - 1, for every entry.", price=12, found_in="code", grows=True),
    Function("log1p", "log(1 + a), for every entry.", price=20, found_in="code"),
    Function("sinh", "The hyperbolic sine of every entry.", price=14, found_in="code", grows=True),
    Function("cosh", "The hyperbolic cosine of every entry.", price=14, found_in="code",
        grows=True, may_grow=True),
    Function("log_cosh", "log(cosh(a)), for every entry.", code="log_cosh({})",
        rates=("abs", "sinh", "arithmetic", "log1p", "arithmetic", "expm1", "log1p", "arithmetic"),
        price=80, found_in="code"),
    Function("softplus", "log(1 + exp(a)), for every entry.", code="softplus({})",
        rates=("maximum", "exp", "log1p"), price=28, found_in="code"),
    Function("sigmoid", "1 / (1 + exp(-a)), for every entry.", code="sigmoid({})",
        rates=("negate", "exp", "arithmetic", "divide"), price=9, found_in="code"),
    Function("log1mexp", "log(1 - exp(a)), for every entry below 0.", code="log1mexp({})",
        rates=("expm1", "negate", "log", "exp", "negate", "log1p", "arithmetic"), price=50,
        found_in="code"),
    Function("log1mexp_exp", "log(1 - exp(-exp(a))), for every entry.", code="log1mexp_exp({})",
        rates=("exp", "expm1", "negate", "log", "exp", "negate", "log1p", "arithmetic"), price=60,
        found_in="code"),
    Function("logaddexp", "log(exp(a) + exp(b)), for two entries.", arity=2, price=40,
        found_in="code"),
    Function("exp_difference", "exp(a - b), for two entries.", arity=2, code="np.exp({} - {})",
        rates=("arithmetic", "exp"), price=8, found_in="code"),
    Function("hypot", "√(a² + b²), for two entries.", arity=2,
        rates=("arithmetic", "arithmetic", "sqrt"), price=20, found_in="code"),
    Function("area_sine", "The inverse hyperbolic sine of every entry.",
        code="np.arcsinh({})", price=30,
        rates=("abs", "sqrt", "log1p", "arithmetic"), found_in="code"),
    Function("angle_of", "The angle of the point (b, a), for two entries a and b.", arity=2,
        code="np.arctan2({}, {})",
        rates=("divide", "arctan"), price=30, found_in="code"),
)
# fmt: on

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({f.name: f for f in _KNOWN})
"""The record of every function, by its name."""


_OWN: Final[WeakValueDictionary[str, "OwnFunction"]] = WeakValueDictionary()
_NUMBERS: Final = count(1)


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnFunction(Function):
    """A function that a user declares: it is what terms have as their data, and no other equals it.

    Each of `slopes` is the derivative by one operand, a function from scalar terms to a term of
    element-wise operations; None where there is none. `evaluate` has the function of arrays for
    each array library that it can be computed with. `latex` is its name there, or with places for
    the operands the whole; `cite` is where it is from.
    """

    latex: str = ""
    slopes: tuple[Callable[..., Any] | None, ...] = ()
    evaluate: Mapping[str, Callable[..., Any]] = field(default_factory=dict[str, Any])
    cite: str = "declared"
    number: int = field(default_factory=lambda: next(_NUMBERS))

    def __post_init__(self) -> None:
        """Let the e-graph find it, as long as it is used."""
        object.__setattr__(self, "code", f"{self.name}({self.places})")
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
    return None if found is None or found.found_in == "code" else found


ELEMENTWISE: Final = tuple(f.name for f in _KNOWN if f.found_in != "code")
"""The functions that expressions have."""

CALLED: Final = tuple(f for f in ELEMENTWISE if not FUNCTIONS[f].operator)
"""Those that Python calls by their names."""

UNARY: Final = tuple(f for f in ELEMENTWISE if FUNCTIONS[f].arity == 1)
"""Those of one operand."""

LOWERED: Final = tuple(f.name for f in _KNOWN if f.found_in == "code")
"""Those that lowered terms alone have."""
