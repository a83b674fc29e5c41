"""The axes of arrays in generated code: transposed, spread out to be broadcast, grouped, diagonal.

An `Atom` is the name of an array and the labels of its axes.
"""

from collections.abc import Callable, Sequence

from eggrad.engine.compilation.block import Block, Value
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Indices

__all__ = [
    "Atom",
    "Length",
    "add_entries",
    "dense",
    "grouped",
    "letters",
    "spread",
    "transposed",
    "wrapped",
]

Atom = tuple[str, Indices]
Length = Callable[[int], str]


def wrapped(values: Sequence[Value]) -> list[str]:
    """The texts; the first as a NumPy number if all are Python's, which raise on overflow.

    >>> wrapped([Value("1.0", literal=True), Value("0.0", literal=True)])
    ['np.float64(1.0)', '0.0']
    """
    texts = [v.text for v in values]
    if all(v.literal for v in values):
        texts[0] = f"np.float64({texts[0]})"
    return texts


def letters(*parts: Indices) -> str:
    """The einsum spec of some labels, the last of them the output's.

    >>> letters((4, 4), (4,))
    'ii->i'
    """
    return specs.format_spec(specs.canonical(parts[:-1], parts[-1]))


def transposed(atom: Atom, wanted: Indices) -> str:
    """The array with its axes in another order.

    >>> transposed(("A", (0, 1)), (1, 0)), transposed(("B", (0, 1, 2)), (1, 0, 2))
    ('A.T', 'B.transpose(1, 0, 2)')
    """
    text, labels = atom
    if labels == wanted:
        return text
    if labels == wanted[::-1]:
        return f"{text}.T"
    return f"{text}.transpose({', '.join(str(labels.index(i)) for i in wanted)})"


def spread(atom: Atom, wanted: Indices) -> str:
    """The array with its axes where `wanted` has them, ready to be broadcast.

    >>> spread(("A", (0, 2)), (2, 1, 0))
    'A.T[:, None, :]'
    """
    own = tuple(i for i in wanted if i in atom[1])
    text = transposed(atom, own)
    present = [i in own for i in wanted[wanted.index(own[0]) :]] if own else []
    if all(present):
        return text
    return f"{text}[{', '.join(':' if p else 'None' for p in present)}]"


def grouped(atom: Atom, batch: Indices, groups: Sequence[Indices], length: Length) -> str:
    """The array with the axes of `batch`, then one axis for each group that is not empty.

    >>> grouped(("A", (0, 1, 2)), (), [(0,), (1, 2)], "nmk".__getitem__)
    'A.reshape(n, m * k)'
    >>> grouped(("A", (0, 1, 2)), (), [(2,), (0, 1)], "nmk".__getitem__)
    'A.reshape(n * m, k).T'
    """
    swapped = tuple(i for g in reversed(groups) for i in g)
    if not batch and all(groups) and atom[1] == swapped and len(groups) == 2 < len(swapped):
        # A view, where to transpose first would make a copy.
        return f"{grouped(atom, (), groups[::-1], length)}.T"
    text = transposed(atom, batch + tuple(i for g in groups for i in g))
    if all(len(g) <= 1 for g in groups):
        return text
    if not batch and sum(map(bool, groups)) == 1:
        return f"{text}.ravel()"
    shape = [length(i) for i in batch] + [" * ".join(map(length, g)) for g in groups if g]
    return f"{text}.reshape({', '.join(shape)})"


def _diagonal(name: str, axes: Indices, size: str = "") -> str:
    """The entries of an array where axes of equal labels have equal positions, as a view.

    `size` is the length of the axes of a matrix in C order.

    >>> _diagonal("H", (0, 1, 0, 1)), _diagonal("H", (0, 0), "n")
    ('np.einsum("ijij->ij", H)[...]', 'H.reshape(-1)[::n + 1]')
    """
    if size and axes == (axes[0], axes[0]):
        return f"{name}.reshape(-1)[::{size} + 1]"
    return f'np.einsum("{letters(axes, tuple(dict.fromkeys(axes)))}", {name})[...]'


def dense(value: Value, block: Block, sizes: Sequence[str], dtype: str) -> Value:
    """The value with a delta's zeros written out: an array of zeros, and its other entries."""
    if value.dense:
        return value
    order = len(sizes)
    axes = tuple(range(order))
    if value.text == "1.0" and order == 2:
        name = block.emit(f"np.eye({sizes[0]}{dtype and f', dtype={dtype}'})", [], order)
    else:
        name = block.emit(f"np.zeros(({', '.join(sizes)}){dtype and f', {dtype}'})", [], order)
        _write(_diagonal(name, value.axes, sizes[0]), "=", name, value, block)
    return Value(name, axes, axes)


def add_entries(name: str, value: Value, block: Block, sign: str) -> None:
    """Add a value with deltas to an array (`+=`) or subtract it, touching no other entries."""
    _write(_diagonal(name, value.axes), sign, name, value, block)


def _write(target: str, sign: str, name: str, value: Value, block: Block) -> None:
    own = tuple(dict.fromkeys(value.axes))
    entries = spread((value.text, value.labels), own) if value.labels else value.text
    block.effect(f"{target} {sign} {entries}", [name, value.text])
