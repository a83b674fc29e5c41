"""What rules about an indicator by itself compute: conditions that are none, or make a delta."""

from eggrad.engine.indices.constraints import Constraints, never, renamed_all
from eggrad.engine.indices.spec import canonical as canonical_spec
from eggrad.engine.laws.language import Dims, Spec, condition, primitive

__all__ = ["holds_always", "holds_never", "pair_spec", "paired_size", "unpaired", "unpaired_dims"]


@condition
def holds_always(p: Constraints) -> bool:
    """Whether there is no condition."""
    return not p


@condition
def holds_never(p: Constraints) -> bool:
    """Whether the conditions are known to hold nowhere."""
    return never(p)


def _pair(n: Dims, p: Constraints) -> tuple[int, int] | None:
    """Two axes of one size whose indices are equal."""
    for relation, f in p:
        match f:
            case ((int() as i, 1), (int() as j, -1)) if relation == "=" and n[i] == n[j]:
                return i, j
            case _:
                pass
    return None


@primitive
def paired_size(n: Dims, p: Constraints) -> Dims | None:
    """The size of two axes whose indices are equal; None where there are none."""
    pair = _pair(n, p)
    return (n[pair[0]],) if pair else None


@primitive
def pair_spec(n: Dims, p: Constraints) -> Spec | None:
    """The spec of a delta of those two axes times the indicator without the second of them."""
    pair = _pair(n, p)
    axes = tuple(range(len(n)))
    return canonical_spec([pair, [k for k in axes if k != pair[1]]], axes) if pair else None


@primitive
def unpaired_dims(n: Dims, p: Constraints) -> Dims | None:
    """The sizes of the axes but for that one."""
    pair = _pair(n, p)
    return tuple(d for k, d in enumerate(n) if k != pair[1]) if pair else None


@primitive
def unpaired(n: Dims, p: Constraints) -> Constraints | None:
    """The other conditions: none of them speaks of that axis."""
    pair = _pair(n, p)
    if pair is None:
        return None
    rest = tuple(c for c in p if c != ("=", ((pair[0], 1), (pair[1], -1))))
    kept = [k for k in range(len(n)) if k != pair[1]]
    return renamed_all(rest, {k: place for place, k in enumerate(kept)})
