"""The text language: what each construction means, and every example of the thesis's appendix."""

import json
from fractions import Fraction

import pytest

from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.functions import UNARY
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
    postorder,
    power,
    size,
    subtract,
    variable,
)
from eggrad.frontend.text.parser import parse
from tests.support.places import DATA

APPENDIX = json.loads((DATA / "appendix.json").read_text())
S, T = variable("s"), variable("t")
X = variable("x", ("x_1",))
A = variable("A", ("A_1", "A_2"))
ONE, TWO = constant(1), constant(2)


def expression(text: str, declared: str = "s 0 t 0") -> Term:
    return parse(f"declare {declared} expression {text}").term


@pytest.mark.parametrize("example", APPENDIX, ids=[example["id"] for example in APPENDIX])
def test_the_appendix(example: dict[str, str]) -> None:
    problem = parse(example["input"])
    assert problem.wrt is not None
    declared = example["input"].split("expression")[0]
    printed = parse(f"{declared} expression {example['printed']}")
    wanted = problem.term.order + problem.wrt[0].order
    # A printed number may stand for a tensor of any order.
    assert printed.term.order == wanted or printed.term.op in ("constant", "add")


SCALARS = [
    ("s + t", add(S, T)),
    ("s - t", subtract(S, T)),
    ("s -1", subtract(S, ONE)),
    ("s - -1", subtract(S, constant(-1))),
    ("s / t", divide(S, T)),
    ("s - t - s", subtract(subtract(S, T), S)),
    ("s - t + s", add(subtract(S, T), S)),
    ("s / t / s", divide(divide(S, T), S)),
    ("s + t / s", add(S, divide(T, S))),
    ("(s + t) / s", divide(add(S, T), S)),
    ("s *(,->) t / s", divide(einsum(",->", S, T), S)),
    ("s *(,->) t *(,->) s", einsum(",->", einsum(",->", S, T), S)),
    ("s / t ^ 2", divide(S, power(T, TWO))),
    ("s ^ t ^ 2", power(power(S, T), TWO)),
    ("s ^ (t ^ 2)", power(S, power(T, TWO))),
    ("s^-1", power(S, constant(-1))),
    ("s^-t^2", power(power(S, negate(T)), TWO)),
    ("-s", negate(S)),
    ("--s", negate(negate(S))),
    ("-s ^ 2", power(negate(S), TWO)),
    ("-(s ^ 2)", negate(power(S, TWO))),
    ("-s + t", add(negate(S), T)),
    ("-s / t", divide(negate(S), T)),
    ("s *(,->) -t", einsum(",->", S, negate(T))),
    ("-1", constant(-1)),
    ("- 1", constant(-1)),
    ("-(1)", negate(ONE)),
    ("--1", negate(constant(-1))),
    ("-(-1)", negate(constant(-1))),
    ("1", ONE),
    ("1.", ONE),
    ("007", constant(7)),
    ("0.1", constant(Fraction(1, 10))),
    ("1.5e3", constant(1500)),
    ("2E-2", constant(Fraction(1, 50))),
    ("2e+2", constant(200)),
    ("2//6", constant(Fraction(1, 3))),
    ("-2//6", constant(Fraction(-1, 3))),
    ("delta(0)", delta(())),
    ("sin(s)", apply("sin", S)),
    ("sin ( s )", apply("sin", S)),
    ("size(n)", size("n")),
    ("((s))", S),
    ("1 / 2", divide(ONE, TWO)),
    ("*(->) s ^ 2", power(einsum("->", S), TWO)),
    ("*(->) -s", einsum("->", negate(S))),
]


@pytest.mark.parametrize(("text", "term"), SCALARS, ids=[text for text, _ in SCALARS])
def test_scalars(text: str, term: Term) -> None:
    assert expression(text) is term
    assert expression(text.replace(" ", "  \n\t")) is term


def test_every_function() -> None:
    for name in UNARY:
        assert expression(f"{name}(x)", "x 1") is apply(name, X)
    square = variable("A", ("A_1", "A_1"))
    for name in ("inv", "det", "adj"):
        assert expression(f"{name}(A)", "A 2") is apply(name, square)
    assert expression("cofactors1(A)", "A 2") is cofactors(1, square)
    assert expression("cofactors2(A)", "A 2") is cofactors(2, square)


@pytest.mark.parametrize(
    "spec", ["*(ij,j->i)", "* ( i j , j -> i )", "*(ab,b->a)", "*\n(Xy,y- >X)", "*(éj,j->é)"]
)
def test_products(spec: str) -> None:
    x = variable("x", ("A_2",))
    assert expression(f"A {spec} x", "A 2 x 1") is einsum("ij,j->i", A, x)


def test_products_with_constants_and_of_one_operand() -> None:
    assert expression("A *(ij,->ji) 1", "A 2") is einsum("ij,->ji", A, ONE)
    assert expression("*(ij->ji) A", "A 2") is einsum("ij->ji", A)
    assert expression("*(ii->) A", "A 2") is einsum("ii->", variable("A", ("A_1", "A_1")))


LEAVES: list[tuple[str, str, Dims]] = [
    ("A + 1", "A 2", ("A_1", "A_2")),
    ("1 - A", "A 2", ("A_1", "A_2")),
    ("A + (sin(-1) - 1) ^ 2", "A 2", ("A_1", "A_2")),
    ("1 + det(A)", "A 2", ()),
    ("det(A + 1)", "A 2", ("A_1", "A_1")),
    ("inv(1) + A", "A 2", ("A_1", "A_1")),
    ("inv(1)", "", ("n1", "n1")),
    ("A *(ij,j->i) exp(1)", "A 2", ("A_2",)),
    ("1 *(ij,j->i) x", "x 1", ("n1", "x_1")),
    ("1 *(ijk,j->ik) x", "x 1 n1 0", ("n1", "x_1", "n2")),
    ("1 / x", "x 1", ()),
    ("x / 1", "x 1", ()),
    ("x + 1 / c", "x 1 c 0", ("x_1",)),
    ("x + c / 1", "x 1 c 0", ("x_1",)),
    ("x / (c / 1)", "x 1 c 0", ()),
    ("x / (x / 1)", "x 1", ()),
    ("x / sin(1)", "x 1", ()),
    ("x ^ (1 + c)", "x 1 c 0", ()),
    ("1 ^ c + x", "x 1 c 0", ("x_1",)),
    ("x + 1[3]", "x 1", (3,)),
    ("1[m,n]", "", ("m", "n")),
    ("1[]", "", ()),
    ("sin(1)", "", ()),
]


@pytest.mark.parametrize(("text", "declared", "dims"), LEAVES, ids=[text for text, _, _ in LEAVES])
def test_a_constant_takes_the_order_and_sizes_that_fit(
    text: str, declared: str, dims: Dims
) -> None:
    nodes = postorder(expression(text, declared))
    assert next(t.dims for t in nodes if t.op == "constant" and t.data in (1, -1)) == dims


def test_quotients_of_two_constants() -> None:
    x = expression("x + 1 / 2 / 4", "x 1")
    one = constant(1, ("x_1",))
    assert x.args[1] is divide(divide(one, TWO), constant(4))
    assert expression("1 / (2 / 4)") is divide(ONE, divide(TWO, constant(4)))


def test_a_delta_takes_the_sizes_that_fit() -> None:
    assert expression("delta(1) + A", "A 2").args[0] is delta(("A_1",))
    assert expression("delta(2)") is delta(("n1", "n2"))
    assert expression("delta[m,3]") is delta(("m", 3))


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("declare A 2 x 1 expression A *(ij,j->i) x", [("A_1", "A_2"), ("A_2",)]),
        ("declare x 1 A 2 expression A *(ij,j->i) x", [("x_1",), ("A_1", "x_1")]),
        ("declare x 1 y[3] z 1 expression x + y + z", [(3,), (3,), (3,)]),
        ("declare x[n] y 1 expression x + y", [("n",), ("n",)]),
        ("declare A[m,n] x[n] c[] expression x", [("m", "n"), ("n",), ()]),
        ("declare A 2 expression inv(A)", [("A_1", "A_1")]),
        ("declare A 2{symmetric} expression 1", [("A_1", "A_1")]),
        ("declare A[m,n]{positive definite} expression 1", [("m", "m")]),
        ("declare A[0,`two words`] expression 1", [(0, "two words")]),
        ("declare x 1 y 1 expression x + 0[y_1]", [("x_1",), ("x_1",)]),
    ],
)
def test_sizes_of_variables(text: str, dims: list[Dims]) -> None:
    assert [own.dims for own in parse(text).declared] == dims


def test_a_size_follows_its_symbol() -> None:
    problem = parse("declare y 1 x 1 expression size(x_1) *(,i->i) (x + y)")
    assert problem.term.args[0] is size("y_1")
    assert expression("size(x_1) *(,i->i) (x + 0[3])", "x 1").args[0] is constant(3)


def test_assumptions() -> None:
    (own,) = parse("declare A 2 { symmetric , positive\n definite } expression 1").declared
    assert own is variable("A", ("A_1", "A_1"), ["symmetric", "positive definite"])
    (own,) = parse("declare x[n]{} expression 1").declared
    assert own is variable("x", ("n",))


def test_named_parts() -> None:
    text = "declare x 1 let a = sin(x) let b = a *(i,i->) a expression b + 1"
    part = apply("sin", X)
    assert parse(text).term is add(einsum("i,i->", part, part), ONE)
    shared = parse("declare x 1 let one = 1 expression x + one").term
    assert shared is add(X, constant(1, ("x_1",)))


def test_the_words_of_the_extensions_are_names_too() -> None:
    text = "declare size 0 let 0 cofactors2 0 expression size + let + cofactors2"
    names = ("size", "let", "cofactors2")
    assert parse(text).declared == tuple(variable(name) for name in names)


def test_quoted_names() -> None:
    assert expression("`sin`", "`sin` 0") is variable("sin")
    assert expression("`a``b`", "`a``b` 0") is variable("a`b")
    assert expression("`x`", "x 0") is variable("x")


def test_the_argument() -> None:
    assert parse("declare x 0 expression x").wrt is None
    problem = parse("declare x 0 y 1 expression x derivative wrt y\nwrt x wrt y")
    y, x = variable("y", ("y_1",)), variable("x")
    assert problem.wrt == (y, x, y)
    assert problem.declared == (x, y)
    assert parse("declare x 1 expression x derivative wrt a").wrt == (variable("a"),)
    assert parse("declare expression 1").declared == ()


def test_nothing_of_the_parser_stays_in_a_term() -> None:
    term = expression("q + size(m) + det(delta[m] + sin(1))", "q[] z[k]{positive}")
    for node in postorder(term):
        assert all(type(word) is str for word in (node.op, *node.dims))
        data = node.data if isinstance(node.data, tuple) else (node.data,)
        assert all(type(part) in (str, tuple, Fraction, type(None)) for part in data)
