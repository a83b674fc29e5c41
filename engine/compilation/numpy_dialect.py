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
from eggrad.engine.terms.functions import EXTREMES, MATRIX_FUNCTIONS, Function
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import Term

# Functions of whole arrays: their call, given the operands and what else identifies the node.
_CALLS: Final = {
    "inverse_from_cholesky": "inverse_from_cholesky({x})",
    **{f.name: f.code.format("{x}") for f in MATRIX_FUNCTIONS.values()},
    "cofactors": "cofactors({k}, {x})",
    **{f.name: f.code for f in EXTREMES.values()},
    "argsort": 'np.argsort({x}, {k}, kind="stable")',
    **{f.name: f.code.format("{x}") for f in STACK_FUNCTIONS.values()},
    "logsumexp": "log_sum_exp({x}, {k})",
    "softmax": "softmax({x}, {k})",
    "log_softmax": "log_softmax({x}, {k})",
    "logdet_from_cholesky": "log_determinant_from_cholesky({x})",
    "norm": "norm({x}, {k})",
    "logdet": "log_determinant({x}, {k})",
    "solve": "solve({x}, {y})",
    "symmetric_product": "symmetric_product({k}, {x}, {y})",
    "product_of_pairs": "product_of_pairs({x}, {y})",
}
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
        own, name = statement.instruction, self._names[statement.target]
        lines = [f"{name} = {self.text(own)[0]}"]
        if statement.over:
            text = self.overwriting(own, statement.over)
            lines = [text] if text else []
        if own.kind == "with_zeros":
            value, _ = own.data
            lines.append(f"{self._places(name, value)} = {self._written(value)}")
        elif own.kind == "add_entries":
            value, sign, _ = own.data
            lines.append(f"{self._places(name, value)} {sign}= {self._written(value)}")
        return lines

    # Overwriting --------------------------------------------------------------------------------

    def overwritable(self, own: Instruction) -> list[str]:
        """The operands, by their names, that a result may be written into."""
        operands = own.operands
        if own.kind in ("function", "negate", "sqrt", "square", "reciprocal", "power"):
            operands = operands[:1] if self._runs_in_place(own) else ()
        elif own.kind == "add_entries":
            operands = operands[:1]
        elif own.kind not in (*_IN_PLACE, "scale"):
            operands = ()
        # A scalar is a NumPy number, which has no buffer.
        return [
            source
            for source, labels in operands
            if isinstance(source, str) and labels == own.labels and labels
        ]

    def _runs_in_place(self, own: Instruction) -> bool:
        if own.kind == "power":
            return own.data is not None
        if own.kind != "function":
            return True
        # The modulus of complex numbers is real; our own functions make arrays of their own.
        function: Function = own.data[0]
        return len(own.operands) == 1 and function.code.startswith("np.") and function.name != "abs"

    def overwriting(self, own: Instruction, over: str) -> str:
        """The statement that writes the result into an operand; empty where it is that already."""
        x = self.source(over)[0]
        match own.kind:
            case "function" | "negate" | "sqrt" | "square" | "reciprocal":
                return f"{self.text(own)[0][:-1]}, out={x})"
            case "power":
                return f"{x} **= {self.atom(own.operands[1])}"
            case "scale":
                return f"{x} *= {self.atom(own.operands[0])}"
            case "add_entries":
                return f"np.negative({x}, out={x})" if own.data[2] else ""
            case kind:
                sign, function = _IN_PLACE[kind]
                first, second = (text for text, _ in self.broadcast_operands(own))
                if own.operands[0][0] == over:
                    return f"{x} {sign} {second}"
                if kind in _COMMUTATIVE:
                    return f"{x} {sign} {first}"
                return f"{function}({first}, {x}, out={x})"

    # Arrays that are made -----------------------------------------------------------------------

    def _known(self, own: Instruction) -> Text:
        array: FixedArray
        array, says_places = own.data
        name = self.program.fixed[array]
        if says_places or not self._dtype:
            return f"{name}[...]", ATOM
        return f"{name}.astype({self._dtype}, copy=False)", ATOM

    def _array(self, own: Instruction) -> Text:
        """A number as a NumPy number."""
        made = f"{self._dtype}.type" if self._dtype else "np.float64"
        return f"{made}({self.atoms(own)[0]})", ATOM

    def _filled(self, own: Instruction) -> Text:
        """An array of one number."""
        return f"np.full({self.shape(own.data)}, {self.atoms(own)[0]}{self.like()})", ATOM

    def _copy(self, own: Instruction) -> Text:
        text = self.atom(own.operands[0])
        return f"{text}.copy()" if own.labels else f"{text}[()]", ATOM

    def _with_zeros(self, own: Instruction) -> Text:
        """An array of zeros, into which entries are written."""
        _, dims = own.data
        return f"np.zeros({self.shape(dims)}{self.like()})", ATOM

    def _add_entries(self, own: Instruction) -> Text:
        """A copy of an array, or of its negative, to some of whose entries something is added."""
        text = self.transposed(own.operands[0], own.labels)
        return (f"np.negative({text[0]})" if own.data[2] else f"{text[0]}.copy()"), ATOM

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

    def broadcast_operands(self, own: Instruction) -> list[Text]:
        """The operands; the first is a NumPy number if all are Python's, which raise errors."""
        texts = super().broadcast_operands(own)
        if all(not [*names_in(source)] for source, _ in own.operands):
            texts[0] = f"np.float64({texts[0][0]})", ATOM
        return texts

    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""
        return f"{array[0]}.transpose({', '.join(map(str, order))})"

    def _function(self, own: Instruction) -> Text:
        function: Function = own.data[0]
        texts = [text for text, _ in self.broadcast_operands(own)]
        # Of numbers NumPy's choice is an array without axes.
        end = "[()]" if function.name == "where" and not own.labels else ""
        return function.code.format(*texts) + end, ATOM

    def _numbers(self, own: Instruction) -> Text:
        """Truth values as 1 and 0."""
        (text,) = self.atoms(own)
        dtype = self._dtype or "float"
        if own.labels:
            return f"{text}.astype({dtype})", ATOM
        return f"np.asarray({text}, {dtype})[()]", ATOM

    def _called(self, own: Instruction) -> Text:
        """A function of NumPy's of every entry."""
        name = "negative" if own.kind == "negate" else own.kind
        return f"np.{name}({self.broadcast_operands(own)[0][0]})", ATOM

    _negate = _sqrt = _square = _reciprocal = _called

    def _power(self, own: Instruction) -> Text:
        base, exponent = (text for text, _ in self.broadcast_operands(own))
        return f"{base} ** {exponent}", PRODUCT

    # Products and sums --------------------------------------------------------------------------

    def _repeat(self, own: Instruction) -> Text:
        (text,), count = self.atoms(own), self.program.size(own.data)
        # Of a NumPy number the zeros are one, too.
        several, none = f"{count} * {text}", f"np.zeros_like({text})[()]"
        if isinstance(own.data, int):
            return (several if own.data else none), PRODUCT
        return f"{several} if {count} else {none}", 0

    def _diagonal(self, own: Instruction) -> Text:
        (source, labels), *_ = own.operands
        return f'np.einsum("{letters(labels, own.labels)}", {self.atom((source, labels))})', ATOM

    def _sum(self, own: Instruction) -> Text:
        (source, labels), *_ = own.operands
        gone = [k for k, i in enumerate(labels) if i not in own.labels]
        axis = f"axis={gone[0] if len(gone) == 1 else tuple(gone)}" if own.labels else ""
        return f"{self.atom((source, labels))}.sum({axis})", ATOM

    def _outer(self, own: Instruction) -> Text:
        a, b = self.atoms(own)
        if len(own.labels) > 2:
            shape = ", ".join(self.program.size(own.sizes[i]) for i in own.labels)
            return f"{a}.reshape(-1, 1).dot({b}.reshape(1, -1)).reshape({shape})", ATOM
        return f"{a}[:, None].dot({b}[None])", ATOM

    def _contract(self, own: Instruction) -> Text:
        c: Contraction = own.data
        length = self._length(own)
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
            text = f"{text}.reshape({', '.join(map(length, own.labels))})"
        return text, ATOM

    def _length(self, own: Instruction) -> Callable[[int], str]:
        return lambda i: self.program.size(own.sizes[i])

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

    def _stack(self, own: Instruction) -> Text:
        """A sum of outer products as a product of two matrices."""
        rows, columns = (list(map(self.atom, own.operands[k::2])) for k in (0, 1))
        rows = ("-" * negative + text for negative, text in zip(own.data, rows, strict=True))
        return f"np.array([{', '.join(rows)}]).T.dot(np.array([{', '.join(columns)}]))", ATOM

    # Views, gathers and scatters ----------------------------------------------------------------

    def _entries(self, own: Instruction) -> Text:
        """Some entries along the first axes."""
        return f"{self.atom(own.operands[0])}[{', '.join(own.data)}]", ATOM

    def _running_sum(self, own: Instruction) -> Text:
        """The sums up to each place along an axis, or from there on."""
        running: RunningSum = own.data
        axis = f"axis={running.axis}" if len(own.labels) > 1 else ""
        turned = f"[{':, ' * running.axis}::-1]" if running.backward else ""
        return f"{self.atom(own.operands[0])}{turned}.cumsum({axis}){turned}", ATOM

    def _stepped_product(self, own: Instruction) -> Text:
        spec, indicator = own.data
        arrays = ", ".join(self.atoms(own))
        return f"stepped_product({spec}, {self.described(indicator)}, {arrays})", ATOM

    # Whole arrays -------------------------------------------------------------------------------

    def _call(self, own: Instruction) -> Text:
        """A function of whole arrays."""
        node: Term = own.data
        arrays = self.atoms(own)
        text = _CALLS[node.op].format(x=arrays[0], y=arrays[-1], k=detail(node))
        if node.op == "argsort" and node not in self.program.indices:
            text += ".astype(float)"
        return text, ATOM

    def _decomposition(self, own: Instruction) -> Text:
        """Several arrays from one call."""
        template, k = own.data
        return template.format(self.atoms(own)[0], k=k), ATOM
