"""How many of the 53 bits of compiled code's results are lost, against mpmath.

python -m tests.support.cancellation                # a line for each formula
python -m tests.support.cancellation 2sqrt langevin # for these alone
"""

import ast
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np

import eggrad as eg
from eggrad.engine.terms.binding import Array
from tests.support.jets import Jet
from tests.support.places import lines_of

BITS = 52
# A formula keeps its digits if at most so many bits are lost at so many of the points.
MOST, PART = 8, 0.99
# Where more is not told apart from a digit of the variables, no code can know better.
LARGEST_CONDITION = 2.0**20
SMALLEST, LARGEST = 1e-290, 1e290
Expressible = str | Callable[..., Any]
# What was rounded at the first number of digits is computed with the second.
DIGITS = (400, 1600)
POINTS = 400


@dataclass(frozen=True)
class Formula:
    """A formula in NumPy's names, the kinds of its variables, and how it was found to compile."""

    name: str
    text: str
    kinds: Mapping[str, str]
    group: str
    orders: tuple[int, ...]
    lost: tuple[int, ...]


def kinds_of(text: str) -> dict[str, str]:
    """`x any, e unit` as a table."""
    return dict(part.split() for part in text.split(", "))  # type: ignore[misc]


def _read(line: str) -> Formula:
    name, text, kinds, group, measured, lost = line.split(" | ")
    orders = (0, 1, 2) if measured == "derived" else (0,)
    return Formula(name, text, kinds_of(kinds), group, orders, _numbers(lost))


def _numbers(text: str) -> tuple[int, ...]:
    return () if text == "-" else tuple(map(int, text.split()))


FORMULAS = tuple(map(_read, lines_of("cancelling_formulas.txt")))


# Values ------------------------------------------------------------------------------------------


def generator(name: str) -> np.random.Generator:
    """Random numbers that are the same for the same name."""
    return np.random.default_rng(list(name.encode()))


def draw(random: np.random.Generator, kind: str, number: int, most: float) -> Array:
    """Numbers whose exponents are spread evenly to both sides of 0.

    Those of the kinds `unit` and `share` are below 1, those of `positive` and `share` above 0, and
    a `sign` is 1 or -1.
    """
    if kind == "sign":
        return random.choice([-1.0, 1.0], number)
    exponents = random.uniform(-most, most, number)
    sign = 1 if kind in {"positive", "share"} else random.choice([-1, 1], number)
    if kind in {"unit", "share"}:
        return np.exp2(-np.abs(exponents)) * random.uniform(0.5, 1, number) * sign
    return np.exp2(exponents) * random.uniform(1, 2, number) * sign


class _Exact(ast.NodeTransformer):
    """Numbers that are operands become fractions, so that 1/3 is a third."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        node.left, node.right = self.made(node.left), self.made(node.right)
        return node

    def made(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            text = ast.Constant(str(node.value))
            return ast.Call(ast.Name("Fraction", ast.Load()), [text], [])
        return node


def evaluated(text: str, values: Mapping[str, Any], exactly: bool = False) -> Any:
    """A formula at expressions, or at arrays; `exactly` where no number may be rounded."""
    tree = ast.parse(text, mode="eval")
    tree = ast.fix_missing_locations(_Exact().visit(tree)) if exactly else tree
    names = {**vars(np), "Fraction": Fraction, **values}
    return eval(compile(tree, text, "eval"), names)


# The truth ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """A value or the entries of a derivative, NaN where unknown, and how they depend on variables.

    A condition is the largest relative change of an entry by a variable's relative change.
    """

    entries: Array
    conditions: Array


def truth(
    formula: Expressible,
    values: Mapping[str, Array],
    wrt: Collection[str],
    conditions: bool = True,
    tries: Collection[int] = DIGITS,
) -> list[Truth]:
    """Value, gradient and Hessian by some variables at a point; empty outside the domain.

    The formula is a text, or a function of Jets by the variables' names. What is not the same where
    each step is blurred in its last digits was rounded away, and is computed once more with more
    digits; what is not the same then is NaN.
    """
    found: list[Truth] = []
    for digits in tries:
        with mp.workdps(digits):
            try:
                found = _truth(formula, values, wrt, conditions)
            except (ValueError, ZeroDivisionError, OverflowError):
                found = []
                continue
        if all(mp.isfinite(v) for own in found for v in own.entries):
            break
    return found


def _truth(
    formula: Expressible, values: Mapping[str, Array], wrt: Collection[str], conditions: bool
) -> list[Truth]:
    plain = entries(formula, values, wrt)
    blurred = entries(formula, values, wrt, mp.mpf(10) ** (5 - mp.mp.dps))
    near = mp.mpf(10) ** -60
    worst = [np.zeros(len(own)) for own in plain]
    for name, array in values.items() if conditions else ():
        for place in np.ndindex(np.shape(array)):
            moved = np.array(array, object)
            moved[place] = mp.mpf(array[place]) * (1 + near)
            for k, own in enumerate(entries(formula, {**values, name: moved}, wrt)):
                change = np.minimum(_changes(plain[k], own) / near, 1e300)
                worst[k] = np.maximum(worst[k], change.astype(float))
    return [
        Truth(np.where(_changes(own, other) < near**2, own, mp.nan), condition)
        for own, other, condition in zip(plain, blurred, worst, strict=True)
    ]


def entries(
    formula: Expressible, values: Mapping[str, Array], wrt: Collection[str], noise: Any = 0
) -> list[Array]:
    """Value, gradient and Hessian as lists of numbers, with mpmath's digits of the moment."""
    count, given = 0, {}
    for name, array in values.items():
        jets = np.empty(np.shape(array), object)
        for place in np.ndindex(jets.shape):
            slopes = {count: mp.mpf(1)} if name in wrt else {}
            jets[place] = Jet(mp.mpf(array[place]), slopes, noise=noise)
            count += len(slopes)
        given[name] = jets[()]
    # A formula may be a number at some points.
    read = evaluated(formula, given, exactly=True) if isinstance(formula, str) else formula(**given)
    found = Jet(mp.mpf(0)) + read
    gradient = [found.slopes.get(i, mp.mpf(0)) for i in range(count)]
    hessian = [found.curve(i, j) for i in range(count) for j in range(count)]
    return [np.array(own, object) for own in ([found.value], gradient, hessian)]


def _change(a: Any, b: Any) -> Any:
    """The relative difference; numbers that are too small for doubles do not differ."""
    if max(abs(a), abs(b)) < mp.mpf(10) ** -320:
        return mp.mpf(0)
    return abs(b - a) / abs(a) if a else mp.inf


_changes = np.frompyfunc(_change, 2, 1)


def bits_lost(value: float, true: Any, unit: Any = 0) -> float:
    """How many bits of the true value's 53 a value has not.

    What is compared with a larger unit lacks bits of that, and what should be 0 bits of 1.
    """
    if not np.isfinite(value):
        return BITS
    with mp.workdps(60):
        error = abs(mp.mpf(float(value)) - true) / (max(abs(true), unit) or 1)
        return min(BITS, float(mp.log(1 + error * mp.mpf(2) ** BITS, 2)))


def counts(true: Any, condition: float = 0) -> bool:
    """Whether an entry is judged: its value is known and in range, its condition is good."""
    if not mp.isfinite(true) or condition > LARGEST_CONDITION:
        return False
    return true == 0 or SMALLEST < abs(true) < LARGEST


# Measured ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """The bits that are lost at each point or entry that counts, and the worst point."""

    lost: Array
    worst: str = ""

    @property
    def at_most(self) -> float:
        """What is lost at 99% of the points."""
        return float(np.quantile(self.lost, PART)) if len(self.lost) else BITS

    @property
    def mean(self) -> float:
        """What is lost in the mean."""
        return float(np.mean(self.lost)) if len(self.lost) else BITS

    @property
    def kept(self) -> bool:
        """Whether digits are kept."""
        return self.at_most <= MOST


def points(formula: Formula, number: int = POINTS) -> dict[str, Array]:
    """Values of the variables, with exponents from -60 to 60."""
    random = generator(formula.name)
    return {name: draw(random, kind, number, 60) for name, kind in formula.kinds.items()}


def expressions(formula: Formula) -> list[eg.Expression]:
    """The formula and the derivatives that are measured, entry by entry."""
    given = {name: eg.variable(name, ("n",)) for name in formula.kinds}
    found = [evaluated(formula.text, given)]
    for _ in formula.orders[1:]:
        found.append(eg.gradient(eg.sum(found[-1]), next(iter(given.values()))))
    return found


def truths(formula: Formula, at: Mapping[str, Array]) -> list[list[tuple[int, Any]]]:
    """For each order that is measured the points that count, by number, and the true values."""
    found: list[list[tuple[int, Any]]] = [[] for _ in formula.orders]
    wrt = [*formula.kinds][: len(formula.orders) - 1]
    for i in range(len(next(iter(at.values())))):
        here = {name: values[i] for name, values in at.items()}
        own = truth(formula.text, here, wrt, conditions=bool(wrt))
        for order, known in zip(formula.orders, own, strict=False):
            (true,), (condition,) = known.entries, known.conditions
            # The value is judged anywhere.
            if counts(true, condition if order else 0):
                found[order].append((i, true))
    return found


def measured(values: Array, true: list[tuple[int, Any]], at: Mapping[str, Array]) -> Measured:
    """Of values at all points, what is lost at those that count."""
    values = np.broadcast_to(values, np.shape(next(iter(at.values()))))
    lost = np.array([bits_lost(values[i], t) for i, t in true])
    if not len(lost):
        return Measured(lost)
    i = true[int(np.argmax(lost))][0]
    return Measured(lost, ", ".join(f"{name} = {float(v[i])!r}" for name, v in at.items()))


def as_written_and_compiled(
    formula: Formula, number: int = POINTS
) -> list[tuple[Measured, Measured]]:
    """What is lost of the value and of each derivative, each compiled alone."""
    at = points(formula, number)
    found = []
    for expression, true in zip(expressions(formula), truths(formula, at), strict=True):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = expression.evaluate(at, reference=True), eg.compile(expression)(**at)
        found.append((measured(values[0], true, at), measured(values[1], true, at)))
    return found


def main(names: list[str]) -> None:
    """Print a line for each formula and order, and how many keep their digits."""
    kept: dict[str, list[bool]] = {}
    for formula in FORMULAS:
        if names and formula.name not in names:
            continue
        both = as_written_and_compiled(formula)
        for order, (plain, own) in zip(formula.orders, both, strict=True):
            kept.setdefault("derived" if order else formula.group, []).append(own.kept)
            print(
                f"{'kept' if own.kept else 'LOST'} {formula.name + chr(39) * order:18} "
                f"{own.at_most:4.1f} bits at 99% of {len(own.lost)} points, {own.mean:5.2f} in the "
                f"mean, as written {plain.at_most:4.1f} and {plain.mean:5.2f}; worst {own.worst}",
                flush=True,
            )
    for group, own in kept.items():
        print(f"{group}: {sum(own)} of {len(own)} keep their digits")


if __name__ == "__main__":
    main(sys.argv[1:])
