"""Values as arrays that have all axes of a term: zeros of deltas and repetitions are written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from eggrad.engine.compilation.block import Block, Value
from eggrad.engine.compilation.layout import dense, spread, wrapped
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term

__all__ = ["WholeArrays"]


@dataclass(frozen=True)
class WholeArrays:
    """Writes them into a block; `shape` gives the texts of sizes, `dtype` is the text of all.

    `made` gets the axes of every array that is written.
    """

    block: Block
    shape: Callable[[Dims], list[str]]
    dtype: str
    made: set[Dims] = field(default_factory=set)

    @property
    def dtype_argument(self) -> str:
        """The dtype as a further argument of a call; nothing where there is none."""
        return f", {self.dtype}" if self.dtype else ""

    def full(self, dims: Dims, value: Value) -> Value:
        """The value with the zeros of its deltas written out."""
        if value.dense:
            return value
        self.made.add(dims)
        return dense(value, self.block, self.shape(dims), self.dtype)

    def array(self, dims: Dims, value: Value) -> str:
        """The text of a dense value as an array with all axes at their full length."""
        if not dims:
            return wrapped([value])[0]
        if len(value.labels) == len(dims):
            return spread((value.text, value.labels), value.axes)
        shape = f"({', '.join(self.shape(dims))}{',' * (len(dims) == 1)})"
        self.made.add(dims)
        if not value.labels:
            return f"np.full({shape}, {value.text}{self.dtype_argument})"
        return f"np.broadcast_to({spread((value.text, value.labels), value.axes)}, {shape})"

    def operands(
        self, terms: Sequence[Term], values: Sequence[Value]
    ) -> tuple[list[str], list[str]]:
        """The texts of values as arrays, and what they use."""
        full = [self.full(t.dims, v) for t, v in zip(terms, values, strict=True)]
        texts = [self.array(t.dims, v) for t, v in zip(terms, full, strict=True)]
        return texts, [v.text for v in full]

    def complete(self, term: Term, value: Value) -> Value:
        """The value as an array that has all axes of the term."""
        value = self.full(term.dims, value)
        if len(value.labels) == term.order:
            return value
        axes = tuple(range(term.order))
        text = self.array(term.dims, value)
        return Value(self.block.emit(text, [value.text], term.order), axes, axes)
