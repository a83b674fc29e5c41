"""Loops as terms: equal ones are one object, names do not clash, what does not fit is refused."""

import pickle

import numpy as np
import pytest

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.compilation.loops import hoisted
from eggrad.engine.costs.cost import count
from eggrad.engine.costs.time_model import default_rates
from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.loops import (
    AFTER,
    BEFORE,
    LAST,
    Recurrence,
    one_by_one,
    recurrence,
    recurrence_of,
    with_results,
    with_steps,
)
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.code import lower
from tests.support.random_loops import PARTS, random_loop, values_of

H, X, W = t.variable("h", ("k", "n")), t.variable("x", ("k", "n")), t.variable("w", ("n",))
STEP = t.add(t.einsum("ki,i->ki", H, W), X)
START, XS, WS = t.variable("start", ("n",)), t.variable("xs", ("T", "n")), t.variable("ws", ("n",))
LOOP = recurrence([STEP], "k", {H: START}, {X: XS}, {W: WS}, length="T")


def test_names_of_a_step_do_not_matter() -> None:
    p, q, w = (t.variable(n, v.dims) for n, v in (("p", H), ("q", X), ("v", W)))
    p, q, w, step = t.substitute_sizes([p, q, w, t.add(t.einsum("ki,i->ki", p, w), q)], {"k": "z"})
    other = recurrence([step], "z", {p: START}, {q: XS}, {w: WS}, length="T")
    assert other == LOOP
    assert other.states(0, AFTER) is LOOP.states(0, AFTER)


def test_a_term_says_which_loop_it_is_of() -> None:
    for part in PARTS:
        assert recurrence_of(LOOP.states(0, part)) == LOOP


def test_what_is_not_read_is_no_operand() -> None:
    own = recurrence([H], "k", {H: START}, {X: XS}, {W: WS}, length="T")
    assert own.states(0, AFTER).args == (START,)


def test_pickled_loops_are_the_same() -> None:
    term = LOOP.states(0, AFTER)
    assert pickle.loads(pickle.dumps(term)) is term


@pytest.mark.parametrize("name", ["steps", "steps1", "k"])
def test_sizes_may_have_the_name_of_the_number_of_steps(name: str) -> None:
    (term,) = t.substitute_sizes([LOOP.states(0, AFTER)], {"n": name})
    assert symbols(term) == tuple(sorted(("T", name)))
    rng = np.random.default_rng(0)
    values = {"start": rng.normal(size=2), "xs": rng.normal(size=(3, 2)), "ws": rng.normal(size=2)}
    expected = oracle.value(LOOP.states(0, AFTER), values)
    np.testing.assert_array_equal(oracle.value(term, values), expected)
    np.testing.assert_allclose(compile_terms([term])(**values)[0], expected)
    assert t.substitute_sizes([term], {name: "n"})[0] is LOOP.states(0, AFTER)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("length", [0, 1, 4])
def test_code_is_the_oracle(length: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loop = random_loop(rng)
    roots = [loop.states(c, part) for c in range(len(loop.starts)) for part in PARTS]
    values, sizes = values_of(rng, loop, length), {"T": length}
    expected = oracle.evaluate(roots, values, sizes)
    lowered = lower(roots, default_rates())[0].terms
    for form in (roots, lowered):
        found = compile_terms(form)(**values, **sizes)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def test_code_runs_a_loop_once() -> None:
    source = compile_terms([LOOP.states(0, part) for part in PARTS]).source
    assert source.count("run_loop(") == 1


def test_what_no_state_changes_leaves_the_loop() -> None:
    x = t.variable("x", ("k", "n"))
    A = t.variable("A", ("n", "n"))
    step = t.add(t.einsum("ij,kj->ki", t.apply("exp", A), x), H)
    own = recurrence([step], "k", {H: START}, {x: XS}, {A: A}, length="T")
    (outside,) = hoisted(own, {}).slices
    assert [n.op for n in t.postorder(outside)].count("exp") == 1
    (result,) = hoisted(own, {}).step.results
    assert {n.op for n in t.postorder(result)} == {"add", "variable"}
    # An array for each step that is larger than all others is not made.
    outer = t.einsum("ki,kj->kij", x, t.apply("exp", x))
    large = t.einsum("kij,kj->ki", outer, H)
    own = recurrence([large], "k", {H: START}, {x: XS}, {}, length="T")
    assert {len(s.dims) for s in hoisted(own, {"n": 50}).slices} == {2}


def test_operations_of_all_steps_are_counted_once() -> None:
    roots = [LOOP.states(0, part) for part in PARTS]
    assert count(roots, {"T": 5, "n": 3}) == 5 * 2 * 3


def test_steps_are_changed_each_by_itself() -> None:
    def doubled(own: Recurrence) -> Recurrence:
        return with_results(own, lambda results: [t.add(r, r) for r in results])

    (found,) = with_steps([LOOP.states(0, LAST)], doubled)
    expected = recurrence([t.add(STEP, STEP)], "k", {H: START}, {X: XS}, {W: WS}, length="T")
    assert found is expected.states(0, LAST)


def test_one_step_at_a_time_is_the_same_loop() -> None:
    values = {"start": [1.0, 2.0], "xs": np.ones((3, 2)), "ws": [0.5, 2.0]}
    for part in (BEFORE, AFTER, LAST):
        found = compile_terms([one_by_one(LOOP).states(0, part)])(**values)[0]
        np.testing.assert_allclose(found, oracle.value(LOOP.states(0, part), values))


def test_the_dtype_is_that_of_the_arrays() -> None:
    values = {"start": np.ones(2), "xs": np.ones((3, 2)), "ws": np.ones(2)}
    single = {n: v.astype(np.float32) for n, v in values.items()}
    assert compile_terms([LOOP.states(0, LAST)])(**single)[0].dtype == np.float32


@pytest.mark.parametrize(
    ("carries", "slices", "length"),
    [
        ({H: t.variable("start", ("m",))}, {X: XS}, "T"),
        ({H: START}, {X: t.variable("xs", ("S", "n"))}, "T"),
        ({H: START}, {X: t.variable("xs", ("T",))}, "T"),
        ({H: START}, {X: XS}, 3),
    ],
)
def test_operands_of_other_axes_are_refused(
    carries: dict[Term, Term], slices: dict[Term, Term], length: int | str
) -> None:
    with pytest.raises(ShapeError, match="a loop needs axes"):
        recurrence([STEP], "k", carries, slices, {W: WS}, length=length)


def test_a_step_keeps_the_axes_of_a_carry() -> None:
    with pytest.raises(ShapeError, match="a step leads from axes"):
        recurrence([t.einsum("ki->k", H)], "k", {H: START}, {}, {}, length="T")


def test_a_step_has_the_variables_that_it_is_given() -> None:
    with pytest.raises(UnsupportedOperation, match="variable w, which it is not given"):
        recurrence([STEP], "k", {H: START}, {X: XS}, {}, length="T")


def test_which_variables_of_a_step_depend_on_an_operand() -> None:
    p, q, r = (t.variable(n, ("k", "n")) for n in "pqr")
    # The next r is q, the next q is p; p depends on x alone.
    own = recurrence([X, p, q], "k", {p: START, q: START, r: WS}, {X: XS}, {}, length="T")
    p, q, r = own.step.carries
    assert own.dependent(own.step, {XS}) == {*own.step.slices, p, q, r}
    assert own.dependent(own.step, {START}) == {p, q, r}
    assert own.dependent(own.step, {WS}) == {r}


def test_too_many_operands_are_refused() -> None:
    many = [t.variable(f"v{k}", ("k", "n")) for k in range(64)]
    total = H
    for v in many:
        total = t.add(total, v)
    with pytest.raises(UnsupportedOperation, match="at most 64"):
        recurrence([total], "k", {H: START}, dict.fromkeys(many, XS), {}, length="T")
