"""Congruence closure against its definition, and the paths that explain it."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.equality.congruence import Congruence, Equation
from eggrad.engine.equality.explanation import smallest_terms
from eggrad.engine.terms.term import Term, add, apply, postorder, variable
from eggrad.rules.functions.elementwise import functions

LEAVES = tuple(variable(name) for name in "abc")
LEVELS = [*LEAVES, *(apply(f, a) for f in ("exp", "sin") for a in LEAVES)]
TERMS = [*LEVELS, *(add(a, b) for a, b in product(LEVELS[:5], repeat=2))]
TERMS += [apply("sin", t) for t in TERMS[-6:]]
PAIRS = st.lists(st.tuples(st.sampled_from(TERMS), st.sampled_from(TERMS)), max_size=8)


def united(pairs: list[tuple[Term, Term]]) -> Congruence:
    equal = Congruence()
    equal.add(TERMS)
    for a, b in pairs:
        equal.unite(Equation(functions["log_of_exp"], a, b))
    equal.close()
    return equal


def by_definition(pairs: list[tuple[Term, Term]]) -> set[tuple[Term, Term]]:
    """The smallest congruence that has the pairs."""
    number = {t: k for k, t in enumerate(TERMS)}

    def join(a: Term, b: Term) -> bool:
        old, new = number[a], number[b]
        for t in TERMS:
            if number[t] == old:
                number[t] = new
        return old != new

    for a, b in pairs:
        join(a, b)
    changed = True
    while changed:
        changed = False
        for a, b in product(TERMS, repeat=2):
            below = zip(a.args, b.args, strict=False)
            if a.args and a.op == b.op and all(number[x] == number[y] for x, y in below):
                changed |= join(a, b)
    return {(a, b) for a, b in product(TERMS, repeat=2) if number[a] == number[b]}


@given(PAIRS)
def test_classes_are_those_of_the_definition(pairs: list[tuple[Term, Term]]) -> None:
    equal = united(pairs)
    expected = by_definition(pairs)
    assert {(a, b) for a, b in product(TERMS, repeat=2) if equal.same(a, b)} == expected


@given(PAIRS)
def test_paths_lead_from_term_to_term(pairs: list[tuple[Term, Term]]) -> None:
    equal = united(pairs)
    for a, b in product(TERMS, repeat=2):
        if not equal.same(a, b):
            continue
        place = a
        for edge in equal.path(a, b):
            assert edge.start is place
            place = edge.end
            if edge.equation is None:
                assert edge.start.op == edge.end.op
                assert all(map(equal.same, edge.start.args, edge.end.args))
            else:
                sides = (edge.equation.left, edge.equation.right)
                assert (edge.start, edge.end) in (sides, sides[::-1])
                assert edge.backwards == (sides[0] is not edge.start)
        assert place is b


@given(PAIRS, st.integers(1, 4))
def test_smallest_terms_are_members(pairs: list[tuple[Term, Term]], count: int) -> None:
    equal = united(pairs)
    table = equal.close()
    found = smallest_terms(list(table.values()), equal.find, count)
    assert len(set(found)) == len(found)
    equal.add(found)
    equal.close()
    sizes: dict[Term, list[int]] = {}
    seen: set[Term] = set()
    for t in found:
        assert seen.issuperset(t.args)
        seen.add(t)
        sizes.setdefault(equal.find(t), []).append(weight(t))
    assert set(sizes) == {equal.find(t) for t in TERMS}
    for own in sizes.values():
        assert len(own) <= count
        assert own == sorted(own)
    for t in TERMS:
        assert min(sizes[equal.find(t)]) <= weight(t)


def weight(t: Term) -> int:
    """The number of nodes, each counted as often as it is used."""
    known: dict[Term, int] = {}
    for node in postorder(t):
        known[node] = 1 + sum(known[a] for a in node.args)
    return known[t]
