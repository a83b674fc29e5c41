"""Certificates of equalities, derivatives and convexity are verified; changed ones are refused."""

import contextlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.assumptions import drawn
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import postorder, variables
from eggrad.frontend.interface.certificates import certified_derivative, verify
from eggrad.frontend.text.json_nodes import read_terms
from tests.support.tampering import mutated, tampered
from tests.support.tiers import samples

DATA: Final = Path(__file__).parents[2] / "data"
# What a chain of single steps or a law of the checker's is missing for; seen when it was written.
LEAST: Final = {"equal": 0.8, "derivative": 0.95, "convex": 0.75}


def _read(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / name).read_text("utf-8"))


def _equal() -> list[Callable[[], str]]:
    rows = [
        (r["left"], r["right"], r["dims"], r["assume"])
        for r in _read("textbook_equalities.json")
        if r["is"] == "equal" and not {"wrt", "needs"} & r.keys()
    ]
    rows += [(r["left"], r["right"], r["dims"], r["assume"]) for r in _read("more_equalities.json")]
    rows += [
        (r["left"], r["right"], r["dims"], {k: [v] for k, v in r["assume"].items()})
        for r in _read("properties_equalities.json")
    ]

    def certificate(left: str, right: str, dims: Any, assume: Any) -> str:
        a, b = (
            eg.parse_matrix(t, {k: tuple(v) for k, v in dims.items()}, assume)
            for t in (left, right)
        )
        return eg.equivalent(a, b).certificate

    return [lambda r=r: certificate(*r) for r in rows]


def _derivatives() -> list[Callable[[], str]]:
    def certificate(case: dict[str, Any]) -> str:
        dims = {k: tuple(v["shape"]) for k, v in case["vars"].items()}
        f = eg.parse_matrix(case["matrix_syntax"], dims)
        x = case["wrt_list"][0]
        return certified_derivative(f, x, eg.derivative(f, x))

    cases = [c for c in _read("derivative_cases.json") if c["matrix_syntax"]]
    return [lambda c=c: certificate(c) for c in cases]


def _convex() -> list[Callable[[], str]]:
    def certificate(case: dict[str, Any]) -> str:
        dims = {k: tuple(v) for k, v in case["dims"].items()}
        f = eg.parse_matrix(case["text"], dims, case["assume"])
        found = eg.convexity(f, case["by"]).certificate
        if found is None:
            raise eg.UnsupportedOperation("not decided")
        return found.text

    cases = [c for c in _read("convexity.json") if c["is"] != "neither"]
    return [lambda c=c: certificate(c) for c in cases]


MADE: Final = {"equal": _equal, "derivative": _derivatives, "convex": _convex}


BLOCK: Final = 12
# The first of each block of cases; quick tiers take the first case of each block.
BLOCKS: Final = [
    (kind, first) for kind, made in MADE.items() for first in range(0, len(made()), BLOCK)
]


@cache
def certificates(kind: str, first: int) -> tuple[str, ...]:
    """Certificates of a block of cases, where there are any."""
    found: list[str] = []
    for make in MADE[kind]()[first : first + samples(1, BLOCK)]:
        with contextlib.suppress(eg.UnsupportedOperation):
            found.append(make())
    return tuple(found)


@pytest.mark.parametrize(("kind", "first"), BLOCKS)
def test_certificates_are_verified_and_tampered_ones_refused(kind: str, first: int) -> None:
    rng = np.random.default_rng(first)
    for text in certificates(kind, first):
        assert verify(text).claim
        for name, changed in tampered(text, rng):
            with pytest.raises(eg.UnsupportedOperation, match="refused"):
                print(name, verify(changed))


@pytest.mark.parametrize("kind", MADE)
def test_most_have_one(kind: str) -> None:
    """Of the first cases of blocks; thorough tiers take all of them."""
    blocks = [first for k, first in BLOCKS if k == kind]
    count = sum(len(certificates(kind, first)) for first in blocks)
    assert count >= LEAST[kind] * sum(
        min(samples(1, BLOCK), len(MADE[kind]()) - first) for first in blocks
    )


@pytest.mark.parametrize(("kind", "first"), [b for b in BLOCKS if b[0] != "convex"])
def test_what_is_changed_by_chance_is_refused_or_true(kind: str, first: int) -> None:
    rng = np.random.default_rng(first)
    for text in certificates(kind, first):
        for _ in range(samples(5, 20)):
            changed = mutated(text, rng)
            try:
                verify(changed)
            except eg.UnsupportedOperation:
                continue
            _check_claim(changed, rng)


def _check_claim(text: str, rng: np.random.Generator) -> None:
    """Hold a claim against values; of derivatives the product with a direction."""
    whole = json.loads(text)
    claim = whole["claim"]
    keys = ("left", "right") if claim["kind"] == "equal" else ("of", "by", "is")
    said = {"nodes": whole["terms"], "groups": [{"terms": [claim[k] for k in keys], "said": ""}]}
    ((terms, _),) = read_terms(json.dumps(said))
    for _ in range(4):
        sizes = {s: int(rng.integers(2, 4)) for s in symbols(*terms)}
        values: dict[str, Any] = {}
        for v in variables(*terms):
            shape = tuple(int(sizes.get(str(d), d)) for d in v.dims)
            values[v.name] = drawn(v.assumed, rng.normal(size=shape), rng)
        if any(v is None for v in values.values()):
            return
        inverses = [t for t in postorder(*terms) if t.op == "inv"]
        if any((abs(oracle.value(t, values, sizes)) > 1e6).any() for t in inverses):
            continue  # Of these sizes the matrix is singular.
        with np.errstate(all="ignore"):
            if claim["kind"] == "equal":
                a, b = (oracle.value(t, values, sizes) for t in terms)
            else:
                f, x, g = terms
                a = oracle.numeric_derivative(f, x, values, sizes, 1e-5)
                b = oracle.value(g, values, sizes)
            # What is larger was divided by what is 0 but for rounding.
            known = abs(a) + abs(b) < 1e9
            scale = 1e-4 * (1 + abs(a[known]) + abs(b[known]))
            assert (abs(a[known] - b[known]) <= scale).all(), text


def test_what_is_no_certificate_is_refused() -> None:
    for text in ("", "{", "[]", "null", '{"format": "eggrad certificate 1"}', "[" * 100_000):
        with pytest.raises(eg.UnsupportedOperation, match="no certificate"):
            verify(text)


def test_a_verdict_that_is_not_equal_has_none() -> None:
    x = eg.variable("x")
    with pytest.raises(eg.UnsupportedOperation, match="'different'"):
        _ = eg.equivalent(x, 2 * x).certificate


def _of(left: eg.Expression, right: eg.Expression) -> dict[str, Any]:
    return json.loads(eg.equivalent(left, right).certificate)


def test_letters_stand_for_what_a_law_says() -> None:
    p = eg.variable("p", (), ["positive"])
    whole = _of(eg.exp(eg.log(p)), p)
    part = whole["chains"][0]["steps"][0]
    holder = part["parts"][0] if part.get("parts") else part
    for other in (["name", "p"], ["number", "1"], ["other", 0], ["spec", [[0]]]):
        holder["bound"]["a"] = other
        with pytest.raises(eg.UnsupportedOperation, match="stands for a term"):
            verify(json.dumps(whole))


def test_numbers_are_exact() -> None:
    x = eg.variable("x")
    text = eg.equivalent(x + x, 2 * x).certificate
    for number in ("1.0", "1e3", "NaN", "Infinity"):
        with pytest.raises(eg.UnsupportedOperation, match="it has the number"):
            verify(text.replace('"chains"', f'"more": {number}, "chains"'))


@pytest.mark.parametrize("along", [[], [[1, 1]], [[2, 3]], [[0, 0]]])
def test_a_line_has_a_direction_for_each_variable(along: list[list[int]]) -> None:
    x = eg.variable("x")
    found = eg.convexity(x**4 - 2 * x**3 + 2 * x**2, x).certificate
    assert found is not None
    whole = json.loads(found.text)
    assert verify(found.text).claim.startswith("along every line of x")
    whole["claim"]["along"] = along
    with pytest.raises(eg.UnsupportedOperation, match="refused"):
        verify(json.dumps(whole))


@pytest.mark.parametrize(
    "name", ["#0", "unary.none#0", "functions.log_of_exp", "functions.log_of_exp#9"]
)
def test_laws_that_the_package_does_not_have(name: str) -> None:
    x = eg.variable("x")
    whole = _of(x + x, 2 * x)
    whole["laws"][name] = None
    with pytest.raises(eg.UnsupportedOperation, match="no law of this package"):
        verify(json.dumps(whole))


def test_a_law_that_widens_goes_one_way() -> None:
    x = eg.variable("x")
    whole = _of(eg.log(eg.exp(x)), x)
    step = next(s for s in whole["chains"][0]["steps"] if s["by"] in ("law", "arithmetic"))
    for law in whole["laws"].values():
        law["kind"] = "one way"
    step["backwards"] = True
    with pytest.raises(eg.UnsupportedOperation, match="refused"):
        verify(json.dumps(whole))
