"""Lowering: each node of the terms becomes one statement over labelled arrays, at most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, cast

from eggrad.engine.compilation.indicator_code import (
    by_selection,
    by_views,
    constraints_text,
    places,
    product_text,
    running_sum_text,
    slices,
)
from eggrad.engine.compilation.product_code import factor_text, product, scheduled
from eggrad.engine.compilation.program import (
    Batch,
    Block,
    Operation,
    Program,
    Stack,
    System,
    Value,
    letters,
    literal,
    number,
    spread,
    transposed,
    wrapped,
)
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.costs.time_model import multiplications
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import is_simple, size_symbols, size_text
from eggrad.engine.indices.indicator_plan import running_sum_of
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec
from eggrad.engine.terms.functions import (
    EXTREMES,
    FUNCTIONS,
    MATRIX_FUNCTIONS,
    Function,
    function_of,
)
from eggrad.engine.terms.loops import BEFORE, LAST, Recurrence, recurrence_of
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import Loop, Term, postorder, term_sparsity

# Arrays with all axes of a term -----------------------------------------------------------------


class _WholeArrays:
    """Values as arrays with all axes of a term: zeros of deltas and repetitions are written."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.block, self.dtype = program.block, program.dtype

    def size(self, d: Size) -> str:
        """The text of a size."""
        if isinstance(d, int):
            return str(d)
        self._program.used.update(size_symbols(d))
        text = size_text(d, self._program.sizes)
        return text if is_simple(d) else f"({text})"

    def shape(self, dims: Dims) -> list[str]:
        """The texts of several sizes."""
        return [self.size(d) for d in dims]

    @property
    def dtype_argument(self) -> str:
        """The dtype as a further argument of a call; nothing where there is none."""
        return f", {self.dtype}" if self.dtype else ""

    def full(self, dims: Dims, value: Value) -> Value:
        """The value with the zeros of its deltas written out."""
        if value.dense:
            return value
        self._program.made.add(dims)
        return _dense(value, self.block, self.shape(dims), self.dtype)

    def array(self, dims: Dims, value: Value) -> str:
        """The text of a dense value as an array with all axes at their full length."""
        if not dims:
            return wrapped([value])[0]
        if len(value.labels) == len(dims):
            return spread((value.text, value.labels), value.axes)
        shape = f"({', '.join(self.shape(dims))}{',' * (len(dims) == 1)})"
        self._program.made.add(dims)
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


def _diagonal(name: str, axes: Indices, size: str = "") -> str:
    """The entries of an array where axes of equal labels have equal positions, as a view.

    `size` is the length of the axes of a matrix in C order.

    >>> _diagonal("H", (0, 1, 0, 1)), _diagonal("H", (0, 0), "n")
    ('np.einsum("ijij->ij", H)[...]', 'H.reshape(-1)[::n + 1]')
    """
    if size and axes == (axes[0], axes[0]):
        return f"{name}.reshape(-1)[::{size} + 1]"
    return f'np.einsum("{letters(axes, tuple(dict.fromkeys(axes)))}", {name})[...]'


def _entries(name: str, value: Value, size: str = "") -> str:
    """The entries of an array that a value with zeros has; `size` as for `_diagonal`."""
    return f"{name}[{', '.join(value.place)}]" if value.place else _diagonal(name, value.axes, size)


def _dense(value: Value, block: Block, sizes: Sequence[str], dtype: str) -> Value:
    """The value with a delta's zeros written out: an array of zeros, and its other entries."""
    if value.dense:
        return value
    order = len(sizes)
    axes = tuple(range(order))
    if value.text == "1.0" and order == 2 and not value.place:
        name = block.emit(f"np.eye({sizes[0]}{dtype and f', dtype={dtype}'})", [], order)
    else:
        name = block.emit(f"np.zeros(({', '.join(sizes)}){dtype and f', {dtype}'})", [], order)
        _write_entries(_entries(name, value, sizes[0]), "=", name, value, block)
    return Value(name, axes, axes)


def _add_entries(name: str, value: Value, block: Block, sign: str) -> None:
    """Add a value with deltas to an array (`+=`) or subtract it, touching no other entries."""
    _write_entries(_entries(name, value), sign, name, value, block)


def _write_entries(target: str, sign: str, name: str, value: Value, block: Block) -> None:
    own = tuple(dict.fromkeys(value.axes))
    if value.place:
        own = tuple(i for i, key in zip(own, value.place, strict=True) if ":" in key)
    entries = spread((value.text, value.labels), own) if value.labels else value.text
    block.effect(f"{target} {sign} {entries}", [name, value.text])


# Element-wise operations ------------------------------------------------------------------------

# The operator, and the function that writes into its second operand.
_INFIX: Final = {
    "add": ("+", "np.add"),
    "subtract": ("-", "np.subtract"),
    "divide": ("/", "np.divide"),
}


class _Elementwise:
    """Writes element-wise operations on values with the axes `dims`, or scalars."""

    def __init__(self, arrays: _WholeArrays, dims: Dims, model: CostModel) -> None:
        self._arrays = arrays
        self._block = arrays.block
        self._dims = dims
        self._model = model

    def _dense(self, value: Value) -> Value:
        """The value with its zeros."""
        return self._arrays.full(self._dims if value.axes else (), value)

    def _unary(self, code: str, x: Value, operation: Operation | None = None) -> Value:
        written = code.format(x.text)
        # The modulus of complex numbers is real; our own functions make arrays of their own.
        in_place = code.startswith("np.") and not code.startswith("np.abs(")
        reuse = [(x.text, f"{written[:-1]}, out={x.text})")] if in_place else []
        made = self._block.emit(written, [x.text], len(x.labels), reuse, operation)
        return Value(made, x.labels, x.axes)

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
        steps = None if known is None else multiplications(known)
        if steps is not None:
            made = None if known is not None and abs(known) < 1 else base
            for step in steps:
                made = self._multiplied(step, made, base)
            return made or base
        a, b = wrapped([base, exponent])
        reuse = [(a, f"{a} **= {b}")] if known is not None else []
        made = self._block.emit(f"{a} ** {b}", [a, b], len(base.labels), reuse)
        return Value(made, base.labels, base.axes)

    def _multiplied(self, step: str, made: Value | None, base: Value) -> Value:
        """One step on the way to a power, from what is made of the base so far."""
        if step == "base" and made is not None:
            return self._times(made, base)
        if step == "root":
            root = self._known("sqrt", base)
            return root if made is None else self._times(made, root)
        return self._known(step, made or base)

    def _known(self, function: str, x: Value) -> Value:
        """A function for which passes know several kernels."""
        lengths = tuple(map(self._model.length, self._dims if x.axes else ()))
        code = f"np.{function}"
        operation = Operation(code, (x.text,), (x.labels,), x.labels, lengths)
        return self._unary(f"{code}({{}})", x, operation)

    def _times(self, a: Value, b: Value) -> Value:
        """The product of two values with the same labels."""
        pairs = ((a.text, b.text), (b.text, a.text))
        reuse = [(x, f"{x} *= {y}") for x, y in pairs]
        texts = [a.text, b.text]
        made = self._block.emit(" * ".join(texts), texts, len(a.labels), reuse)
        return Value(made, a.labels, a.axes)

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
        text = self._arrays.array(self._dims if left.axes else (), left)
        written, over = f"{text}.copy()", ""
        if flipped:
            written, over = f"np.negative({text})", f"np.negative({text}, out={text})"
        reuse = [(left.text, over)] if text == left.text and left.labels else []
        order = len(left.axes)
        name = self._block.emit(written, [left.text], order, reuse)
        _add_entries(name, right, self._block, f"{sign}=")
        return Value(name, tuple(range(order)), tuple(range(order)))


# Nodes ------------------------------------------------------------------------------------------

# Functions of whole arrays: their call, given the operands and what else identifies the node.
_WHOLE: Final = {
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


def lower(program: Program) -> None:
    """Write the statements of every node, and the texts of the roots' values."""
    writer = _Writer(program)
    done: dict[Term, Value] = {}
    for node in scheduled(program.roots, program.batches):
        done |= writer.values(node, done)
    own = (t for t in done if t.op == "stepped_product" or not by_views(t))
    program.made |= {_stored(t, done[t]) for t in own} | {r.dims for r in program.roots}
    shown: set[str] = set()
    program.returned = [writer.result(r, done[r], shown) for r in program.roots]


class _Writer:
    """Writes the statements of nodes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._block, self._model = program.block, program.model
        self._arrays = _WholeArrays(program)
        self._decompositions = Counter(map(_decomposition, postorder(*program.roots)))
        self._decomposed: dict[object, str] = {}
        self._loops: dict[Recurrence, str] = {}

    def values(self, node: Term, done: Mapping[Term, Value]) -> dict[Term, Value]:
        """What a node adds to the values that are there: its own, or those of its batch."""
        program = self._program
        if node in program.stacks:
            return {node: self._stacked(node, program.stacks[node], done)}
        if node in program.batches:
            own = program.batches[node]
            if node in done:
                return {}
            return self._batch(own, done) if isinstance(own, Batch) else self._solutions(own, done)
        if by_views(node):
            return {node: self._by_views(node, done)}
        selecting = by_selection(node)
        if selecting is not None:
            return {node: self._by_selection(node, selecting, done)}
        unstored = node.op in ("indicator", "selection") and node not in program.stored
        if node in program.absorbed or unstored:
            return {}
        return {node: self._node(node, [self._operand(node, a, done[a]) for a in node.args])}

    def _operand(self, node: Term, term: Term, value: Value) -> Value:
        """The value of an operand; a part of an array is one only where it is added."""
        if not value.place or node.op in ("add", "subtract"):
            return value
        return self._arrays.full(term.dims, value)

    def result(self, term: Term, value: Value, shown: set[str]) -> str:
        """A result that its user may change: it shares no memory with anything else."""
        value = self._arrays.full(term.dims, value)
        text = self._arrays.array(term.dims, value)
        if not value.labels:
            return f"{text}[()]" if text in self._program.names.values() else text
        own = self._block.owner(value.text)
        shared = own in shown or own != value.text or own in self._program.names.values()
        shown.add(own)
        return f"{text}.copy()" if shared or len(value.labels) < term.order else text

    def _node(self, node: Term, args: list[Value]) -> Value:
        axes = tuple(range(node.order))
        match node.op:
            case "variable":
                return Value(self._program.names[node.name], axes, axes)
            case "array":
                # Others have the same array: nobody may write to it.
                name, dtype = self._program.fixed[node.array], self._arrays.dtype
                if node in self._program.indices:
                    return Value(self._block.alias(f"{name}[...]", name), axes, axes)
                own = f"{name}.astype({dtype}, copy=False)" if dtype else f"{name}[...]"
                return Value(self._block.alias(own, name), axes, axes)
            case "constant":
                return number(literal(node.value), node.order)
            case "size":
                return number(f"float({self._arrays.size(node.symbol)})")
            case "delta":
                return Value("1.0", (), axes[: node.order // 2] * 2, literal=True)
            case "indicator":
                described = constraints_text(node, self._arrays.size)
                call = f"zeros_and_ones({described}{self._arrays.dtype_argument})"
                # Others have the same array: nobody may write to it.
                return Value(self._block.alias(call, "zeros_and_ones"), axes, axes)
            case "selection":
                (index,), uses = self._arrays.operands(node.args, args)
                chosen = self._tuple_of(node.chosen)
                call = f"selection({index}, {chosen}{self._arrays.dtype_argument})"
                return Value(self._block.emit(call, uses, node.order), axes, axes)
            case "einsum":
                spec = node.spec
                lengths = specs.sizes(spec, *(a.dims for a in node.args))
                return product(
                    spec,
                    args,
                    lambda i: self._arrays.size(lengths[i]),
                    self._block,
                    lambda i: self._model.length(lengths[i]),
                    turns=self._program.turns,
                )
            case "power":
                known = node.args[1].value if node.args[1].op == "constant" else None
                return self._entrywise(node).power(args[0], args[1], known)
            case "add" | "subtract" | "divide":
                return self._entrywise(node).infix(node.op, args)
            case "scan":
                return self._states(node, args)
            case name if name in _WHOLE:
                return self._whole(node, args)
            case "exp_difference":
                entrywise = self._entrywise(node)
                return entrywise.function(FUNCTIONS["exp"], [entrywise.infix("subtract", args)])
            case "negate":
                return self._entrywise(node).negative(args[0])
            case name:
                own = function_of(name, node.data) or FUNCTIONS[name]
                value = self._entrywise(node).function(own, args)
                return (
                    value
                    if not own.is_test or node in self._program.masks
                    else self._numbers(value)
                )

    def _numbers(self, test: Value) -> Value:
        """A test as numbers, 1 and 0, that are not only asked for."""
        dtype = self._arrays.dtype or "float"
        made = (
            f"np.asarray({test.text}, {dtype})[()]"
            if not test.labels
            else f"{test.text}.astype({dtype})"
        )
        return Value(self._block.emit(made, [test.text], len(test.labels)), test.labels, test.axes)

    def _by_views(self, node: Term, done: Mapping[Term, Value]) -> Value:
        """A product with an indicator: of two arrays, or perhaps a view of one."""
        axes = tuple(range(node.order))
        if node.op == "stepped_product":
            indicator, *operands = node.args
            texts, uses = self._arrays.operands(operands, [done[a] for a in operands])
            described = constraints_text(indicator, self._arrays.size)
            call = f"stepped_product({node.data}, {described}, {', '.join(texts)})"
            return Value(self._block.emit(call, uses, node.order), axes, axes)
        first = node.args[0].op == "indicator"
        indicator, term = node.args if first else node.args[::-1]
        left, right, out = node.spec
        full = self._arrays.full(term.dims, done[term])
        text = self._arrays.array(term.dims, full) if term.dims else full.text
        if full.literal and not term.dims and self._arrays.dtype:
            text = f"np.asarray({text}, {self._arrays.dtype})"
        spec = (left, right, out) if first else (right, left, out)
        sparsity = [term_sparsity(a) for a in node.args]
        running = running_sum_of(node.spec, [a.dims for a in node.args], sparsity)
        if running is not None:
            summed = running_sum_text(text, running)
            return Value(self._block.emit(summed, [full.text], node.order), running.labels, out)
        size = self._arrays.size
        if slices(indicator, term, spec, size) is None:
            placed = places(indicator, term, spec, size)
            if placed is not None:
                return _placed(full, spec, placed)
        made = product_text(indicator, (text, term), spec, self._arrays.size)
        return Value(self._block.alias(made, full.text), axes, axes)

    def _by_selection(self, node: Term, place: int, done: Mapping[Term, Value]) -> Value:
        """A product with a selection that is not stored: entries chosen, or sums into them."""
        selection = node.args[place]
        # Both operands may be the same.
        chosen, rest = selection.chosen, [a for k, a in enumerate(node.args) if k != place]
        own, out = node.spec[place], node.spec[-1]
        other = node.spec[1 - place] if rest else ()
        (index,), uses = self._arrays.operands(selection.args, [done[selection.args[0]]])
        array = "1.0"
        if rest:
            (array,), used = self._arrays.operands(rest, [done[rest[0]]])
            uses += used
        rows = own[: len(own) - len(chosen)]
        if len(chosen) == 1 and own[-1] in other and not {*rows} & {*other}:
            axis = other.index(own[-1])
            labels = (*other[:axis], *rows, *other[axis + 1 :])
            if {*labels} == {*out}:
                made = self._block.emit(f"selected({array}, {axis}, {index})", uses, node.order)
                return Value(made, labels, out)
        spec = (own, other, out)
        sizes = self._tuple_of(chosen)
        call = f"selected_product({spec}, {sizes}, {index}, {array})"
        return Value(self._block.emit(call, uses, node.order), out, out)

    def _tuple_of(self, dims: Dims) -> str:
        """The text of a tuple of sizes."""
        return f"({', '.join(self._arrays.shape(dims))}{',' * (len(dims) == 1)})"

    def _entrywise(self, node: Term) -> _Elementwise:
        """What writes element-wise operations on values with the axes of a node, or scalars."""
        return _Elementwise(self._arrays, node.dims, self._model)

    def _whole(self, node: Term, args: Sequence[Value]) -> Value:
        """A function of whole arrays."""
        arrays, uses = self._arrays.operands(node.args, args)
        axes = tuple(range(node.order))
        key = _decomposition(node)
        if key is not None and self._decompositions[key] > 1:
            if key not in self._decomposed:
                call = key[0].format(arrays[0], k=detail(node))
                self._decomposed[key] = self._block.emit(call, uses)
            whole = self._decomposed[key]
            return Value(self._block.alias(f"{whole}[{_part(node)}]", whole), axes, axes)
        call = _WHOLE[node.op].format(x=arrays[0], y=arrays[-1], k=detail(node))
        if node.op == "argsort" and node not in self._program.indices:
            call += ".astype(float)"
        return Value(self._block.emit(call, uses, node.order), axes, axes)

    def _states(self, node: Term, args: Sequence[Value]) -> Value:
        """States of a loop, which runs once for all that are needed."""
        own, loop = recurrence_of(node), node.loop
        if own not in self._loops:
            arrays, uses = self._arrays.operands(node.args, [self._of_dtype(v) for v in args])
            name, sizes = self._program.steps[own.step]
            length = self._arrays.size(own.length)
            shape = self._arrays.shape(tuple(loop.inside[s] for s in sizes))
            self._loops[own] = self._block.emit(
                f"run_loop({loop_arguments(own, name, length, arrays, shape)})", uses
            )
        self._program.made.add((own.length, *own.states(loop.carry, LAST).dims))
        whole, axes = self._loops[own], tuple(range(node.order))
        return Value(self._block.alias(states_text(whole, loop), whole), axes, axes)

    def _of_dtype(self, value: Value) -> Value:
        """A value that is no number of Python's, whose dtype would be that of all states."""
        if not value.literal or value.axes or not self._arrays.dtype:
            return value
        return Value(self._block.emit(f"np.asarray({value.text}, {self._arrays.dtype})"))

    def _solutions(self, system: System, done: Mapping[Term, Value]) -> dict[Term, Value]:
        """The solutions of systems with one matrix, from one call."""
        operands = (system.matrix, *system.vectors.values())
        texts, uses = self._arrays.operands(operands, [done[a] for a in operands])
        whole = self._block.emit(f"solve_all({', '.join(texts)})", uses)
        found: dict[Term, Value] = {}
        for k, node in enumerate(system.vectors):
            axes = tuple(range(node.order))
            found[node] = Value(self._block.alias(f"{whole}[{k}]", whole), axes, axes)
        return found

    def _batch(self, batch: Batch, done: Mapping[Term, Value]) -> dict[Term, Value]:
        """The products of a batch, as rows of one product."""
        matrix = self._arrays.complete(batch.matrix, done[batch.matrix])
        vectors = [self._arrays.complete(v, done[v]).text for v in batch.vectors.values()]
        axes = matrix.axes if batch.transposed else matrix.axes[::-1]
        right = transposed((matrix.text, matrix.labels), axes)
        text = f"np.array([{', '.join(vectors)}]).dot({right})"
        whole = self._block.emit(text, [matrix.text, *vectors], 2)
        return {
            node: Value(self._block.alias(f"{whole}[{k}]", whole), (0,), (0,))
            for k, node in enumerate(batch.vectors)
        }

    def _stacked(self, node: Term, stack: Stack, done: Mapping[Term, Value]) -> Value:
        """A sum of outer products, as a product of two matrices, and what else is added."""
        axes = tuple(range(node.order))
        shape = self._arrays.shape(node.dims)
        operands = {t: self._arrays.complete(t, done[t]) for t in stack.operands}
        texts = [factor_text(stack, side, operands, shape) for side in (0, 1)]
        text = f"{texts[0]} @ {texts[1]}" if stack.batch else f"{texts[0]}.dot({texts[1]})"
        if node.order > 2 + (stack.batch == 1):
            text = f"({text})" if stack.batch else text
            text = f"{text}.reshape({', '.join(shape)})"
        uses = [v.text for v in operands.values()]
        value = Value(self._block.emit(text, uses, node.order), axes, axes)
        for s in stack.others:
            op = "subtract" if s.negative else "add"
            value = self._entrywise(node).infix(op, [value, done[s.term]])
        return value


def loop_arguments(
    own: Recurrence, step: str, length: str, arrays: Sequence[str], sizes: Sequence[str]
) -> str:
    """What a function that runs a loop is given: the step, how often, and what it starts with."""
    first, second = len(own.starts), len(own.starts) + len(own.slices)
    parts = arrays[:first], arrays[first:second], (*arrays[second:], *sizes)
    groups = (f"({''.join(f'{text}, ' for text in part).rstrip()})" for part in parts)
    return f"{step}, {length}, {', '.join(groups)}, backwards={own.backwards}"


def states_text(whole: str, loop: Loop, others: str = "") -> str:
    """The states that a term is, of those before and after each step of each carry.

    `others` stands for the axes of one state, where a library wants to be told of them.
    """
    if loop.part == LAST:
        place = "0" if loop.backwards else "-1"
    else:
        place = ":-1" if (loop.part == BEFORE) != loop.backwards else "1:"
    return f"{whole}[{loop.carry}][{place}{others}]"


# From the same exponentials: the places in what one call gives.
_OF_EXPONENTIALS: Final = {"softmax": 0, "logsumexp": 1}


def _decomposition(node: Term) -> tuple[str, Term, object] | None:
    """The call that gives a node and others of the same operand at once, if one does."""
    if node.op in _OF_EXPONENTIALS:
        return "softmax_and_log_sum_exp({}, {k})", node.args[0], node.data
    own = STACK_FUNCTIONS.get(node.op)
    return (own.whole, node.args[0], None) if own is not None and own.whole else None


def _part(node: Term) -> object:
    """The place of a node in what is given at once."""
    if node.op in _OF_EXPONENTIALS:
        return _OF_EXPONENTIALS[node.op]
    return STACK_FUNCTIONS[node.op].part


def _placed(value: Value, spec: Spec, placed: Sequence[tuple[str, int | None]]) -> Value:
    """The part of a larger array that a value is; `spec` has the indicator before the array."""
    _, source, out = spec
    index = dict(zip(value.axes, source, strict=True))
    # An axis that only one index has is no axis of the array.
    axes = (~i if own is None else own for i, (_, own) in zip(out, placed, strict=True))
    labels = tuple(index[label] for label in value.labels)
    key = tuple(text for text, _ in placed)
    return Value(value.text, labels, tuple(axes), value.literal, key)


def asked_alone(roots: Sequence[Term]) -> set[Term]:
    """The tests that nothing needs as numbers: conditions of choices, and parts of such."""
    nodes = list(postorder(*roots))
    needed = {*roots}
    for node in reversed(nodes):
        own = function_of(node.op, node.data)
        if own is None or not own.name.startswith("logical_") or node in needed:
            needed.update(node.args[1:] if node.op == "where" else node.args)
    return {n for n in nodes if n not in needed}


def _stored(term: Term, value: Value) -> Dims:
    """The axes of the array that a value has: each label once."""
    return tuple(term.dims[value.axes.index(i)] for i in value.labels)


def detail(node: Term) -> object:
    """What a call needs to know beside its arrays: an order, the axes that go, a property."""
    if node.op in ("cofactors", "symmetric_product", "argsort"):
        return node.data
    if node.op == "logdet":
        return node.data == "positive definite"
    return _summed(cast(Spec, node.data or ((), ())))


def _summed(spec: Spec) -> Indices:
    """The axes that a sum takes away."""
    source, kept = spec
    return tuple(k for k, i in enumerate(source) if i not in kept)
