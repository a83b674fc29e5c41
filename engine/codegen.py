"""Terms as straight-line Python over NumPy arrays."""

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, cast

from eggrad.engine import spec as specs
from eggrad.engine.binding import name_of
from eggrad.engine.block import Block, Value, number
from eggrad.engine.contraction import product
from eggrad.engine.cost import CostModel
from eggrad.engine.layout import add_entries, dense, spread, transposed, wrapped
from eggrad.engine.spec import Dims, Size, Spec
from eggrad.engine.stacking import Stack, find_stacks
from eggrad.engine.term import Term, postorder

__all__ = ["Writer", "parameter_names"]

# The operator, and the function that writes into its second operand.
_INFIX: Final = {
    "add": ("+", "np.add"),
    "subtract": ("-", "np.subtract"),
    "divide": ("/", "np.divide"),
}
_MATRIX: Final = {
    "inv": "inverse({x})",
    "det": "np.linalg.det({x})",
    "adj": "adjugate({x})",
    "cofactors": "cofactors({k}, {x})",
}
_POWERS: Final[dict[Fraction, tuple[str, ...]]] = {
    Fraction(2): ("np.square",),
    Fraction(-1): ("np.reciprocal",),
    Fraction(-2): ("np.square", "np.reciprocal"),
    Fraction(1, 2): ("np.sqrt",),
    Fraction(-1, 2): ("np.sqrt", "np.reciprocal"),
    Fraction(4): ("np.square", "np.square"),
}
RESERVED: Final = frozenset({"np", "compiled", "inverse", "adjugate", "cofactors", "outer_product"})


class Writer:
    """Writes one statement a node, at most."""

    def __init__(
        self, names: Mapping[str, str], sizes: Mapping[str, str], dtype: str, model: CostModel
    ) -> None:
        """`names` and `sizes` say what variables and size symbols are called in the code.

        `dtype` is the text of the dtype of all arrays; `model` has the sizes to expect.
        """
        self.block = Block()
        self._model = model
        self.used: set[str] = set()
        self._names = names
        self._sizes = sizes
        self._dtype = dtype

    def _size(self, d: Size) -> str:
        if isinstance(d, int):
            return str(d)
        self.used.add(d)
        return self._sizes[d]

    def _shape(self, dims: Dims) -> list[str]:
        return [self._size(d) for d in dims]

    def results(self, roots: Sequence[Term]) -> list[str]:
        """Write the statements of every node; return the texts of the roots' values."""
        done: dict[Term, Value] = {}
        stacks, absorbed = find_stacks(roots, self._model)
        for node in postorder(*roots):
            if node in stacks:
                done[node] = self._stacked(node, stacks[node], done)
            elif node not in absorbed:
                done[node] = self._node(node, [done[a] for a in node.args])
        returned: set[str] = set()
        return [self._result(r, done[r], returned) for r in roots]

    def _result(self, term: Term, value: Value, returned: set[str]) -> str:
        """A result that its user may change: it shares no memory with anything else."""
        value = self._full(term, value)
        text = self._array(term, value)
        if not value.labels:
            return f"{text}[()]" if text in self._names.values() else text
        own = self.block.owner(value.text)
        shared = own in returned or own != value.text or own in self._names.values()
        returned.add(own)
        return f"{text}.copy()" if shared or len(value.labels) < term.order else text

    def _node(self, node: Term, args: list[Value]) -> Value:
        axes = tuple(range(node.order))
        match node.op:
            case "variable":
                return Value(self._names[name_of(node)], axes, axes)
            case "constant":
                return number(_literal(cast(Fraction, node.data)), node.order)
            case "size":
                return number(f"float({self._size(cast(str, node.data))})")
            case "delta":
                return Value("1.0", (), axes[: node.order // 2] * 2, literal=True)
            case "einsum":
                spec = cast(Spec, node.data)
                lengths = specs.sizes(spec, *(a.dims for a in node.args))
                return product(spec, args, lambda i: self._size(lengths[i]), self.block)
            case "power":
                return self._power(node, args)
            case "inv" | "det" | "adj" | "cofactors":
                matrix = self._full(node.args[0], args[0])
                x = self._array(node.args[0], matrix)
                call = _MATRIX[node.op].format(x=x, k=node.data)
                return Value(self._emit(call, [matrix.text], node.order), axes, axes)
            case "add" | "subtract" | "divide":
                return self._infix(node, args, node.op)
            case "negate" if not args[0].literal:
                return self._unary("np.negative", args[0])
            case name:
                return self._function(name, self._full(node.args[0], args[0]))

    def _emit(
        self, text: str, uses: Sequence[str] = (), order: int = 0,
        reuse: Iterable[tuple[str, str]] = (),
    ) -> str:  # fmt: skip
        return self.block.emit(text, uses, order, reuse if order else ())

    def _full(self, term: Term, value: Value) -> Value:
        """The value with the zeros of its deltas written out."""
        if value.dense:
            return value
        return dense(value, self.block, self._shape(term.dims), self._dtype)

    def _unary(self, function: str, x: Value, more: str = "") -> Value:
        written = f"{function}({x.text}{more})"
        # The modulus of complex numbers is real.
        reuse = [(x.text, f"{function}({x.text}{more}, out={x.text})")] * (function != "np.abs")
        return Value(self._emit(written, [x.text], len(x.labels), reuse), x.labels, x.axes)

    def _function(self, name: str, x: Value) -> Value:
        if x.literal:
            x = Value(self._emit(wrapped([x])[0]), (), x.axes)
        if name == "relu":
            return self._unary("np.maximum", x, ", 0.0")
        return self._unary("np.negative" if name == "negate" else f"np.{name}", x)

    def _power(self, node: Term, args: list[Value]) -> Value:
        base = self._full(node.args[0], args[0])
        exponent = node.args[1]
        if exponent.op != "constant":
            text = " ** ".join(wrapped([base, args[1]]))
            return Value(
                self._emit(text, [base.text, args[1].text], len(base.labels)),
                base.labels,
                base.axes,
            )
        power = cast(Fraction, exponent.data)
        if power == 0:
            return number("1.0", node.order)
        if power == 1:
            return base
        if base.literal:
            base = Value(self._emit(wrapped([base])[0]), (), base.axes)
        if power in _POWERS:
            for function in _POWERS[power]:
                base = self._unary(function, base)
            return base
        text = f"{base.text} ** {args[1].text}"
        reuse = [(base.text, f"{base.text} **= {args[1].text}")]
        return Value(self._emit(text, [base.text], len(base.labels), reuse), base.labels, base.axes)

    def _stacked(self, node: Term, stack: Stack, done: Mapping[Term, Value]) -> Value:
        """A sum of outer products, as a product of two matrices, and what else is added."""
        spec_axes = tuple(range(node.order))
        edge = stack.batch + stack.rows
        groups = spec_axes[stack.batch : edge], spec_axes[edge:]
        texts: list[str] = []
        uses: list[str] = []
        for side, (group, batched) in enumerate(zip(groups, stack.batched, strict=True)):
            own = spec_axes[: stack.batch] * batched
            arrays: list[str] = []
            for s, sides in zip(stack.products, stack.sides, strict=True):
                operand = s.term.args[sides[side]]
                part = cast(Spec, s.term.data)[sides[side]]
                value = self._full(operand, done[operand])
                if len(value.labels) < operand.order:
                    value = self._spread_out(operand, value)
                places = dict(zip(cast(Spec, s.term.data)[-1], spec_axes, strict=True))
                labels = dict(zip(value.axes, part, strict=True))
                atom = value.text, tuple(places[labels[i]] for i in value.labels)
                sign = "-" if s.negative and not side else ""
                arrays.append(sign + transposed(atom, own + group))
                uses.append(value.text)
            sizes = [self._size(node.dims[i]) for i in own + group]
            flat = " * ".join(sizes[len(own) :])
            shape = [*sizes[: len(own)], *((flat, "K") if not side else ("K", flat))]
            shape = [str(len(arrays)) if d == "K" else d for d in shape]
            axis = -1 if not side else len(own)
            text = f"np.stack([{', '.join(arrays)}], axis={axis})"
            texts.append(text if len(group) == 1 else f"{text}.reshape({', '.join(shape)})")
        text = f"{texts[0]} @ {texts[1]}" if stack.batch else f"{texts[0]}.dot({texts[1]})"
        if len(groups[0]) > 1 or len(groups[1]) > 1:
            text = f"({text})" if stack.batch else text
            text = f"{text}.reshape({', '.join(self._shape(node.dims))})"
        value = Value(self._emit(text, uses, node.order), spec_axes, spec_axes)
        for s in stack.others:
            value = self._infix(node, [value, done[s.term]], "subtract" if s.negative else "add")
        return value

    def _infix(self, node: Term, args: list[Value], op: str) -> Value:
        sign, function = _INFIX[op]
        if sign in "+-" and (made := self._onto_diagonal(node, args, sign)):
            return made
        full = [v if v.dense else self._full(node, v) for v in args]
        # Labels become places among the axes of the result.
        atoms = [
            (v.text, tuple(v.axes.index(i) for i in v.labels)) if v.axes else (v.text, ())
            for v in full
        ]
        present = {i for _, labels in atoms for i in labels}
        order = next((a[1] for a in atoms if set(a[1]) == present), tuple(sorted(present)))
        texts = [spread(a, order) if a[1] else a[0] for a in atoms]
        a, b = wrapped(full) if all(v.literal for v in full) else texts
        reuse = [(a, f"{a} {sign}= {b}"), (b, f"{function}({a}, {b}, out={b})")]
        if sign == "+":
            reuse[1] = (b, f"{b} += {a}")
        name = self._emit(
            f"{a} {sign} {b}", [v.text for v in full], len(order),
            [r for r, (_, labels) in zip(reuse, atoms, strict=True) if labels == order],
        )  # fmt: skip
        return Value(name, order, tuple(range(node.order)))

    def _onto_diagonal(self, node: Term, args: list[Value], sign: str) -> Value | None:
        """Add a value with deltas to a dense one: only its entries are touched."""
        if all(v.dense for v in args):
            return None
        left, right = args
        axes = tuple(range(node.order))
        if right.dense:
            left, right, flip = right, left, sign == "-"
            sign = "+"
        else:
            left, flip = self._full(node, left), False
        text = self._array(node, left)
        plain = text == left.text
        if flip:
            written, over = f"np.negative({text})", f"np.negative({text}, out={text})"
        else:
            written, over = f"{text}.copy()", ""
        reuse = [(left.text, over)] if plain and left.labels else []
        name = self._emit(written, [left.text], node.order, reuse)
        add_entries(name, right, self.block, f"{sign}=")
        return Value(name, axes, axes)

    def _spread_out(self, term: Term, value: Value) -> Value:
        axes = tuple(range(term.order))
        return Value(self._emit(self._array(term, value), [value.text], term.order), axes, axes)

    def _array(self, term: Term, value: Value) -> str:
        """The text of a dense value as an array with all axes of the term at their full length."""
        if not term.dims:
            return wrapped([value])[0]
        if len(value.labels) == term.order:
            return spread((value.text, value.labels), value.axes)
        shape = f"({', '.join(self._shape(term.dims))}{',' * (term.order == 1)})"
        if not value.labels:
            dtype = f", {self._dtype}" if value.literal and self._dtype else ""
            return f"np.full({shape}, {value.text}{dtype})"
        return f"np.broadcast_to({spread((value.text, value.labels), value.axes)}, {shape})"


def parameter_names(wanted: Iterable[str], taken: set[str]) -> dict[str, str]:
    """A Python name like each wanted one, that nothing else has."""
    return {name: _identifier(name, taken) for name in wanted}


def _identifier(name: str, taken: set[str]) -> str:
    own = unicodedata.normalize("NFKC", name)
    if not own.isidentifier() or own.startswith("__"):
        own = "v_" + re.sub(r"\W", "_", own)
    while own in taken or own in RESERVED or keyword.iskeyword(own) or re.match(r"t\d+$", own):
        own += "_"
    taken.add(own)
    return own


def _literal(value: Fraction) -> str:
    try:
        text = repr(float(value))
    except OverflowError:
        text = "np.inf" if value > 0 else "-np.inf"
    return f"({text})" if text.startswith("-") else text
