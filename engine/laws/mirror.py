"""Mirrored forms of a law: sums and products commute, so a law written once holds either way."""

from collections.abc import Iterator
from itertools import product
from typing import cast

from eggrad.engine.laws.index_algebra import swap
from eggrad.engine.laws.language import Call, Law, Literal, Node, Parameter, Spec, Tensor

__all__ = ["mirrored"]


def mirrored(law: Law) -> Iterator[Law]:
    """Every variant of a law, in both directions where it goes both ways, operands exchanged.

    A node is not exchanged where that only renames the law's variables.
    """
    sides = [(law.left, law.right)] + ([(law.right, law.left)] if law.both else [])
    for left, right in sides:
        places = list(_exchangeable(left, ()))
        for flips in product((False, True), repeat=len(places)):
            chosen = {p for p, flip in zip(places, flips, strict=True) if flip}
            conditions: list[Tensor] = []
            turned = _turn(left, (), chosen, conditions)
            yield Law(turned, right, conditions=(*conditions, *law.conditions))


def _exchangeable(pattern: object, place: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if isinstance(pattern, Node):
        if pattern.constructor in ("ein", "add"):
            a, b = pattern.args[-2:]
            if _skeleton(a) != _skeleton(b):
                yield place
        for k, a in enumerate(pattern.args):
            yield from _exchangeable(a, (*place, k))


def _skeleton(pattern: object) -> object:
    match pattern:
        case Parameter(kind=kind):
            return repr(kind)
        case Node(constructor=name, args=args):
            return (name, *map(_skeleton, args))
        case Call(function=function, args=args):
            return (function, *map(_skeleton, args))
        case Literal(value=value):
            return value
        case _:
            return pattern


def _turn(
    pattern: object,
    place: tuple[int, ...],
    chosen: set[tuple[int, ...]],
    conditions: list[Tensor],
) -> Tensor:
    if not isinstance(pattern, Node):
        return cast(Tensor, pattern)
    args: list[object] = [
        _turn(a, (*place, k), chosen, conditions) for k, a in enumerate(pattern.args)
    ]
    if place in chosen:
        args[-2:] = [args[-1], args[-2]]
        if pattern.constructor == "ein":
            spec = args[0]
            if isinstance(spec, Parameter):
                turned = Parameter(f"{spec.name}_{len(conditions)}", Spec)
                conditions.append(Same(spec, swap(cast(Spec, turned))))
                args[0] = turned
            else:
                args[0] = swap(cast(Spec, spec))
    return Node(pattern.constructor, tuple(args))


class Same(Tensor):
    """A condition that a parameter has a computed value; it may bind the parameter."""

    def __init__(self, parameter: Parameter, value: object) -> None:
        """State the equality."""
        self.parameter = parameter
        self.value = value
