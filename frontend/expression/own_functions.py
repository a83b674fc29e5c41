"""Functions that users declare by their derivative, used like those of the language."""

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from keyword import kwlist
from math import inf, isfinite
from numbers import Real
from typing import Any, Final, cast

import numpy as np

from eggrad.engine import runtime
from eggrad.engine.errors import UnsoundRules, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.laws.declared_slopes import slope_terms
from eggrad.engine.laws.language import CONSTRUCTORS, Tensor, fn
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import FUNCTIONS, Curvature, Monotone, OwnFunction, Parity
from eggrad.engine.terms.operations import FOR_CODE, NUMERIC
from eggrad.engine.terms.term import FUNCTION_NODES, Term
from eggrad.frontend.expression.expression import applied, as_expression, expression
from eggrad.frontend.text.doors import checked_count, checked_text, checked_word
from eggrad.frontend.text.words import RESERVED

Derivative = Callable[..., Any]
Evaluate = Callable[..., Any] | Mapping[str, Callable[..., Any]]

MOST: Final = max(FUNCTION_NODES)
# Operations have names as well.
_TAKEN: Final = {*RESERVED, *FUNCTIONS, *CONSTRUCTORS, *NUMERIC, *FOR_CODE, "einsum"}
# What Python, and the code that is generated, have words for.
_IN_CODE: Final = {*kwlist, *runtime.__all__, "np", "xp", "own", "kernels_of", "float", "compiled"}
_NUMBERED: Final = re.compile(r"(t|form_|array)\d+\Z")
# Of the two steps of differences: where they agree, their value is to be trusted.
STEPS: Final = (1e-4, 3e-5)
# Each is evaluated by itself.
_MOST_SAMPLES: Final = 10**6
STEADY: Final = 1e-6
CLOSE: Final = 1e-5
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class DeclaredFunction:
    """A function that `function` has declared: called with expressions it gives an expression."""

    def __init__(self, record: OwnFunction) -> None:
        """Wrap what is known of it; `function` is the way to make one."""
        self.record = record
        self.__name__ = record.name
        operands = "1 operand" if record.arity == 1 else f"{record.arity} operands"
        what = record.sentence or f"{record.name}, of {operands}, entry by entry."
        self.__doc__ = f"{what}\n\nSource: {record.cite}."

    def __call__(self, *args: Any) -> Any:
        """The function of every entry; operands are broadcast. In a rule, of patterns."""
        if len(args) != self.record.arity:
            operands = f"{self.record.arity} operand{'s' * (self.record.arity > 1)}"
            raise UnsupportedOperation(f"{self.record.name} takes {operands}, not {len(args)}")
        if all(isinstance(a, Tensor) for a in args):
            return fn(self.record.key, *args)
        return applied(self.record, *args)

    def check(self, samples: int = 1000, seed: int = 0) -> int:
        """Compare what is declared with values; how many samples told something.

        Slopes are compared with differences, on the domain and at numbers of all sizes there;
        parity and range with values. Raises `UnsoundRules` with a counterexample.

        >>> wrong = function("wrong", derivative=lambda a: 3 * a, evaluate=lambda a: a * a)
        >>> wrong.check()
        Traceback (most recent call last):
        ...
        eggrad.engine.errors.UnsoundRules: wrong: the derivative is ...
        """
        record = self.record
        checked_count("check", "samples", samples, 1, _MOST_SAMPLES)
        rng = np.random.default_rng(checked_count("check", "seed", seed))
        args = [_drawn(record.domain, samples, rng) for _ in range(record.arity)]
        value = record.function_for("numpy")
        self._check_claims(args)
        names = {f"a{k + 1}": a for k, a in enumerate(args)}
        told = 0
        for place, slope in enumerate(slope_terms(record)):
            if slope is None:
                continue
            with np.errstate(all="ignore"):
                ours = np.array(
                    [
                        oracle.value(slope, dict(zip(names, at, strict=True)))
                        for at in zip(*args, strict=True)
                    ]
                )
                steps = [_difference(value, args, place, record.domain, h) for h in STEPS]
                scale = 1 + np.abs(ours)
                steady = np.abs(steps[0] - steps[1]) <= STEADY * scale
                wrong = steady & ~(np.abs(ours - steps[1]) <= CLOSE * scale)
            told += int(steady.sum())
            if wrong.any():
                k = int(np.argmax(wrong))
                at = ", ".join(f"{a[k]:.6g}" for a in args)
                raise UnsoundRules(
                    f"{record.name}: the derivative is {ours[k]:.6g} at ({at}), "
                    f"differences give {steps[1][k]:.6g}"
                )
        return told

    def _check_claims(self, args: Sequence[Array]) -> None:
        """Whether the values have the range and the parity that are declared."""
        record = self.record
        with np.errstate(all="ignore"):
            found = np.asarray(record.function_for("numpy")(*args))
            low, high = record.span
            outside = (found < low) | (found > high)
            if outside.any():
                k = int(np.argmax(outside))
                raise UnsoundRules(
                    f"{record.name}: {found[k]:.6g} at {args[0][k]:.6g} is out of range"
                )
            self._check_order(args, found)
            if record.parity:
                sign = -1 if record.parity == "odd" else 1
                mirrored = sign * np.asarray(record.function_for("numpy")(*(-a for a in args)))
                both = np.isfinite(found) & np.isfinite(mirrored)
                wrong = both & (np.abs(found - mirrored) > CLOSE * (1 + np.abs(found)))
                if wrong.any():
                    k = int(np.argmax(wrong))
                    raise UnsoundRules(f"{record.name} is not {record.parity} at {args[0][k]:.6g}")

    def _check_order(self, args: Sequence[Array], found: Array) -> None:
        """Whether the values never fall, or never rise, if that is declared."""
        record = self.record
        if record.monotone and record.arity == 1:
            order = np.argsort(args[0])
            steps = np.diff(found[order]) * (1 if record.monotone == "increasing" else -1)
            if (steps < -CLOSE * (1 + np.abs(found[order][1:]))).any():
                raise UnsoundRules(f"{record.name} is not {record.monotone}")

    def __repr__(self) -> str:
        """Show its name."""
        return f"<function {self.record.name} of {self.record.arity}>"


def function(
    name: str,
    *,
    derivative: Derivative | Sequence[Derivative | None],
    evaluate: Evaluate | None = None,
    latex: str = "",
    parity: Parity = "",
    monotone: Monotone = "",
    curvature: Curvature = "",
    range: tuple[float, float] | None = None,
    domain: tuple[float, float] | None = None,
    source: str = "declared",
    sentence: str = "",
) -> DeclaredFunction:
    """Declare an element-wise function of one or several operands.

    `name` is what all languages call it. `derivative` takes the operands, as expressions, and gives
    the derivative, in which the function itself may occur; for several operands it is a tuple of
    one for each, None where there is none. `evaluate` is the function of NumPy arrays, or a mapping
    from array libraries to functions of their arrays; without it there are no values. `latex` is
    its name in LaTeX. What is known of it is used where expressions are simplified and compared:
    `parity`, "odd" or "even", whether it is `monotone`, its `curvature`, "convex" or "concave" in
    all operands together, the `range` of its values, and the `domain` of its operands, both as the
    two ends of an interval. `source` says where all that is from, and
    `sentence` what the function is, for lists of functions and for `help`.

    Raises `UnsupportedOperation` for a name that is no name or is taken.

    >>> from eggrad.frontend.expression.functions import variable
    >>> square = function("square", derivative=lambda a: 2 * a, evaluate=lambda a: a * a)
    >>> x = variable("x", ("n",))
    >>> square(x).evaluate({"x": [1, 2, 3]})
    array([1., 4., 9.])
    """
    if not isinstance(name, str) or not _NAME.match(name):
        raise UnsupportedOperation(f"a function's name has letters and digits, not {shown(name)}")
    if name in _TAKEN:
        raise UnsupportedOperation(f"{shown(name)} is a word of the language")
    if name in _IN_CODE or _NUMBERED.match(name) or name.startswith("__"):
        raise UnsupportedOperation(f"{shown(name)} is a name that Python or generated code uses")
    several: list[Any] = [*derivative] if isinstance(derivative, list | tuple) else [derivative]
    for d in several:
        if d is not None and not callable(d):
            raise UnsupportedOperation(
                f"{name}: derivative is a function of all operands, or a tuple of such and None, "
                f"not {shown(derivative)}"
            )
    counts = {_operands(d) for d in several if d is not None}
    arity = len(several)
    if counts != {arity}:
        raise UnsupportedOperation(
            f"{name}: a derivative takes all operands, and there is one for each operand; "
            f"of {arity} given they take {', '.join(map(str, sorted(counts))) or 'none'}"
        )
    if arity > MOST:
        raise UnsupportedOperation(f"{name}: a function has up to {MOST} operands, not {arity}")
    checked_word(name, "parity", parity, ("odd", "even", ""))
    if parity and arity > 1:
        raise UnsupportedOperation(f"{name}: parity is of functions of one operand, not of {arity}")
    checked_word(name, "monotone", monotone, ("increasing", "decreasing", ""))
    checked_word(name, "curvature", curvature, ("convex", "concave", ""))
    _check_latex(name, checked_text(f"function {name}", "latex", latex), arity)
    checked_text(f"function {name}", "source", source)
    checked_text(f"function {name}", "sentence", sentence)
    given = {} if evaluate is None else evaluate
    several_given = given.values() if isinstance(given, Mapping) else [given]
    if not all(map(callable, several_given)):
        raise UnsupportedOperation(
            f"{name}: evaluate is a function of arrays, or a dict of such by array libraries, not "
            f"{shown(evaluate)}"
        )
    range = _interval(name, "range", range)
    domain = _interval(name, "domain", domain)
    record = OwnFunction(
        name=name,
        sentence=sentence,
        arity=arity,
        latex=latex,
        parity=parity,
        monotone=monotone,
        curvature=curvature,
        # What is bounded does not overflow.
        total=domain is None and range is not None and all(map(isfinite, range)),
        span=range or (-inf, inf),
        domain=domain or (-inf, inf),
        slopes=tuple(None if d is None else _of_terms(d) for d in several),
        evaluate=given if isinstance(given, Mapping) else {"numpy": given},
        cite=source,
    )
    return DeclaredFunction(record)


def _interval(name: str, what: str, ends: Any) -> tuple[float, float] | None:
    """The ends of an interval, if there is one."""
    if ends is None:
        return None
    known = isinstance(ends, tuple | list) and len(cast("list[Any]", ends)) == 2
    if not known or not all(isinstance(end, Real) for end in ends) or not ends[0] < ends[1]:
        raise UnsupportedOperation(
            f"{name}: {what} is the two ends of an interval, such as (0, 1), not {shown(ends)}"
        )
    return float(ends[0]), float(ends[1])


def _check_latex(name: str, latex: str, arity: int) -> None:
    """Raise where text with places for operands has other braces, which are to be doubled."""
    if "{}" in latex:
        try:
            latex.format(*["x"] * arity)
        except (IndexError, KeyError, ValueError) as error:
            raise UnsupportedOperation(
                f"{name}: latex has {arity} places, {{}}, for operands, and other braces doubled"
            ) from error


def _operands(derivative: Derivative) -> int:
    """How many operands a derivative takes."""
    if isinstance(derivative, DeclaredFunction):
        return derivative.record.arity
    try:
        return len(signature(derivative).parameters)
    except (TypeError, ValueError) as error:
        raise UnsupportedOperation(
            f"derivative: how many operands {shown(derivative)} takes is not known; write a lambda"
        ) from error


def _of_terms(derivative: Derivative) -> Callable[..., Term]:
    """A derivative of expressions, as one of terms."""

    def slope(*operands: Term) -> Term:
        return as_expression(derivative(*(expression(a) for a in operands))).term

    return slope


def _drawn(domain: tuple[float, float], samples: int, rng: np.random.Generator) -> Array:
    """Numbers within a domain: near its ends, and of all sizes between 1e-3 and 1e3 from them."""
    distance = 10.0 ** rng.uniform(-3, 3, samples)
    low, high = domain
    if isfinite(low) and isfinite(high):
        return low + (high - low) * rng.uniform(0, 1, samples)
    if isfinite(low):
        return low + distance
    return high - distance if isfinite(high) else distance * rng.choice((-1.0, 1.0), samples)


def _difference(
    function: Callable[..., Any],
    args: Sequence[Array],
    place: int,
    domain: tuple[float, float],
    step: float,
) -> Array:
    """Central differences of the fourth order; not a number where they leave the domain."""
    h = step * np.maximum(1.0, np.abs(args[place]))

    def at(k: int) -> Array:
        moved = args[place] + k * h
        inside = (moved > domain[0]) & (moved < domain[1])
        shifted = np.where(inside, moved, np.nan)
        return np.asarray(function(*args[:place], shifted, *args[place + 1 :]), float)

    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)


def records_of(functions: Any) -> list[OwnFunction]:
    """What is known of the functions that a text may call.

    Raises `UnsupportedOperation` for what is no list of declared functions, and two of one name.
    """
    several: list[Any] = list(functions) if isinstance(functions, list | tuple) else [functions]
    found = [f.record for f in several if isinstance(f, DeclaredFunction)]
    if len(found) < len(several):
        raise UnsupportedOperation("functions= is a list of what eggrad.function has declared")
    for f in found:
        if any(other.name == f.name and other is not f for other in found):
            raise UnsupportedOperation(f"two different functions are called {shown(f.name)}")
    return found
