"""Results by symmetric matrices may be differentiated again; what is printed is short all the same.

The reference takes the derivative with a variable that is not declared, and evaluates it at a
symmetric value.
"""

import copy
import pickle
from itertools import product

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.equality.difference import Witness, find_difference
from eggrad.engine.laws.language import Statement, Tensor, fn
from eggrad.engine.laws.rule import Ruleset
from eggrad.frontend.expression.expression import expression
from tests.support.values import evaluated

DIMS = {"S": ("n", "n"), "V": ("n", "n"), "w": ("n",), "u": ("n",)}
TEXTS = [
    "w'*S*w",
    "tr(S^3) + sum(w)",
    "logdet(S)*sum(w)",
    "w'*inv(S)*w",
    "sum(exp(S*w))",
    "det(S) + w'*w",
    "tr(S'*S*S) + (S*w)'*(S'*w)",
]
RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(3, 3))
VALUES = {
    "S": ROOT @ ROOT.T / 3 + np.eye(3),
    "V": RNG.normal(size=(3, 3)),
    "w": RNG.normal(size=3) / 2,
    "u": RNG.normal(size=3),
}
PAIRS = [*product("wS", repeat=2)]

texts = pytest.mark.parametrize("text", TEXTS)


def parsed(text: str, *assume: str) -> eg.Expression:
    return eg.parse_matrix(text, DIMS, {"S": assume} if assume else {})


def declared(text: str) -> eg.Expression:
    return parsed(text, "positive definite")


W = eg.variable("w", DIMS["w"])
PLAIN = {"w": W, "S": eg.variable("S", DIMS["S"])}
DECLARED = {"w": W, "S": eg.variable("S", DIMS["S"], ["positive definite"])}


def reference(text: str, names: str) -> eg.Expression:
    return eg.derivative(parsed(text), *(PLAIN[n] for n in names))


def assert_value(found: eg.Expression, reference: eg.Expression) -> None:
    expected = evaluated(reference, VALUES, reference=True)
    np.testing.assert_allclose(evaluated(found, VALUES), expected, rtol=1e-9, atol=1e-9)


@texts
@pytest.mark.parametrize("wrt", PAIRS, ids="".join)
def test_a_derivative_of_a_derivative_is_the_second_derivative(text: str, wrt: str) -> None:
    first, second = (DECLARED[name] for name in wrt)
    f = declared(text)
    once = eg.derivative(f, first)
    # That it was printed and evaluated changes nothing.
    assert_value(once, reference(text, wrt[0]))
    assert str(once) == str(once.thin)
    twice = eg.derivative(once, second)
    assert twice.term is eg.derivative(f, first, second).term
    assert_value(twice, reference(text, "".join(wrt)))


@texts
@pytest.mark.parametrize("name", ["w", "S"])
def test_what_was_simplified_has_the_same_derivatives(text: str, name: str) -> None:
    simple = eg.simplify(declared(text))
    assert_value(simple, parsed(text))
    assert_value(eg.derivative(simple, DECLARED[name]), reference(text, name))
    again = eg.simplify(eg.derivative(simple, DECLARED[name]))
    assert_value(eg.derivative(again, DECLARED["S"]), reference(text, f"{name}S"))


@texts
@pytest.mark.parametrize("words", [(), ("symmetric",)], ids=["any", "symmetric"])
def test_products_with_derivatives(text: str, words: tuple[str, ...]) -> None:
    f, S, w = declared(text), DECLARED["S"], DECLARED["w"]
    V = eg.variable("V", ("n", "n"), words)
    values = VALUES | ({"V": VALUES["V"] + VALUES["V"].T} if words else {})
    hessian = evaluated(reference(text, "SS"), values, reference=True)
    mixed = evaluated(reference(text, "wS"), values, reference=True)
    by_w, by_S = eg.gradient(f, w), eg.gradient(f, S)
    for found, expected in [
        (eg.hvp(f, S, V), np.tensordot(hessian, values["V"])),
        (eg.jvp(by_S, S, V), np.tensordot(hessian, values["V"])),
        (eg.vjp(by_S, S, V), np.tensordot(values["V"], hessian)),
        (eg.jvp(by_w, S, V), np.tensordot(mixed, values["V"])),
        (eg.vjp(by_w, S, "u"), np.tensordot(values["u"], mixed, 1)),
        (eg.derivative(eg.jvp(f, w, "u"), S), np.tensordot(values["u"], mixed, 1)),
        (eg.derivative(eg.vjp(f, S, "c"), w) / 2, np.moveaxis(mixed, 0, -1)),
    ]:
        own = evaluated(found, values | {"c": 2.0})
        np.testing.assert_allclose(own, expected, rtol=1e-9, atol=1e-9)


def test_a_third_derivative_step_by_step() -> None:
    f = declared("w'*inv(S)*w")
    step = eg.gradient(eg.simplify(f), "w")
    step = eg.simplify(eg.derivative(step, "S"))
    assert_value(eg.derivative(step, "w"), reference("w'*inv(S)*w", "wSw"))


@texts
def test_pairs_of_entries_step_by_step(text: str) -> None:
    f = declared(text)
    S, w = DECLARED["S"], DECLARED["w"]
    first = eg.derivative(f, S, entries="pairs")
    assert eg.derivative(first, S, entries="pairs") is eg.derivative(f, S, S, entries="pairs")
    G = evaluated(eg.gradient(parsed(text), "S"), VALUES)
    np.testing.assert_allclose(evaluated(first, VALUES), G + G.T - np.diag(np.diag(G)), rtol=1e-9)
    mixed = eg.derivative(eg.derivative(f, w), S, entries="pairs")
    assert_value(mixed, eg.derivative(f, w, S, entries="pairs"))


def test_operators_take_what_may_be_differentiated() -> None:
    f, plain = declared("w'*S*w"), parsed("w'*S*w")
    for made in (
        lambda g: 2 * g + eg.exp(g),
        lambda g: (g @ g) * g,
        lambda g: g[::-1],
        lambda g: np.outer(g, g).T,
        lambda g: np.full_like(np.outer(g, g), g.sum()),
    ):
        one, other = (made(eg.gradient(e, "w")) for e in (f, plain))
        assert_value(one, other)
        assert_value(eg.derivative(one, "S"), eg.derivative(other, "S"))
    g = eg.gradient(f, "w")
    assert str(g + g) == str(g.thin + g.thin)
    assert g + g is g + g


def test_sizes_that_are_made_equal_later() -> None:
    three = eg.variable("y", (3,))
    found = eg.gradient(declared("w'*S*w"), "w") + three
    assert found.to("matrix") == "2*S*w + y"
    other = eg.gradient(parsed("w'*S*w"), "w") + three
    values = VALUES | {"y": np.ones(3)}
    np.testing.assert_allclose(
        evaluated(eg.derivative(found, "S"), values), evaluated(eg.derivative(other, "S"), values)
    )
    f = eg.simplify(declared("S'*w + S*w"), sizes={"n": 5}) + three
    assert f.to("matrix") == "2*S*w + y"


def test_texts_are_short() -> None:
    f = declared("w'*S*w")
    assert eg.gradient(f, "w").to("matrix") == "2*S*w"
    assert eg.hessian(f, "w").to("matrix") == "2*S"
    assert eg.hvp(f, "w", "u").to("matrix") == "2*S*u"
    assert eg.vjp(declared("S'*w"), "w", "u").to("matrix") == "S*u"
    assert eg.jvp(declared("S'*w"), "w", "u").to("matrix") == "S*u"
    assert eg.gradient(f, "w").to("latex") == "2 S w"
    gradient = eg.gradient(f, "w")
    assert "transpose" not in gradient.to("python")
    assert "ji" not in str(gradient)
    assert gradient.cost(3) == gradient.thin.cost(3)
    assert gradient.node_count == gradient.thin.node_count
    assert repr(gradient) == "Expression((n,): 2*S*w)"
    # A text that a user wrote stays as it is.
    assert declared("S'*w").to("index") == "fᵢ = Σⱼ Sⱼᵢ wⱼ"


def test_the_printed_text_is_the_thin_expression() -> None:
    gradient = eg.gradient(declared("w'*S*w"), "w")
    read = eg.parse(str(gradient)).expression
    assert read.term is gradient.thin.term
    assert gradient.thin.thin is gradient.thin
    assert eg.equivalent(read, gradient)
    # So it has the derivative of what it says, which is another by S.
    assert_value(eg.derivative(read, "S"), eg.derivative(parsed("2*S*w"), "S"))


def test_what_vanishes_at_symmetric_matrices_alone() -> None:
    f = eg.simplify(declared("(S - S')*w"))
    assert f.to("matrix") == "zeros(n)"
    assert repr(f) == "Expression((n,): zeros(n))"
    np.testing.assert_array_equal(evaluated(f, VALUES), np.zeros(3))
    assert_value(eg.derivative(f, "S"), eg.derivative(parsed("(S - S')*w"), "S"))


def test_leaves_are_what_they_are() -> None:
    S = eg.variable("S", ("n", "n"), ["symmetric"])
    assert eg.simplify(S) is S
    assert eg.derivative(declared("S*w"), "w").term is declared("S").term


def test_comparing_uses_it() -> None:
    gradient = eg.gradient(declared("w'*S*w"), "w")
    verdict = eg.equivalent(gradient, 2 * declared("S*w"))
    assert verdict
    assert verdict.explain().startswith("2*S*w\n")


def test_several_outputs() -> None:
    f = declared("w'*S*w")
    parts = [f, eg.gradient(f, "w"), eg.derivative(eg.gradient(f, "w"), "S")]
    expected = [parsed("w'*S*w"), *(reference("w'*S*w", names) for names in ("w", "wS"))]
    compiled = eg.compile(parts)
    for found, other in zip(compiled(**{k: VALUES[k] for k in "Sw"}), expected, strict=True):
        np.testing.assert_allclose(found, evaluated(other, VALUES))
    assert ".T" not in eg.compile(parts[:2]).source


def test_a_small_budget() -> None:
    f = declared("w'*S*w")
    small = eg.Budget(nodes=1)
    cut = eg.derivative(f, "w", budget=small)
    assert not cut.complete
    assert not (cut + 1).complete
    assert eg.derivative(f, "w").complete
    whole = eg.derivative(parsed("w'*S*w"), "w", "S")
    assert_value(eg.derivative(cut, "S"), whole)
    assert_value(eg.derivative(eg.simplify(cut, budget=small), "S"), whole)


def test_the_budget_is_that_of_the_thin_form() -> None:
    f = declared("w'*S*w")
    (later,) = eg.derivative(f, "w", budget=eg.Budget(nodes=3000)).thinnings
    assert later.options is not None
    assert later.options.budget == eg.Budget(nodes=3000)


def own_rules() -> Ruleset:
    own = Ruleset("own", "a law of the user's", "the number of operations", "simplify")

    @own.rule(cite="a test")
    def logarithm_of_exp(a: Tensor) -> Statement:
        """log(exp a) = a."""
        return fn("log", fn("exp", a)) >> a

    return own


@pytest.mark.parametrize("rules", [None, own_rules()], ids=["standard", "own"])
def test_pickles_and_copies(rules: Ruleset | None) -> None:
    g = eg.gradient(declared("w'*S*w"), "w", rules=rules)
    for f in (g, 2 * g + 1):
        again = pickle.loads(pickle.dumps(f))
        assert again is f
        assert copy.copy(f) is f
    parts = g.__reduce__()[1]
    text, matrix = str(g), g.to("matrix")
    del g, f, again
    restored = expression(*parts)  # type: ignore[arg-type]
    assert (str(restored), restored.to("matrix")) == (text, matrix)
    assert_value(eg.derivative(restored, "S"), eg.derivative(parsed("w'*S*w"), "w", "S"))
    assert str(restored + restored) == str(restored.thin + restored.thin)


def test_the_text_language() -> None:
    head = "declare S 2{symmetric} w 1 expression w *(i,i->) (S *(ij,j->i) w)"
    both = eg.parse(f"{head} derivative wrt w wrt S").derivative()
    first = eg.parse(f"{head} derivative wrt w").derivative()
    assert eg.derivative(first, "S") is both
    assert_value(both, eg.derivative(parsed("w'*S*w"), "w", "S"))
    assert eg.simplify(eg.parse(head).expression, exact=False).complete


def test_definitions_keep_what_may_be_differentiated() -> None:
    f, plain = declared("w'*S*w"), parsed("w'*S*w")
    own, other = (eg.Definition.of(eg.gradient(e, "w")).adjoint("S").expression for e in (f, plain))
    assert not isinstance(find_difference(own.term, other.term), Witness)


def test_a_long_sum_of_results() -> None:
    g = eg.gradient(declared("w'*S*w"), "w")
    total = g
    for _ in range(3000):
        total = total + g
    np.testing.assert_allclose(evaluated(total, VALUES), 3001 * evaluated(g, VALUES))
