"""Terms as code for any array library: pure functions in the words of the array API standard.

Each node becomes one statement over labelled arrays, or none where labels say all, as for NumPy
(`engine/compilation/`). Nothing is written in place and no layout in memory is assumed: what a
compiler gains by fusing and ordering is left to the library.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.indicator_code import (
    by_views,
    constraints_text,
    slices,
    stored_indicators,
)
from eggrad.engine.compilation.lowering import (
    asked_alone,
    detail,
    loop_arguments,
    states_text,
)
from eggrad.engine.compilation.product_code import labelled_operands
from eggrad.engine.compilation.program import Atom, Steps, Value, letters, literal, number
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import is_simple, size_symbols, size_text
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import FUNCTIONS, Function, function_of
from eggrad.engine.terms.loops import Recurrence, recurrence_of
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import Term, postorder

_SIGNS: Final = {"add": "+", "subtract": "-", "divide": "/"}
# Exponents that are written as a power with a whole number, which libraries multiply out.
_WHOLE: Final = 16
# Functions of whole arrays: their call, given the operands and what else identifies the node.
_CALLS: Final = {
    "inv": "own.inverse({x})",
    "det": "own.determinant({x})",
    "adj": "own.adjugate({x})",
    "logabsdet": "own.sign_and_log_determinant({x})[1]",
    "signdet": "own.sign_and_log_determinant({x})[0]",
    "cofactors": "own.cofactors({k}, {x})",
    "argsort": "own.argsort({x}, {k})",
    "max": "xp.max({x}, axis={k})",
    "min": "xp.min({x}, axis={k})",
    "logsumexp": "own.log_sum_exp({x}, {k})",
    "softmax": "own.softmax({x}, {k})",
    "log_softmax": "own.log_softmax({x}, {k})",
    "norm": "own.norm({x}, {k})",
    "logdet": "own.log_determinant({x}, {k})",
    "solve": "own.solve({x}, {y})",
    "inverse_from_cholesky": "own.inverse_from_cholesky({x})",
    "logdet_from_cholesky": "own.log_determinant_from_cholesky({x})",
    "symmetric_product": "own.symmetric_product({k}, {x}, {y})",
    "product_of_pairs": "own.product_of_pairs({x}, {y})",
    **{name: f'own.of_each("{name}", {{x}})' for name in STACK_FUNCTIONS},
}


class Writer:
    """Writes the statements of some terms.

    `names`, `sizes` and `fixed` say what variables, size symbols and arrays of known numbers are
    called; `like` is an array whose dtype and device those that are made have, "None" if there is
    no array. `einsum` is the call of a product that is none of matrices. `steps` says what the
    functions of the steps of loops are called, and which sizes they are given.
    """

    def __init__(
        self,
        roots: Sequence[Term],
        *,
        names: Mapping[str, str],
        sizes: Mapping[str, str],
        fixed: Mapping[FixedArray, str],
        like: str,
        einsum: str,
        steps: Steps,
    ) -> None:
        """Write all statements: `lines`, the texts `returned`, the size symbols `used`."""
        self._names, self._sizes, self._fixed = names, sizes, fixed
        self._like, self._einsum, self._steps = like, einsum, steps
        self._loops: dict[Recurrence, str] = {}
        self._masks = asked_alone(roots)
        stored = stored_indicators(roots)
        self.lines: list[str] = []
        self._views: set[str] = set()
        self.used: set[str] = set()
        done: dict[Term, Value] = {}
        for node in postorder(*roots):
            if node.op != "indicator" or node in stored:
                done[node] = self._node(node, done)
        shown: set[str] = set()
        self.returned = [self._result(r, done[r], shown) for r in roots]

    def _view(self, text: str) -> str:
        """Name what may show the memory of another array."""
        name = self._emit(text)
        self._views.add(name)
        return name

    def _emit(self, text: str) -> str:
        name = f"t{len(self.lines) + 1}"
        self.lines.append(f"{name} = {text}")
        return name

    # Sizes and whole arrays -----------------------------------------------------------------

    def _size(self, d: Size) -> str:
        if isinstance(d, int):
            return str(d)
        self.used.update(size_symbols(d))
        text = size_text(d, self._sizes)
        return text if is_simple(d) else f"({text})"

    def _shape(self, dims: Dims) -> str:
        return _tuple([self._size(d) for d in dims])

    def _dense(self, dims: Dims, value: Value) -> Value:
        """The value with the zeros of its deltas."""
        if value.dense:
            return value
        axes = tuple(range(len(dims)))
        if value.text == "1.0" and len(dims) == 2:
            return Value(self._emit(f"own.eye({self._size(dims[0])}, {self._like})"), axes, axes)
        unique = tuple(dict.fromkeys(value.axes))
        text = spread((value.text, value.labels), unique) if value.labels else value.text
        call = f"own.with_zeros({text}, {value.axes}, {self._shape(dims)}, {self._like})"
        return Value(self._emit(call), axes, axes)

    def _array(self, dims: Dims, value: Value) -> str:
        """The text of a dense value with all axes at their full length."""
        if not dims:
            return self._number(value) if value.literal else value.text
        if not value.labels and value.literal:
            return f"own.full({self._shape(dims)}, {value.text}, {self._like})"
        text = spread((value.text, value.labels), value.axes) if value.labels else value.text
        if len(value.labels) == len(dims):
            return text
        return f"xp.broadcast_to({text}, {self._shape(dims)})"

    def _number(self, value: Value) -> str:
        return f"own.number({value.text}, {self._like})"

    def _result(self, term: Term, value: Value, shown: set[str]) -> str:
        """A result that shares no memory with an argument or with another result."""
        value = self._dense(term.dims, value)
        text = self._array(term.dims, value)
        others = shown | {*self._names.values()} | self._views
        shared = value.text in others or text != value.text
        shown.add(value.text)
        return f"own.fresh({text})" if shared and not value.literal else text

    # Nodes ----------------------------------------------------------------------------------

    def _node(self, node: Term, done: Mapping[Term, Value]) -> Value:
        axes = tuple(range(node.order))
        if by_views(node):
            return self._by_indicator(node, done)
        args = [done[a] for a in node.args]
        match node.op:
            case "variable":
                return Value(self._names[node.name], axes, axes)
            case "array":
                call = f"own.array({self._fixed[node.array]}, {self._like})"
                return Value(self._emit(call), axes, axes)
            case "constant":
                return number(literal(node.value).replace("np.", "xp."), node.order)
            case "size":
                return number(f"float({self._size(node.symbol)})")
            case "delta":
                return Value("1.0", (), axes[: node.order // 2] * 2, literal=True)
            case "indicator":
                described = constraints_text(node, self._size)
                return Value(
                    self._emit(f"own.zeros_and_ones({described}, {self._like})"), axes, axes
                )
            case "selection":
                (index,) = (self._array(a.dims, self._dense(a.dims, done[a])) for a in node.args)
                call = f"own.selection({index}, {self._shape(node.chosen)}, {self._like})"
                return Value(self._emit(call), axes, axes)
            case "einsum":
                return self._product(node, args)
            case "power":
                known = node.args[1].value if node.args[1].op == "constant" else None
                return self._power(node.dims, args[0], args[1], known)
            case "add" | "subtract" | "divide":
                return self._infix(node.dims, _SIGNS[node.op], args)
            case "negate":
                return self._entrywise(node.dims, "-{}", args)
            case "scan":
                return self._states(node, args)
            case name if name in _CALLS:
                return self._whole(node, args)
            case name:
                return self._function(node, function_of(name, node.data) or FUNCTIONS[name], args)

    def _states(self, node: Term, args: Sequence[Value]) -> Value:
        """States of a loop, which runs once for all that are needed."""
        own = recurrence_of(node)
        if own not in self._loops:
            pairs = zip(node.args, args, strict=True)
            arrays = [self._array(a.dims, self._dense(a.dims, v)) for a, v in pairs]
            name, sizes = self._steps[own.step]
            length = self._size(own.length)
            shape = [self._size(node.loop.inside[s]) for s in sizes]
            self._loops[own] = self._emit(
                f"own.run_loop({loop_arguments(own, name, length, arrays, shape)})"
            )
        axes = tuple(range(node.order))
        return Value(self._view(states_text(self._loops[own], node.loop, ", ...")), axes, axes)

    def _function(self, node: Term, own: Function, args: Sequence[Value]) -> Value:
        asks = own.name.startswith("logical_")
        places = [
            "({} != 0)" if asks or (own.name == "where" and k == 0) else "{}"
            for k in range(own.arity)
        ]
        for k, operand in enumerate(node.args):
            inner = function_of(operand.op, operand.data)
            if operand in self._masks and inner and inner.is_test:
                places[k] = "{}"
        value = self._entrywise(node.dims, own.standard.format(*places), args, arrays=True)
        if not own.is_test or node in self._masks:
            return value
        return Value(
            self._emit(f"own.numbers({value.text}, {self._like})"), value.labels, value.axes
        )

    def _entrywise(
        self, dims: Dims, code: str, args: Sequence[Value], arrays: bool = False
    ) -> Value:
        """Code with places for the entries of some values, or for numbers."""
        full = [self._dense(dims if v.axes else (), v) for v in args]
        own = [tuple(v.axes.index(i) for i in v.labels) for v in full]
        present = {i for labels in own for i in labels}
        order = next((labels for labels in own if set(labels) == present), tuple(sorted(present)))
        numbers = arrays or all(v.literal for v in full)
        texts = [
            (self._number(v) if numbers and v.literal else v.text)
            if not labels
            else spread((v.text, labels), order)
            for v, labels in zip(full, own, strict=True)
        ]
        axes = tuple(range(max(len(v.axes) for v in full)))
        return Value(self._emit(code.format(*texts)), order, axes)

    def _infix(self, dims: Dims, sign: str, args: Sequence[Value]) -> Value:
        return self._entrywise(dims, f"{{}} {sign} {{}}", args)

    def _power(self, dims: Dims, base: Value, exponent: Value, known: Fraction | None) -> Value:
        if known == 0:
            return number("1.0", len(base.axes))
        if known == 1:
            return self._dense(dims, base)
        if known is not None and known.denominator == 1 and abs(known) <= _WHOLE:
            code = "1.0 / {}" if known < 0 else "{}"
            if abs(known) != 1:
                code = code.format(f"{{}} ** {abs(known)}")
                code = code.replace("1.0 / {} ** ", "1.0 / ({} ** ") + ")" * (known < 0)
            return self._entrywise(dims, code, [base], arrays=True)
        if known is not None and abs(known) == Fraction(1, 2):
            code = "xp.sqrt({})" if known > 0 else "1.0 / xp.sqrt({})"
            return self._entrywise(dims, code, [base], arrays=True)
        return self._entrywise(dims, "{} ** {}", [base, exponent])

    def _whole(self, node: Term, args: Sequence[Value]) -> Value:
        """A function of whole arrays."""
        texts = [
            self._array(a.dims, self._dense(a.dims, v))
            for a, v in zip(node.args, args, strict=True)
        ]
        call = _CALLS[node.op].format(x=texts[0], y=texts[-1], k=detail(node))
        axes = tuple(range(node.order))
        return Value(self._emit(call), axes, axes)

    def _by_indicator(self, node: Term, done: Mapping[Term, Value]) -> Value:
        """A product with an indicator that is no array."""
        first = node.args[0].op == "indicator"
        indicator, term = node.args if first else node.args[::-1]
        left, right, out = node.spec
        spec = (left, right, out) if first else (right, left, out)
        text = self._array(term.dims, self._dense(term.dims, done[term]))
        key = slices(indicator, term, spec)
        # Slices with negative steps are not in the standard.
        if key is not None and not any("::-" in k for k in key):
            key += ["..."] if len(key) < term.order else []
            made = f"{text}[{', '.join(key)}]"
        else:
            described = constraints_text(indicator, self._size)
            made = f"own.indicator_product({spec}, {described}, {text})"
        axes = tuple(range(node.order))
        return Value(self._view(made), axes, axes)

    # Products -------------------------------------------------------------------------------

    def _product(self, node: Term, operands: Sequence[Value]) -> Value:
        """An einsum of one or two operands; indices that a delta ties are one index."""
        lengths = specs.sizes(node.spec, *(a.dims for a in node.args))
        arrays, _, out, absent = labelled_operands(node.spec, operands)
        present = {i for _, labels in arrays for i in labels}
        counts = [self._size(lengths[i]) for i in absent]
        scalars = [v for v in operands if not v.labels and v.text != "1.0"]
        wanted = tuple(i for i in dict.fromkeys(out) if i in present)
        if not arrays:
            texts = [f"float({c})" for c in counts] + [v.text for v in scalars]
            known = all(v.literal for v in scalars)
            text = " * ".join(texts) or "1.0"
            made = text if len(texts) < 2 and known else self._emit(text)
            return Value(made, (), out, literal=known)
        text, labels = self._combined(arrays, wanted)
        for v in scalars:
            text = self._emit(f"-{text}" if v.text == "(-1.0)" else f"{v.text} * {text}")
        for count in counts:
            text = self._emit(f"own.repeated({count}, {text})") if count != "1" else text
        return Value(text, labels, out)

    def _combined(self, arrays: Sequence[Atom], wanted: Indices) -> Atom:
        if len(arrays) == 1:
            return self._reduced(arrays[0], wanted)
        left, right = arrays
        left = self._reduced(left, (*wanted, *right[1]))
        right = self._reduced(right, (*wanted, *left[1]))
        shared = [i for i in left[1] if i in right[1]]
        if not any(i not in wanted for i in shared):
            both = (left[1], right[1])
            order = next((labels for labels in both if len(labels) == len(wanted)), wanted)
            return self._emit(f"{spread(left, order)} * {spread(right, order)}"), order
        matrices = _product_of_matrices(left, right, wanted)
        if matrices is not None:
            return self._emit(matrices[0]), matrices[1]
        summed = letters(left[1], right[1], wanted)
        return self._emit(f'{self._einsum}("{summed}", {left[0]}, {right[0]})'), wanted

    def _reduced(self, atom: Atom, kept: Indices) -> Atom:
        """Take diagonals, and sum over what is not kept."""
        text, labels = atom
        own = tuple(dict.fromkeys(labels))
        if own != labels:
            text = self._view(f"own.diagonal({text}, {labels})")
        gone = tuple(place for place, i in enumerate(own) if i not in kept)
        if not gone:
            return text, own
        axis = f", axis={gone[0] if len(gone) == 1 else gone}" if len(gone) < len(own) else ""
        rest = tuple(i for i in own if i in kept)
        return self._emit(f"xp.sum({text}{axis})"), rest


def _product_of_matrices(left: Atom, right: Atom, wanted: Indices) -> Atom | None:
    """A product of matrices or vectors by `@`; None where it is another one."""
    (a, p), (b, q) = left, right
    summed = [i for i in p if i in q]
    if len(summed) != 1 or summed[0] in wanted or len(p) > 2 or len(q) > 2:
        return None
    rows, columns = (tuple(i for i in own if i not in summed) for own in (p, q))
    if rows + columns != wanted and rows and columns:
        (a, p, rows), (b, q, columns) = (b, q, columns), (a, p, rows)
    if (len(p), len(q), p.index(summed[0])) == (2, 1, 0):
        # A vector from the left needs no transpose.
        return f"{b} @ {a}", rows
    a = a if p.index(summed[0]) == len(p) - 1 else f"{a}.T"
    b = b if q.index(summed[0]) == 0 else f"{b}.T"
    return f"{a} @ {b}", rows + columns


def spread(atom: Atom, wanted: Indices) -> str:
    """The array with its axes where `wanted` has them, ready to be broadcast.

    >>> spread(("A", (0, 2)), (2, 1, 0)), spread(("B", (0, 1, 2)), (1, 0, 2))
    ('A.T[:, None, :]', 'xp.permute_dims(B, (1, 0, 2))')
    """
    text, labels = atom
    own = tuple(i for i in wanted if i in labels)
    if own != labels:
        order = tuple(labels.index(i) for i in own)
        text = f"{text}.T" if order == (1, 0) else f"xp.permute_dims({text}, {order})"
    present = [i in own for i in wanted[wanted.index(own[0]) :]] if own else []
    if all(present):
        return text
    return f"{text}[{', '.join(':' if p else 'None' for p in present)}]"


def _tuple(texts: Sequence[str]) -> str:
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
