"""Terms by number, and their arithmetic: sums of products multiplied out, with exact numbers.

This is a part of what checks certificates: it needs no library but Python's own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

# A power of a sum that is multiplied out has this exponent at most, a polynomial so many terms,
# a number so many bits, and all products together so many factors: checking ends in seconds.
POWER, TERMS, BITS, WORK = 12, 20_000, 10_000, 500_000
ONE: Final = Fraction(1)
UNIT: Final = -1  # The index of every axis of size 1.

Indices = tuple[int, ...]
Dims = tuple[Any, ...]
Factor = tuple[int, Fraction, Indices]
# Factors, the indices of the result, and the sizes of all indices: what is not in it is summed.
Monomial = tuple[tuple[Factor, ...], Indices, Dims]
Polynomial = dict[Monomial, Fraction]


class Refused(Exception):
    """What is wrong with a certificate."""


def need(condition: object, reason: str) -> None:
    """Refuse what does not hold."""
    if not condition:
        raise Refused(reason)


def rational(text: Any) -> Fraction:
    """A number as certificates write it, such as -3/4."""
    parts = text.removeprefix("-").split("/") if isinstance(text, str) else [""]
    whole = len(parts) < 3 and all(p.isdecimal() and len(p) < BITS / 3 for p in parts)
    need(whole, "a number is a text, such as -3/4")
    return Fraction(text)


def frozen(data: Any) -> Any:
    """Data of JSON that can be compared and looked up."""
    if isinstance(data, dict):
        return tuple(sorted((k, frozen(v)) for k, v in data.items()))
    return tuple(map(frozen, data)) if isinstance(data, list | tuple) else data


def renumbered(spec: Iterable[Iterable[Any]]) -> tuple[Indices, ...]:
    """A spec whose indices are numbered in order of appearance."""
    numbers: dict[Any, int] = {}
    return tuple(tuple(numbers.setdefault(i, len(numbers)) for i in part) for part in spec)


def sizes_of(spec: Sequence[Indices], operands: Iterable[Dims]) -> dict[int, Any]:
    """The size of each index of a spec."""
    found: dict[int, Any] = {}
    for part, dims in zip(spec, operands, strict=False):
        for i, d in zip(part, dims, strict=True):
            need(found.setdefault(i, d) == d, "one index has two sizes")
    return found


class Terms:
    """Terms by number, equal ones by the same, each as operation, data, operands and sizes."""

    def __init__(self, elementwise: Iterable[str]) -> None:
        """Begin without terms; the functions that act entry by entry have these names."""
        self.nodes: list[tuple[str, Any, Indices, Dims]] = []
        self._numbers: dict[Any, int] = {}
        self._sizes: dict[Any, Dims] = {}
        self._variables: dict[str, int] = {}
        self.elementwise = {*elementwise}

    def read(self, described: Iterable[Mapping[str, Any]]) -> list[int]:
        """The numbers of terms that are described, operands first."""
        found: list[int] = []
        for d in described:
            data = renumbered(d["data"]) if d["op"] == "einsum" else frozen(d["data"])
            args = tuple(found[a] for a in d["args"])
            found.append(self.make(d["op"], data, args, tuple(d["dims"])))
        return found

    def make(self, op: str, data: Any, args: Indices, dims: Dims | None = None) -> int:
        """The term with these parts; `dims` where the operands do not decide its sizes."""
        found = self._decided(op, data, [self.nodes[a][3] for a in args])
        if found is None:
            found = dims if dims is not None or not args else self._sizes.get((op, data, args))
        need(found is not None and dims in (None, found), f"{op} does not have such axes")
        node = (op, data, args, found or ())
        if node not in self._numbers:
            number = self._numbers[node] = len(self.nodes)
            self._sizes.setdefault(node[:3], node[3])
            self.nodes.append(node)
            if op == "variable":
                known = self._variables.setdefault(dict(data)["name"], number)
                need(known == number, "two variables have one name")
            need(
                op != "delta" or found == 2 * node[3][: len(node[3]) // 2], "no delta has such axes"
            )
        return self._numbers[node]

    def _decided(self, op: str, data: Any, operands: Sequence[Dims]) -> Dims | None:
        """The sizes of axes, where operands decide them."""
        if op == "einsum":
            need(len(data) == len(operands) + 1, "a spec has indices for each operand")
            need(len({*data[-1]}) == len(data[-1]), "a result has an index once")
            return tuple(map(sizes_of(data, operands).__getitem__, data[-1]))
        if op in ("add", "subtract", "negate", "inv", "adj") or op in self.elementwise:
            need(len({*operands}) == 1, f"{op} of other axes")
        elif op == "divide":
            need(not all(operands) or len({*operands}) == 1, "a quotient of other axes")
            return operands[0] or operands[1]
        elif op == "power":
            need(not operands[1], "an exponent is a scalar")
        else:
            return () if op in ("det", "size") else None
        return operands[0]

    def dims(self, t: int) -> Dims:
        """The sizes of a term's axes."""
        return self.nodes[t][3]

    def number(self, value: Fraction, dims: Dims = ()) -> int:
        """The tensor whose entries are a number."""
        return self.make("constant", str(value), (), dims)

    def times(self, a: int, b: int) -> int:
        """The product of two terms of the same axes, or with a scalar."""
        first, second = (tuple(range(len(self.dims(t)))) for t in (a, b))
        return self.make("einsum", (first, second, first or second), (a, b))


# What is defined wherever its operands are.
TOTAL: Final = ("variable", "array", "indicator", "selection", "sum", "exp", "adj", "det")


class Arithmetic:
    """Terms multiplied out: polynomials in atoms, with aᵖ·aᵠ = aᵖ⁺ᵠ, exp(a + b) = exp a · exp b."""

    def __init__(self, terms: Terms, total: Iterable[str] = ()) -> None:
        """Begin without polynomials; some functions are defined for all numbers."""
        self._terms, self._total = terms, {*TOTAL, *total}
        self._done: dict[int, Polynomial] = {}
        self._atoms: dict[tuple[Any, ...], int] = {}
        self._names: list[tuple[Any, ...]] = []
        self._sums: dict[int, Polynomial] = {}  # What powers of sums are of, by atom.
        # What has to be defined where a term is: atoms, and that some are divided by, or in a root.
        self._needs: dict[int, frozenset[object]] = {}
        self._found: set[object] = set()
        self._work = 0

    def spend(self, work: int) -> None:
        """Refuse what takes too long."""
        self._work += work
        need(self._work < WORK, "it takes too long to multiply out")

    def polynomial(self, t: int) -> Polynomial:
        """What a term is when it is multiplied out."""
        stack = [t]
        while stack:
            op, data, args, dims = self._terms.nodes[stack[-1]]
            missing = [a for a in args if a not in self._done]
            stack += missing
            if not missing:
                self._found, made = set(), stack.pop()
                self._done[made] = self._read(op, data, args, dims)
                below = [self._needs[a] for a in args]
                if op == "where" and any(below[1:]):  # The branch that is chosen, whichever it is.
                    self._found.add((frozenset(self._done[made].items()), *below[1:]))
                    below = below[:1]
                self._needs[made] = frozenset(self._found.union(*below))
                self.spend(len(self._needs[made]))
        return self._done[t]

    def needs(self, t: int) -> frozenset[object]:
        """What has to be defined where a term is."""
        self.polynomial(t)
        return self._needs[t]

    def _read(self, op: str, data: Any, args: Indices, dims: Dims) -> Polynomial:
        axes, sizes = tuple(range(len(dims))), dict(enumerate(dims))
        parts = [self._done[a] for a in args]
        shapes = [self._terms.dims(a) for a in args]
        match op:
            case "constant":
                return self._canonical([], axes, sizes, rational(data))
            case "delta":
                half = axes[: len(axes) // 2]
                return self._canonical([], half * 2, {i: dims[i] for i in half})
            case "size":
                return self._canonical([], (), {0: data})
            case "add" | "subtract" | "negate":
                return added([*parts[:-1], times(1 if op == "add" else -1, parts[-1])])
            case "einsum":
                operands = [*zip(parts, data, strict=False)]
                return self._product(operands, data[-1], sizes_of(data, shapes))
            case "divide":
                lower = self._power(parts[1], -ONE, shapes[1])
                operands = [
                    (p, axes[: len(n)]) for p, n in zip((parts[0], lower), shapes, strict=True)
                ]
                return self._product(operands, axes, sizes)
            case "power" if not any(m[0] for m in parts[1]):
                return self._power(parts[0], sum(parts[1].values(), Fraction(0)), dims)
            case "exp":
                factors = [self._of(op, None, [{m: ONE}], dims, c) for m, c in parts[0].items()]
                return self._product([(f, axes) for f in factors], axes, sizes)
            case _ if op in self._terms.elementwise:
                return self._of(op, data, parts, dims)
            case _:
                return self._canonical(
                    [(self._atom(op, data, dims, parts), ONE, axes)], axes, sizes
                )

    def _atom(self, op: str, data: Any, dims: Dims, parts: Iterable[Polynomial] = ()) -> int:
        what = (op, data, dims, *(frozenset(p.items()) for p in parts))
        if what not in self._atoms:
            self._atoms[what] = len(self._names)
            self._names.append(what)
        self._found |= set() if op in self._total else {self._atoms[what]}
        return self._atoms[what]

    def _of(
        self, op: str, data: Any, parts: Sequence[Polynomial], dims: Dims, exponent: Fraction = ONE
    ) -> Polynomial:
        """A power of an entrywise function, on the axes alone along which its operands differ."""
        kept = [k for k in range(len(dims)) if any(_uses(m, k) for p in parts for m in p)]
        small = [added(self._on(m, c, kept) for m, c in p.items()) for p in parts]
        atom = self._atom(op, data, tuple(dims[k] for k in kept), small)
        if op == "sum":
            self._sums[atom] = small[0]
        axes = tuple(range(len(dims)))
        return self._canonical([(atom, exponent, tuple(kept))], axes, dict(enumerate(dims)))

    def _on(self, m: Monomial, number: Fraction, kept: Sequence[int]) -> Polynomial:
        """A multiple of a monomial on some of its axes."""
        factors, out, sizes = m
        shown = tuple(out[k] for k in kept)
        used = {*shown, *(i for _, _, part in factors for i in part)}
        ends = {i: d for i, d in enumerate(sizes) if i in used}
        return self._canonical(factors, shown, ends, number)

    def _power(self, base: Polynomial, p: Fraction, dims: Dims) -> Polynomial:
        axes, sizes = tuple(range(len(dims))), dict(enumerate(dims))
        whole, found = p.denominator == 1, None
        need(base or p >= 0, "what is 0 is divided by, which is undefined")
        if whole and 0 <= p <= POWER:
            return self._product([(base, axes)] * int(p), axes, sizes)
        if len(base) == 1:
            (((factors, out, inner), c),) = base.items()
            shown = [i for i in out if i != UNIT]
            entrywise = len({*shown}) == len(shown) == len(inner)
            if entrywise and (whole or (c == 1 and [e for _, e, _ in factors] == [1])):
                place = {UNIT: UNIT} | {i: k for k, i in enumerate(out)}
                raised = [(a, e * p, tuple(place[i] for i in part)) for a, e, part in factors]
                found = self._canonical(raised, axes, sizes, _whole_power(c, p))
        if found is None:
            # A multiple of a sum is no other one.
            c = base[min(base, key=repr)] if whole and base else ONE
            found = self._of("sum", None, [times(1 / c, base)], dims, p)
            found = times(_whole_power(c, p), found) if c != 1 else found
        # A diagonal that is not 0 may be divided by, not the matrix entry by entry.
        bases = {
            (a, renumbered([part]))
            for m in found
            for a, _, part in m[0]
            if self._names[a][0] not in ("exp", "size")
        }
        words = [w for w, asked in (("divided by", p < 0), ("in a root", not whole)) if asked]
        self._found |= {(*a, w) for a in bases for w in words}
        return found

    def _product(
        self, parts: Sequence[tuple[Polynomial, Indices]], out: Indices, sizes: Mapping[int, Any],
        factors: Sequence[Factor] = (), number: Fraction = ONE,
    ) -> Polynomial:  # fmt: skip
        """The product of polynomials on named axes and of factors, summed over all other names."""
        chosen: list[tuple[list[tuple[Monomial, Indices]], Fraction]] = [([], number)]
        for p, names in parts:
            need(len(chosen) * len(p) <= TERMS, "a product has too many terms")
            chosen = [([*ms, (m, names)], c * d) for ms, c in chosen for m, d in p.items()]
        return added(self._joined(ms, out, sizes, factors, c) for ms, c in chosen)

    def _joined(
        self, monomials: Iterable[tuple[Monomial, Indices]], out: Indices, sizes: Mapping[int, Any],
        factors: Iterable[Factor], number: Fraction,
    ) -> Polynomial:  # fmt: skip
        """One product, in which the axes that a delta ties have one name."""
        named, tied, joined = dict(sizes), {i: i for i in (UNIT, *sizes)}, [*factors]

        def root(i: int) -> int:
            while tied[i] != i:
                i = tied[i]
            return i

        for (inside, shown, inner), outer in monomials:
            names = {UNIT: UNIT}
            for i, j in zip(shown, outer, strict=True):
                if names.setdefault(i, j) != j and i != UNIT:
                    tied[root(j)] = root(names[i])
            for i, d in enumerate(inner):
                if i not in names:
                    names[i] = j = max(named, default=0) + 1
                    named[j], tied[j] = d, j
            joined += [(a, e, tuple(names[i] for i in part)) for a, e, part in inside]
        tidy = [(a, e, tuple(map(root, part))) for a, e, part in joined]
        return self._canonical(
            tidy, tuple(map(root, out)), {root(i): d for i, d in named.items()}, number
        )

    def _canonical(
        self, factors: Iterable[Factor], out: Indices, sizes: Mapping[int, Any],
        number: Fraction = ONE,
    ) -> Polynomial:  # fmt: skip
        """A multiple of a product, its factors in order and its indices numbered."""
        alias = {UNIT: UNIT} | {i: UNIT if d == 1 else i for i, d in sizes.items()}
        self.spend(1)
        powers: dict[tuple[int, Indices], Fraction] = {}
        for atom, e, part in factors:
            self.spend(1 + len(part))
            key = (atom, tuple(alias[i] for i in part))
            powers[key] = powers.get(key, 0) + e
        shown = tuple(alias[i] for i in out)
        used = {UNIT, *shown, *(i for (_, part), e in powers.items() if e for i in part)}
        for i, d in sizes.items():
            if alias[i] not in used and isinstance(d, int):
                number *= d
            elif alias[i] not in used:
                key = (self._atom("size", d, ()), ())
                powers[key] = powers.get(key, 0) + ONE
        kept = [(a, e, part) for (a, part), e in powers.items() if e]
        ends = {i: d for i, d in sizes.items() if i in used and alias[i] != UNIT}
        for k, (a, e, part) in enumerate(kept):
            if a in self._sums and e.denominator == 1 and 0 < e <= POWER:
                # A power of a sum that has become a whole one.
                whole = [(self._sums[a], part)] * int(e)
                return self._product(whole, shown, ends, kept[:k] + kept[k + 1 :], number)
        need(
            number.numerator.bit_length() < BITS > number.denominator.bit_length(),
            "a number is too long",
        )
        names = self._numbered(kept, shown, ends)
        tidy = sorted((a, e, tuple(names[i] for i in part)) for a, e, part in kept)
        inner = sorted((names[i], d) for i, d in ends.items())
        found = (tuple(tidy), tuple(names[i] for i in shown), tuple(d for _, d in inner))
        return {found: number} if number else {}

    def _numbered(
        self, factors: Sequence[Factor], shown: Indices, sizes: Mapping[int, Any]
    ) -> dict[int, int]:
        """Numbers of indices: those of the result first, then by the factors that they are in.

        Where these leave several alike the first is taken, so that what is equal may be told apart,
        never the reverse.
        """
        names = {UNIT: UNIT}
        for i in shown:
            names.setdefault(i, len(names) - 1)
        marks = {i: 0 for i in sizes if i not in names}
        while marks:
            before = 0
            while before < len({*marks.values()}):
                before = len({*marks.values()})
                self.spend(sum(1 + len(part) for _, _, part in factors) * len(marks))
                seen = names | {i: -2 - m for i, m in marks.items()}
                uses = {
                    i: repr((m, str(sizes[i]), sorted(_places(i, factors, seen))))
                    for i, m in marks.items()
                }
                order = {u: k for k, u in enumerate(sorted({*uses.values()}))}
                marks = {i: order[u] for i, u in uses.items()}
            first = min(marks, key=lambda i: (marks[i], i))
            names[first] = len(names) - 1
            del marks[first]
        return names


def _whole_power(c: Fraction, p: Fraction) -> Fraction:
    """A power of a number, with a whole exponent if that is not 1."""
    long = (abs(c.numerator) * c.denominator).bit_length() * abs(p)
    need(c in (1, -1) or long <= BITS, "a number is too long")
    return ONE if c == 1 else c ** int(p)


def added(parts: Iterable[Polynomial]) -> Polynomial:
    """The sum of polynomials."""
    found: Polynomial = {}
    for part in parts:
        for m, c in part.items():
            found[m] = found.get(m, 0) + c
    need(len(found) <= TERMS, "a sum has too many terms")
    return {m: c for m, c in found.items() if c}


def times(number: Fraction | int, p: Polynomial) -> Polynomial:
    """A multiple of a polynomial."""
    return {m: number * c for m, c in p.items()}


def _places(i: int, factors: Sequence[Factor], seen: Mapping[int, int]) -> Iterator[Any]:
    """Where an index is in factors."""
    for a, e, part in factors:
        if i in part:
            yield a, e, [k for k, j in enumerate(part) if j == i], [seen[j] for j in part]


def _uses(m: Monomial, axis: int) -> bool:
    """Whether a monomial is not the same along an axis."""
    factors, out, _ = m
    i = out[axis]
    return i != UNIT and (out.count(i) > 1 or any(i in part for _, _, part in factors))
