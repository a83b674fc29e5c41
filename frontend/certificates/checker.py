"""Certificates checked: what one has to trust. No e-graph, no search, no library but Python's own.

A certificate has terms by number, laws as patterns, facts that are known of terms, and chains of
terms. A step of a chain follows by a law, where parts of the term are replaced as an instance of
the law says, or by arithmetic: the difference of both terms, multiplied out, is a sum of
differences l - r of instances of laws, each as a part of a product. Where no law is needed that
only reorders sums and products; with p·p⁻¹ = 1 it is a common denominator. Whether the laws are
those of the package is for those to say who know these.
"""

import json
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

from eggrad.frontend.certificates.arithmetic import (
    ONE,
    Arithmetic,
    Indices,
    Refused,
    Terms,
    added,
    frozen,
    need,
    rational,
    renumbered,
    sizes_of,
    times,
)

VERSION: Final = "eggrad certificate 1"


def check(text: str) -> dict[str, Any]:
    """A certificate that proves what it claims; raises `Refused` for any other text."""
    try:
        return Checker(json.loads(text, **_STRICT)).checked()
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise Refused(f"this is no certificate: {type(error).__name__}: {error}") from error
    except RecursionError as error:
        raise Refused("this is no certificate: it is nested too deep") from error


def no_float(text: str) -> Any:
    """Refuse a number that is no integer: fractions are texts."""
    raise Refused(f"this is no certificate: it has the number {text}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len({k for k, _ in pairs}) == len(pairs), "this is no certificate: a name comes twice")
    return dict(pairs)


_STRICT: Final[dict[str, Any]] = {
    "parse_float": no_float,
    "parse_constant": no_float,
    "object_pairs_hook": _once,
}


def _is_product_of_matrices(s: Any) -> bool:
    a, b, out = s
    plain = len({*a}) == len(a) == len({*b}) == len(b) == len(out) == 2
    return plain and len({*a} & {*b}) == 1 and {*out} == {*a} ^ {*b}


def _is_gram(s: Any) -> bool:
    """Whether a product of a tensor with itself is a Gram matrix, as x'x and x x' are."""
    first, second, out = s
    plain = len({*first}) == len(first) == len(second) == len({*second}) and len(out) == 2
    other = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    return plain and len(other) == 1 and {*out} == {*other[0]}


def _summed(s: Any) -> Indices:
    return tuple(i for i in s[0] if i not in s[1])


def _unplaced(s: Any, j: Any) -> tuple[Indices, ...]:
    """A spec without an index that the first operand alone has."""
    place = s[0][int(j)]
    need(sum(part.count(place) for part in s) == 1, "the index is used elsewhere")
    return renumbered([[i for i in s[0] if i != place], *s[1:]])


def _exchanged(s: Any) -> tuple[Indices, ...]:
    """The spec of v·u for that of u·v, matrices of which each may be transposed."""
    need(_is_product_of_matrices(s), "no product of matrices")
    first = tuple("new" if i in s[1] else "out" for i in s[0])
    second = tuple("sum" if i in s[0] else "out" for i in s[1])
    return renumbered([second, first, ["sum", "new"]])


def _is_quadratic_form(t: Any, s: Any) -> bool:
    """Whether x times a matrix by t, times x again by s, is x'·a·x."""
    x, a, out = t
    shared = {*x} & {*a}
    other = {*a} - shared
    if len({*x}) < len(x) or len(a) != 2 or len(shared) != 1 or {*out} != ({*x} - shared) | other:
        return False
    label = dict(zip(out, s[0], strict=True)) | {
        i: dict(zip(out, s[0], strict=True))[j] for i, j in zip(shared, other, strict=True)
    }
    summed = {label[i] for i in shared}.isdisjoint(s[2]) and len({*s[0]}) == len(s[0])
    return summed and s[1] == tuple(label[i] for i in x)


def _is_congruence(t: Any, s: Any) -> bool:
    """Whether x times a matrix by t, times x again by s, is x'·a·x, up to transposes."""
    if not _is_product_of_matrices(t) or len(s[1]) != 2:
        return False
    (c,) = {*t[0]} & {*t[1]}
    axis, place = t[0].index(c), int(t[2][0] in t[0])
    inner, again, out = s
    met, kept, other = inner[place], inner[1 - place], again[1 - axis]
    distinct = len({met, kept, other}) == 3 and len(out) == 2
    return distinct and met == again[axis] and {*out} == {kept, other}


def _is_share(s: Any, t: Any) -> bool:
    """Whether a product divides entries by their own sum, over the axes that t takes away."""
    numerator, divisor, out = s
    kept = tuple(numerator[t[0].index(i)] for i in t[1] if i in t[0])
    distinct = len({*numerator}) == len(numerator) == len(t[0]) == len({*t[0]})
    return distinct and numerator == out and divisor == kept and len(t[1]) < len(t[0])


def _makes_diagonal(s: Any) -> bool:
    """Whether a delta times a vector, or a scalar, is a diagonal matrix."""
    delta, vector, out = s
    square = len(delta) == len(out) == len({*delta}) == 2 and {*delta} == {*out}
    return square and len(vector) <= 1 and {*vector} <= {*delta}


_SIGNS: Final = {
    **{"==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge},
    **{"<": operator.lt, "<=": operator.le},
}
_PRODUCTS: Final = (((0, 1), (1, 2), (0, 2)), ((0, 1), (1, 2), (2, 0)))
# What laws' conditions and right sides compute, by the names that laws have for it.
COMPUTED: Final[Mapping[str, Callable[..., Any]]] = {
    "elementwise": lambda n: (tuple(range(len(n))),) * 3,
    "exchanged_product": _exchanged,
    "inner_axis": lambda s, n: tuple(d for i, d in zip(s[0], n, strict=True) if i in s[1]),
    "is_declared": lambda x, word: word in x[2],
    "is_congruence": _is_congruence,
    "is_diagonal_of": lambda s, n: s in (((0, 0), (0,)), ((0, 0), ())) or n == (1, 1),
    "is_elementwise": lambda s: s[0] == s[1] == s[2] and len({*s[0]}) == len(s[0]),
    "is_even_power": lambda p: p % 2 == 0,
    "is_extreme": lambda f: f in ("max", "min"),
    "is_gram": _is_gram,
    "is_greatest": lambda f: f == "max",
    "is_identity": lambda s: s[0] == s[1] and len({*s[0]}) == len(s[0]),
    "is_integer": lambda p: p.denominator == 1,
    "is_matrix": lambda n: len(n) == 2,
    "is_matrix_gram": lambda s: len({*s[0]}) == len(s[0]) == 2 and _is_gram(s),
    "is_matrix_product": lambda s: s in _PRODUCTS,
    "is_odd_power": lambda p: p % 2 == 1,
    "is_quadratic_form": _is_quadratic_form,
    "is_same": operator.eq,
    "is_scaled": lambda s: s[0] == () and s[1] == s[2] and len({*s[1]}) == len(s[1]),
    "is_spread_back": lambda t, s: t == renumbered([s[1], _summed(s), s[0]]),
    "is_share": _is_share,
    "is_square": lambda n: len(n) == 2 and n[0] == n[1],
    "is_total_sum": lambda s: s[1] == () and 0 < len({*s[0]}) == len(s[0]),
    "joined": operator.add,
    "keeps_sign": lambda p: p.denominator > 1 or p % 2 == 1,
    "magnitude": abs,
    "makes_diagonal": _makes_diagonal,
    "multiplies_matrices": _is_product_of_matrices,
    "never_negative_power": lambda p: p.denominator > 1 or p % 2 == 0,
    "one_axis": lambda n: len(n) == 1,
    "opposite": operator.neg,
    "other_extreme": lambda f: "min" if f == "max" else "max",
    "plus": lambda c, k: Fraction(c) + k,
    "reciprocal": lambda c: 1 / c,
    "result_dims": lambda s, *n: tuple(map(sizes_of(s, n).__getitem__, s[-1])),
    "reversed_axes": lambda s: renumbered(part[::-1] for part in s),
    "rounds": lambda f: f in ("floor", "ceil", "trunc", "round"),
    "scaled_as": lambda s: ((), (*range(len(s[-1])),), (*range(len(s[-1])),)),
    "sign_of": lambda c: Fraction((c > 0) - (c < 0)),
    "sums_nothing": lambda s: {i for part in s[:-1] for i in part} == {*s[-1]},
    "swap": lambda s: renumbered([s[1], s[0], s[2]]),
    "times": lambda c, k: Fraction(c) * k,
    "unplaced": _unplaced,
    "undoes": lambda f, g: (f, g) in (("sin", "arcsin"), ("cos", "arccos")),
    "without_scalar": lambda s: s[1:] if s[0] == () else None,
}
_A: Final = ["letter", "a"]
_OPPOSITE: Final = ["node", "constant", ["value", "number", "-1"], ["value", "other", []]]
_PRODUCT: Final = ["node", "ein", ["call", "elementwise", ["axes", _A]], _A]
# What arithmetic has beside the laws of a certificate: a·a⁻¹ = 1, for a sum a.
RECIPROCAL: Final = "reciprocal"
_RECIPROCAL: Final = {
    "left": [*_PRODUCT, ["node", "power", _A, _OPPOSITE]],
    "right": ["node", "constant", ["value", "number", "1"], ["axes", _A]],
    "when": [],
    "letters": {"a": "term"},
}
# The terms that a claim is about, by its kind: where all that they are made of is defined.
CLAIMED: Final[Mapping[str, tuple[str, ...]]] = {
    **{"equal": ("left", "right"), "has": ("term",), "derivative": ("of", "is"), "curved": ("of",)}
}
NOT_ZERO: Final = ("positive", "negative", "nonzero", "nonzero almost everywhere")
_SMOOTH: Final = (
    *("einsum", "add", "subtract", "negate", "divide", "power", "inv", "det", "adj", "exp"),
)


def letters(p: Any) -> set[str]:
    """The letters of what a pattern is made of, not of what it takes axes from."""
    if p[0] == "letter":
        return {p[1]}
    return set[str]().union(*(letters(part) for part in p[1:])) if p[0] == "node" else set()


class Checker:
    """A certificate, whose parts are looked at once and in order."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        """Read the terms."""
        need(whole["format"] == VERSION, f"this is no certificate: format {whole['format']!r}")
        self.whole = dict(whole)
        self.functions: Mapping[str, Mapping[str, Any]] = whole["functions"]
        self.laws: Mapping[str, Any] = {**whole["laws"], RECIPROCAL: _RECIPROCAL}
        self.terms = Terms(self.functions)
        self.given = self.terms.read(whole["terms"])
        total = [name for name, known in self.functions.items() if known["total"]]
        self.arithmetic = Arithmetic(self.terms, total)
        self.known: set[tuple[str, int]] = set()
        self.defined: set[object] = set()

    def term(self, number: int) -> int:
        """A term by the number that the certificate gives it."""
        need(type(number) is int and number >= 0, "a term has a number")
        return self.given[number]

    def checked(self) -> dict[str, Any]:
        """The certificate, if its claim is what its facts and chains prove."""
        claim = self.whole["claim"]
        for k in CLAIMED[claim["kind"]]:
            self.defined |= self.arithmetic.needs(self.term(claim[k]))
        for p, t in claim["assumed"]:
            self.know(p, self.term(t))
        for k, fact in enumerate(self.whole["facts"]):
            law = self.laws[fact["law"]]
            bound = self.bound(law, fact["bound"])
            self.hold(law["when"], bound, f"fact {k + 1}")
            self.know(law["property"], self.build(law["of"], bound))
        wanted = self.wanted(claim)
        for k, chain in enumerate(self.whole["chains"]):
            ends = self.term(chain["from"]), self.term(chain["steps"][-1]["to"])
            need(ends == wanted, "a chain leads from one side of the claim to the other")
            self.chain(k, chain)
        if not self.whole["chains"]:
            need(wanted[0] == wanted[1], "the claim is not what chains prove")
            need(self.arithmetic.needs(wanted[0]) <= self.defined, "it may be undefined")
        if claim["kind"] in ("has", "curved"):
            need((claim["property"], wanted[1]) in self.known, "the property is not known")
        return self.whole

    def wanted(self, claim: Mapping[str, Any]) -> tuple[int, int]:
        """The two terms that have to be equal, so that a claim is true."""
        match claim["kind"]:
            case "equal":
                return self.term(claim["left"]), self.term(claim["right"])
            case "has":
                return self.term(claim["term"]), self.term(claim["form"])
            case "derivative":
                f, x, g, dx = (self.term(claim[k]) for k in ("of", "by", "is", "along"))
                self.moves(claim, {x: dx}, f, g)
                order = len(self.terms.dims(f))
                axes = tuple(range(order + len(self.terms.dims(x))))
                spec = renumbered([axes, axes[order:], axes[:order]])
                return self.differential(f, {x: dx}), self.terms.make("einsum", spec, (g, dx))
            case "curved":
                f, form = self.term(claim["of"]), self.term(claim["form"])
                along = {self.term(x): self.term(d) for x, d in claim["along"]}
                need(claim["property"] in ("nonnegative", "nonpositive"), "a sign is claimed")
                need(0 < len({*along.values()}) == len(claim["along"]), "a direction for each")
                self.moves(claim, along, f)
                assumed = [self.term(t) for p, t in claim["assumed"] if p == "constant"]
                need(not self.below(*assumed) & {*along}, "what moves is not constant")
                self.regular(f, along)
                return self.differential(self.differential(f, along), along), form
            case other:
                raise Refused(f"a claim of the kind {other!r}")

    def moves(self, claim: Mapping[str, Any], along: Mapping[int, int], *terms: int) -> None:
        """Refuse directions that are not any: what is known of them is what all tensors are."""
        for x, d in along.items():
            first, second = self.terms.nodes[x], self.terms.nodes[d]
            alike = first[0] == second[0] == "variable" and first[3] == second[3]
            need(alike and not dict(second[1])["assume"], "a direction is any tensor")
        told = (*terms, *(self.term(t) for _, t in claim["assumed"]))
        need(not {*along.values()} & self.below(*told), "a direction is new")

    def below(self, *terms: int) -> set[int]:
        """Terms and all that they are made of."""
        found, stack = {*terms}, [*terms]
        while stack:
            new = {*self.terms.nodes[stack.pop()][2]} - found
            found |= new
            stack += new
        return found

    def regular(self, f: int, variables: Iterable[int]) -> None:
        """Refuse a term that has kinks, or whose domain may not be convex.

        What is known of its parts says so: a logarithm is defined on a convex set if it is of what
        is concave, or positive everywhere.
        """
        moving = {*variables}
        for t in sorted(self.below(f)):
            op, _, args, _ = self.terms.nodes[t]
            if not moving.isdisjoint(args):
                moving.add(t)
                words: tuple[str, ...] = ()
                exponent = self.terms.nodes[args[-1]] if op == "power" else ("constant", "1")
                need(exponent[0] == "constant", "an exponent is a number")
                p = rational(exponent[1])
                if op == "log" or p.denominator > 1:
                    words = ("positive", "concave", *["log-convex"] * (op == "log"))
                elif op == "divide" or p < 0:
                    words = ("positive", "negative")
                elif op == "inv":
                    words = ("positive definite",)
                smooth = op in _SMOOTH or self.functions.get(op, {}).get("analytic")
                need(smooth or op == "log", f"{op} may have kinks, or no convex domain")
                of = args[-1] if op in ("divide", "log", "inv") else args[0]
                known = of not in moving or any((w, of) in self.known for w in words)
                need(not words or known, f"the domain of {op}")

    def differential(self, f: int, along: Mapping[int, int]) -> int:
        """What a term changes by where some variables change by others."""
        made: dict[int, int | None] = {**along}
        for t in sorted(self.below(f)):
            op, data, args, _ = self.terms.nodes[t]
            parts: list[int] = []
            for k, a in enumerate(args):
                da = made[a]
                if da is not None:
                    parts.append(self.change(op, data, args, k, da))
            made.setdefault(t, None)
            for d in parts:
                before = made[t]
                made[t] = d if before is None else self.terms.make("add", None, (before, d))
        found = made[f]
        return self.terms.number(Fraction(0), self.terms.dims(f)) if found is None else found

    def change(self, op: str, data: Any, args: Indices, k: int, da: int) -> int:
        """What a node changes by where one operand changes by a term."""
        make, times_, a = self.terms.make, self.terms.times, args[k]
        minus = partial(make, "negate", None)
        match op:
            case "add" | "subtract" | "negate":
                return minus((da,)) if op == "negate" or (op == "subtract" and k) else da
            case "einsum":
                return make(op, data, (*args[:k], da, *args[k + 1 :]))
            case "divide":
                if k == 0:
                    return make(op, None, (da, args[1]))
                ratio = make(op, None, (da, a))
                return minus((times_(make(op, None, args), ratio),))
            case "power" if k == 0:
                less = make("subtract", None, (args[1], self.terms.number(ONE)))
                return times_(times_(make(op, None, (a, less)), args[1]), da)
            case "power":
                return times_(times_(make(op, None, args), make("log", None, (args[0],))), da)
            case "inv":
                inverse = make("inv", None, args)
                spec = renumbered(["ij", "jk", "ik"])
                return minus(
                    (make("einsum", spec, (make("einsum", spec, (inverse, da)), inverse)),)
                )
            case "det":
                spec = renumbered(["ij", "ji", ""])
                return make("einsum", spec, (make("adj", None, args), da))
            case _:
                if op in ("maximum", "minimum"):
                    apart = make("subtract", None, args)
                    need(any((w, apart) in self.known for w in NOT_ZERO), f"{op} of equal terms")
                law = self.laws[self.whole["slopes"][op][k]]
                _, kind, name, place, *letters = law["left"]
                need(kind.startswith("slope") and name == ["value", "name", op], "another slope")
                need(place == ["value", "number", str(k)] and not law["when"], "another slope")
                need(all(letter[0] == "letter" for letter in letters), "another slope")
                bound = {letter[1]: t for letter, t in zip(letters, args, strict=True)}
                return times_(self.build(law["right"], bound), da)

    def know(self, p: str, t: int) -> None:
        """Know a property; what is not 0 may be divided by, what is positive has a logarithm."""
        self.known.add((p, t))
        if p in NOT_ZERO and self.arithmetic.needs(t) <= self.defined:
            make, positive = self.terms.make, p == "positive"
            for e in (-ONE, -ONE / 2)[: 1 + positive]:
                power = make("power", None, (t, self.terms.number(e)))
                self.defined |= self.arithmetic.needs(power)
            if positive and "log" in self.functions:
                self.defined |= self.arithmetic.needs(make("log", None, (t,)))

    def chain(self, number: int, chain: Mapping[str, Any]) -> None:
        """Know that both ends of a chain are equal, and that all between is defined as they are."""
        steps = chain["steps"]
        terms = [self.term(chain["from"]), *(self.term(step["to"]) for step in steps)]
        for way in (1, -1):
            for t, step in zip(terms[::way], [None, *steps[::way]], strict=True):
                needs = self.arithmetic.needs(t)
                by_law = step and step["by"] == "law" and self.leads(step, way)
                if not (by_law or needs <= self.defined):
                    break
                self.defined |= needs
        for k, step in enumerate(steps):
            self.step(step, terms[k], terms[k + 1], f"chain {number + 1}, step {k + 1}")

    def leads(self, step: Mapping[str, Any], way: int) -> bool:
        """Whether what a law makes of what is defined is defined.

        A law leads from its left side to its right, and back if a condition of it is known of what
        its right side has already.
        """
        law, backwards = self.laws[step["law"]], step["backwards"]
        need(isinstance(backwards, bool), "whether a law is read backwards is true or false")
        if backwards == (way == -1):
            return True
        known = any(c[0] == "known" for c in law["when"])
        return known and {a for a, kind in law["letters"].items() if kind == "term"} <= letters(
            law["right"]
        )

    def step(self, step: Mapping[str, Any], before: int, after: int, place: str) -> None:
        """Refuse a step that does not follow."""
        need(self.terms.dims(before) == self.terms.dims(after), f"{place}: the axes differ")
        polynomial, needs = self.arithmetic.polynomial, self.arithmetic.needs
        need(needs(before) | needs(after) <= self.defined, f"{place}: it may be undefined")
        if step["by"] == "law":
            sides = self.instance(step, place)
            old, new = sides[::-1] if step["backwards"] else sides
            need(self.replaces(before, after, old, new), f"{place}: the law says something else")
            return
        need(step["by"] == "arithmetic", f"{place}: by nothing that is known here")
        difference = [polynomial(before), times(-1, polynomial(after))]
        for part in step["parts"]:
            for whole, sign in zip(self.sides(part, place), (-1, 1), strict=True):
                difference.append(times(sign * rational(part["number"]), polynomial(whole)))
                need(needs(whole) <= self.defined, f"{place}: something new may be undefined")
        self.arithmetic.spend(sum(map(len, difference)))
        need(not added(difference), f"{place}: the sums of products differ")

    def sides(self, part: Mapping[str, Any], place: str) -> list[int]:
        """Both sides of a law, each times a term."""
        times_, spec = self.term(part["times"]), renumbered(part["spec"])
        return [
            self.terms.make("einsum", spec, (times_, side)) for side in self.instance(part, place)
        ]

    def replaces(self, before: int, after: int, old: int, new: int) -> bool:
        """Whether one term is another in which some parts that are `old` have become `new`."""
        stack, seen = [(before, after)], {(old, new)}
        while stack:
            a, b = stack.pop()
            if a != b and (a, b) not in seen:
                seen.add((a, b))
                self.arithmetic.spend(1)
                first, second = self.terms.nodes[a], self.terms.nodes[b]
                if first[:2] != second[:2] or not 0 < len(first[2]) == len(second[2]):
                    return False
                stack += zip(first[2], second[2], strict=True)
        return True

    def instance(self, step: Mapping[str, Any], place: str) -> tuple[int, int]:
        """Both sides of a law for what its letters stand for; its conditions hold."""
        law = self.laws[step["law"]]
        bound = self.bound(law, step["bound"])
        self.hold(law["when"], bound, place)
        left, right = self.build(law["left"], bound), self.build(law["right"], bound)
        need(self.terms.dims(left) == self.terms.dims(right), f"{place}: sides of other axes")
        return left, right

    def bound(self, law: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
        """What letters stand for: values of the kinds that the law says."""
        need({*said} == {*law["letters"]}, "a law's letters stand for something, and no others")
        for name, kind in law["letters"].items():
            need(said[name][0] == kind, f"the letter {name} stands for a {kind}")
        return {name: self.value(*kind_and_value) for name, kind_and_value in said.items()}

    def value(self, kind: str, value: Any) -> Any:
        """A value of some kind: a term, a number, a spec, a name, or axes and the like."""
        if kind == "name":
            need(isinstance(value, str), "a name is a text")
        kinds = {"term": self.term, "number": rational, "spec": renumbered}
        return kinds.get(kind, frozen)(value)

    def hold(self, conditions: Iterable[Any], bound: dict[str, Any], place: str) -> None:
        """Refuse an instance of which a condition does not hold."""
        for c in conditions:
            holds = (
                self.build(c, bound) if c[0] != "same" else bound[c[1]] == self.build(c[2], bound)
            )
            need(holds, f"{place}: a condition of the law does not hold: {c[0]} {c[1]}")

    def build(self, p: Any, bound: Mapping[str, Any]) -> Any:
        """The term or value that a pattern stands for."""
        word, *rest = p
        if word == "letter":
            return bound[rest[0]]
        if word == "value":
            return self.value(*rest)
        if word == "not":
            return not self.build(rest[0], bound)
        if word == "compare":
            return _SIGNS[rest[0]](self.build(rest[1], bound), self.value(*rest[2]))
        if word == "part":
            whole = self.build(rest[2], bound)
            return whole[rest[0]] if rest[1] == "" else whole[slice(*rest[:2])]
        made: list[Any] = [r if isinstance(r, str) else self.build(r, bound) for r in rest]
        name, *args = made
        match word:
            case "node":
                return self.node(name, args)
            case "axes":
                return self.terms.dims(name)
            case "known":
                return (name, *args) in self.known
            case "record":
                return frozen(self.functions[args[0]][name])
            case _:
                need(word == "call" and name in COMPUTED, f"nothing here computes {name}")
                return COMPUTED[name](*args)

    def node(self, constructor: str, args: list[Any]) -> int:
        """The term of a constructor of laws."""
        make = self.terms.make
        match constructor, args:
            case "ein" | "ein1", [spec, *operands]:
                return make("einsum", renumbered(spec), tuple(operands))
            case "constant", [value, dims]:
                return self.terms.number(value, dims)
            case "scale", [value, a]:
                return self.terms.times(self.terms.number(value), a)
            case "size", [symbol]:
                return make("size", symbol, ())
            case "delta", [dims]:
                return make("delta", None, (), dims + dims)
            case "function" | "function2" | "function3", [name, *operands]:
                need(name in self.functions, f"{name} is no function here")
                return make(name, None, tuple(operands))
            case "indicator", [dims, conditions]:
                return make("indicator", frozen(conditions), (), dims)
            case _, [name, data, *operands] if constructor.startswith("numeric"):
                return make(name, data, tuple(operands))
            case "variable", [(name, dims, words)]:
                return make("variable", frozen({"name": name, "assume": words}), (), dims)
            case name, operands:
                return make(name, None, tuple(operands))
