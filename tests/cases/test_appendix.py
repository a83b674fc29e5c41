"""Every example of the thesis's appendix: input, printed derivative, and ours.

`tests/data/appendix.json` says of each where the extraction of the text was mended, which inputs
make sense (`domain`), and whether the printed derivative is right.
"""

import json
from typing import Any

import numpy as np
import pytest

import eggrad
from eggrad.engine.oracle.oracle import numeric_derivative, value
from eggrad.engine.terms.binding import bind, concrete, symbols
from eggrad.engine.terms.term import Term, substitute_sizes, variable, variables
from tests.cases.test_derivative_cases import sample
from tests.support.places import DATA

EXAMPLES = json.loads((DATA / "appendix.json").read_text("utf-8"))
MODES = ["forward", "reverse", "auto"]
Values = dict[str, np.ndarray[Any, Any]]

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=[e["id"] for e in EXAMPLES])


def instance(example: dict[str, Any]) -> tuple[Any, Term, Values]:
    """The problem, its argument, and a value for every variable; no two sizes are alike."""
    problem = eggrad.parse(example["input"])
    term = problem.expression.term
    (name,) = problem.wrt
    found = {v.name: v for v in variables(term)}
    # The argument need not occur: the last example of the appendix has one that is not declared.
    argument = found.get(name, variable(name))
    sizes = {s: 2 + i for i, s in enumerate(symbols(term))}
    rng = np.random.default_rng(EXAMPLES.index(example))
    known = list(filter(None, [example["domain"]]))
    values = {
        v.name: sample(concrete(v.dims, sizes), known, rng) for v in variables(term, argument)
    }
    return problem, argument, values


def value_of_printed(example: dict[str, Any], shape: tuple[int, ...], values: Values) -> Any:
    """The printed text's value; axes that its text leaves open are those of the derivative."""
    declarations = example["input"].partition("expression")[0]
    term = eggrad.parse(f"{declarations} expression {example['printed']}").expression.term
    if not term.dims:
        return np.broadcast_to(value(term, values), shape)
    sizes = dict(zip(term.dims, shape, strict=True))
    (closed,) = substitute_sizes([term], {s: n for s, n in sizes.items() if isinstance(s, str)})
    return value(closed, values)


@each_example
@pytest.mark.parametrize("mode", MODES)
def test_derivative_equals_central_differences(example: dict[str, Any], mode: str) -> None:
    problem, argument, values = instance(example)
    derivative = problem.derivative(mode=mode)
    expected = numeric_derivative(problem.expression.term, argument, values)
    ours = derivative.evaluate(values)
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-6)
    _, sizes = bind(variables(problem.expression.term, argument), values)
    by_oracle = value(derivative.term, values, sizes)
    np.testing.assert_allclose(by_oracle, ours, rtol=1e-9, atol=1e-12)


@each_example
def test_derivative_equals_what_the_thesis_prints(example: dict[str, Any]) -> None:
    problem, argument, values = instance(example)
    expected = numeric_derivative(problem.expression.term, argument, values)
    printed = value_of_printed(example, expected.shape, values)
    agrees = printed.shape == expected.shape and np.allclose(printed, expected, 1e-6, 1e-6)
    assert agrees == example["right"]
    if agrees:
        ours = problem.derivative().evaluate(values)
        np.testing.assert_allclose(ours, printed, rtol=1e-9, atol=1e-12)


def node_counts(example: dict[str, Any]) -> tuple[int, int]:
    declarations = example["input"].partition("expression")[0]
    printed = eggrad.parse(f"{declarations} expression {example['printed']}").expression
    return eggrad.parse(example["input"]).derivative().node_count, printed.node_count


@each_example
def test_derivative_has_no_more_nodes_than_the_printed_one(example: dict[str, Any]) -> None:
    ours, printed = node_counts(example)
    assert ours <= printed


@each_example
def test_derivative_reads_back(example: dict[str, Any]) -> None:
    derivative = eggrad.parse(example["input"]).derivative()
    assert eggrad.parse(str(derivative)).expression.term is derivative.term


def test_totals() -> None:
    """Shown by `pytest -s -k test_totals`."""
    counts = [node_counts(e) for e in EXAMPLES]
    ours, printed = (sum(c) for c in zip(*counts, strict=True))
    for example, (mine, theirs) in zip(EXAMPLES, counts, strict=True):
        print(f"{example['id']:24}{mine:4} nodes, printed {theirs:3}")
    print(f"{len(EXAMPLES)} examples: {ours} nodes, printed {printed}")
    assert len(EXAMPLES) == 57
    assert ours < printed
