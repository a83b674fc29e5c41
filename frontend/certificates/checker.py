"""Certificates checked: what one has to trust. No e-graph, no search, no library but Python's own.

A certificate has terms by number, laws as patterns, facts that are known of terms, and chains of
terms. A step of a chain follows by a law, where parts of the term are replaced as an instance of
the law says, or by arithmetic: the difference of both terms, multiplied out, is a sum of
differences l - r of instances of laws, each as a part of a product. Where no law is needed that
only reorders sums and products; with p·p⁻¹ = 1 it is a common denominator.
"""

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

VERSION: Final = "eggrad certificate 1"
# A power of a sum that is multiplied out has this exponent at most, a polynomial so many terms.
POWER, TERMS = 12, 20_000
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


def check(text: str) -> dict[str, Any]:
    """The claim of a certificate that proves it; raises `Refused` for any other text."""
    try:
        return _Checker(json.loads(text)).claim()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise Refused(f"this is no certificate: {type(error).__name__}: {error}") from error


def need(condition: object, reason: str) -> None:
    """Refuse what does not hold."""
    if not condition:
        raise Refused(reason)


def frozen(data: Any) -> Any:
    """Data of JSON that can be compared and looked up."""
    if isinstance(data, dict):
        return tuple(sorted((k, frozen(v)) for k, v in data.items()))
    return tuple(map(frozen, data)) if isinstance(data, list | tuple) else data


def renumbered(spec: Iterable[Iterable[Any]]) -> tuple[Indices, ...]:
    """A spec whose indices are numbered in order of appearance."""
    numbers: dict[Any, int] = {}
    return tuple(tuple(numbers.setdefault(i, len(numbers)) for i in part) for part in spec)


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
            if d["op"] == "variable":
                known = self._variables.setdefault(d["data"]["name"], found[-1])
                need(known == found[-1], "two variables have one name")
        return found

    def make(self, op: str, data: Any, args: Indices, dims: Dims | None = None) -> int:
        """The term with these parts; `dims` where the operands do not decide its sizes."""
        found = self._dims(op, data, [self.nodes[a][3] for a in args])
        if found is None:
            found = dims if dims is not None or not args else self._sizes.get((op, data, args))
        need(found is not None and dims in (None, found), f"{op} does not have such axes")
        node = (op, data, args, found)
        if node not in self._numbers:
            self._numbers[node] = len(self.nodes)
            self._sizes.setdefault(node[:3], found)
            self.nodes.append(node)
        return self._numbers[node]

    def _dims(self, op: str, data: Any, operands: Sequence[Dims]) -> Dims | None:
        """The sizes of axes, where operands decide them."""
        if op == "einsum":
            need(len(data) == len(operands) + 1, "a spec has indices for each operand")
            size = sizes_of(data, operands)
            return tuple(size[i] for i in data[-1])
        if op in ("add", "subtract", "negate", "inv", "adj") or op in self.elementwise:
            need(len({*operands}) == 1, f"{op} of other axes")
            return operands[0]
        if op == "divide":
            need(not all(operands) or len({*operands}) == 1, "a quotient of other axes")
            return operands[0] or operands[1]
        if op == "power":
            need(not operands[1], "an exponent is a scalar")
            return operands[0]
        return () if op in ("det", "size") else None

    def dims(self, t: int) -> Dims:
        """The sizes of a term's axes."""
        return self.nodes[t][3]

    def scaled(self, value: Fraction, t: int) -> int:
        """A multiple."""
        axes = tuple(range(len(self.dims(t))))
        return self.make("einsum", ((), axes, axes), (self.make("constant", str(value), (), ()), t))


def sizes_of(spec: Sequence[Indices], operands: Iterable[Dims]) -> dict[int, Any]:
    """The size of each index of a spec."""
    found: dict[int, Any] = {}
    for part, dims in zip(spec, operands, strict=False):
        for i, d in zip(part, dims, strict=True):
            need(found.setdefault(i, d) == d, "one index has two sizes")
    return found


class Arithmetic:
    """Terms multiplied out: polynomials in atoms, with aᵖ·aᵠ = aᵖ⁺ᵠ, exp(a + b) = exp a · exp b."""

    def __init__(self, terms: Terms) -> None:
        """Begin without polynomials."""
        self._terms = terms
        self._done: dict[int, Polynomial] = {}
        self._atoms: dict[object, int] = {}
        self._sums: dict[int, Polynomial] = {}  # What powers of sums are of, by atom.

    def polynomial(self, t: int) -> Polynomial:
        """What a term is when it is multiplied out."""
        stack = [t]
        while stack:
            op, data, args, dims = self._terms.nodes[stack[-1]]
            missing = [a for a in args if a not in self._done]
            stack += missing
            if not missing:
                self._done[stack.pop()] = self._read(op, data, args, dims)
        return self._done[t]

    def _read(self, op: str, data: Any, args: Indices, dims: Dims) -> Polynomial:
        axes, sizes = tuple(range(len(dims))), dict(enumerate(dims))
        parts = [self._done[a] for a in args]
        shapes = [self._terms.dims(a) for a in args]
        match op:
            case "constant":
                return self._canonical([], axes, sizes, Fraction(data))
            case "delta":
                half = axes[: len(axes) // 2]
                return self._canonical([], half * 2, {i: dims[i] for i in half})
            case "size":
                return self._canonical([], (), {0: data})
            case "add" | "subtract" | "negate":
                return added([*parts[:-1], times(1 if op == "add" else -1, parts[-1])])
            case "einsum":
                return self._product([*zip(parts, data, strict=False)], data[-1], sizes_of(data, shapes))
            case "divide":
                lower = self._power(parts[1], -ONE, shapes[1])
                operands = [(parts[0], axes[: len(shapes[0])]), (lower, axes[: len(shapes[1])])]
                return self._product(operands, axes, sizes)
            case "power" if len(parts[1]) == 1 and not next(iter(parts[1]))[0]:
                return self._power(parts[0], *parts[1].values(), dims)
            case "exp":
                whole = (
                    (m, self._function(op, None, [{m: ONE}], dims, c)) for m, c in parts[0].items()
                )
                return self._product([(f, axes) for _, f in whole], axes, sizes)
            case _ if op in self._terms.elementwise:
                return self._function(op, data, parts, dims)
            case _:
                atom = self._atom(("of", op, data, dims, *(frozenset(p.items()) for p in parts)))
                return self._canonical([(atom, ONE, axes)], axes, sizes)

    def _atom(self, what: object) -> int:
        return self._atoms.setdefault(what, len(self._atoms))

    def _function(
        self, op: str, data: Any, parts: Sequence[Polynomial], dims: Dims, exponent: Fraction = ONE
    ) -> Polynomial:
        """A power of an entrywise function, on the axes alone along which its operands differ."""
        kept = [k for k in range(len(dims)) if any(_uses(m, k) for p in parts for m in p)]
        small = [self._on(p, kept) for p in parts]
        atom = self._atom(("entrywise", op, data, *(frozenset(p.items()) for p in small)))
        if op == "sum":
            self._sums[atom] = small[0]
        axes = tuple(range(len(dims)))
        return self._canonical([(atom, exponent, tuple(kept))], axes, dict(enumerate(dims)))

    def _on(self, p: Polynomial, kept: Sequence[int]) -> Polynomial:
        """A polynomial on some of its axes."""
        found: list[Polynomial] = []
        for (factors, out, sizes), c in p.items():
            shown = tuple(out[k] for k in kept)
            used = {*shown, *(i for _, _, part in factors for i in part)}
            ends = {i: d for i, d in enumerate(sizes) if i in used}
            found.append(self._canonical(factors, shown, ends, c))
        return added(found)

    def _power(self, base: Polynomial, p: Fraction, dims: Dims) -> Polynomial:
        axes, sizes = tuple(range(len(dims))), dict(enumerate(dims))
        if p.denominator == 1 and 0 <= p <= POWER:
            return self._product([(base, axes)] * int(p), axes, sizes)
        if len(base) == 1:
            (((factors, out, inner), c),) = base.items()
            shown = [i for i in out if i != UNIT]
            entrywise = len({*shown}) == len(shown) == len(inner)
            if entrywise and (p.denominator == 1 or (c == 1 and [e for _, e, _ in factors] == [1])):
                place = {UNIT: UNIT} | {i: k for k, i in enumerate(out)}
                raised = [(a, e * p, tuple(place[i] for i in part)) for a, e, part in factors]
                return self._canonical(raised, axes, sizes, ONE if c == 1 else c ** int(p))
        return self._function("sum", None, [base], dims, p)

    def _product(
        self,
        parts: Sequence[tuple[Polynomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Any],
        factors: Sequence[Factor] = (),
        number: Fraction = ONE,
    ) -> Polynomial:
        """The product of polynomials on named axes and of factors, summed over all other names."""
        chosen: list[tuple[list[tuple[Monomial, Indices]], Fraction]] = [([], number)]
        for p, names in parts:
            need(len(chosen) * len(p) <= TERMS, "a product has too many terms")
            chosen = [([*ms, (m, names)], c * d) for ms, c in chosen for m, d in p.items()]
        return added(self._joined(ms, out, sizes, factors, c) for ms, c in chosen)

    def _joined(
        self,
        monomials: Iterable[tuple[Monomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Any],
        factors: Iterable[Factor],
        number: Fraction,
    ) -> Polynomial:
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
        ends = {root(i): d for i, d in named.items()}
        return self._canonical(tidy, tuple(map(root, out)), ends, number)

    def _canonical(
        self,
        factors: Iterable[Factor],
        out: Indices,
        sizes: Mapping[int, Any],
        number: Fraction = ONE,
    ) -> Polynomial:
        """A multiple of a product, its factors in order and its indices numbered."""
        alias = {UNIT: UNIT} | {i: UNIT if d == 1 else i for i, d in sizes.items()}
        powers: dict[tuple[int, Indices], Fraction] = {}
        for atom, e, part in factors:
            key = (atom, tuple(alias[i] for i in part))
            powers[key] = powers.get(key, 0) + e
        shown = tuple(alias[i] for i in out)
        used = {UNIT, *shown, *(i for (_, part), e in powers.items() if e for i in part)}
        for i, d in sizes.items():
            if alias[i] not in used and isinstance(d, int):
                number *= d
            elif alias[i] not in used:
                key = (self._atom(("size", d)), ())
                powers[key] = powers.get(key, 0) + ONE
        kept = [(a, e, part) for (a, part), e in powers.items() if e]
        ends = {i: d for i, d in sizes.items() if i in used and alias[i] != UNIT}
        for k, (a, e, part) in enumerate(kept):
            if a in self._sums and e.denominator == 1 and 0 < e <= POWER:
                # A power of a sum that has become a whole one.
                whole = [(self._sums[a], part)] * int(e)
                return self._product(whole, shown, ends, kept[:k] + kept[k + 1 :], number)
        names = _numbered(kept, shown, ends)
        tidy = sorted((a, e, tuple(names[i] for i in part)) for a, e, part in kept)
        outer, inner = (
            tuple(names[i] for i in shown),
            sorted((names[i], d) for i, d in ends.items()),
        )
        return {(tuple(tidy), outer, tuple(d for _, d in inner)): number} if number else {}


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


def _uses(m: Monomial, axis: int) -> bool:
    """Whether a monomial is not the same along an axis."""
    factors, out, _ = m
    i = out[axis]
    return i != UNIT and (out.count(i) > 1 or any(i in part for _, _, part in factors))


def _numbered(
    factors: Sequence[Factor], shown: Indices, sizes: Mapping[int, Any]
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
            seen = names | {i: -2 - m for i, m in marks.items()}
            uses = {
                i: repr(
                    (
                        marks[i],
                        str(sizes[i]),
                        sorted(
                            (
                                a,
                                e,
                                [k for k, j in enumerate(part) if j == i],
                                [seen[j] for j in part],
                            )
                            for a, e, part in factors
                            if i in part
                        ),
                    )
                )
                for i in marks
            }
            order = {u: k for k, u in enumerate(sorted({*uses.values()}))}
            marks = {i: order[u] for i, u in uses.items()}
        first = min(marks, key=lambda i: (marks[i], i))
        names[first] = len(names) - 1
        del marks[first]
    return names


# Laws --------------------------------------------------------------------------------------------


def _is_product_of_matrices(s: Any) -> bool:
    a, b, out = s
    plain = len({*a}) == len(a) == len({*b}) == len(b) == len(out) == 2
    return plain and len({*a} & {*b}) == 1 and {*out} == {*a} ^ {*b}


def _exchanged(s: Any) -> tuple[Indices, ...]:
    """The spec of v·u for that of u·v, matrices of which each may be transposed."""
    a, b, out = s
    first = tuple("new" if i in b else "out" for i in a)
    return renumbered([["sum" if i in a else "out" for i in b], first, ["sum", "new"]])


_SIGNS: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
# What laws' conditions and right sides compute, by the names that laws have for it.
COMPUTED: Final[Mapping[str, Callable[..., Any]]] = {
    "elementwise": lambda n: (tuple(range(len(n))),) * 3,
    "is_declared": lambda x, word: word in x[2],
    "is_elementwise": lambda s: s[0] == s[1] == s[2] and len({*s[0]}) == len(s[0]),
    "exchanged_product": _exchanged,
    "inner_axis": lambda s, n: tuple(d for i, d in zip(s[0], n, strict=True) if i in s[1]),
    "is_even_power": lambda p: p % 2 == 0,
    "is_integer": lambda p: p.denominator == 1,
    "is_matrix": lambda n: len(n) == 2,
    "is_matrix_product": lambda s: s in (((0, 1), (1, 2), (0, 2)), ((0, 1), (1, 2), (2, 0))),
    "is_identity": lambda s: s[0] == s[1] and len({*s[0]}) == len(s[0]),
    "is_square": lambda n: len(n) == 2 and n[0] == n[1],
    "is_total_sum": lambda s: s[1] == () and len({*s[0]}) == len(s[0]),
    "joined": lambda a, b: a + b,
    "multiplies_matrices": _is_product_of_matrices,
    "magnitude": abs,
    "one_axis": lambda n: len(n) == 1,
    "opposite": operator.neg,
    "plus": operator.add,
    "reciprocal": lambda c: 1 / c,
    "reversed_axes": lambda s: renumbered([s[0][::-1], s[1][::-1], s[2][::-1]]),
    "sums_nothing": lambda s: {i for part in s[:-1] for i in part} == {*s[-1]},
    "swap": lambda s: renumbered([s[1], s[0], s[2]]),
    "times": operator.mul,
}


_A: Final = ["letter", "a"]
_OPPOSITE: Final = ["node", "constant", ["value", "number", "-1"], ["value", "other", []]]
# What arithmetic has beside the laws of a certificate: a·a⁻¹ = 1, for a sum a.
RECIPROCAL: Final = {
    "left": ["node", "ein", ["call", "elementwise", ["axes", _A]], _A, ["node", "power", _A, _OPPOSITE]],
    "right": ["node", "constant", ["value", "number", "1"], ["axes", _A]],
    "when": [],
}


class _Checker:
    """A certificate, whose parts are looked at once and in order."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        need(whole["format"] == VERSION, f"this is no certificate: format {whole['format']!r}")
        self.whole = whole
        self.functions: Mapping[str, Mapping[str, Any]] = whole["functions"]
        self.laws: Mapping[str, Any] = {**whole["laws"], "reciprocal": RECIPROCAL}
        self.terms = Terms(self.functions)
        self.given = self.terms.read(whole["terms"])
        self.arithmetic = Arithmetic(self.terms)
        self.known: set[tuple[str, int]] = set()
        self.equal: set[tuple[int, int]] = set()

    def term(self, number: int) -> int:
        """A term by the number that the certificate gives it."""
        need(type(number) is int and number >= 0, "a term has a number")
        return self.given[number]

    def claim(self) -> dict[str, Any]:
        """What is proved."""
        claim = self.whole["claim"]
        self.known |= {(p, self.term(t)) for p, t in claim["assumed"]}
        for k, fact in enumerate(self.whole["facts"]):
            try:
                self.fact(fact)
            except Refused as error:
                raise Refused(f"fact {k + 1}: {error}") from error
        for k, chain in enumerate(self.whole["chains"]):
            self.chain(k, chain)
        if claim["kind"] == "equal":
            proved = (self.term(claim["left"]), self.term(claim["right"])) in self.equal
        else:
            need(claim["kind"] == "has", f"a claim {claim['kind']!r}")
            term, form = self.term(claim["term"]), self.term(claim["form"])
            same = term == form or (term, form) in self.equal
            proved = same and (claim["property"], form) in self.known
        need(proved, "the claim is not what the chains and facts prove")
        return dict(claim)

    def fact(self, fact: Mapping[str, Any]) -> None:
        """Know what a fact concludes."""
        law, bound = self.laws[fact["law"]], self.bound(fact["bound"])
        self.hold(law["when"], bound)
        self.known.add((law["property"], self.build(law["of"], bound)))

    def chain(self, number: int, chain: Mapping[str, Any]) -> None:
        """Know that both ends of a chain are equal."""
        first = last = self.term(chain["from"])
        for k, step in enumerate(chain["steps"]):
            after = self.term(step["to"])
            try:
                self.step(step, last, after)
            except Refused as error:
                raise Refused(f"chain {number + 1}, step {k + 1}: {error}") from error
            last = after
        self.equal |= {(first, last), (last, first)}

    def step(self, step: Mapping[str, Any], before: int, after: int) -> None:
        """Refuse a step that does not follow."""
        need(self.terms.dims(before) == self.terms.dims(after), "the axes differ")
        match step["by"]:
            case "law":
                sides = self.instance(step)
                old, new = sides[::-1] if step["backwards"] else sides
                need(self.replaces(before, after, old, new), "the law says something else")
            case "arithmetic":
                plus, minus = [before], [after]
                for part in step["parts"]:
                    left, right = (self.within(part, side) for side in self.instance(part))
                    plus.append(right)
                    minus.append(left)
                out = self.arithmetic.polynomial
                difference = [*map(out, plus), *(times(-1, out(t)) for t in minus)]
                need(not added(difference), "the sums of products differ")
            case other:
                raise Refused(f"a step by {other!r}")

    def within(self, part: Mapping[str, Any], side: int) -> int:
        """A side of a law's instance as a part of a product: times some factor, and a number."""
        spec, factor = part["spec"], self.term(part["times"])
        return self.terms.scaled(
            Fraction(part["number"]), self.terms.make("einsum", renumbered(spec), (factor, side))
        )

    def replaces(self, before: int, after: int, old: int, new: int) -> bool:
        """Whether one term is another in which some parts that are `old` have become `new`."""
        stack, seen = [(before, after)], set[tuple[int, int]]()
        while stack:
            a, b = pair = stack.pop()
            if a == b or pair == (old, new) or pair in seen:
                continue
            seen.add(pair)
            (op, data, args, _), (other, others_data, others, _) = (
                self.terms.nodes[a],
                self.terms.nodes[b],
            )
            if (op, data, len(args)) != (other, others_data, len(others)) or not args:
                return False
            stack += zip(args, others, strict=True)
        return True

    def instance(self, step: Mapping[str, Any]) -> tuple[int, int]:
        """Both sides of a law for what its letters stand for; its conditions hold."""
        law, bound = self.laws[step["law"]], self.bound(step["bound"])
        self.hold(law["when"], bound)
        left, right = self.build(law["left"], bound), self.build(law["right"], bound)
        need(self.terms.dims(left) == self.terms.dims(right), "both sides have the same axes")
        return left, right

    def bound(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What letters stand for."""
        return {name: self.value(*kind_and_value) for name, kind_and_value in said.items()}

    def value(self, kind: str, value: Any) -> Any:
        """A value of some kind: a term, a number, or parts of a spec, axes, a name."""
        match kind:
            case "term":
                return self.term(value)
            case "number":
                return Fraction(value)
            case "spec":
                return renumbered(value)
            case _:
                return frozen(value)

    def hold(self, conditions: Iterable[Any], bound: dict[str, Any]) -> None:
        """Refuse an instance of which a condition does not hold."""
        for c in conditions:
            match c[0]:
                case "known":
                    holds = (c[1], self.build(c[2], bound)) in self.known
                case "equal":
                    holds = (self.build(c[1], bound), self.build(c[2], bound)) in self.equal
                case "same":
                    holds = bound[c[1]] == self.build(c[2], bound)
                case _:
                    holds = self.build(c, bound)
            need(holds, f"a condition of the law does not hold: {c[0]} {c[1]}")

    def build(self, p: Any, bound: Mapping[str, Any]) -> Any:
        """The term or value that a pattern stands for."""
        word, *rest = p
        match word:
            case "letter":
                return bound[rest[0]]
            case "value":
                return self.value(*rest)
            case "node":
                return self.node(rest[0], [self.build(a, bound) for a in rest[1:]])
            case "axes":
                return self.terms.dims(self.build(rest[0], bound))
            case "not":
                return not self.build(rest[0], bound)
            case "compare":
                return _SIGNS[rest[0]](self.build(rest[1], bound), self.value(*rest[2]))
            case "record":
                return self.functions[self.build(rest[1], bound)][rest[0]]
            case "part":
                whole = self.build(rest[2], bound)
                return whole[rest[0]] if rest[1] == "" else whole[slice(*rest[:2])]
            case _:
                need(rest[0] in COMPUTED, f"nothing here computes {rest[0]}")
                return COMPUTED[rest[0]](*(self.build(a, bound) for a in rest[1:]))

    def node(self, constructor: str, args: list[Any]) -> int:
        """The term of a constructor of laws."""
        make = self.terms.make
        match constructor, args:
            case (("ein" | "ein1"), [spec, *operands]):
                return make("einsum", renumbered(spec), tuple(operands))
            case "constant", [value, dims]:
                return make("constant", str(value), (), dims)
            case "scale", [value, a]:
                return self.terms.scaled(value, a)
            case "delta", [dims]:
                return make("delta", None, (), dims + dims)
            case (("function" | "function2" | "function3"), [name, *operands]):
                need(name in self.functions, f"{name} is no function here")
                return make(name, None, tuple(operands))
            case "variable", [(name, dims, words)]:
                data = {"name": name, "assume": list(words)}
                return make("variable", frozen(data), (), dims)
            case name, operands:
                return make(name, None, tuple(operands))
