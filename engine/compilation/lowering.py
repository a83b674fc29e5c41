"""Lowering: each node of the terms becomes one instruction over labelled arrays, at most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, cast

from eggrad.engine.compilation.products import product
from eggrad.engine.compilation.program import (
    ONE,
    Atom,
    Instruction,
    Number,
    Program,
    Source,
    Stack,
    Value,
    number,
)
from eggrad.engine.compilation.views import by_selection, by_views, with_indicator
from eggrad.engine.costs.time_model import multiplications
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.indicator_plan import running_sum_of
from eggrad.engine.indices.slices import Views, key_of, views
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec
from eggrad.engine.terms.functions import FUNCTIONS, Function, function_of
from eggrad.engine.terms.loops import LAST, Recurrence, recurrence_of
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import Term, postorder, term_sparsity

_CHOICE: Final = (FUNCTIONS["where"], (False,) * 3)


def lower(program: Program) -> None:
    """Write the statements of every node, and what is returned."""
    _Lowering(program).run()


def _by_entries(spec: Spec, place: int) -> bool:
    """Whether each entry of one operand makes the entry of the product at its place."""
    return spec[place] == spec[-1] and {*spec[1 - place]} <= {*spec[place]}


class _Lowering:
    """Writes the statements of nodes."""

    def __init__(self, program: Program) -> None:
        """Write into a program, for what its terms are."""
        self._program = program
        self._block = program.block
        self._decompositions = Counter(map(_decomposition, postorder(*program.roots)))
        self._decomposed: dict[object, Source] = {}
        self._loops: dict[Recurrence, Source] = {}
        self._written_out: dict[tuple[Value, Dims], Value] = {}

    def run(self) -> None:
        """Write the statements of every node, and what is returned."""
        program = self._program
        done: dict[Term, Value] = {}
        for node in postorder(*program.roots, operands=program.operands):
            value = self.value(node, done)
            if value is not None:
                done[node] = replace(value, source=self._block.kept(node, value.source))
        stored = (t for t in done if t.op == "stepped_product" or not by_views(t))
        program.made |= {_stored(t, done[t]) for t in stored} | {r.dims for r in program.roots}
        shown = set[Source]()
        program.returned = [self.result(r, done[r], shown) for r in program.roots]

    def value(self, node: Term, done: Mapping[Term, Value]) -> Value | None:
        """The value of a node, given those of its operands; none where it is not stored."""
        if node in self._program.stacks:
            return self._stacked(node, self._program.stacks[node], done)
        selecting = by_selection(node)
        found = None
        if by_views(node):
            found = self._by_views(node, done)
        elif selecting is not None:
            found = self._by_selection(node, selecting, done)
        if found is not None:
            return found
        unstored = node.op in ("indicator", "selection") and node not in self._program.stored
        if unstored and not self._program.alone:
            return None
        return self._node(node, [self._operand(node, a, done[a]) for a in node.args])

    def _operand(self, node: Term, term: Term, value: Value) -> Value:
        """The value of an operand; a part of an array is one only where it is added."""
        if not value.place or node.op in ("add", "subtract"):
            return value
        return self._full(term.dims, value)

    def result(self, term: Term, value: Value, shown: set[Source]) -> Source:
        """A result that its user may change: it shares no memory with anything else."""
        value = self._full(term.dims, value)
        array = self._array(term.dims, value)
        if self._program.alone:
            return array
        given = self._program.names.values()
        if not value.labels:
            shared = array in given
        else:
            owner = self._block.owner(cast(str, value.source))
            shared = owner in shown or owner != value.source or owner in given
            shared = shared or len(value.labels) < term.order
            shown.add(owner)
        return Instruction("copy", ((array, _axes(term)),), _axes(term)) if shared else array

    # Arrays with all axes of a term -------------------------------------------------------------

    def _full(self, dims: Dims, value: Value) -> Value:
        """The value with the zeros of its deltas written out."""
        if value.dense:
            return value
        if (value, dims) not in self._written_out:
            self._program.made.add(dims)
            axes = tuple(range(len(dims)))
            sizes = dict(enumerate(dims))
            instruction = Instruction("with_zeros", (value.atom,), axes, (value, dims), sizes)
            self._written_out[value, dims] = Value(self._block.emit(instruction), axes, axes)
        return self._written_out[value, dims]

    def _array(self, dims: Dims, value: Value) -> Source:
        """A dense value as an array with all axes at their full length, in their order."""
        axes = tuple(range(len(dims)))
        if not dims and value.literal:
            return Instruction("array", (value.atom,))
        if value.labels == value.axes:
            return value.source
        places = tuple(value.axes.index(i) for i in value.labels)
        kind = "transpose"
        if len(places) < len(dims):
            self._program.made.add(dims)
            kind = "broadcast" if places else "filled"
        return Instruction(kind, ((value.source, places),), axes, dims, dict(enumerate(dims)))

    def _arrays(self, terms: Sequence[Term], values: Sequence[Value]) -> tuple[Atom, ...]:
        """Values as arrays with all axes of their terms."""
        return tuple(
            (self._array(t.dims, self._full(t.dims, v)), _axes(t))
            for t, v in zip(terms, values, strict=True)
        )

    def _emitted(
        self,
        kind: str,
        operands: Sequence[Atom],
        node: Term,
        data: Any = None,
        *,
        view: bool = False,
    ) -> Value:
        """The value of a node that one instruction computes whole, or shows."""
        axes = _axes(node)
        sizes = dict(enumerate(node.dims))
        instruction = Instruction(kind, tuple(operands), axes, data, sizes)
        source = self._block.alias(instruction) if view else self._block.emit(instruction)
        return Value(source, axes, axes)

    # Nodes --------------------------------------------------------------------------------------

    def _node(self, node: Term, args: list[Value]) -> Value:
        axes = _axes(node)
        match node.op:
            case "variable":
                return Value(self._program.names[node.name], axes, axes)
            case "array":
                # Others have the same array: nobody may write to it.
                data = node.array, node in self._program.indices
                return self._shared("known", node, data)
            case "constant":
                return number(Number(node.value), node.order)
            case "size":
                return number(Number(Fraction(1), (node.symbol,)).times(ONE))
            case "delta":
                return Value(ONE, (), axes[: node.order // 2] * 2)
            case "indicator":
                return self._shared("zeros_and_ones", node, node)
            case "selection":
                return self._emitted("selection", self._arrays(node.args, args), node, node.chosen)
            case "einsum":
                sizes = specs.sizes(node.spec, *(a.dims for a in node.args))
                return self._without_hidden(node, self._product(node.spec, args, sizes), args)
            case "power":
                known = node.args[1].value if node.args[1].op == "constant" else None
                return self._power(node, args[0], args[1], known)
            case "add" | "subtract":
                return self._sum(node.op, node, args)
            case "divide" | "negate":
                return self._without_hidden(node, self._entrywise(node.op, node, args), args)
            case "scan":
                return self._states(node, args)
            case "exp_difference":
                difference = self._entrywise("subtract", node, args)
                return self._entrywise("function", node, [difference], (FUNCTIONS["exp"], (False,)))
            case name if name in FUNCTIONS or function_of(name, node.data):
                return self._function(node, function_of(name, node.data) or FUNCTIONS[name], args)
            case _:
                return self._whole(node, args)

    def _product(self, spec: Spec, args: Sequence[Value], sizes: Mapping[int, Size]) -> Value:
        """A product of one or two arrays."""
        in_order = not self._program.in_place
        return product(spec, args, sizes, self._block, in_order=in_order)

    def _without_hidden(self, node: Term, value: Value, args: Sequence[Value]) -> Value:
        """A product or quotient in which what a mask hides has no part."""
        place = self._program.hiding.get(node)
        if place is None:
            return value
        if node.op == "divide" or _by_entries(node.spec, place):
            zero = number(Number(Fraction(0)), node.order)
            return self._entrywise("function", node, [args[place], value, zero], _CHOICE)
        order = (place, 1 - place)
        terms, values = [node.args[k] for k in order], [args[k] for k in order]
        atoms = self._arrays([node, *terms], [value, *values])
        spec = (*(node.spec[k] for k in order), node.spec[-1])
        return self._emitted("without_hidden", atoms, node, spec)

    def _shared(self, kind: str, node: Term, data: Any) -> Value:
        """An array that others have too: nobody may write to it."""
        axes = _axes(node)
        made = Instruction(kind, (), axes, data, dict(enumerate(node.dims)))
        return Value(self._block.alias(made), axes, axes)

    def _entrywise(self, kind: str, node: Term, args: Sequence[Value], data: Any = None) -> Value:
        """An operation on the entries of values with the axes of a node, or of scalars."""
        values = [self._full(node.dims if v.axes else (), v) for v in args]
        # Labels become places among the axes of the result.
        places = [tuple(v.axes.index(i) for i in v.labels) for v in values]
        present = {i for labels in places for i in labels}
        order = tuple(sorted(present))
        if self._program.in_place:
            order = next((labels for labels in places if {*labels} == present), order)
        atoms = tuple((v.source, labels) for v, labels in zip(values, places, strict=True))
        made = Instruction(kind, atoms, order, data, dict(enumerate(node.dims)))
        axes = tuple(range(max(len(v.axes) for v in values)))
        return Value(self._block.emit(made), order, axes)

    def _function(self, node: Term, function: Function, args: Sequence[Value]) -> Value:
        """A function of every entry; a test that is not only asked for is a number."""
        value = self._entrywise("function", node, args, (function, self._is_asked(node)))
        if not function.is_test or node in self._program.masks:
            return value
        sizes = dict(enumerate(node.dims))
        made = Instruction("numbers", (value.atom,), value.labels, None, sizes)
        return Value(self._block.emit(made), value.labels, value.axes)

    def _is_asked(self, node: Term) -> tuple[bool, ...]:
        """Of each operand whether it is an array of truth values."""
        known = (function_of(a.op, a.data) for a in node.args)
        tests = (function is not None and function.is_test for function in known)
        return tuple(t and a in self._program.masks for t, a in zip(tests, node.args, strict=True))

    def _power(self, node: Term, base: Value, exponent: Value, known: Fraction | None) -> Value:
        if known == 0:
            return number(ONE, len(base.axes))
        base = self._full(node.dims, base)
        if known == 1:
            return base
        steps = multiplications(known) if known is not None and self._program.in_place else None
        if known is None or steps is None:
            return self._entrywise("power", node, [base, exponent], known)
        if base.literal:
            array = Instruction("array", (base.atom,))
            base = Value(self._block.emit(array), (), base.axes)
        made = None if abs(known) < 1 else base
        for step in steps:
            if step == "base" and made is not None:
                made = self._entrywise("multiply", node, [made, base])
            elif step == "root":
                root = self._entrywise("sqrt", node, [base])
                made = root if made is None else self._entrywise("multiply", node, [made, root])
            else:
                made = self._entrywise(step, node, [made or base])
        return made or base

    def _sum(self, kind: str, node: Term, args: Sequence[Value]) -> Value:
        """A sum or difference; of a value with deltas only its entries are touched."""
        left, right = args
        if not self._program.in_place or (left.dense and right.dense):
            return self._entrywise(kind, node, args)
        negated = right.dense and kind == "subtract"
        sign = "-" if kind == "subtract" and not right.dense else "+"
        if right.dense:
            left, right = right, left
        dims = node.dims if left.axes or left.place else ()
        left = self._full(dims, left)
        axes = tuple(range(len(left.axes)))
        atoms = (self._array(dims, left), axes), right.atom
        instruction = Instruction("add_entries", atoms, axes, (right, sign, negated))
        return Value(self._block.emit(instruction), axes, axes)

    def _by_views(self, node: Term, done: Mapping[Term, Value]) -> Value | None:
        """A product with an indicator: of two arrays, or perhaps a view of one."""
        if node.op == "stepped_product":
            indicator, *operands = node.args
            atoms = self._arrays(operands, [done[a] for a in operands])
            return self._emitted("stepped_product", atoms, node, (node.data, indicator))
        indicator, term, spec = with_indicator(node)
        out = spec[-1]
        full = self._full(term.dims, done[term])
        sparsity = [term_sparsity(a) for a in node.args]
        running = running_sum_of(node.spec, [a.dims for a in node.args], sparsity)
        if running is not None and self._program.in_place:
            instruction = Instruction(
                "running_sum", self._arrays([term], [full]), running.labels, running
            )
            return Value(self._block.emit(instruction), running.labels, out)
        seen = views(indicator, term.dims, spec, self._program.size)
        if seen is not None and self._has_views(seen):
            return self._viewed(term, full, seen)
        if self._program.alone:
            return None
        atoms = self._arrays([term], [full])
        return self._emitted("indicator_product", atoms, node, (spec, indicator), view=True)

    def _has_views(self, seen: Views) -> bool:
        """Whether the library has such views; only NumPy's arrays are written to."""
        program = self._program
        backwards = any("::-" in axis.key for axis in seen.source)
        reads = (program.reads_backwards or not backwards) and (
            program.splits_axes or not seen.splits
        )
        return reads and (program.in_place or seen.is_whole)

    def _viewed(self, term: Term, value: Value, seen: Views) -> Value:
        """Entries of an array as those of a result."""
        labels = tuple(i for axis in seen.source for i in axis.indices)
        wanted = tuple(i for axis in seen.target for i in axis.indices)
        place = () if seen.is_whole else seen.target
        if not value.labels and {*labels} <= {*wanted}:
            return Value(value.source, (), wanted, place)
        ((array, _),) = self._arrays([term], [value])
        if any(axis.key != ":" for axis in seen.source):
            left = tuple(k for k, axis in enumerate(seen.source) if axis.indices)
            key = tuple(key_of(seen.source))
            alone = (k for k in left if len(seen.source[k].indices) == 1)
            sizes = {k: seen.source[k].dims[0] for k in alone}
            made = Instruction("entries", ((array, _axes(term)),), left, key, sizes)
            array = self._block.alias(made)
        if seen.splits:
            dims = tuple(d for axis in seen.source for d in axis.dims)
            array = self._block.alias(Instruction("reshape", ((array, labels),), labels, dims))
        every = (pair for axis in seen.source for pair in zip(axis.indices, axis.dims, strict=True))
        kept = tuple(i for i in dict.fromkeys(labels) if i in wanted)
        axes = tuple(range(len(labels)))
        read = self._product((labels, kept), [Value(array, axes, axes)], dict(every))
        return Value(*read.atom, wanted, place)

    def _by_selection(self, node: Term, place: int, done: Mapping[Term, Value]) -> Value | None:
        """A product with a selection that is not stored: entries chosen, or sums into them."""
        selection = node.args[place]
        # Both operands may be the same.
        chosen, rest = selection.chosen, [a for k, a in enumerate(node.args) if k != place]
        part, out = node.spec[place], node.spec[-1]
        other = node.spec[1 - place] if rest else ()
        places = self._arrays(selection.args, [done[a] for a in selection.args])
        array: Atom = (ONE, ())
        if rest:
            (array,) = self._arrays(rest, [done[rest[0]]])
        if len(chosen) == 1 and part[-1] in other and not {*part[:-1]} & {*other}:
            axis = other.index(part[-1])
            labels = (*other[:axis], *part[:-1], *other[axis + 1 :])
            # What is computed may be no integers of the library's.
            known = not self._program.alone or selection.args[0].op in ("variable", "array")
            if known and {*labels} == {*out}:
                sizes = dict(zip(out, node.dims, strict=True))
                made = Instruction("selected", (array, *places), labels, axis, sizes)
                return Value(self._block.emit(made), labels, out)
        if self._program.alone:
            return None
        spec = (part, other, out)
        made = Instruction("selected_product", (array, *places), out, (spec, chosen))
        return Value(self._block.emit(made), out, out)

    def _whole(self, node: Term, args: Sequence[Value]) -> Value:
        """A function of whole arrays."""
        atoms = self._arrays(node.args, args)
        key = _decomposition(node)
        if key is not None and self._decompositions[key] > 1 and self._program.in_place:
            if key not in self._decomposed:
                instruction = Instruction("decomposition", atoms, (), (key[0], detail(node)))
                self._decomposed[key] = self._block.emit(instruction)
            return self._part(self._decomposed[key], _part(node), node)
        return self._emitted("call", atoms, node, node)

    def _part(self, whole: Source, k: object, node: Term) -> Value:
        """One of several arrays that are computed at once."""
        return self._emitted("part", [(whole, ())], node, k, view=True)

    def _states(self, node: Term, args: Sequence[Value]) -> Value:
        """States of a loop, which runs once for all that are needed."""
        recurrence, loop = recurrence_of(node), node.loop
        if recurrence not in self._loops:
            atoms = self._arrays(node.args, args)
            made = Instruction("loop", atoms, (), (recurrence, loop))
            self._loops[recurrence] = self._block.emit(made)
        self._program.made.add((recurrence.length, *recurrence.states(loop.carry, LAST).dims))
        return self._emitted("states", [(self._loops[recurrence], ())], node, loop, view=True)

    def _stacked(self, node: Term, stack: Stack, done: Mapping[Term, Value]) -> Value:
        """A sum of outer products, as a product of two matrices, and what else is added."""
        atoms = self._arrays(stack.vectors, [done[a] for a in stack.vectors])
        value = self._emitted("stack", atoms, node, [s.negative for s in stack.products])
        for s in stack.others:
            value = self._sum("subtract" if s.negative else "add", node, [value, done[s.term]])
        return value


# From the same exponentials: the places in what one call gives.
_OF_EXPONENTIALS: Final = {"softmax": 0, "logsumexp": 1}


def _decomposition(node: Term) -> tuple[str, Term, object] | None:
    """The call that gives a node and others of the same operand at once, if one does."""
    if node.op in _OF_EXPONENTIALS:
        return "softmax_and_log_sum_exp({}, {k})", node.args[0], node.data
    function = STACK_FUNCTIONS.get(node.op)
    return (function.whole, node.args[0], None) if function is not None and function.whole else None


def _part(node: Term) -> object:
    """The place of a node in what is given at once."""
    if node.op in _OF_EXPONENTIALS:
        return _OF_EXPONENTIALS[node.op]
    return STACK_FUNCTIONS[node.op].part


def asked_alone(roots: Sequence[Term]) -> set[Term]:
    """The tests that nothing needs as numbers: conditions of choices, and parts of such."""
    nodes = list(postorder(*roots))
    needed = {*roots}
    for node in reversed(nodes):
        function = function_of(node.op, node.data)
        if function is None or not function.name.startswith("logical_") or node in needed:
            needed.update(node.args[1:] if node.op == "where" else node.args)
    return {n for n in nodes if n not in needed}


def _axes(term: Term) -> Indices:
    return tuple(range(term.order))


def _stored(term: Term, value: Value) -> Dims:
    """The axes of the array that a value has: each label once."""
    return tuple(term.dims[value.axes.index(i)] for i in value.labels)


def detail(node: Term) -> object:
    """What a call needs to know beside its arrays: an order, the axes that go, a property."""
    if node.op in ("cofactors", "symmetric_product", "argsort"):
        return node.data
    if node.op == "logdet":
        return node.data == "positive definite"
    source, kept = cast(Spec, node.data or ((), ()))
    return tuple(k for k, i in enumerate(source) if i not in kept)
