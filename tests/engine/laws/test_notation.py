"""The notation of laws: operators, letters, what is left open, and how laws are written back."""

import re

import pytest

from eggrad.engine.errors import RuleError
from eggrad.engine.laws.language import (
    Comparison,
    Law,
    Node,
    Number,
    Parameter,
    Row,
    add,
    dims,
    ein,
    fn,
    scale,
)
from eggrad.engine.laws.matching import Closing, Reject
from eggrad.engine.laws.rule import Fact, Rule, Ruleset
from eggrad.engine.laws.sentences import written
from eggrad.engine.laws.spelling import spelled
from eggrad.engine.laws.statements import parameters_of
from eggrad.rules import notation
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.notation import *
from eggrad.rules.standard import RULESETS


def stated(row: Row | Law | Tensor) -> Rule | Fact:
    rules = Ruleset("test", "rows of a test", "nothing")
    rules.state("arithmetic", row=row)
    (found,) = (*rules.rules, *rules.facts)
    return found


WRITTEN = {
    "a - b >> a + -1 * b": "a - b = a - b.",
    "a / b >> a * b**-1": "a / b = a / b.",
    "exp(a + b) >> exp(a) * exp(b)": "exp(a + b) = exp a·exp b.",
    "where(a > 0, a, 0) >> relu(a)": "where([a > 0], a, 0) = relu a.",
    "(a @ b).T >> b.T @ a.T": "(a·b)' = b'·a'.",
    "2 - a >> -a + 2": "2 - a = -a + 2.",
    "c + a >> a + c": "c + a = a + c.",
    "c - a >> -a + c": "c - a = -a + c.",
    "sin(a) ** 2 + cos(a) ** 2 >> 1": "(sin a)² + (cos a)² = 1.",
    "(exp(log(a)) >> a).when(positive(a))": "exp log a = a for a > 0.",
    "(inv(c * a) >> reciprocal(c) * inv(a)).when(c != 0)": "(c·a)⁻¹ = c⁻¹·a⁻¹ for c ≠ 0.",
    "symmetric(a + b).when(symmetric(a), symmetric(b))": "a + b is symmetric if a and b are.",
    "positive(c * a).when(positive(a), c > 0)": "c·a > 0 for a > 0 and c > 0.",
    "definite(inv(a)).when(semidefinite(a))": (
        "a⁻¹ is positive definite if a is positive semidefinite."
    ),
    "invertible(c * a).when(invertible(a), c != 0)": "c·a is invertible if a is, and c ≠ 0.",
    "slope('tanh', a) >> 1 - tanh(a) * tanh(a)": "tanh'(a) = 1 - tanh a·tanh a.",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_law_says_its_sentence(text: str) -> None:
    assert stated(eval(text)).law == WRITTEN[text]


def test_a_sentence_that_says_more_is_kept() -> None:
    found = stated((a + a >> 2 * a).noted("Twice.", domain="everywhere", replaces=True))
    assert isinstance(found, Rule)
    assert (found.law, found.cite, found.domain) == ("Twice.", "arithmetic", "everywhere")
    assert found.replaces
    assert stated((a + a >> 2 * a).noted(cite="Euclid")).cite == "Euclid"


def test_a_product_on_the_left_has_a_spec_of_its_own() -> None:
    found = stated(a * b >> b * a)
    assert isinstance(found, Rule)
    left, right = found.statement.left, found.statement.right
    assert isinstance(left, Node)
    assert isinstance(right, Node)
    assert left.args[0] is right.args[0]
    assert [p.name for p in parameters_of(left)] == ["s", "a", "b"]
    assert found.text == "a * b >> b * a"


def test_a_number_in_a_sum_has_the_axes_beside_it() -> None:
    found = stated(exp(a) + 1 >> 1 + exp(a))
    assert isinstance(found, Rule)
    assert [p.name for p in parameters_of(found.statement.left)] == ["a", "n"]
    right = stated(tanh(a) >> 1 - a * a)
    assert isinstance(right, Rule)
    assert right.text == "tanh(a) >> 1 - a * a"
    assert [p.name for p in parameters_of(right.statement.right)] == ["a", "a", "a", "a"]


def test_numbers_are_compared() -> None:
    assert spelled(c >= HALF) == "c >= HALF"
    (call,) = [c > 0]
    assert isinstance(call.function, Comparison)
    assert (call.function(Number(1)), call.function(Number(0))) == ("holds", None)
    assert Comparison(">", Number(0)) == Comparison(">", Number(0)) != Comparison("<", Number(0))
    with pytest.raises(RuleError, match="write two conditions for what is >= 0 and more"):
        _ = 0 <= c <= 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a + b", "states a law, as a + b >> b + a, or a property, as positive(exp(a)), not a + b"),
        (
            "(a + a >> 2 * a).when(a)",
            "a condition is a comparison of numbers, a property or a test",
        ),
        ("(a + a >> 2 * a).noted(where='x')", "options are cite, domain, exceptions, replaces, "),
        ("f(a, b, d, e) >> a", "of 4 operands: a function has 3 at most"),
        ("exp(a) >> b", "rule 'row': ['b'] does not occur on the left side"),
    ],
)
def test_what_states_no_law_is_refused(text: str, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        stated(eval(text))
    assert said in str(caught.value)


def test_letters_have_one_meaning() -> None:
    known = {n: v for n, v in vars(notation).items() if isinstance(v, Parameter)}
    assert all(v.name == n for n, v in known.items())
    table = str(notation.__doc__)
    assert all(re.search(rf"[` ]{n}[` ]", table) for n in known)
    assert len(known) == 29


LAWS = [law for own in (*RULESETS, domains, ties) for law in (*own.rules, *own.facts)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.ruleset}.{law.name}")
def test_the_text_of_a_law_can_be_read(law: Rule | Fact) -> None:
    """In names of the notation, and in the letters of the law."""
    patterns = [law.statement.left] if isinstance(law, Rule) else [law.claim]
    patterns += [law.statement.right] if isinstance(law, Rule) else []
    conditions = law.statement.conditions if isinstance(law, Rule) else law.conditions
    own = {p.name: p for pattern in (*patterns, *conditions) for p in parameters_of(pattern)}
    again = eval(law.text, {**vars(notation), **own})
    assert stated(again).text == law.text


def test_both_notations_say_the_same() -> None:
    assert spelled(add(a, scale(-1, b))) == "a + -1 * b"
    assert spelled(ein("ij,jk->ik", a, b)) == "a @ b"
    assert spelled(fn("erf", a)) == "fn('erf', a)"
    assert spelled(dims(a)) == "dims(a)"
    assert written(ein("i,i->", a, b)) == "a·b"


def test_axes_are_tuples_and_functions_have_records() -> None:
    found = Closing({"n": ("i", 2), "m": (3,), "f": "sin", "c": Number(1, 2)}).build
    assert found(n[0]) == "i"
    assert found(n[-1:] * 2 + m) == (2, 2, 3)
    assert found(c + 1) == Number(3, 2)
    assert found(f.parity == "odd")
    assert not found(~as_condition(f.total))
    with pytest.raises(Reject):
        found(m[1])
    with pytest.raises(AttributeError):
        _ = n.parity
    with pytest.raises(RuleError, match="~ stands before a condition"):
        _ = ~a


def test_a_part_of_what_is_computed_has_a_name() -> None:
    rest = sifted(s, n)
    found = Closing({"s": ((0, 1), (1, 2), (0, 2)), "n": ("k",)}).build
    assert found(rest.spec[1:]) == ((0, 1), (0, 1))
    assert found(as_condition(rest.is_gone))
    assert spelled(const(1, rest.ones)) == "const(1, sifted(s, n).ones)"


@pytest.mark.parametrize(
    ("condition_", "said"),
    [
        (f.is_test, ", where f.is_test."),
        (~as_condition(f.total), ", where not f.total."),
        (f.parity == "odd", " for f.parity = odd."),
        (~is_integer(c), ", where it is not so that a number is an integer."),
    ],
)
def test_a_sentence_says_what_is_asked_of_records(condition_: Any, said: str) -> None:
    assert stated((f(c * a) >> f(a)).when(condition_)).law == f"f(c·a) = f(a){said}"
