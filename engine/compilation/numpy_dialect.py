"""NumPy's dialect: kernels of BLAS, results written into operands, zeros that are never stored."""

from collections.abc import Callable, Sequence
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT, Dialect
from eggrad.engine.compilation.lowering import detail
from eggrad.engine.compilation.program import (
    Atom,
    Contraction,
    Instruction,
    Statement,
    Value,
    names_in,
)
from eggrad.engine.indices.indicator_plan import RunningSum
from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.slices import key_of
from eggrad.engine.indices.spec import Indices, letters
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.operations import OPERATIONS
from eggrad.engine.terms.term import Term

# The operators that write into their first operand, and the functions that write into either.
_IN_PLACE: Final = {
    "add": ("+=", "np.add"),
    "subtract": ("-=", "np.subtract"),
    "multiply": ("*=", "np.multiply"),
    "divide": ("/=", "np.divide"),
}
_COMMUTATIVE: Final = ("add", "multiply")


class NumpyDialect(Dialect):
    """Writes NumPy code for machines, in which results are written into operands."""

    @property
    def _dtype(self) -> str:
        """The dtype of all arrays, empty if there is none to take it from."""
        return f"{self.program.like}.dtype" if self.program.like else ""

    def like(self) -> str:
        """The dtype as a further argument of a call."""
        return f", {self._dtype}" if self._dtype else ""

    def statement(self, statement: Statement) -> list[str]:
        """The lines of a statement, which may overwrite an operand, or write into its result."""
        instruction, name = statement.instruction, self._names[statement.target]
        lines = [f"{name} = {self.text(instruction)[0]}"]
        if statement.over:
            text = self.overwriting(instruction, statement.over)
            lines = [text] if text else []
        if instruction.kind == "with_zeros":
            value, _ = instruction.data
            lines.append(f"{self._places(name, value)} = {self._written(value)}")
        elif instruction.kind == "add_entries":
            value, sign, _ = instruction.data
            lines.append(f"{self._places(name, value)} {sign}= {self._written(value)}")
        return lines

    # Overwriting --------------------------------------------------------------------------------

    def overwritable(self, instruction: Instruction) -> list[str]:
        """The operands, by their names, that a result may be written into."""
        operands = instruction.operands
        if instruction.kind in ("function", "negate", "sqrt", "square", "reciprocal", "power"):
            operands = operands[:1] if self._runs_in_place(instruction) else ()
        elif instruction.kind == "add_entries":
            operands = operands[:1]
        elif instruction.kind not in (*_IN_PLACE, "scale"):
            operands = ()
        # A scalar is a NumPy number, which has no buffer.
        return [
            source
            for source, labels in operands
            if isinstance(source, str) and labels == instruction.labels and labels
        ]

    def _runs_in_place(self, instruction: Instruction) -> bool:
        if instruction.kind == "power":
            return instruction.data is not None
        if instruction.kind != "function":
            return True
        # eggrad's functions make new arrays.
        function: Function = instruction.data[0]
        return len(instruction.operands) == 1 and function.code.startswith("np.")

    def overwriting(self, instruction: Instruction, over: str) -> str:
        """The statement that writes the result into an operand; empty where it is that already."""
        x = self.source(over)[0]
        match instruction.kind:
            case "function" | "negate" | "sqrt" | "square" | "reciprocal":
                return f"{self.text(instruction)[0][:-1]}, out={x})"
            case "power":
                return f"{x} **= {self.atom(instruction.operands[1])}"
            case "scale":
                return f"{x} *= {self.atom(instruction.operands[0])}"
            case "add_entries":
                return f"np.negative({x}, out={x})" if instruction.data[2] else ""
            case kind:
                sign, function = _IN_PLACE[kind]
                first, second = (text for text, _ in self.broadcast_operands(instruction))
                if instruction.operands[0][0] == over:
                    return f"{x} {sign} {second}"
                if kind in _COMMUTATIVE:
                    return f"{x} {sign} {first}"
                return f"{function}({first}, {x}, out={x})"

    # Arrays that are made -----------------------------------------------------------------------

    def _known(self, instruction: Instruction) -> Text:
        array: FixedArray
        array, says_places = instruction.data
        name = self.program.fixed[array]
        if says_places or not self._dtype:
            return f"{name}[...]", ATOM
        return f"{name}.astype({self._dtype}, copy=False)", ATOM

    def _array(self, instruction: Instruction) -> Text:
        """A number as a NumPy number."""
        made = f"{self._dtype}.type" if self._dtype else "np.float64"
        return f"{made}({self.atoms(instruction)[0]})", ATOM

    def _filled(self, instruction: Instruction) -> Text:
        """An array of one number."""
        shape, (value,) = self.shape(instruction.data), self.atoms(instruction)
        return f"np.full({shape}, {value}{self.like()})", ATOM

    def _copy(self, instruction: Instruction) -> Text:
        text = self.atom(instruction.operands[0])
        return f"{text}.copy()" if instruction.labels else f"{text}[()]", ATOM

    def _with_zeros(self, instruction: Instruction) -> Text:
        """An array of zeros, into which entries are written."""
        _, dims = instruction.data
        return f"np.zeros({self.shape(dims)}{self.like()})", ATOM

    def _add_entries(self, instruction: Instruction) -> Text:
        """A copy of an array, or of its negative, to some of whose entries something is added."""
        text = self.transposed(instruction.operands[0], instruction.labels)
        return (f"np.negative({text[0]})" if instruction.data[2] else f"{text[0]}.copy()"), ATOM

    def _places(self, name: str, value: Value) -> str:
        """The entries of an array that a value with zeros has, as a view."""
        axes = value.axes
        if value.place:
            name = f"{name}[{', '.join(key_of(value.place))}]"
            if any(len(axis.indices) > 1 for axis in value.place):
                dims = tuple(d for axis in value.place for d in axis.dims)
                name = f"{name}.reshape({self.shape(dims)})"
            if len({*axes}) == len(axes):
                return name if name.endswith("]") else f"{name}[...]"
        return f'np.einsum("{letters(axes, tuple(dict.fromkeys(axes)))}", {name})[...]'

    def _written(self, value: Value) -> str:
        """What is written into these entries."""
        return self.spread(value.atom, tuple(dict.fromkeys(value.axes)))[0]

    # Entry by entry -----------------------------------------------------------------------------

    def broadcast_operands(self, instruction: Instruction) -> list[Text]:
        """The operands; the first is a NumPy number if all are Python's, which raise errors."""
        texts = super().broadcast_operands(instruction)
        if all(not [*names_in(source)] for source, _ in instruction.operands):
            texts[0] = f"np.float64({texts[0][0]})", ATOM
        return texts

    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""
        return f"{array[0]}.transpose({', '.join(map(str, order))})"

    def _function(self, instruction: Instruction) -> Text:
        function: Function = instruction.data[0]
        texts = [text for text, _ in self.broadcast_operands(instruction)]
        # Of numbers NumPy's choice is an array without axes.
        end = "[()]" if function.name == "where" and not instruction.labels else ""
        return function.code.format(*texts) + end, ATOM

    def _numbers(self, instruction: Instruction) -> Text:
        """Truth values as 1 and 0."""
        (text,) = self.atoms(instruction)
        dtype = self._dtype or "float"
        if instruction.labels:
            return f"{text}.astype({dtype})", ATOM
        return f"np.asarray({text}, {dtype})[()]", ATOM

    def _called(self, instruction: Instruction) -> Text:
        """A function of NumPy's of every entry."""
        name = "negative" if instruction.kind == "negate" else instruction.kind
        return f"np.{name}({self.broadcast_operands(instruction)[0][0]})", ATOM

    _negate = _sqrt = _square = _reciprocal = _called

    def _power(self, instruction: Instruction) -> Text:
        base, exponent = (text for text, _ in self.broadcast_operands(instruction))
        return f"{base} ** {exponent}", PRODUCT

    # Products and sums --------------------------------------------------------------------------

    def _repeat(self, instruction: Instruction) -> Text:
        (text,), count = self.atoms(instruction), self.program.size(instruction.data)
        # Of a NumPy number the zeros are one, too.
        several, none = f"{count} * {text}", f"np.zeros_like({text})[()]"
        if isinstance(instruction.data, int):
            return (several if instruction.data else none), PRODUCT
        return f"{several} if {count} else {none}", 0

    def _diagonal(self, instruction: Instruction) -> Text:
        (source, labels), *_ = instruction.operands
        spec = letters(labels, instruction.labels)
        return f'np.einsum("{spec}", {self.atom((source, labels))})', ATOM

    def _sum(self, instruction: Instruction) -> Text:
        (source, labels), *_ = instruction.operands
        gone = [k for k, i in enumerate(labels) if i not in instruction.labels]
        axis = f"axis={gone[0] if len(gone) == 1 else tuple(gone)}" if instruction.labels else ""
        return f"{self.atom((source, labels))}.sum({axis})", ATOM

    def _outer(self, instruction: Instruction) -> Text:
        a, b = self.atoms(instruction)
        if len(instruction.labels) > 2:
            shape = ", ".join(self.program.size(instruction.sizes[i]) for i in instruction.labels)
            return f"{a}.reshape(-1, 1).dot({b}.reshape(1, -1)).reshape({shape})", ATOM
        return f"{a}[:, None].dot({b}[None])", ATOM

    def _contract(self, instruction: Instruction) -> Text:
        c: Contraction = instruction.data
        length = self._length(instruction)
        a = self.grouped(c.left, c.batch, [c.rows, c.summed], length)
        b = self.grouped(c.right, c.batch, [c.summed, c.columns], length)
        if c.batch and not (c.rows or c.columns):
            spec = letters(c.left[1], c.right[1], c.batch)
            return f'np.einsum("{spec}", {self.atom(c.left)}, {self.atom(c.right)})', ATOM
        if not c.batch:
            text = f"{a}.dot({b})"
        elif c.summed == c.left[1]:
            text = f"{a} @ {b}"
        elif not c.rows:
            text = f"({a}[..., None, :] @ {b})[..., 0, :]"
        elif not c.columns:
            text = f"({a} @ {b}[..., None])[..., 0]"
        else:
            text = f"{a} @ {b}"
        if len(c.rows) > 1 or len(c.columns) > 1:
            text = f"({text})" if c.batch else text
            text = f"{text}.reshape({', '.join(map(length, instruction.labels))})"
        return text, ATOM

    def _length(self, instruction: Instruction) -> Callable[[int], str]:
        return lambda i: self.program.size(instruction.sizes[i])

    def grouped(
        self, atom: Atom, batch: Indices, groups: Sequence[Indices], length: Callable[[int], str]
    ) -> str:
        """The array with its axes of `batch`, then one axis for each group that is not empty."""
        batch = tuple(i for i in batch if i in atom[1])
        text = self.transposed(atom, batch + tuple(i for g in groups for i in g))[0]
        if all(len(g) <= 1 for g in groups):
            return text
        if not batch and sum(map(bool, groups)) == 1:
            return f"{text}.ravel()"
        shape = [length(i) for i in batch] + [" * ".join(map(length, g)) for g in groups if g]
        return f"{text}.reshape({', '.join(shape)})"

    def _stack(self, instruction: Instruction) -> Text:
        """A sum of outer products as a product of two matrices."""
        rows, columns = (list(map(self.atom, instruction.operands[k::2])) for k in (0, 1))
        rows = (
            "-" * negative + text for negative, text in zip(instruction.data, rows, strict=True)
        )
        return f"np.array([{', '.join(rows)}]).T.dot(np.array([{', '.join(columns)}]))", ATOM

    # Views, gathers and scatters ----------------------------------------------------------------

    def _entries(self, instruction: Instruction) -> Text:
        """Some entries along the first axes."""
        return f"{self.atom(instruction.operands[0])}[{', '.join(instruction.data)}]", ATOM

    def _running_sum(self, instruction: Instruction) -> Text:
        """The sums up to each place along an axis, or from there on."""
        running: RunningSum = instruction.data
        axis = f"axis={running.axis}" if len(instruction.labels) > 1 else ""
        turned = f"[{':, ' * running.axis}::-1]" if running.backward else ""
        return f"{self.atom(instruction.operands[0])}{turned}.cumsum({axis}){turned}", ATOM

    def _stepped_product(self, instruction: Instruction) -> Text:
        spec, indicator = instruction.data
        arrays = ", ".join(self.atoms(instruction))
        return f"stepped_product({spec}, {self.described(indicator)}, {arrays})", ATOM

    # Whole arrays -------------------------------------------------------------------------------

    def _call(self, instruction: Instruction) -> Text:
        """A function of whole arrays."""
        node: Term = instruction.data
        arrays = self.atoms(instruction)
        text = OPERATIONS[node.op].code.format(x=arrays[0], y=arrays[-1], k=detail(node))
        if node.op == "argsort" and node not in self.program.indices:
            text += ".astype(float)"
        return text, ATOM

    def _decomposition(self, instruction: Instruction) -> Text:
        """Several arrays from one call."""
        template, k = instruction.data
        return template.format(self.atoms(instruction)[0], k=k), ATOM
