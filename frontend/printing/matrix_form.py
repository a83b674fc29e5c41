"""Terms as formulas of linear algebra: products, transposes, diagonals and sums of matrices.

A vector is a column. What an index string says is written with products where it can be, and
with entrywise products, `diag`, `tr` and `sum` otherwise; only a tensor with more than two axes
has no such formula.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final, cast

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import EXTREMES, OwnFunction, function_of
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.matrix.indexing import key_of, unit_place
from eggrad.frontend.printing.formulas import Form, negated, number, operation, turned
from eggrad.frontend.text.words import FUNCTION_NAMES

__all__ = ["form_of", "has_notation", "sizes_are_names"]


def has_notation(root: Term) -> bool:
    """Whether no part has more than two axes, a name that is none, or what no formula can say."""
    named = {*_OPERATIONS, *FUNCTION_NAMES}
    nodes = list(postorder(root))
    picked = {a for t in nodes if key_of(t) for a in t.args}
    stored = {a for t in (*nodes, root) if not key_of(t) for a in t.args} | {root}

    def has_name(t: Term) -> bool:
        known = t.op in named or isinstance(t.data, OwnFunction)
        return known or (t.op == "cofactors" and t.data == 1)

    return all(
        (t.order <= 2 and has_name(t))
        or (t.op == "indicator" and (t in picked - stored or unit_place(t) is not None))
        for t in nodes
    ) and (all(_NAME.match(t.name) for t in nodes if t.op == "variable") and sizes_are_names(root))


def sizes_are_names(root: Term) -> bool:
    """Whether all sizes are names that a formula may have to spell, as those of constants."""
    spelled = [t for t in postorder(root) if t.op in ("constant", "delta", "size", "indicator")]
    return all(_NAME.match(s) for s in symbols(*spelled))


# What the matrix language reads as a name.
_NAME: Final = re.compile(r"[^\W\dᵀ][^\Wᵀ]*\Z")
_OPERATIONS: Final = (
    *("variable", "constant", "delta", "size", "einsum"),
    *("add", "subtract", "divide", "negate", "power", *EXTREMES),
)

Operand = tuple[Form, Indices]


def form_of(node: Term, forms: Mapping[Term, Form]) -> Form:
    """The formula of a node, given those of all that it is made of."""
    args = [forms[a] for a in node.args]
    picked = key_of(node)
    if picked is None and any(f.op == "name" and not f.text for f in args):
        raise UnsupportedOperation("conditions on indices have no matrix notation")
    if node.order > 2 and node.op != "indicator":
        raise UnsupportedOperation(f"a tensor with {node.order} axes has no matrix notation")
    match node.op:
        case "variable":
            known = "symmetric" in node.assumed
            return Form("name", text=node.name, order=node.order, symmetric=known)
        case "constant":
            return _constant(node.value, node.dims)
        case "delta":
            eye = tuple(map(_size, node.dims[:1]))
            return Form("call", eye, "eye", 2) if eye else number(Fraction(1))
        case "indicator":
            return _unit(node)
        case "size":
            return Form("call", (_size(node.symbol),), "size")
        case "einsum" if picked is not None:
            array, key = picked
            entries = Form("index", (forms[array],), f"[{','.join(key)}]", node.order)
            is_row = array.order == 2 and node.order == 1 and ":" not in key[0]
            return turned(entries) if is_row else entries
        case "einsum":
            return _einsum(node, forms)
        case "add" | "subtract" | "divide":
            op = "divide_entries" if node.op == "divide" and node.args[1].order else node.op
            softmax = node.order == 1 and _summed(node.args[1], "exp") is node.args[0]
            if node.op == "divide" and softmax:
                return Form("call", (forms[node.args[0].args[0]],), "softmax", node.order)
            first, second = _unspread(node, forms)
            return operation(op, first, second, node.order)
        case "negate":
            return negated(args[0])
        case "power":
            return _power(node, forms)
        case "cofactors" if node.data == 1:
            return turned(Form("call", tuple(args), "adj", 2))
        case name if name in EXTREMES:
            source, out = node.spec
            if not out:
                return Form("call", (args[0],), name)
            of_rows = source[0] in out
            whole = Form("call", (args[0],), f"{'row' if of_rows else 'col'}{name}", 1)
            return whole if of_rows else turned(whole)
        case name if name in FUNCTION_NAMES or isinstance(node.data, OwnFunction):
            return _function(node, forms)
        case name:
            raise UnsupportedOperation(f"{name} has no matrix notation")


def _unit(node: Term) -> Form:
    """The array with a single one; nothing where only entries are taken with it."""
    places = unit_place(node)
    if places is None:
        return Form("name")
    units = [Form("call", (Form("number", text=str(k)), _size(d)), "unit", 1) for k, d in places]
    return units[0] if len(units) == 1 else operation("times", units[0], turned(units[1]), 2)


def _constant(value: Fraction, dims: Dims) -> Form:
    """An array of equal entries."""
    if not dims:
        return number(value)
    sizes = tuple(map(_size, dims))
    if value in (0, 1):
        return Form("call", sizes, "ones" if value else "zeros", len(dims))
    return Form(
        "call", (number(value), *sizes), "vector" if len(dims) == 1 else "matrix", len(dims)
    )


def _size(size: Size) -> Form:
    return Form("name", text=str(size))


def _power(node: Term, forms: Mapping[Term, Form]) -> Form:
    base, exponent = (forms[a] for a in node.args)
    entries = "_entries" if node.order else ""
    known = node.args[1].data
    if known == -1:
        return operation(f"divide{entries}", number(Fraction(1)), base, node.order)
    if known == Fraction(1, 2):
        squares = _summed(node.args[0], "power")
        if squares and squares.args[1].data == 2:
            return Form("call", (forms[squares.args[0]],), "norm2")
        return Form("call", (base,), "sqrt", node.order)
    return Form(f"power{entries}", (base, exponent), order=node.order)


def _summed(node: Term, op: str) -> Term | None:
    """The operation whose entries a node adds up, all of them."""
    if node.op != "einsum" or len(node.args) != 1 or node.order or node.args[0].op != op:
        return None
    indices = node.spec[0]
    return node.args[0] if len(set(indices)) == len(indices) else None


def _function(node: Term, forms: Mapping[Term, Form]) -> Form:
    """A function, or a composition that has a name."""
    if len(node.args) != 1:
        args = tuple(
            _unspread(node, forms) if len(node.args) == 2 else (forms[a] for a in node.args)
        )
        return Form("call", args, node.op, node.order, function=function_of(node.op, node.data))
    inner: Term = node.args[0]
    if node.op == "log" and inner.op == "det":
        return Form("call", (forms[inner.args[0]],), "logdet")
    if node.op == "log" and (exponentials := _summed(inner, "exp")):
        return Form("call", (forms[exponentials.args[0]],), "logsumexp")
    own = forms[inner]
    return Form(
        "call",
        (own,),
        node.op,
        node.order,
        symmetric=own.symmetric and node.order == 2,
        function=function_of(node.op, node.data),
    )


def _unspread(node: Term, forms: Mapping[Term, Form]) -> Iterator[Form]:
    """The operands of an operation on entries, where a scalar meets every entry of the other."""
    a, b = node.args
    first = _spread_scalar(a, forms) if b.order else None
    second = _spread_scalar(b, forms) if a.order and not first else None
    yield first or forms[a]
    yield second or forms[b]


def _spread_scalar(node: Term, forms: Mapping[Term, Form]) -> Form | None:
    """The scalar that a constant or a product of a scalar and ones repeats."""
    if not node.order:
        return None
    if node.op == "constant":
        return number(node.value)
    if node.op == "einsum" and len(node.args) == 2 and not node.args[0].order:
        ones, (_, along, out) = node.args[1], node.spec
        if set(along) != set(out):
            return None
        return forms[node.args[0]] if ones.op == "constant" and ones.data == 1 else None
    return None


# Products ----------------------------------------------------------------------------------


def _einsum(node: Term, forms: Mapping[Term, Form]) -> Form:
    args = [forms[a] for a in node.args]
    *parts, out = node.spec
    if (vector := _on_diagonal(node)) is not None:
        return Form("call", (forms[vector],), "diag", 2)
    known = [i for part in parts for i in set(part)]
    reduced = [
        _reduced(form, part, [i for i in dict.fromkeys(part) if i in out or known.count(i) > 1])
        for form, part in zip(args, parts, strict=True)
    ]
    if len(reduced) == 1:
        return _laid_out(*reduced[0], out)
    if not all(own for _, own in reduced):
        own = reduced[0][1] or reduced[1][1]
        return _laid_out(operation("times", reduced[0][0], reduced[1][0], len(own)), own, out)
    scalars = [_spread_scalar(a, forms) for a in node.args]
    if any(scalars) and set(parts[0]) == set(parts[1]) == set(out):
        (a, p), (b, q) = reduced
        first, own = (scalars[0], q) if scalars[0] else (a, p)
        product = operation("times", first, b if scalars[0] else cast(Form, scalars[1]), len(out))
        return _laid_out(product, own, out)
    if any(i in reduced[1][1] and i not in out for i in reduced[0][1]):
        same = node.args[0] is node.args[1]
        return _contracted(reduced[0], reduced[1], out, same)
    return _spread_out(reduced[0], reduced[1], out)


def _on_diagonal(node: Term) -> Term | None:
    """The vector that a product with a delta puts onto the diagonal of a matrix."""
    *parts, out = node.spec
    for (a, own), (b, other) in permutations(zip(node.args, parts, strict=True), 2):
        spans = len(out) == 2 and set(other) == set(out)
        if a.order == 1 and b.op == "delta" and spans and own[0] in other:
            return a
    return None


def _reduced(form: Form, part: Indices, kept: Sequence[int]) -> Operand:
    """An operand with each index once, and summed over what nothing else has."""
    if len(set(part)) < len(part):
        return Form("call", (form,), "diag" if kept else "tr", len(kept)), tuple(kept)
    if len(kept) == len(part):
        return form, part
    if not kept and form.op == "multiply" and form.order == 1:
        first, second = form.args
        return operation("times", turned(first), second, 0), ()
    if not kept:
        return Form("call", (form,), "sum"), ()
    along = 2 if part[0] == kept[0] else 1
    total = Form("call", (form, number(Fraction(along))), "sum", 1)
    return (total if along == 2 else turned(total)), tuple(kept)


def _contracted(first: Operand, second: Operand, out: Indices, same: bool) -> Form:
    """A product with a sum over one index, or over both of two matrices."""
    (a, p), (b, q) = first, second
    shared = [i for i in p if i in q]
    summed = next(i for i in shared if i not in out)
    if len(shared) == 2:
        wanted = (*(i for i in p if i in out), *(i for i in p if i not in out))
        entries = operation("multiply", _laid_out(a, p, wanted), _laid_out(b, q, wanted), 2)
        along = (number(Fraction(2)),) if out else ()
        return Form("call", (entries, *along), "sum", len(out))
    if not out:
        return operation("times", turned(a), b, 0)
    if out[0] not in p:
        (a, p), (b, q) = second, first
    left = _laid_out(a, p, (out[0], summed))
    right = _laid_out(b, q, (summed, *out[1:]))
    if same and left is right:
        return Form("power", (left, number(Fraction(2))), order=2)
    return operation("times", left, right, len(out))


def _spread_out(first: Operand, second: Operand, out: Indices) -> Form:
    """A product without a sum: of entries, of a column and a row, or with a diagonal matrix."""
    (a, p), (b, q) = first, second
    if set(p) == set(q):
        return operation("multiply", _laid_out(a, p, out), _laid_out(b, q, out), len(out))
    if len(p) == len(q):
        column, row = (a, b) if p == out[:1] else (b, a)
        return operation("times", column, turned(row), 2)
    (matrix, own), (vector, (i,)) = sorted((first, second), key=lambda o: -len(o[1]))
    diagonal = Form("call", (vector,), "diag", 2)
    laid = _laid_out(matrix, own, out)
    return operation("times", *((diagonal, laid) if i == out[0] else (laid, diagonal)), 2)


def _laid_out(form: Form, own: Indices, wanted: Indices) -> Form:
    return form if own == wanted else turned(form)
