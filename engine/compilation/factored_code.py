"""Terms as functions that return factored tensors: the generated code computes cores alone.

A Hessian such as `2 (V'V) ⊗ δ` has far fewer numbers than entries. Its structure is a sum of
products of cores and Kronecker deltas: the products of a term are taken apart, and only the cores
are compiled. Nothing is simplified: a core is a product of factors that the term has. A matrix of
low rank stays a product of two cores.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, islice
from math import prod
from typing import Any, Final

from eggrad.engine.compilation.compiled import CompiledFunction, Form
from eggrad.engine.costs.cost import DEFAULT_SIZE
from eggrad.engine.indices.affine import Lengths, size_symbols
from eggrad.engine.indices.spec import Dims, Indices, Spec, canonical, representatives
from eggrad.engine.runtime.factored import FactoredTensor, Part, columns_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term, variables

# The structure of a term ------------------------------------------------------------------------

Factor = tuple[Term, Indices]
"""A core and the labels of its axes, all different."""

# More products than this with the same deltas become one, of a single core.
MOST_ALIKE: Final = 4
# Two factors with this many times fewer numbers than their product stay apart.
SMALLER: Final = 2

_OPENED: Final = ("einsum", "add", "subtract", "negate", "divide")


@dataclass(frozen=True)
class Product:
    """One summand: an entry is the product of the cores' entries, where no delta makes it 0.

    `labels` has a label for every axis of the tensor, the first axis of that label. Axes of one
    label are tied by a delta: the entry is 0 unless their indices are equal. Along a label that
    no core has the entries do not change. A label that only cores have is summed over.
    """

    cores: tuple[Factor, ...]
    labels: Indices

    @property
    def tied(self) -> bool:
        """Whether there is a delta."""
        return len(set(self.labels)) < len(self.labels)

    @property
    def full(self) -> bool:
        """Whether one core has as many entries as the tensor."""
        return len(self.cores) == 1 and len(self.cores[0][1]) == len(self.labels)

    def numbered(self) -> "Product":
        """The product with its cores in order, and summed labels behind those of the axes."""
        cores = self.cores or _ONE
        summed = dict.fromkeys(i for _, axes in cores for i in axes if i not in self.labels)
        names = {i: i for i in self.labels} | {i: k for k, i in enumerate(summed, len(self.labels))}
        renamed = ((core, tuple(names[i] for i in axes)) for core, axes in cores)
        return Product(tuple(sorted(renamed, key=lambda f: f[1])), self.labels)

    def part(self, arrays: Iterator[Any]) -> Part:
        """The product of the arrays that come next, as its cores."""
        cores = tuple(islice(arrays, len(self.cores)))
        return Part(cores, tuple(axes for _, axes in self.cores), self.labels)


def structure(root: Term, sizes: Mapping[str, int] | None = None) -> tuple[Product, ...]:
    """The products whose sum a term is; a term without any structure is its only core.

    `sizes` are expected: by them products of low rank are known.

    >>> v = terms.variable("v", ("n",))
    >>> (diagonal,) = structure(terms.einsum("ij,i->ij", terms.delta(("n",)), v))
    >>> diagonal == Product(((v, (0,)),), (0, 0))
    True
    """
    found: dict[Term, tuple[Product, ...]] = {}
    known: Mapping[str, int] = sizes or {}
    expected = Lengths({**known}, DEFAULT_SIZE)
    for node in terms.postorder(root, operands=_opened):
        found[node] = _node(node, [found[a] for a in _opened(node)], expected)
    return tuple(p.numbered() for p in found[root])


# The only core of a delta alone.
_ONE: Final[tuple[Factor, ...]] = ((terms.constant(1), ()),)


def _opened(node: Term) -> tuple[Term, ...]:
    return node.args if node.op in _OPENED else ()


def _node(
    node: Term, args: Sequence[tuple[Product, ...]], expected: Lengths
) -> tuple[Product, ...]:
    match node.op:
        case "delta":
            half = tuple(range(node.order // 2))
            return (Product((), half + half),)
        case "constant":
            value = terms.constant(node.value)
            cores: tuple[Factor, ...] = () if value == terms.constant(1) else ((value, ()),)
            return (Product(cores, tuple(range(node.order))),)
        case "negate":
            return tuple(map(_negated, args[0]))
        case "add" | "subtract":
            second = args[1] if node.op == "add" else tuple(map(_negated, args[1]))
            return _sum(node, [*args[0], *second])
        case "einsum":
            products = list(_products(node.spec, node.args, args, expected))
            nothing_new = products[0].full and all(a[0].full for a in args)
            return _whole(node) if nothing_new else _sum(node, products)
        case "divide" if any(p.tied for p in args[0]):
            a, b = node.args
            inverse = terms.power(b, terms.constant(-1))
            spec = canonical([range(a.order), range(b.order)], range(a.order))
            parts = (args[0], _whole(inverse))
            return _sum(node, list(_products(spec, (a, inverse), parts, expected)))
        case _:
            return _whole(node)


def _whole(node: Term) -> tuple[Product, ...]:
    axes = tuple(range(node.order))
    return (Product(((node, axes),), axes),)


# Sums -------------------------------------------------------------------------------------------


def _sum(node: Term, products: list[Product]) -> tuple[Product, ...]:
    """Like products added; the node itself where that has as many numbers as entries anyway."""
    if len(products) == 1:
        return tuple(products)
    alike: dict[Indices, list[Product]] = {}
    for p in products:
        alike.setdefault(p.labels, []).append(p)
    merged = tuple(p for same in alike.values() for p in _merged(same, node.dims))
    plain = not any(p.tied or len(p.cores) > 1 for p in merged)
    return _whole(node) if plain or any(p.full for p in merged) else merged


def _merged(products: list[Product], dims: Dims) -> list[Product]:
    """Products with the same deltas, those of one core on the same axes added."""
    done: dict[object, Product] = {}
    for k, p in enumerate(products):
        key = k if len(p.cores) > 1 else frozenset(i for _, axes in p.cores for i in axes)
        done[key] = _added(done[key], p) if key in done else p
    if len(done) <= MOST_ALIKE:
        return list(done.values())
    labels = products[0].labels
    whole = tuple(dict.fromkeys(labels))
    ones = (terms.constant(1, tuple(dims[i] for i in whole)), whole)
    single = [Product((_multiplied([*p.cores, ones], whole),), labels) for p in done.values()]
    return [reduce(_added, single)]


def _added(p: Product, q: Product) -> Product:
    """The sum of two products of at most one core, on the same axes."""
    ((a, axes),) = p.cores or _ONE
    ((b, others),) = q.cores or _ONE
    aligned = b if others == axes else terms.einsum(canonical([others], axes), b)
    return Product(((terms.add(a, aligned), axes),), p.labels)


def _negated(p: Product) -> Product:
    (core, axes), *rest = sorted(p.cores, key=lambda f: len(f[1])) or _ONE
    return Product(((terms.negate(core), axes), *rest), p.labels)


# Products ---------------------------------------------------------------------------------------


def _products(
    spec: Spec,
    operands: Sequence[Term],
    args: Sequence[tuple[Product, ...]],
    expected: Lengths,
) -> Iterator[Product]:
    """The products of an einsum: every product of one operand with every one of the other."""
    joined = partial(_joined, spec, operands, expected)
    if len(args) == 1:
        yield from (joined([p]) for p in args[0])
    else:
        yield from (joined([p, q]) for p in args[0] for q in args[1])


def _joined(
    spec: Spec, operands: Sequence[Term], expected: Lengths, products: Sequence[Product]
) -> Product:
    """One product of an einsum: deltas identify indices, what is summed is contracted."""
    pairs: list[tuple[int, int]] = []
    length = {}
    for part, operand, product in zip(spec, operands, products, strict=False):
        length.update(zip(part, operand.dims, strict=True))
        pairs += [(i, part[label]) for i, label in zip(part, product.labels, strict=True)]
    first = representatives((i for part in spec for i in part), pairs)
    out = [first[i] for i in spec[-1]]
    # An index of the output is named after its first axis, all others by negative numbers.
    name = {i: out.index(i) if i in out else -1 - i for i in first.values()}
    parts: list[list[Factor]] = []
    fresh = min(name.values(), default=0) - 1
    for part, product in zip(spec, products, strict=False):
        names = {label: name[first[part[label]]] for label in product.labels}
        for i in dict.fromkeys(i for _, axes in product.cores for i in axes if i not in names):
            names[i] = fresh = fresh - 1
        parts.append([(core, tuple(names[i] for i in axes)) for core, axes in product.cores])
    labels = tuple(name[i] for i in out)
    inside = {i for factors in parts for _, axes in factors for i in axes}
    # Where nothing depends on the index of a sum, the sum counts.
    counts = {name[i]: length[i] for i in length if name.get(i, 0) < 0 and name[i] not in inside}
    parts.append([(terms.size(d), ()) for d in counts.values()])
    return Product(tuple(_contracted(parts, labels, expected)), labels)


def _contracted(parts: list[list[Factor]], labels: Indices, expected: Lengths) -> Iterator[Factor]:
    """Multiply what shares a summed label, and what makes no other factor larger.

    `parts` are the factors of each operand: those that share a label are multiplied first, as
    they were there.
    """
    left: list[int] = []
    for i in dict.fromkeys(i for p in parts for _, axes in p for i in axes if i not in labels):
        users = [[f for f in p if i in f[1]] for p in parts]
        if _is_of_low_rank([f for p in parts for f in p], i, expected):
            left.append(i)
        elif any(users):
            parts = [[f for f in p if i not in f[1]] for p in parts]
            kept = (*dict.fromkeys(labels), *(k for p in parts for _, axes in p for k in axes))
            whole = [_multiplied(u, [k for _, axes in u for k in axes]) for u in users if u]
            parts.append([_multiplied(whole, kept)])
    labels = (*labels, *left)
    factors = [f for p in parts for f in p]
    waiting = sorted(factors, key=lambda f: len(set(f[1])))
    while waiting:
        factor, *waiting = waiting
        hosts = (k for k, (_, axes) in enumerate(waiting) if set(factor[1]) <= set(axes))
        place = next(hosts, None)
        if place is None:
            yield _multiplied([factor], labels)
        else:
            waiting[place] = _multiplied([factor, waiting[place]], labels)


def _is_of_low_rank(factors: Sequence[Factor], summed: int, expected: Lengths) -> bool:
    """Whether a label is that of two factors whose product has many more numbers than they have.

    It has none at all where another factor has all its labels.
    """
    length = {
        i: expected[d] for core, axes in factors for i, d in zip(axes, core.dims, strict=True)
    }
    users = [axes for _, axes in factors if summed in axes]
    whole = {i for axes in users for i in axes} - {summed}
    if len(users) != 2 or any(whole <= {*axes} for _, axes in factors):
        return False
    stored = sum(prod(length[i] for i in axes) for axes in users)
    return SMALLER * stored < prod(length[i] for i in whole)


def _multiplied(factors: Sequence[Factor], kept: Iterable[int]) -> Factor:
    """The product of some factors, summed over the labels that are not kept."""
    wanted = list(dict.fromkeys(kept))
    (core, axes), *rest = factors
    while rest:
        (other, others), *rest = rest
        later = [*wanted, *(i for _, part in rest for i in part)]
        inner = axes + others
        out = tuple(i for i in dict.fromkeys(later) if i in inner)
        core, axes = terms.einsum(canonical([axes, others], out), core, other), out
    out = tuple(i for i in wanted if i in axes)
    return (core, axes) if axes == out else (terms.einsum(canonical([axes], out), core), out)


# Functions --------------------------------------------------------------------------------------


class CompiledFactors(CompiledFunction):
    r"""A function of arrays that returns a `FactoredTensor` for each root, or for a single one.

    `source` is the Python text that computes the cores of all roots and shares their work. Keywords
    and errors are those of `CompiledFunction`.

    >>> from eggrad.engine.terms.term import apply, delta, einsum, variable
    >>> v = variable("v", ("n",))
    >>> f = CompiledFactors([einsum("ij,i->ij", delta(("n",)), apply("exp", v))])
    >>> print(f.source.partition("\n\n\n")[2])
    def compiled(v):
        t1 = np.exp(v)
        return [t1]
    <BLANKLINE>
    >>> f(v=[0, 0])
    [<FactoredTensor of axes (2, 2), i->ii: 2 numbers for 4 entries>]
    """

    def __init__(
        self,
        roots: Sequence[Term],
        scope: Iterable[Term] = (),
        sizes: Mapping[str, int] | None = None,
        columns: int | None = None,
        single: bool = False,
        *,
        reference: Sequence[Term] | None = None,
    ) -> None:
        """Generate and compile.

        `columns` is the number of trailing axes that meet an operand; by default half of each
        root's. `reference` are the roots as they were before lowering. Raises `ShapeError` where
        a root has not so many axes.
        """
        self._roots, self._columns, self._is_alone = tuple(roots), columns, single
        originals = tuple(reference or roots)
        products = [structure(root, sizes) for root in roots]
        cores = tuple(core for summands in products for p in summands for core, _ in p.cores)
        symbols = {symbol for root in roots for d in root.dims for symbol in size_symbols(d)}
        ends = accumulate(sum(len(p.cores) for p in summands) for summands in products)
        finish = [
            self._finished(summands, end, root.dims, columns_of(root.dims, columns))
            for root, summands, end in zip(roots, products, ends, strict=True)
        ]
        self._finish = finish[0] if single else lambda *made: [one(*made) for one in finish]
        # The cores may lack variables of the roots, whose shapes are still wanted.
        every = (*scope, *variables(*roots, *originals))
        CompiledFunction.__init__(
            self, [Form(cores)], every, sizes, reference=originals, wanted=symbols
        )
        self._describe(f"factored {self._kind}", originals, self._defaults)

    def _finished(
        self, products: Sequence[Product], end: int, dims: Dims, columns: int
    ) -> Callable[[Any, Mapping[str, int]], Any]:
        """What makes the tensor of the results, where its cores end, and of the sizes."""
        build = partial(_tensor, products, end, dims=dims, columns=columns)
        return partial(FactoredTensor.deferred, build)

    def __reduce__(self) -> tuple[Callable[..., "CompiledFactors"], tuple[Any, ...]]:
        """Pickle the terms; generate the same code anew."""
        make = partial(self._remade(), reference=self.reference)
        return make, (self._roots, *self._kept())

    def _remade(self) -> Callable[..., "CompiledFactors"]:
        return CompiledFactors

    def _kept(self) -> tuple[Sequence[Term], Mapping[str, int], int | None, bool]:
        return (*self._scope, *self._variables), self._defaults, self._columns, self._is_alone


def parts_of(products: Sequence[Product], end: int, results: Sequence[Any]) -> list[Part]:
    """The parts whose cores end at some place among the results."""
    cores = iter(results[end - sum(len(p.cores) for p in products) : end])
    return [p.part(cores) for p in products]


def _tensor(
    products: Sequence[Product],
    end: int,
    results: Sequence[Any],
    sizes: Mapping[str, int],
    *,
    dims: Dims,
    columns: int,
) -> FactoredTensor:
    return FactoredTensor(parts_of(products, end, results), concrete(dims, sizes), columns)
