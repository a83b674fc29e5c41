"""Certificates of equalities, derivatives and convexity are verified; changed ones are refused."""

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
from eggrad.engine.terms.term import variables
from eggrad.frontend.interface.certificates import certified_derivative, verify
from eggrad.frontend.text.json_nodes import read_terms
from tests.support.tampering import mutated, tampered
from tests.support.tiers import samples

DATA: Final = Path(__file__).parents[2] / "data"
# What a chain of single steps or a law of the checker's is missing for; seen when it was written.
LEAST: Final = {"equal": 0.8, "derivative": 0.95, "convex": 0.85}


def _read(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / name).read_text("utf-8"))


def _equal() -> list[Callable[[], str]]:
    rows = [
        (r["left"], r["right"], r["dims"], r["assume"])
        for r in _read("textbook_equalities.json")
        if r["is"] == "equal" and not {"wrt", "needs"} & r.keys()
    ]
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


@cache
def certificates(kind: str) -> tuple[list[str], int]:
    """Certificates of a kind, a sample of them in quick tiers, and how many were asked for."""
    asked = MADE[kind]()[:: samples(12, 1)]
    found: list[str] = []
    for make in asked:
        try:
            found.append(make())
        except eg.UnsupportedOperation:
            continue
    return found, len(asked)


@pytest.mark.parametrize("kind", MADE)
def test_certificates_are_verified(kind: str) -> None:
    found, asked = certificates(kind)
    for text in found:
        assert verify(text).claim
    assert len(found) >= LEAST[kind] * asked if samples(0, 1) else found


@pytest.mark.parametrize("kind", MADE)
def test_tampered_certificates_are_refused(kind: str) -> None:
    rng = np.random.default_rng(0)
    for text in certificates(kind)[0]:
        for name, changed in tampered(text, rng):
            with pytest.raises(eg.UnsupportedOperation, match="refused"):
                print(name, verify(changed))


@pytest.mark.parametrize("kind", ["equal", "derivative"])
def test_what_is_changed_by_chance_is_refused_or_true(kind: str) -> None:
    rng = np.random.default_rng(1)
    for text in certificates(kind)[0]:
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
            shape = tuple(sizes.get(str(d), d) for d in v.dims)
            values[v.name] = drawn(v.assumed, rng.normal(size=shape), rng)
        if any(v is None for v in values.values()):
            return
        with np.errstate(all="ignore"):
            if claim["kind"] == "equal":
                a, b = (oracle.value(t, values, sizes) for t in terms)
            else:
                f, x, g = terms
                a = oracle.numeric_derivative(f, x, values, sizes, 1e-5)
                b = oracle.value(g, values, sizes)
            known = np.isfinite(a) & np.isfinite(b)
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
