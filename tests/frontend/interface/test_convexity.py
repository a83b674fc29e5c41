"""Whether functions are convex: known cases, random functions, and what is said of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import eggrad as eg
from tests.support.random_convexity import contradiction, random_function
from tests.support.tiers import samples

DATA: Final = Path(__file__).parents[2] / "data"
CASES: Final[list[dict[str, Any]]] = [
    case
    for name in ("convexity.json", "convexity_more.json")
    for case in json.loads((DATA / name).read_text("utf-8"))
]
# Random functions that are judged together.
BLOCK: Final = 50

x, y = eg.variable("x"), eg.variable("y")


def found(case: dict[str, Any]) -> eg.Convexity:
    dims = {name: tuple(axes) for name, axes in case["dims"].items()}
    return eg.convexity(eg.parse_matrix(case["text"], dims, case["assume"]), case["by"])


@pytest.mark.parametrize("first", range(0, len(CASES), 8))
def test_none_is_judged_wrongly(first: int) -> None:
    for case in CASES[first : first + 8 : 1 if samples(1, 2) > 1 else 4]:
        assert found(case).status in (case["is"], "unknown"), case["text"]


def test_most_are_decided() -> None:
    chosen = CASES[:: samples(4, 1)]
    counts = Counter(found(case).status == case["is"] for case in chosen)
    assert counts[True] >= 0.85 * len(chosen)


@pytest.mark.parametrize("block", range(samples(1, 10)))
def test_no_chord_contradicts_what_is_said_of_random_functions(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        rng = np.random.default_rng(seed)
        f, known = random_function(rng)
        used = [v for v in known if v.term in f.variables]
        if used:
            assert not contradiction(f, known, eg.convexity(f, used), rng), (seed, str(f))


def test_an_affine_function() -> None:
    assert eg.convexity(3 * x - 2, x).status == "affine"
    assert eg.convexity(x * y, "x").status == "affine"


def test_what_is_declared_decides() -> None:
    p = eg.variable("p", (), ["positive"])
    assert eg.convexity(1 / p, p).status == "convex"
    assert eg.convexity(1 / x, x).status == "neither"


def test_values_that_refute_are_given() -> None:
    seen = eg.convexity(x * y, ["x", "y"])
    assert seen.status == "neither"
    assert seen.witness is not None
    assert seen.weight is not None
    ends = [tuple(float(seen.witness[f"{name}[{k}]"]) for name in "xy") for k in (0, 1)]
    w = float(seen.weight)
    middle = [w * a + (1 - w) * b for a, b in zip(*ends, strict=True)]
    assert middle[0] * middle[1] > w * ends[0][0] * ends[0][1] + (1 - w) * ends[1][0] * ends[1][1]
    assert set(seen.chords) == {"convex", "concave"}
    assert "not concave" in str(seen)


def test_a_convex_function_has_no_witness() -> None:
    seen = eg.convexity(x**2, x)
    assert (seen.witness, seen.weight) == (None, None)
    assert repr(seen) == "<Convexity convex: laws of composition show it>"
    assert repr(seen.certificate) == "<Certificate of the function, 2 facts>"


def test_the_second_derivative_is_named_where_it_is_what_decides() -> None:
    seen = eg.convexity(x**4 - 2 * x**3 + 2 * x**2, x)
    assert seen.status == "convex"
    assert "second derivative" in str(seen)


def test_a_budget_that_ends_leaves_it_open() -> None:
    seen = eg.convexity(eg.log(1 + eg.exp(x)) + x**4 - 2 * x**3 + 2 * x**2, x, eg.Budget(nodes=1))
    assert seen.status == "unknown"
    with pytest.raises(eg.UnsupportedOperation, match=r"has a \.status"):
        bool(seen)


def test_mistakes() -> None:
    v = eg.variable("v", ("n",))
    with pytest.raises(eg.ShapeError, match="a scalar"):
        eg.convexity(v, v)
    with pytest.raises(eg.UnknownVariable):
        eg.convexity(x**2, "z")
    k = eg.variable("k", (), ["integer"])
    with pytest.raises(eg.UnsupportedOperation, match="k is declared integer"):
        eg.convexity(k**2, k)
