"""Terms as NumPy functions like those that people write."""

import keyword
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, cast

from eggrad.engine import spec as specs
from eggrad.engine import term as terms
from eggrad.engine.binding import name_of, symbols
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.spec import Dims, Indices, Size, Spec
from eggrad.engine.term import Term, postorder, variables

__all__ = ["format_python"]

_SUM: Final = 1
_PRODUCT: Final = 2
_SIGN: Final = 3
_POWER: Final = 4
_ATOM: Final = 5
# A part that occurs again has a name if it is longer.
WORTH_NAMING: Final = 8
# Python's compiler gives up on deeper brackets.
DEEP: Final = 40
_CALLS: Final = {
    "relu": "np.maximum({}, 0)",
    "inv": "np.linalg.inv({})",
    "det": "np.linalg.det({})",
}

Text = tuple[str, int]
"""A text, and how tightly its last operator binds."""


def format_python(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of the variables, and of those in `scope` that fix a size.

    Raises `UnsupportedOperation` for higher derivatives of a determinant.

    >>> from eggrad.engine.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_python(einsum("ij,j->i", A, x)))
    def f(A, x):
        \"\"\"Axes (m,), for A of axes (m, n), x of axes (n,).\"\"\"
        return A @ x
    <BLANKLINE>
    """
    return _Writer(root, scope).text()


class _Writer:
    def __init__(self, root: Term, scope: Sequence[Term]) -> None:
        self._root = root
        self._variables = variables(root, *scope)
        taken = {"np"}
        self._names = {v: _identifier(name_of(v), taken) for v in self._variables}
        self._taken = taken
        self._size_names = {d: _identifier(d, taken) for d in symbols(root)}
        self._sizes: dict[str, str] = {}

    def text(self) -> str:
        """The module."""
        users = Counter(a for node in postorder(self._root) for a in node.args)
        done: dict[Term, Text] = {}
        body: list[str] = []
        depth: dict[Term, int] = {}
        for node in postorder(self._root):
            text = self._node(node, [done[a] for a in node.args], done)
            depth[node] = 1 + max((depth[a] for a in node.args), default=0)
            often = users[node] > 1 and len(text[0]) > WORTH_NAMING
            if node.args and (often or depth[node] > DEEP):
                depth[node] = 0
                name = _identifier(f"t{len(body) + 1}", self._taken)
                body.append(f"{name} = {text[0]}")
                text = name, _ATOM
            done[node] = text
        body.append(f"return {done[self._root][0]}")
        mentioned = {*re.findall(r"\w+", "\n".join(body))}
        sizes = sorted(self._sizes.items())
        lines = [f"{size} = {origin}" for size, origin in sizes if size in mentioned] + body
        name = _identifier("f", self._taken)
        own = self._names.values()
        known = ", ".join(f"{n} of axes {_axes(v.dims)}" for v, n in self._names.items())
        title = f'"""Axes {_axes(self._root.dims)}{", for " * bool(known)}{known}."""'
        function = [f"def {name}({', '.join(own)}):", *(f"    {k}" for k in (title, *lines))]
        imported = ["import numpy as np", "", ""] if "np" in mentioned else []
        return "\n".join([*imported, *function, ""])

    def _size(self, size: Size) -> str:
        if isinstance(size, int):
            return str(size)
        name = self._size_names[size]
        if name not in self._sizes:
            places = ((v, k) for v in self._variables for k, d in enumerate(v.dims) if d == size)
            found = next(places, None)
            if found is None:
                raise UnsupportedOperation(f"no variable has an axis of size {size}")
            self._sizes[name] = f"{self._names[found[0]]}.shape[{found[1]}]"
        return name

    def _shape(self, dims: Dims) -> str:
        listed = ", ".join(map(self._size, dims))
        return listed if len(dims) == 1 else f"({listed})"

    def _node(self, node: Term, args: Sequence[Text], done: dict[Term, Text]) -> Text:
        match node.op:
            case "variable":
                return self._names[node], _ATOM
            case "constant":
                return self._constant(cast(Fraction, node.data), node.dims)
            case "size":
                return self._size(cast(str, node.data)), _ATOM
            case "delta":
                return self._delta(node.dims[: node.order // 2])
            case "einsum":
                return self._product(node, args)
            case "add" if node.args[0] is node.args[1]:
                return f"2 * {_bracketed(args[0], _SIGN)}", _PRODUCT
            case "add" | "subtract":
                left, right = self._unspread(node, args)
                sign, least = ("+", _SUM) if node.op == "add" else ("-", _PRODUCT)
                if node.op == "add" and right[0].startswith("-"):
                    least = _POWER
                return f"{_bracketed(left, _SUM)} {sign} {_bracketed(right, least)}", _SUM
            case "divide":
                left, right = self._unspread(node, args)
                return f"{_bracketed(left, _PRODUCT)} / {_bracketed(right, _SIGN)}", _PRODUCT
            case "negate":
                return f"-{_bracketed(args[0], _SIGN)}", _SIGN
            case "power":
                return _power(node, args)
            case "adj":
                matrix = args[0][0]
                return f"np.linalg.det({matrix}) * np.linalg.inv({matrix})", _PRODUCT
            case "cofactors" if node.data == 1:
                matrix = args[0][0]
                return f"np.linalg.det({matrix}) * np.linalg.inv({matrix}).T", _PRODUCT
            case name if name in (*terms.ELEMENTWISE, *terms.MATRIX_FUNCTIONS):
                return _CALLS.get(name, f"np.{name}({{}})").format(args[0][0]), _ATOM
            case name:
                raise UnsupportedOperation(f"{name} has no function in NumPy; see eggrad.compile")

    def _constant(self, value: Fraction, dims: Dims) -> Text:
        if not dims:
            return _number(value)
        if value in (0, 1):
            return f"np.{'ones' if value else 'zeros'}({self._shape(dims)})", _ATOM
        return f"np.full({self._shape(dims)}, {_number(value)[0]})", _ATOM

    def _delta(self, dims: Dims) -> Text:
        identities = [f"np.eye({self._size(d)})" for d in dims]
        if len(dims) == 1:
            return identities[0], _ATOM
        rows, columns = range(len(dims)), range(len(dims), 2 * len(dims))
        spec = specs.canonical(list(zip(rows, columns, strict=True)), (*rows, *columns))
        return f'np.einsum("{specs.format_spec(spec)}", {", ".join(identities)})', _ATOM

    def _unspread(self, node: Term, args: Sequence[Text]) -> tuple[Text, Text]:
        """The operands of an operation on entries; a constant beside an array is a number."""
        numbers = [
            _number(cast(Fraction, a.data)) if a.op == "constant" and b.order else None
            for a, b in zip(node.args, node.args[::-1], strict=True)
        ]
        first, second = (
            (number if number and not other else text)
            for text, number, other in zip(args, numbers, numbers[::-1], strict=True)
        )
        return first, second

    def _product(self, node: Term, args: Sequence[Text]) -> Text:
        *parts, out = cast(Spec, node.data)
        spec = specs.format_spec(cast(Spec, node.data))
        if len(parts) == 1:
            return _unary(parts[0], out, args[0], spec)
        vectors = [k for k, a in enumerate(node.args) if a.op == "delta"]
        if vectors and sorted(a.order for a in node.args) == [1, 2] and node.order == 2:
            return f"np.diag({args[1 - vectors[0]][0]})", _ATOM
        found = _binary((args[0], parts[0]), (args[1], parts[1]), out)
        return found or (f'np.einsum("{spec}", {args[0][0]}, {args[1][0]})', _ATOM)


def _unary(part: Indices, out: Indices, operand: Text, spec: str) -> Text:
    if len(set(part)) == len(part):
        gone = tuple(k for k, i in enumerate(part) if i not in out)
        kept = tuple(i for i in part if i in out)
        if gone:
            axis = "" if not out else f", axis={gone[0] if len(gone) == 1 else gone}"
            return _turned((f"np.sum({operand[0]}{axis})", _ATOM), kept, out)
        return _turned(operand, kept, out)
    if spec in ("ii->", "ii->i"):
        return f"np.{'diag' if out else 'trace'}({operand[0]})", _ATOM
    return f'np.einsum("{spec}", {operand[0]})', _ATOM


def _turned(a: Text, own: Indices, wanted: Indices) -> Text:
    """An array with its axes in another order."""
    if own == wanted:
        return a
    if own == wanted[::-1]:
        return f"{_bracketed(a, _ATOM)}.T", _ATOM
    return f"np.transpose({a[0]}, {tuple(own.index(i) for i in wanted)})", _ATOM


def _binary(first: tuple[Text, Indices], second: tuple[Text, Indices], out: Indices) -> Text | None:
    """A product by `*`, `@` or `np.outer`; None where only `np.einsum` has it."""
    (a, p), (b, q) = first, second
    if len(set(p)) < len(p) or len(set(q)) < len(q):
        return None
    if not p or not q:
        a, b = (_unary(own, out, v, "") if own else v for v, own in (first, second))
        return _infix(a, "*", b)
    alone = [i for i in (*p, *q) if i not in out and (i in p) != (i in q)]
    summed = [i for i in p if i in q and i not in out]
    if alone or max(len(p), len(q)) > 2:
        return None
    if not summed:
        return _without_sum(a, p, b, q, out)
    if len(summed) == 2 or len([i for i in p if i in q]) == 2:
        product = _infix(a, "*", _turned(b, q, p))[0]
        axis = f", axis={p.index(summed[0])}" if out else ""
        return f"np.sum({product}{axis})", _ATOM
    (s,) = summed
    if out and out[0] not in p:
        (a, p), (b, q) = (b, q), (a, p)
    if len(p) == 2 and len(q) == 1 and p[0] == s:
        # A vector from the left needs no transpose.
        return _infix(b, "@", a)
    left = a if p[-1] == s else _turned(a, p, p[::-1])
    right = b if q[0] == s else _turned(b, q, q[::-1])
    return _infix(left, "@", right)


def _without_sum(a: Text, p: Indices, b: Text, q: Indices, out: Indices) -> Text | None:
    if set(p) == set(q):
        return _infix(_turned(a, p, out), "*", _turned(b, q, out))
    if len(p) == len(q) == 1:
        first, second = (a, b) if p == out[:1] else (b, a)
        return f"np.outer({first[0]}, {second[0]})", _ATOM
    if len(out) > 2:
        return None
    (matrix, own), (vector, (i,)) = ((a, p), (b, q)) if len(p) == 2 else ((b, q), (a, p))
    scale = vector if (i,) == out[1:] else (f"{_bracketed(vector, _ATOM)}[:, None]", _ATOM)
    return _infix(_turned(matrix, own, out), "*", scale)


def _infix(a: Text, sign: str, b: Text) -> Text:
    """A product of two; one sign in front is that of the whole."""
    return f"{_bracketed(a, _PRODUCT)} {sign} {_bracketed(b, _SIGN)}", _PRODUCT


def _power(node: Term, args: Sequence[Text]) -> Text:
    exponent = node.args[1].data if node.args[1].op == "constant" else None
    if exponent == Fraction(1, 2):
        return f"np.sqrt({args[0][0]})", _ATOM
    if exponent == -1:
        return f"1 / {_bracketed(args[0], _SIGN)}", _PRODUCT
    return f"{_bracketed(args[0], _ATOM)} ** {_bracketed(args[1], _SIGN)}", _POWER


def _number(value: Fraction) -> Text:
    if value.denominator == 1:
        text = str(value.numerator)
    else:
        text = repr(float(value))
        if Fraction(text) != value:
            return f"{value.numerator} / {value.denominator}", _PRODUCT
    return text, _SIGN if value < 0 else _ATOM


def _bracketed(part: Text, least: int) -> str:
    return f"({part[0]})" if part[1] < least else part[0]


def _axes(dims: Dims) -> str:
    return f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})"


def _identifier(name: str, taken: set[str]) -> str:
    own = name if name.isidentifier() else "v_" + "".join(c if c.isalnum() else "_" for c in name)
    while own in taken or keyword.iskeyword(own):
        own += "_"
    taken.add(own)
    return own
