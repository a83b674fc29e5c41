"""Index algebra of einsum specs: pure functions on tuples.

A spec is a tuple of index tuples, one for each operand and a last one for the output:
`((0, 1), (1,), (0,))` is `ij,j->i`. It is *canonical* when its indices are numbered by first
appearance. An output never repeats an index and has none that no operand has.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from eggrad.engine.errors import ShapeError

Size = int | str
Dims = tuple[Size, ...]
Indices = tuple[int, ...]
Spec = tuple[Indices, ...]

# The unary spec of a matrix's transpose.
TRANSPOSE: Final[Spec] = ((0, 1), (1, 0))
MATRIX_PRODUCT: Final[Spec] = ((0, 1), (1, 2), (0, 2))
MAXIMAL_SIZE: Final = 10**18
"""Axes are not longer, nor are the numbers of which sizes are made."""

LETTERS = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH"


def canonical(operands: Sequence[Sequence[object]], output: Sequence[object]) -> Spec:
    """Number any hashable indices by first appearance.

    >>> canonical(["ij", "j"], "i")
    ((0, 1), (1,), (0,))
    """
    numbers: dict[object, int] = {}
    parts = [*operands, output]
    return tuple(tuple(numbers.setdefault(i, len(numbers)) for i in part) for part in parts)


def parse_spec(text: str) -> Spec:
    """Read `ij,j->i`; every letter is an index.

    >>> parse_spec("ij,j->i")
    ((0, 1), (1,), (0,))
    """
    left, arrow, output = text.replace(" ", "").partition("->")
    if not arrow:
        raise ShapeError(f"the spec {text!r} has no '->'")
    spec = canonical(left.split(","), output)
    check(spec)
    return spec


def letters(*parts: Indices) -> str:
    """The einsum text of some labels, the last of them the output's.

    >>> letters((4, 4), (4,))
    'ii->i'
    """
    return format_spec(canonical(parts[:-1], parts[-1]))


def format_spec(spec: Spec) -> str:
    """Write a spec with letters.

    >>> format_spec(((0, 1), (1,), (0,)))
    'ij,j->i'
    """
    *operands, output = ["".join(map(letter, part)) for part in spec]
    return ",".join(operands) + "->" + output


def letter(index: int) -> str:
    """The letter of an index; any letter is one, so a product may have more than 52 of them."""
    return LETTERS[index] if index < len(LETTERS) else chr(0x4E00 + index - len(LETTERS))


def check(spec: Spec) -> None:
    """Raise unless the output has only indices of the operands, each once."""
    *operands, output = spec
    known = {i for part in operands for i in part}
    for i in output:
        if i not in known:
            raise ShapeError(
                f"product *({format_spec(spec)}): no operand has the output index {letter(i)!r}"
            )
    if len(set(output)) < len(output):
        raise ShapeError(f"product *({format_spec(spec)}): the output repeats an index")


def representatives(indices: Iterable[int], equal: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For each index the least of those that it equals, by the pairs that are equal.

    >>> representatives(range(4), [(3, 1), (3, 2)])
    {0: 0, 1: 1, 2: 1, 3: 1}
    """
    first = {i: i for i in indices}
    for a, b in equal:
        kept, lost = sorted((first[a], first[b]))
        first = {i: kept if f == lost else f for i, f in first.items()}
    return first


def identified(spec: Spec, deltas: Sequence[bool]) -> dict[int, int]:
    """The representative of each index of a product, some of whose operands are deltas.

    >>> identified(((0, 1), (1, 2), (0, 2)), (True, False))
    {0: 0, 1: 0, 2: 2}
    """
    halves = (
        (part[: len(part) // 2], part[len(part) // 2 :])
        for part, is_delta in zip(spec, deltas, strict=False)
        if is_delta
    )
    pairs = (pair for half, other in halves for pair in zip(half, other, strict=True))
    return representatives((i for part in spec for i in part), pairs)


def sizes(spec: Spec, *dims: Dims) -> dict[int, Size]:
    """The size of each index, given the dims of each operand; raise where two differ."""
    found: dict[int, Size] = {}
    if len(dims) != len(spec) - 1:
        raise ShapeError(f"product *({format_spec(spec)}) takes {len(spec) - 1} operands")
    for place, (part, axes) in enumerate(zip(spec, dims, strict=False), 1):
        if len(part) != len(axes):
            raise ShapeError(
                f"product *({format_spec(spec)}): operand {place} has {len(axes)} axes, "
                f"its index string {len(part)}"
            )
        for i, size in zip(part, axes, strict=True):
            if found.setdefault(i, size) != size:
                raise ShapeError(
                    f"product *({format_spec(spec)}): index {letter(i)!r} has size {found[i]} "
                    f"and size {size}"
                )
    return found


def output_dims(spec: Spec, *dims: Dims) -> Dims:
    """The dims of the output.

    >>> output_dims(parse_spec("ij,j->i"), ("m", "n"), ("n",))
    ('m',)
    """
    found = sizes(spec, *dims)
    return tuple(found[i] for i in spec[-1])


def stack_axes(part: Indices, other: Indices) -> Indices:
    """The first axes of a stack of matrices, each of which one vector is multiplied with.

    The vector's axes lie between others, where BLAS cannot read all of it as one matrix.

    >>> stack_axes((0, 1, 2), (1,)), stack_axes((0, 1), (1,)), stack_axes((0, 1, 2), (1, 2))
    ((0,), (), ())
    """
    first = part.index(other[0]) if other[0] in part else 0
    end = first + len(other)
    return part[:first] if part[first:end] == other and end < len(part) else ()


def transposition(order: Iterable[int]) -> Spec:
    """The unary spec whose output axis k is input axis `order[k]`.

    >>> format_spec(transposition((1, 0)))
    'ij->ji'
    """
    output = tuple(order)
    return canonical([tuple(range(len(output)))], output)


def scaling(order: int) -> Spec:
    """The spec that multiplies a scalar, on the left, into a tensor of that order.

    >>> format_spec(scaling(2))
    ',ij->ij'
    """
    axes = tuple(range(order))
    return ((), axes, axes)


def hadamard(order: int) -> Spec:
    """The spec of the element-wise product of two tensors of that order."""
    axes = tuple(range(order))
    return (axes, axes, axes)
