"""The text language: what each construction means, and every example of the thesis's appendix."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.errors import EggradError, ParseError
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
from eggrad.frontend.text.printer import format_problem, format_term
from tests.support.places import DATA
from tests.support.tiers import samples

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


# Neither depth nor sharing is a limit: no walk over a term or a text is recursive.


V = variable("x", ("n",))
M = variable("M", ("n", "n"))
DEPTH = 10_000


@pytest.mark.parametrize(
    ("leaf", "step"),
    [
        (V, lambda t: apply("sin", t)),
        (V, negate),
        (V, lambda t: add(t, V)),
        (V, lambda t: add(V, t)),
        (V, lambda t: subtract(V, t)),
        (V, lambda t: einsum("i,i->i", V, t)),
        (V, lambda t: divide(constant(1), t)),
        (constant(1, ("p",)), lambda t: divide(t, constant(2))),
        (V, lambda t: power(t, constant(2))),
        (M, lambda t: einsum("ij->ji", t)),
        (M, lambda t: apply("inv", t)),
        (constant(2, ("n", "n")), lambda t: apply("inv", t)),
    ],
    ids=[
        "sin", "negate", "left sum", "right sum", "subtract", "product", "quotient of one",
        "quotient of a constant", "power", "transpose", "inverse", "constant",
    ],
)  # fmt: skip
def test_a_deep_chain(leaf: Term, step: Callable[[Term], Term]) -> None:
    term = leaf
    for _ in range(DEPTH):
        term = step(term)
    assert parse(format_problem(term)).term is term


@pytest.mark.parametrize("squarings", [1, 60, 2000])
def test_a_chain_of_squarings(squarings: int) -> None:
    term = V
    for _ in range(squarings):
        term = einsum("i,i->i", term, term)
    text = format_problem(term)
    assert len(text) < 100 + 50 * squarings
    assert parse(text).term is term
    assert len(format_term(term, 1000)) <= 1001


def test_deep_brackets() -> None:
    text = f"declare x 0 expression {'(' * DEPTH}x{')' * DEPTH}"
    assert parse(text).term.op == "variable"
    with pytest.raises(ParseError, match="this bracket is never closed"):
        parse(text[:-1])
    with pytest.raises(ParseError, match=r"this \) closes no bracket"):
        parse(text + ")")


def test_a_long_declaration() -> None:
    names = " ".join(f"x{i} 1" for i in range(DEPTH))
    total = " + ".join(f"x{i}" for i in range(DEPTH))
    problem = parse(f"declare {names} expression {total}")
    assert {own.dims for own in problem.declared} == {("x0_1",)}


# Whatever the text, `parse` reads it or raises an error of this package.


EXTENDED = (
    "declare A[m,3]{symmetric, positive definite} x 1 `a b` 0 let t1 = sin(x) let t2 = t1 *(i,i->) "
    "t1 expression t2 + size(x_1) / det(A) - cofactors2(A) *(ijkl->) 1//3 + delta[n] *(ij,ij->) "
    "1[n,n] ^ -2.5e-3 derivative wrt x wrt `a b`"
)
TEXTS = [EXTENDED, *(example["input"] for example in APPENDIX)]
TOKENS = (
    "declare", "expression", "derivative", "wrt", "let", "size", "delta", "sin", "inv",
    "cofactors2", "t", "x", "A", "0", "1", "2.5", "1e9", "1e999999", "1//0", "(", ")", "[", "]",
    "{", "}", ",", "=", "+", "-", "*", "/", "^", "*(ij,j->i)", "*(ij->ji)", "*(", "->", ">", "`",
    "`b`", ".", "?", "é", "\0", "\ud800", "\n",
)  # fmt: skip


def reads_or_refuses(text: str) -> None:
    try:
        parse(text)
    except EggradError:
        return


def mutated(random: Random) -> str:
    text = random.choice(TEXTS)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(text) + 1)
        match random.randrange(4):
            case 0:
                text = text[:place] + text[place + random.randint(1, 6) :]
            case 1:
                text = f"{text[:place]}{random.choice(TOKENS)}{text[place:]}"
            case 2:
                words = text.split(" ")
                words[random.randrange(len(words))] = random.choice(TOKENS)
                text = " ".join(words)
            case _:
                other = random.choice(TEXTS)
                text = text[:place] + other[random.randrange(len(other)) :]
    return text


def test_mutations() -> None:
    random = Random(20)
    for _ in range(3000):
        reads_or_refuses(mutated(random))


@settings(max_examples=samples(150, 600), deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=30))
def test_any_sequence_of_words(words: list[str]) -> None:
    reads_or_refuses(" ".join(words))
    reads_or_refuses("declare x 1 A 2 expression " + " ".join(words))


@settings(max_examples=samples(150, 600), deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    reads_or_refuses(text)
    reads_or_refuses("declare x 1 expression x " + text)
