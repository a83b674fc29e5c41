"""Expressions of one example made into those of many, which lie along a new first axis."""

from collections.abc import Mapping

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.loops import LAST, recurrence, recurrence_of
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term, postorder, rebuild
from eggrad.frontend.expression.broadcasting import spread
from eggrad.frontend.expression.functions import OF_STACKS
from eggrad.frontend.expression.indexing import pick, select

# What the new axis is called beside the indices of a product.
_NEW = -1


def batched(root: Term, examples: Mapping[Term, Term], size: Size) -> Term:
    """A term with a new first axis: its value at every example.

    `examples` are terms in place of variables, with the new axis, which is `size` long. What
    depends on no example is the same for all.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x, X = variable("A", ("m", "n")), variable("x", ("n",)), variable("X", ("b", "n"))
    >>> batched(einsum("ij,j->i", A, x), {x: X}, "b").dims
    ('b', 'm')
    """
    done: dict[Term, Term] = {}
    for t in postorder(root):
        if t in examples:
            done[t] = examples[t]
        elif any(a in done for a in t.args):
            done[t] = _batched(t, done, size)
    return done[root] if root in done else spread(root, (size, *root.dims))


def _batched(t: Term, done: Mapping[Term, Term], size: Size) -> Term:
    """A node, some of whose operands have the new axis."""
    if t.op == "scan":
        return _batched_loop(t, done, size)
    args = tuple(done.get(a, a) for a in t.args)
    if t.op == "einsum" or t.op in EXTREMES:
        ins = [(_NEW, *i) if a in done else i for a, i in zip(t.args, t.spec, strict=False)]
        spec = canonical(ins, (_NEW, *t.spec[-1]))
        return (
            terms.einsum(spec, *args) if t.op == "einsum" else terms.numeric(t.op, *args, data=spec)
        )
    if t.op in OF_STACKS:
        return terms.numeric(OF_STACKS[t.op], *args)
    if t.op == "adj":
        # One by one would hold of singular matrices too, and takes a minute of three matrices.
        values, inverses = (terms.numeric(op, *args) for op in ("determinants", "inverses"))
        return terms.einsum(canonical([(0,), (0, 1, 2)], (0, 1, 2)), values, inverses)
    if t.op in MATRIX_FUNCTIONS or t.op == "cofactors":
        return _one_by_one(t, args[0], size)
    if t.op in STACK_FUNCTIONS or t.op == "selection":
        return rebuild(t, args)
    if t.op == "argsort":
        return terms.numeric(t.op, *args, data=t.number + 1)
    dims = (size, *t.dims)
    if t.op == "power":
        base, exponent = args
        if t.args[1] not in done:
            return terms.power(base, exponent)
        exponent = terms.einsum(_leading(len(t.dims)), exponent, terms.constant(1, t.dims))
        return terms.apply("pow", base if t.args[0] in done else spread(base, dims), exponent)
    # A scalar of each example meets every entry of the other operand of a quotient.
    spreads = (
        _spread(a, single, t.dims, dims, single in done)
        for a, single in zip(args, t.args, strict=True)
    )
    return rebuild(t, tuple(spreads))


def _batched_loop(t: Term, done: Mapping[Term, Term], size: Size) -> Term:
    """A loop whose states are those of all examples, along an axis after that of the steps."""
    recursion, loop = recurrence_of(t), t.loop
    step = recursion.opened(*done.values())
    starts = [done[a] if a in done else spread(a, (size, *a.dims)) for a in recursion.starts]
    slices = [_turned(done[a]) if a in done else a for a in recursion.slices]
    constants = [done.get(a, a) for a in recursion.constants]
    variables = (*step.carries, *step.slices, *step.constants)
    # What has examples has their axis after the first one; a constant has no other before.
    many: dict[Term, Term] = {}
    examples: dict[Term, Term] = {}
    for k, (v, a) in enumerate(zip(variables, t.args, strict=True)):
        many[v], is_carry = v, k < len(starts)
        if is_carry or a in done:
            is_constant = k >= len(starts) + len(slices)
            dims = (size, *v.dims) if is_constant else (v.dims[0], size, *v.dims[1:])
            many[v] = terms.variable(v.name, dims)
            examples[v] = many[v] if is_constant else _turned(many[v])
    results = [_turned(batched(r, examples, size)) for r in step.results]
    places = iter(many.values())
    groups = (starts, slices, constants)
    read = [{v: a for a, v in zip(group, places, strict=False)} for group in groups]
    whole = recurrence(
        results, step.steps, *read, length=recursion.length, backwards=recursion.backwards
    )
    states = whole.states(loop.carry, loop.part)
    return states if loop.part == LAST else _turned(states)


def _turned(a: Term) -> Term:
    """A tensor with its first two axes exchanged."""
    first, second, *rest = range(a.order)
    return terms.einsum(canonical([(first, second, *rest)], (second, first, *rest)), a)


def _spread(
    a: Term, single: Term, one: tuple[Size, ...], dims: tuple[Size, ...], new: bool
) -> Term:
    if not new:
        return spread(a, dims)
    if single.dims == one:
        return a
    return terms.einsum(_leading(len(one)), a, terms.constant(1, one))


def _leading(order: int) -> tuple[tuple[int, ...], ...]:
    """The product of a number for each example with an array."""
    axes = tuple(range(1, order + 1))
    return canonical([(0,), axes], (0, *axes))


def _one_by_one(t: Term, a: Term, size: Size) -> Term:
    """A function of square matrices, of which there is none for stacks of them."""
    if not isinstance(size, int):
        raise UnsupportedOperation(
            f"{t.op} of as many matrices as a symbol says: give their number as an integer"
        )
    total = terms.constant(0, (size, *t.dims))
    for k in range(size):
        entry = pick(k, a.dims)
        value = rebuild(t, (select(a, entry.sizes, entry.constraints, entry.out),))
        place = terms.indicator((size,), [("=", ((0, 1), ("", -k)))])
        axes = tuple(range(1, len(t.dims) + 1))
        total = terms.add(total, terms.einsum(canonical([(0,), axes], (0, *axes)), place, value))
    return total
