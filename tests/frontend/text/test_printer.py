"""What is printed reads back as the very same term."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from eggrad.engine.errors import ShapeError
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    cofactors,
    constant,
    delta,
    divide,
    einsum,
    negate,
    power,
    size,
    subtract,
    variable,
)
from eggrad.frontend.text.parser import parse
from eggrad.frontend.text.printer import format_problem, format_term
from tests.support.term_strategies import terms
from tests.support.tiers import samples

N = ("n",)
X = variable("x", N)
S = variable("s")
A = variable("A", ("A_1", "A_2"))


@settings(max_examples=samples(250, 1000), deadline=None)
@given(terms())
def test_any_term_reads_back(term: Term) -> None:
    text = format_problem(term)
    assert parse(text).term is term
    assert format_problem(parse(text).term, parse(text).declared) == text


@settings(max_examples=samples(50, 200), deadline=None)
@given(terms(), terms(steps=0))
def test_a_scope_is_declared_first_and_changes_nothing(term: Term, other: Term) -> None:
    extra = variable("scope", other.dims)
    problem = parse(format_problem(term, (extra,), (extra,)))
    assert problem.term is term
    assert problem.declared[0] is extra
    assert problem.wrt == (extra,)


@settings(max_examples=samples(50, 200), deadline=None)
@given(terms())
def test_the_expression_alone_is_never_longer_than_asked(term: Term) -> None:
    assert len(format_term(term, 40)) <= 41


PRINTED = [
    (add(A, constant(1, A.dims)), "declare A 2 expression A + 1"),
    (X, "declare x[n] expression x"),
    (variable("x", (3,)), "declare x[3] expression x"),
    (variable("P", ("n", "n"), ["invertible"]), "declare P[n,n]{invertible} expression P"),
    (constant(1), "declare expression 1"),
    (constant(-1), "declare expression -1"),
    (negate(constant(1)), "declare expression -(1)"),
    (negate(constant(-1)), "declare expression -(-1)"),
    (negate(negate(S)), "declare s 0 expression -(-s)"),
    (negate(add(S, S)), "declare s 0 expression -(s + s)"),
    (negate(power(S, constant(2))), "declare s 0 expression -(s ^ 2)"),
    (power(negate(S), constant(2)), "declare s 0 expression (-s) ^ 2"),
    (power(power(S, constant(2)), constant(3)), "declare s 0 expression (s ^ 2) ^ 3"),
    (power(S, power(S, constant(3))), "declare s 0 expression s ^ (s ^ 3)"),
    (power(S, constant(-1)), "declare s 0 expression s ^ -1"),
    (power(S, negate(constant(1))), "declare s 0 expression s ^ (-(1))"),
    (subtract(subtract(S, S), S), "declare s 0 expression s - s - s"),
    (subtract(S, subtract(S, S)), "declare s 0 expression s - (s - s)"),
    (subtract(S, negate(S)), "declare s 0 expression s - -s"),
    (divide(S, divide(S, S)), "declare s 0 expression s / (s / s)"),
    (divide(add(S, S), S), "declare s 0 expression (s + s) / s"),
    (divide(constant(1), X), "declare x[n] expression 1 / x"),
    (divide(constant(1, N), X), "declare x[n] expression 1[n] / x"),
    (divide(X, constant(2)), "declare x[n] expression x / 2"),
    (einsum("i,i->", X, X), "declare x[n] expression x *(i,i->) x"),
    (einsum(",i->i", constant(2), X), "declare x[n] expression 2 *(,i->i) x"),
    (einsum("ij->ji", A), "declare A 2 expression *(ij->ji) A"),
    (einsum("ij->ji", add(A, A)), "declare A 2 expression *(ij->ji) (A + A)"),
    (einsum("ij->ji", apply("sin", A)), "declare A 2 expression *(ij->ji) sin(A)"),
    (einsum("ij->ji", negate(A)), "declare A 2 expression *(ij->ji) (-A)"),
    (power(einsum("ij->ji", A), S), "declare A 2 s 0 expression (*(ij->ji) A) ^ s"),
    (delta(("n1",)), "declare expression delta(1)"),
    (delta(N), "declare expression delta[n]"),
    (delta(()), "declare expression delta(0)"),
    (delta((2, "n")), "declare expression delta[2,n]"),
    (constant(Fraction(1, 3)), "declare expression 1//3"),
    (constant(Fraction(-1, 2)), "declare expression -0.5"),
    (constant(0, ("m", "n")), "declare expression 0[m,n]"),
    (size("n"), "declare expression size(n)"),
    (apply("det", variable("M", ("n", "n"))), "declare M[n,n] expression det(M)"),
    (cofactors(2, variable("M", ("n", "n"))), "declare M[n,n] expression cofactors2(M)"),
    (variable("sin"), "declare `sin` 0 expression `sin`"),
    (variable("a`b c"), "declare `a``b c` 0 expression `a``b c`"),
    (variable("B", ("A_1", "B_2")), "declare B[A_1,B_2] expression B"),
]  # fmt: skip


@pytest.mark.parametrize(("term", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_print(term: Term, text: str) -> None:
    assert format_problem(term) == text
    assert parse(text).term is term


def test_the_owner_of_a_size_is_declared_first() -> None:
    x, a = variable("X", ("x_1",)), variable("x", ("x_1",))
    assert format_problem(add(x, a)) == "declare x 1 X 1 expression X + x"


def test_a_long_part_that_occurs_twice_gets_a_name() -> None:
    part = apply("arcsin", add(X, apply("exp", X)))
    term = einsum("i,i->", part, part)
    assert format_problem(term) == (
        "declare x[n]\nlet t1 = arcsin(x + exp(x))\nexpression t1 *(i,i->) t1"
    )
    assert parse(format_problem(term)).term is term
    assert format_term(term) == "arcsin(x + exp(x)) *(i,i->) arcsin(x + exp(x))"


def test_a_short_part_that_occurs_twice_is_repeated() -> None:
    part = apply("sin", X)
    assert format_problem(add(part, part)) == "declare x[n] expression sin(x) + sin(x)"


def test_a_part_is_never_named_like_a_variable() -> None:
    t = variable("t1", N)
    part = apply("sin", add(t, apply("exp", t)))
    assert format_problem(add(part, part)) == (
        "declare t1[n]\nlet t2 = sin(t1 + exp(t1))\nexpression t2 + t2"
    )


def test_the_expression_alone_is_cut() -> None:
    term = X
    for _ in range(60):
        term = einsum("i,i->i", term, term)
    assert format_term(term, limit=30) == "x *(i,i->i) x *(i,i->i) (x *(i" + "…"


def test_two_variables_of_one_name_cannot_be_printed() -> None:
    term = einsum("i,j->ij", X, variable("x", ("m",)))
    with pytest.raises(ShapeError, match="two different variables are called 'x'"):
        format_problem(term)
    assert format_term(term) == "x *(i,j->ij) x"


def test_a_quotient_of_a_quotient_of_numbers_by_itself() -> None:
    quotient = divide(constant(2, ("m", "m")), constant(3))
    term = einsum("ii->", divide(quotient, quotient))
    assert parse(format_problem(term)).term is term
