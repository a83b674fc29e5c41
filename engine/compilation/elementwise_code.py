"""Code of element-wise operations: functions, powers, sums and quotients."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.block import Block, Value, number
from eggrad.engine.compilation.layout import add_entries, spread, wrapped
from eggrad.engine.terms.functions import Function

__all__ = ["ElementwiseCode"]

# The operator, and the function that writes into its second operand.
_INFIX: Final = {
    "add": ("+", "np.add"),
    "subtract": ("-", "np.subtract"),
    "divide": ("/", "np.divide"),
}
_POWERS: Final[dict[Fraction, tuple[str, ...]]] = {
    Fraction(2): ("square",),
    Fraction(-1): ("reciprocal",),
    Fraction(-2): ("square", "reciprocal"),
    Fraction(1, 2): ("sqrt",),
    Fraction(-1, 2): ("sqrt", "reciprocal"),
    Fraction(4): ("square", "square"),
}
# From so many entries on a division by NumPy's operator is faster than `np.reciprocal`.
LARGE: Final = 1500


class ElementwiseCode:
    """Writes element-wise operations into a block.

    `entries` is the number of entries to expect of a value, `dense` writes out its zeros, and
    `array` is its text with all its axes.
    """

    def __init__(
        self,
        block: Block,
        entries: Callable[[Value], int],
        dense: Callable[[Value], Value],
        array: Callable[[Value], str],
    ) -> None:
        """Make it for a block."""
        self._block = block
        self._entries = entries
        self._dense = dense
        self._array = array

    def _unary(self, code: str, x: Value) -> Value:
        written = code.format(x.text)
        # The modulus of complex numbers is real; our own functions make arrays of their own.
        in_place = code.startswith("np.") and not code.startswith("np.abs(")
        reuse = [(x.text, f"{written[:-1]}, out={x.text})")] if in_place else []
        return Value(self._block.emit(written, [x.text], len(x.labels), reuse), x.labels, x.axes)

    def negative(self, x: Value) -> Value:
        """The negative of every entry."""
        return self._unary("np.negative({})", self._array_of(x) if x.literal else x)

    def function(self, own: Function, args: Sequence[Value]) -> Value:
        """A function of every entry, or of the entries of several values."""
        if len(args) == 1:
            return self._unary(own.code, self._array_of(args[0]))
        args = [self._dense(v) for v in args]
        texts, order, _ = self._aligned(args)
        # Of numbers NumPy's choice is an array without axes.
        number = "[()]" if own.name == "where" and not order else ""
        code = own.code.format(*texts) + number
        made = self._block.emit(code, [v.text for v in args], len(order))
        return Value(made, order, tuple(range(len(args[0].axes))))

    def _array_of(self, x: Value) -> Value:
        """A value with its zeros; a number has become an array."""
        x = self._dense(x)
        return Value(self._block.emit(wrapped([x])[0]), (), x.axes) if x.literal else x

    def power(self, base: Value, exponent: Value, known: Fraction | None) -> Value:
        """A power of every entry; `known` is the exponent's value where it is a number."""
        if known == 0:
            return number("1.0", len(base.axes))
        base = self._dense(base)
        if known == 1:
            return base
        if base.literal and known is not None:
            base = Value(self._block.emit(wrapped([base])[0]), (), base.axes)
        if known is not None and known in _POWERS:
            for function in _POWERS[known]:
                base = self._power(function, base)
            return base
        a, b = wrapped([base, exponent])
        reuse = [(a, f"{a} **= {b}")] if known is not None else []
        made = self._block.emit(f"{a} ** {b}", [a, b], len(base.labels), reuse)
        return Value(made, base.labels, base.axes)

    def _power(self, function: str, x: Value) -> Value:
        if function != "reciprocal" or self._entries(x) < LARGE:
            return self._unary(f"np.{function}({{}})", x)
        reuse = [(x.text, f"np.divide(1.0, {x.text}, out={x.text})")]
        made = self._block.emit(f"1.0 / {x.text}", [x.text], len(x.labels), reuse)
        return Value(made, x.labels, x.axes)

    def infix(self, op: str, args: Sequence[Value]) -> Value:
        """A sum, difference or quotient of two values with the same axes, or with a scalar."""
        sign, function = _INFIX[op]
        if sign in "+-" and not all(v.dense for v in args):
            return self._onto_diagonal(args, sign)
        full = [self._dense(v) for v in args]
        texts, order, own = self._aligned(full)
        a, b = wrapped(full) if all(v.literal for v in full) else texts
        over = f"{b} += {a}" if sign == "+" else f"{function}({a}, {b}, out={b})"
        ways = zip([(a, f"{a} {sign}= {b}"), (b, over)], own, strict=True)
        reuse = [way for way, labels in ways if labels == order]
        text = f"{a} {sign} {b}"
        made = self._block.emit(text, [v.text for v in full], len(order), reuse)
        return Value(made, order, tuple(range(max(len(v.axes) for v in args))))

    def _aligned(
        self, values: Sequence[Value]
    ) -> tuple[list[str], tuple[int, ...], list[tuple[int, ...]]]:
        """The texts ready to be broadcast, the order of the result's axes, and each one's own."""
        # Labels become places among the axes of the result.
        own = [tuple(v.axes.index(i) for i in v.labels) for v in values]
        present = {i for labels in own for i in labels}
        order = next((labels for labels in own if set(labels) == present), tuple(sorted(present)))
        pairs = zip(values, own, strict=True)
        texts = [spread((v.text, labels), order) if labels else v.text for v, labels in pairs]
        return texts, order, own

    def _onto_diagonal(self, args: Sequence[Value], sign: str) -> Value:
        """Add a value with deltas to another: only its entries are touched."""
        left, right = args
        flipped = right.dense and sign == "-"
        if right.dense:
            left, right, sign = right, left, "+"
        left = self._dense(left)
        text = self._array(left)
        written, over = f"{text}.copy()", ""
        if flipped:
            written, over = f"np.negative({text})", f"np.negative({text}, out={text})"
        reuse = [(left.text, over)] if text == left.text and left.labels else []
        order = len(left.axes)
        name = self._block.emit(written, [left.text], order, reuse)
        add_entries(name, right, self._block, f"{sign}=")
        return Value(name, tuple(range(order)), tuple(range(order)))
