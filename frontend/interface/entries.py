"""The quick way into what was called before with like arguments, whose outputs a function computes.

For arguments that are nested alike, of the same shapes, and while what the traced function reads
is as it was, there is nothing to find out: a generated function takes the arrays out of the
arguments, calls the compiled function, and nests the results. In all other cases it says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import MISTAKES, EggradError
from eggrad.frontend.interface.objects import SIMPLE
from eggrad.frontend.interface.reads import same_arrays
from eggrad.frontend.interface.tiers import TieredFunction
from eggrad.frontend.interface.trees import Structure, flatten

MISSED: Final = object()
"""What an entry returns where somebody has to look."""

Entry = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class Slot:
    """The place of an output in a result: no container, as dataclasses are."""

    def __init__(self, place: int) -> None:
        """The output at a place."""
        self.place = place


@dataclass
class _Text:
    """Lines of a function, and what they call by new names: no name is a user's."""

    lines: list[str] = field(default_factory=list[str])
    known: dict[str, Any] = field(default_factory=dict[str, Any])
    _numbers: Iterator[int] = field(default_factory=count)

    def name(self) -> str:
        """A new name."""
        return f"_{next(self._numbers)}"

    def constant(self, value: Any) -> str:
        """The name of an object."""
        name = self.name()
        self.known[name] = value
        return name

    def returned(self, value: Any) -> str:
        """What is returned at every call: arrays are the caller's to change."""
        return f"{self.constant(value)}{'.copy()' * isinstance(value, np.ndarray)}"

    def require(self, *conditions: str) -> None:
        """Go on only where all conditions hold."""
        self.lines += [f"if not ({' and '.join(conditions)}):", "    return _missed"]

    def opened(self, value: str, structure: Structure) -> Iterator[str]:
        """Take a value apart that is nested so; the names of its leaves."""
        if structure is None:
            yield value
            return
        kind, names, parts, _ = structure
        self.require(f"{value}.__class__ is {self.constant(kind)}")
        targets = [self.name() for _ in names]
        if kind is dict:
            if names:
                self.require(f"(*{value},) == {self.constant(names)}")
                self.lines.append(f"{', '.join(targets)}, = {value}.values()")
        elif issubclass(kind, tuple | list):
            self.require(f"len({value}) == {len(names)}")
            if names:
                self.lines.append(f"{', '.join(targets)}, = {value}")
        else:
            known = ((t, self.constant(name)) for t, name in zip(targets, names, strict=True))
            self.lines += [f"{t} = getattr({value}, {name})" for t, name in known]
        for target, part in zip(targets, parts, strict=True):
            yield from self.opened(target, part)

    def expect(self, leaf: Any, name: str, *, fixed: bool) -> bool:
        """Go on only with a leaf of this kind, or with this one; False where nobody can say."""
        kind: type = type(leaf)
        of_kind = f"{name}.__class__ is {self.constant(kind)}"
        if kind is np.ndarray and fixed and leaf.dtype != object:
            self.require(of_kind, f"_same({self.constant(leaf.copy())}, {name})")
        elif kind is np.ndarray and not fixed and leaf.dtype is _FLOAT:
            shape = self.constant(leaf.shape)
            self.require(of_kind, f"{name}.dtype is _float64", f"{name}.shape == {shape}")
        elif kind in SIMPLE and fixed:
            known = self.constant(leaf)
            # What is 0 has two signs.
            equal = f"{of_kind} and {name} == {known}{' != 0' * (kind is float)}"
            self.require(f"({name} is {known} or ({equal}))")
        elif kind in (float, np.float64) and not fixed:
            self.require(of_kind)
        else:
            return False
        return True

    def nested(self, structure: Structure, leaves: Iterator[str]) -> str:
        """The expression of what is nested so."""
        if structure is None:
            return next(leaves)
        kind, names, parts, _ = structure
        items = [self.nested(part, leaves) for part in parts]
        if kind is dict:
            pairs = zip(map(self.constant, names), items, strict=True)
            return f"{{{', '.join(f'{name}: {item}' for name, item in pairs)}}}"
        if kind is list:
            return f"[{', '.join(items)}]"
        if kind is tuple:
            return f"({''.join(f'{item}, ' for item in items)})"
        named = zip(map(self.constant, names), items, strict=True)
        text = ", ".join(f"{name}: {item}" for name, item in named)
        return f"{self.constant(kind)}(**{{{text}}})"


def entry(
    given: tuple[tuple[Any, ...], dict[str, Any]],
    inputs: Sequence[int],
    function: TieredFunction,
    parameters: Sequence[int | Any],
    *,
    result: Any,
    unchanged: Callable[[], bool],
) -> Entry | None:
    """The quick way for arguments like the ones given; None where there is none.

    `inputs` are the leaves of the arguments that may change, all others are what they are now.
    `parameters` says for each argument of the function which leaf it is, or is an array itself.
    `result` has a `Slot` in the place of each output.

    >>> from eggrad.frontend.interface.tiers import Tier
    >>> double = TieredFunction(lambda x: [2 * x], tier=Tier())
    >>> given, result = ((np.ones(2),), {}), {"out": Slot(0)}
    >>> found = entry(given, [0], double, [0], result=result, unchanged=lambda: True)
    >>> found((np.arange(2.0),), {}), found((np.arange(3.0),), {}) is MISSED
    ({'out': array([0., 2.])}, True)
    """
    leaves, structure = flatten(given)
    text = _Text(["_given = (args, options)"])
    names = [*text.opened("_given", structure)]
    for k, (leaf, name) in enumerate(zip(leaves, names, strict=True)):
        if not text.expect(leaf, name, fixed=k not in inputs):
            return None
    compiled = text.constant(function.function)
    tiered, tier = text.constant(function), text.constant(function.tier)
    text.require(f"{text.constant(unchanged)}()", f"{tiered}.function is {compiled}")
    # The call at which the tier changes is for who changes it.
    text.require(f"({tier}.changes_at is None or {tier}.calls + 1 < {tier}.changes_at)")
    taken = (names[p] if type(p) is int else text.constant(p) for p in parameters)
    slots, nested = flatten(result)
    outputs = (f"_out[{s.place}]" if isinstance(s, Slot) else text.returned(s) for s in slots)
    text.lines += [
        "try:",
        f"    _out = {compiled}({', '.join(taken)})",
        "except _errors:",
        "    return _missed",
        f"{tier}.calls += 1",
        f"return {text.nested(nested, outputs)}",
    ]
    source = "\n    ".join(["def _entry(args, options):", *text.lines])
    namespace = _KNOWN | text.known
    exec(compile(source, "<eggrad>", "exec"), namespace)
    return namespace["_entry"]


_FLOAT: Final = np.dtype(np.float64)
_KNOWN: Final[dict[str, Any]] = {
    "_missed": MISSED,
    "_float64": _FLOAT,
    "_same": same_arrays,
    "_errors": (EggradError, *MISTAKES),
}
