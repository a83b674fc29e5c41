"""A product's text as NumPy calls: broadcasting, `@`, `tensordot`, and `einsum` for the rest.

An array in generated code may be *thin* along an axis: of length 1, where every position would
hold the same numbers. So a constant stays a number, and summing over ones becomes a sum or a
factor. An array that is thin along every axis has no axes at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eggrad.engine import spec as specs
from eggrad.engine.spec import Indices, Spec

__all__ = ["Emit", "Value", "product", "wrapped"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value in generated code: its text, and for each axis whether it has its full length."""

    text: str
    full: tuple[bool, ...] = ()
    literal: bool = False


Emit = Callable[[str, Sequence[Value]], str]
Atom = tuple[str, Indices]


def wrapped(values: Sequence[Value]) -> list[str]:
    """The texts; the first as a NumPy number if all are Python's, which raise on overflow.

    >>> wrapped([Value("1.0", literal=True), Value("0.0", literal=True)])
    ['np.float64(1.0)', '0.0']
    """
    texts = [v.text for v in values]
    if all(v.literal for v in values):
        texts[0] = f"np.float64({texts[0]})"
    return texts


def product(
    spec: Spec, operands: Sequence[Value], length: Callable[[int], str], emit: Emit
) -> Value:
    """Lower an einsum of one or two operands; `length` gives the text of an index's size.

    >>> def emit(text, uses):
    ...     print(text)
    ...     return "t1"
    >>> A, x = Value("A", (True, True)), Value("x", (True,))
    >>> product(specs.parse_spec("ij,j->i"), [A, x], str, emit).full
    A @ x
    (True,)
    >>> product(specs.parse_spec("ij,j->i"), [A, Value("1.0", (False,), True)], str, emit).full
    A.sum(axis=1)
    (True,)
    """
    *parts, output = spec
    pairs = list(zip(operands, parts, strict=True))
    arrays = [_squeezed(v, part) for v, part in pairs if any(v.full)]
    scalars = [v for v in operands if not any(v.full) and v.text != "1.0"]
    present = {i for _, labels in arrays for i in labels}
    wanted = tuple(i for i in output if i in present)
    full = tuple(i in present for i in output)
    # A summed index that no operand has in full repeats the same number.
    repeats = [length(i) for i in sorted({i for p in parts for i in p} - present - set(output))]
    literal = not arrays and all(v.literal for v in scalars)
    texts = [*(v.text for v in scalars), *([_combined(arrays, wanted)] if arrays else []), *repeats]
    if literal and (len(texts) > 1 or repeats):
        texts[0] = f"np.float64({texts[0]})"
        literal = False
    text = " * ".join(texts) or "1.0"
    if text not in [v.text for v in operands]:
        text = emit(text, operands)
    if wanted and not all(full):
        text = emit(f"{text}[{_places(full)}]", [Value(text)])
    return Value(text, full, literal)


def _places(full: Sequence[bool]) -> str:
    return ", ".join(":" if f else "None" for f in full)


def _squeezed(value: Value, labels: Indices) -> Atom:
    if all(value.full):
        return value.text, labels
    places = ", ".join(":" if f else "0" for f in value.full)
    return f"{value.text}[{places}]", tuple(i for i, f in zip(labels, value.full, strict=True) if f)


def _combined(arrays: list[Atom], wanted: Indices) -> str:
    """The product of one or two arrays, axes as wanted."""
    if len(arrays) == 1:
        return _transposed(_reduced(arrays[0], wanted), wanted)
    left, right = arrays
    left = _reduced(left, (*wanted, *right[1]))
    right = _reduced(right, (*wanted, *left[1]))
    shared = set(left[1]) & set(right[1])
    summed = tuple(i for i in left[1] if i in shared and i not in wanted)
    if not summed:
        return f"{_broadcast(left, wanted)} * {_broadcast(right, wanted)}"
    return _contracted(left, right, summed, wanted)


def _reduced(atom: Atom, kept: Indices) -> Atom:
    """Take diagonals, and sum over what is not kept."""
    text, labels = atom
    if len(set(labels)) < len(labels):
        own = tuple(dict.fromkeys(i for i in labels if i in kept))
        return f'np.einsum("{_letters(labels, own)}", {text})', own
    gone = [place for place, i in enumerate(labels) if i not in kept]
    if not gone:
        return atom
    if len(gone) == len(labels):
        return f"{text}.sum()", ()
    axes = gone[0] if len(gone) == 1 else tuple(gone)
    return f"{text}.sum(axis={axes})", tuple(i for i in labels if i in kept)


def _transposed(atom: Atom, wanted: Indices) -> str:
    text, labels = atom
    if labels == wanted:
        return text
    if len(labels) == 2:
        return f"{text}.T"
    return f"{text}.transpose({', '.join(str(labels.index(i)) for i in wanted)})"


def _broadcast(atom: Atom, wanted: Indices) -> str:
    own = tuple(i for i in wanted if i in atom[1])
    text = _transposed(atom, own)
    places = [i in own for i in wanted[wanted.index(own[0]) :]] if own else []
    return text if all(places) else f"{text}[{_places(places)}]"


def _contracted(left: Atom, right: Atom, summed: Indices, wanted: Indices) -> str:
    """A product with a sum over indices of both arrays."""
    batch = tuple(i for i in wanted if i in left[1] and i in right[1])
    rows = tuple(i for i in wanted if i in left[1] and i not in batch)
    columns = tuple(i for i in wanted if i in right[1] and i not in batch)
    free = tuple(i for i in wanted if i not in batch)
    if rows and columns and free == columns + rows:
        # Swapped, no transposition of the result is needed.
        left, right, rows, columns = right, left, columns, rows
    plain = len(summed) == 1 and len(rows) <= 1 and len(columns) <= 1
    if plain and (not batch or (rows and columns)):
        text = (
            f"{_transposed(left, batch + rows + summed)} @ "
            f"{_transposed(right, batch + summed + columns)}"
        )
        order = batch + rows + columns
        return text if order == wanted else _transposed((f"({text})", order), wanted)
    if batch:
        return f'np.einsum("{_letters(left[1], right[1], wanted)}", {left[0]}, {right[0]})'
    axes = tuple(tuple(a[1].index(i) for i in summed) for a in (left, right))
    order = tuple(i for a in (left, right) for i in a[1] if i not in summed)
    return _transposed((f"np.tensordot({left[0]}, {right[0]}, axes={axes})", order), wanted)


def _letters(*parts: Indices) -> str:
    return specs.format_spec(specs.canonical(parts[:-1], parts[-1]))
