"""Terms as NumPy functions like those that people write."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.indicator_code import by_views, slices
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import (
    coefficient,
    format_form,
    is_simple,
    plus,
    size_form,
    size_symbols,
    size_text,
    times,
)
from eggrad.engine.indices.constraints import Constraint, format_comparison
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.indices.texts import as_float, escaped, identifier
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import (
    ELEMENTWISE,
    EXTREMES,
    FUNCTIONS,
    MATRIX_FUNCTIONS,
    OwnFunction,
)
from eggrad.engine.terms.term import Term, own_functions, postorder, variables
from eggrad.frontend.text.precedence import Text, bracketed, levels

SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")


def unary(part: Indices, out: Indices, operand: Text, spec: str, total: str = "np.sum") -> Text:
    """A transpose, diagonal, trace or sum; `total` is called for the latter."""
    if len(set(part)) == len(part):
        gone = tuple(k for k, i in enumerate(part) if i not in out)
        kept = tuple(i for i in part if i in out)
        if gone:
            axis = "" if not out else f", axis={gone[0] if len(gone) == 1 else gone}"
            return _turned((f"{total}({operand[0]}{axis})", ATOM), kept, out)
        return _turned(operand, kept, out)
    if spec in ("ii->", "ii->i"):
        return f"np.{'diag' if out else 'trace'}({operand[0]})", ATOM
    return f'np.einsum("{spec}", {operand[0]})', ATOM


def _turned(a: Text, own: Indices, wanted: Indices) -> Text:
    """An array with its axes in another order."""
    if own == wanted:
        return a
    if own == wanted[::-1]:
        return f"{bracketed(a, ATOM)}.T", ATOM
    return f"np.transpose({a[0]}, {tuple(own.index(i) for i in wanted)})", ATOM


def binary(first: tuple[Text, Indices], second: tuple[Text, Indices], out: Indices) -> Text | None:
    """A product by `*`, `@` or `np.outer`; None where only `np.einsum` has it."""
    (a, p), (b, q) = first, second
    if len(set(p)) < len(p) or len(set(q)) < len(q):
        return None
    if not p or not q:
        a, b = (unary(own, out, v, "") if own else v for v, own in (first, second))
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
        return f"np.sum({product}{axis})", ATOM
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
        return f"np.outer({first[0]}, {second[0]})", ATOM
    if len(out) > 2:
        return None
    (matrix, own), (vector, (i,)) = ((a, p), (b, q)) if len(p) == 2 else ((b, q), (a, p))
    scale = vector if (i,) == out[1:] else (f"{bracketed(vector, ATOM)}[:, None]", ATOM)
    return _infix(_turned(matrix, own, out), "*", scale)


def _infix(a: Text, sign: str, b: Text) -> Text:
    """A product of two; one sign in front is that of the whole."""
    return f"{bracketed(a, PRODUCT)} {sign} {bracketed(b, SIGN)}", PRODUCT


# Terms -------------------------------------------------------------------------------------


# Truth values are added up as numbers are.
_AS_NUMBER: Final = "1.0 * "
# A part that occurs again has a name if it is longer.
WORTH_NAMING: Final = 8
# Python's compiler gives up on deeper brackets.
DEEP: Final = 40
# Smaller integers are floating-point numbers.
_EXACT: Final = 2**53
_CALLS: Final = {name: FUNCTIONS[name].code for name in ELEMENTWISE} | {
    name: f.python for name, f in MATRIX_FUNCTIONS.items() if name != "adj"
}


def format_python(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of the variables, and of those in `scope` that fix a size.

    Raises `UnsupportedOperation` for higher derivatives of a determinant.

    >>> from eggrad.engine.terms.term import einsum, variable
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
        self._functions = own_functions(root)
        self._taken = {"np", "float", *(f.name for f in self._functions)}
        self._names = {v: self._identifier(v.name) for v in self._variables}
        self._size_names = {d: self._identifier(d) for d in symbols(root)}
        self._sizes: dict[str, str] = {}

    def text(self) -> str:
        """The module."""
        if any(t.order > len(specs.LETTERS) for t in postorder(self._root)):
            raise UnsupportedOperation(f"np.einsum has {len(specs.LETTERS)} indices, no more")
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
                name = self._identifier(f"t{len(body) + 1}")
                body.append(f"{name} = {text[0]}")
                text = name, ATOM
            done[node] = text
        body.append(f"return {done[self._root][0]}")
        mentioned = {*re.findall(r"\w+", "\n".join(body))}
        sizes = sorted(self._sizes.items())
        lines = [f"{size} = {place}" for size, place in sizes if size in mentioned] + body
        name = self._identifier("f")
        own = self._names.values()
        known = ", ".join(f"{n} of axes {_axes(v.dims)}" for v, n in self._names.items())
        title = f'"""Axes {_axes(self._root.dims)}{", for " * bool(known)}{known}."""'
        function = [f"def {name}({', '.join(own)}):", *(f"    {k}" for k in (title, *lines))]
        imported = ["import numpy as np"] if "np" in mentioned else []
        imported += [origin(f) for f in self._functions]
        imported += ["", ""] if imported else []
        return "\n".join([*imported, *function, ""])

    def _identifier(self, name: str) -> str:
        """A Python name that nothing else in the text has."""
        own = identifier(name, self._taken)
        self._taken.add(own)
        return own

    def _size(self, size: Size) -> str:
        for symbol in size_symbols(size):
            self._use_size(symbol)
        return size_text(size, self._size_names)

    def _use_size(self, size: str) -> None:
        name = self._size_names[size]
        if name not in self._sizes:
            self._sizes[name] = self._origin(size)

    def _origin(self, size: str) -> str:
        """How a size is read off a variable, by an axis as long, or longer by a number."""
        axes = ((v, k, d) for v in self._variables for k, d in enumerate(v.dims))
        for v, k, d in sorted(axes, key=lambda axis: axis[2] != size):
            behind = plus(size_form(size), times(-1, size_form(d)))
            if {*dict(behind)} <= {""}:
                number = coefficient(behind, "")
                sign = "" if not number else f" + {number}" if number > 0 else f" - {-number}"
                return f"{self._names[v]}.shape[{k}]{sign}"
        raise UnsupportedOperation(f"no variable has an axis of size {size}")

    def _shape(self, dims: Dims) -> str:
        listed = ", ".join(map(self._size, dims))
        return listed if len(dims) == 1 else f"({listed})"

    def _node(self, node: Term, args: Sequence[Text], done: dict[Term, Text]) -> Text:
        match node.op:
            case "variable":
                return self._names[node], ATOM
            case "array":
                return self._array(node.array)
            case "constant":
                return self._constant(node.value, node.dims)
            case "size":
                size = node.symbol
                return self._size(size), ATOM if is_simple(size) else SUM
            case "delta":
                return self._delta(node.dims[: node.order // 2])
            case "indicator":
                return self._indicator(node)
            case "einsum":
                return self._product(node, args)
            case name if name in EXTREMES:
                source, out = node.spec
                return unary(
                    source, out, args[0], specs.format_spec(node.spec), EXTREMES[name].python
                )
            case "add" if node.args[0] is node.args[1]:
                return f"2 * {bracketed(args[0], SIGN)}", PRODUCT
            case "add" | "subtract":
                left, right = self._unspread(node, args)
                sign, least = ("+", SUM) if node.op == "add" else ("-", PRODUCT)
                if node.op == "add" and right[0].startswith("-"):
                    least = POWER
                return f"{bracketed(left, SUM)} {sign} {bracketed(right, least)}", SUM
            case "divide":
                left, right = self._unspread(node, args)
                return f"{bracketed(left, PRODUCT)} / {bracketed(right, SIGN)}", PRODUCT
            case "negate":
                return f"-{bracketed(args[0], SIGN)}", SIGN
            case "power":
                return _power(node, args)
            case "adj":
                return MATRIX_FUNCTIONS["adj"].python.format(args[0][0]), PRODUCT
            case "cofactors" if node.data == 1:
                matrix = args[0][0]
                return f"np.linalg.det({matrix}) * np.linalg.inv({matrix}).T", PRODUCT
            case name if name in _CALLS or isinstance(node.data, OwnFunction):
                code = node.data.code if isinstance(node.data, OwnFunction) else _CALLS[name]
                own = self._unspread(node, args) if len(args) == 2 else args
                texts = [text for text, _ in own]
                known = FUNCTIONS.get(name)
                if known and (name == "where" or name.startswith("logical_")):
                    texts = [text.removeprefix(_AS_NUMBER) for text in texts]
                if known and known.is_test:
                    return _AS_NUMBER + code.format(*texts), PRODUCT
                return code.format(*texts), ATOM
            case name:
                raise UnsupportedOperation(f"{name} has no function in NumPy; see eggrad.compile")

    def _array(self, array: FixedArray) -> Text:
        values = array.values
        if not values.size:
            return f"np.zeros({self._shape(values.shape)})", ATOM
        listed = re.sub(r"\b(nan|inf)\b", r"np.\1", repr(values.tolist()))
        return f"np.array({listed})", ATOM

    def _constant(self, value: Fraction, dims: Dims) -> Text:
        if not dims:
            return _number(value)
        if value in (0, 1):
            return f"np.{'ones' if value else 'zeros'}({self._shape(dims)})", ATOM
        return f"np.full({self._shape(dims)}, {_number(value)[0]})", ATOM

    def _delta(self, dims: Dims) -> Text:
        identities = [f"np.eye({self._size(d)})" for d in dims]
        if len(dims) == 1:
            return identities[0], ATOM
        rows, columns = range(len(dims)), range(len(dims), 2 * len(dims))
        spec = specs.canonical(list(zip(rows, columns, strict=True)), (*rows, *columns))
        return f'np.einsum("{specs.format_spec(spec)}", {", ".join(identities)})', ATOM

    def _indicator(self, node: Term) -> Text:
        """An array of zeros and ones."""
        letters = [identifier(letter, self._taken) for letter in specs.LETTERS[: node.order]]
        index = letters.__getitem__
        conditions = [f"({_condition(c, index, self._size)})" for c in node.constraints]
        if not conditions or not node.order:
            whole = " * ".join(conditions) or f"np.ones({self._shape(node.dims)})"
            return (f"float({whole})", ATOM) if conditions else (whole, ATOM)
        shape = f"({', '.join(map(self._size, node.dims))}{',' * (node.order == 1)})"
        function = f"lambda {', '.join(letters)}: 1.0 * {' * '.join(conditions)}"
        return f"np.fromfunction({function}, {shape})", ATOM

    def _unspread(self, node: Term, args: Sequence[Text]) -> tuple[Text, Text]:
        """The operands of an operation on entries; a constant beside an array is a number."""
        numbers = [
            _number(a.value) if a.op == "constant" and b.order else None
            for a, b in zip(node.args, node.args[::-1], strict=True)
        ]
        first, second = (
            (number if number and not other else text)
            for text, number, other in zip(args, numbers, numbers[::-1], strict=True)
        )
        return first, second

    def _product(self, node: Term, args: Sequence[Text]) -> Text:
        *parts, out = node.spec
        spec = specs.format_spec(node.spec)
        if len(parts) == 1:
            return unary(parts[0], out, args[0], spec)
        vectors = [k for k, a in enumerate(node.args) if a.op == "delta"]
        if vectors and sorted(a.order for a in node.args) == [1, 2] and node.order == 2:
            return f"np.diag({args[1 - vectors[0]][0]})", ATOM
        if by_views(node):
            first = node.args[0].op != "indicator"
            left, right, _ = node.spec
            own = (right, left, out) if first else (left, right, out)
            key = slices(node.args[first], node.args[1 - first], own)
            if key is not None:
                return f"{bracketed(args[1 - first], ATOM)}[{', '.join(key)}]", ATOM
        found = binary((args[0], parts[0]), (args[1], parts[1]), out)
        return found or (f'np.einsum("{spec}", {args[0][0]}, {args[1][0]})', ATOM)


def origin(function: OwnFunction) -> str:
    """Where Python finds a declared function: an import, or a comment that it is somebody's own."""
    evaluate = function.evaluate.get("numpy")
    name, home = getattr(evaluate, "__name__", ""), getattr(evaluate, "__module__", None)
    if name.isidentifier():
        called = "" if name == function.name else f" as {function.name}"
        # `eggrad.special` looks its functions up when they are called; a ufunc has no module.
        if home == "scipy.special":
            return f"from scipy.special import {name}{called}"
        for place in (home or "scipy.special", "numpy"):
            if place != "__main__" and getattr(sys.modules.get(place), name, None) is evaluate:
                return f"from {place} import {name}{called}"
    return f"# {function.name} is a function of your own."


def _condition(
    constraint: Constraint, index: Callable[[int], str], size: Callable[[str], str]
) -> str:
    signs = {"=": " == ", ">=": " >= ", "*": " * "}
    relation, f = constraint
    if isinstance(relation, int):
        return f"({format_form(f, index, size, ' * ')}) % {relation} == 0"
    return format_comparison(constraint, index, size, signs)


def _power(node: Term, args: Sequence[Text]) -> Text:
    exponent = node.args[1].data if node.args[1].op == "constant" else None
    if exponent == Fraction(1, 2):
        return f"np.sqrt({args[0][0]})", ATOM
    if exponent == -1:
        return f"1 / {bracketed(args[0], SIGN)}", PRODUCT
    return f"{bracketed(args[0], ATOM)} ** {bracketed(args[1], SIGN)}", POWER


def _number(value: Fraction) -> Text:
    """A number as Python computes with it: what is not exact is the nearest float."""
    nearest = as_float(value)
    top, bottom = abs(value.numerator), value.denominator
    if bottom == 1 and top < _EXACT:
        text = str(value.numerator)
    elif bottom > 1 and max(top, bottom) < _EXACT and Fraction(repr(nearest)) != value:
        return f"{value.numerator} / {bottom}", PRODUCT
    else:
        text = repr(nearest).replace("inf", "np.inf")
    return text, SIGN if value < 0 else ATOM


def _axes(dims: Dims) -> str:
    return escaped(f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})")
