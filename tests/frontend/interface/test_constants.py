"""Constants of strong convexity and smoothness, held against the eigenvalues of Hessians by JAX."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.interface.certificates import verify
from tests.support.tiers import samples

DIMS: Final = {
    **{"X": ("N", "d"), "D": ("m", "d"), "A": ("d", "d"), "W": ("d", "k"), "Y": ("N", "k")},
    **{"w": ("d",), "c": ("d",), "y": ("N",), "p": ("N",), "lam": (), "b": (), "t": ()},
}
POINTS: Final = 30
# Some lengths are 1, and there are fewer rows than columns and more.
SIZES: Final = tuple(
    dict(zip("Ndmk", lengths, strict=True))
    for lengths in (
        (5, 3, 2, 2),
        (1, 1, 1, 1),
        (2, 4, 3, 1),
        (1, 3, 1, 2),
        (4, 1, 2, 3),
        (7, 4, 5, 2),
    )
)
# How far the variables and the data may be from 0.
SCALES: Final = (0.3, 1.0, 5.0)

Values = Mapping[str, Any]


class Case(NamedTuple):
    """A function, the same for JAX, what is declared, and the constants as one expects them."""

    text: str
    of: Callable[[Values], Any]
    by: str = "w"
    assume: Mapping[str, str] = {}
    strong: str | None = None
    smooth: str | None = None


GRAM: Final = "max(eigenvalues(X'*X))"
LEAST: Final = "min(eigenvalues(X'*X))"
SIGNS: Final = {"y": "signs"}
LAM: Final = {"lam": "positive"}


def _r(v: Values) -> Any:
    return v["X"] @ v["w"] - v["y"]


def _logistic(v: Values) -> Any:
    return jnp.sum(jnp.logaddexp(0.0, -v["y"] * (v["X"] @ v["w"])))


def _log_cosh(z: Any) -> Any:
    return jnp.sum(jnp.logaddexp(z, -z) - jnp.log(2.0))


def _log_sum_exp(z: Any, axis: int | None = None) -> Any:
    return jax.scipy.special.logsumexp(z, axis=axis)


def _quadratic(v: Values) -> Any:
    return v["w"] @ v["A"] @ v["w"] / 2


CASES: Final = {
    "least squares": Case(
        "sum((X*w - y).^2)",
        lambda v: jnp.sum(_r(v) ** 2),
        strong=f"2*{LEAST}",
        smooth=f"2*{GRAM}",
    ),
    "ridge": Case(
        "norm2(X*w - y)^2 + lam*norm2(w)^2",
        lambda v: jnp.sum(_r(v) ** 2) + v["lam"] * jnp.sum(v["w"] ** 2),
        assume=LAM,
        strong="2*lam",
        smooth=f"2*{GRAM} + 2*lam",
    ),
    "logistic": Case(
        "sum(log(1 + exp(-y.*(X*w))))", _logistic, assume=SIGNS, smooth=f"0.25*{GRAM}"
    ),
    "logistic, regularised": Case(
        "sum(log(1 + exp(-y.*(X*w)))) + lam/2*w'*w",
        lambda v: _logistic(v) + v["lam"] / 2 * jnp.sum(v["w"] ** 2),
        assume={**SIGNS, **LAM},
        strong="lam",
        smooth=f"lam + 0.25*{GRAM}",
    ),
    "logistic, labels 0 and 1": Case(
        "sum(log(1 + exp(X*w)) - y.*(X*w))",
        lambda v: jnp.sum(jnp.logaddexp(0.0, v["X"] @ v["w"]) - v["y"] * (v["X"] @ v["w"])),
        smooth=f"0.25*{GRAM}",
    ),
    "logistic, with an intercept": Case(
        "sum(log(1 + exp(-y.*(X*w + b))))",
        lambda v: jnp.sum(jnp.logaddexp(0.0, -v["y"] * (v["X"] @ v["w"] + v["b"]))),
        by="w b",
        assume=SIGNS,
        smooth=f"0.5*{GRAM} + 0.5*size(N)",
    ),
    "log-sum-exp": Case("log(sum(exp(w)))", lambda v: _log_sum_exp(v["w"]), smooth="1"),
    "softmax regression, one vector": Case(
        "log(sum(exp(X*w))) - y'*X*w",
        lambda v: _log_sum_exp(v["X"] @ v["w"]) - v["y"] @ v["X"] @ v["w"],
        smooth=GRAM,
    ),
    "softmax regression": Case(
        "sum(log(exp(X*W)*vector(1))) - sum(Y.*(X*W))",
        lambda v: jnp.sum(_log_sum_exp(v["X"] @ v["W"], 1)) - jnp.sum(v["Y"] * (v["X"] @ v["W"])),
        by="W",
        smooth=GRAM,
    ),
    "quadratic, symmetric": Case(
        "w'*A*w/2",
        _quadratic,
        assume={"A": "symmetric"},
        smooth="max(abs(eigenvalues(A)))",
    ),
    "quadratic, semidefinite": Case(
        "w'*A*w/2",
        _quadratic,
        assume={"A": "positive semidefinite"},
        strong="min(eigenvalues(A))",
        smooth="max(eigenvalues(A))",
    ),
    "quadratic, any matrix": Case(
        "w'*A*w", lambda v: 2 * _quadratic(v), smooth="2*max(abs(eigenvalues(0.5*(A + A'))))"
    ),
    "pseudo-Huber": Case(
        "sum(sqrt(1 + (X*w - y).^2))", lambda v: jnp.sum(jnp.sqrt(1 + _r(v) ** 2)), smooth=GRAM
    ),
    "length, smoothed": Case(
        "sqrt(1 + norm2(w)^2)", lambda v: jnp.sqrt(1 + jnp.sum(v["w"] ** 2)), smooth="1"
    ),
    "log cosh": Case("sum(log(cosh(X*w - y)))", lambda v: _log_cosh(_r(v)), smooth=GRAM),
    "softplus": Case("log(1 + exp(t))", lambda v: jnp.logaddexp(0.0, v["t"]), "t", smooth="0.25"),
    "sine": Case("sum(sin(w))", lambda v: jnp.sum(jnp.sin(v["w"])), smooth="1"),
    "sines": Case(
        "sum(sin(w)) + sum(cos(2*w))",
        lambda v: jnp.sum(jnp.sin(v["w"]) + jnp.cos(2 * v["w"])),
        smooth="5",
    ),
    "Cauchy loss": Case(
        "sum(log(1 + (X*w - y).^2))", lambda v: jnp.sum(jnp.log1p(_r(v) ** 2)), smooth=f"2*{GRAM}"
    ),
    "Geman and McClure's loss": Case(
        "sum((X*w - y).^2 ./ (1 + (X*w - y).^2))",
        lambda v: jnp.sum(_r(v) ** 2 / (1 + _r(v) ** 2)),
        # 2 is right; its certificate is more work than the checker does.
        smooth=None,
    ),
    "sigmoids": Case(
        "sum(1 ./ (1 + exp(-w)))", lambda v: jnp.sum(jax.nn.sigmoid(v["w"])), smooth="0.1"
    ),
    "weighted least squares": Case(
        "sum(p.*(X*w - y).^2)",
        lambda v: jnp.sum(v["p"] * _r(v) ** 2),
        assume={"p": "positive"},
        strong="2*min(eigenvalues(X'*diag(p)*X))",
        smooth="2*max(eigenvalues(X'*diag(p)*X))",
    ),
    "Tikhonov": Case(
        "norm2(X*w - y)^2 + norm2(D*w)^2",
        lambda v: jnp.sum(_r(v) ** 2) + jnp.sum((v["D"] @ v["w"]) ** 2),
        strong=f"2*{LEAST} + 2*min(eigenvalues(D'*D))",
        smooth=f"2*{GRAM} + 2*max(eigenvalues(D'*D))",
    ),
    "weighted ridge": Case(
        "sum((X*w - y).^2) + sum(c.*w.^2)",
        lambda v: jnp.sum(_r(v) ** 2) + jnp.sum(v["c"] * v["w"] ** 2),
        assume={"c": "positive"},
        strong="2*min(eigenvalues(diag(c)))",
        smooth=f"2*{GRAM} + 2*max(eigenvalues(diag(c)))",
    ),
    "of a matrix": Case(
        "sum((X*W - Y).^2)",
        lambda v: jnp.sum((v["X"] @ v["W"] - v["Y"]) ** 2),
        by="W",
        strong=f"2*{LEAST}",
        smooth=f"2*{GRAM}",
    ),
    "with an intercept": Case(
        "sum((X*w + b - y).^2)",
        lambda v: jnp.sum((v["X"] @ v["w"] + v["b"] - v["y"]) ** 2),
        by="w b",
        smooth=f"4*{GRAM} + 4*size(N)",
    ),
    "two variables": Case(
        "norm2(w)^2 + 3*t^2",
        lambda v: jnp.sum(v["w"] ** 2) + 3 * v["t"] ** 2,
        by="w t",
        strong="2",
        smooth="6",
    ),
    "one residual": Case(
        "(c'*w - b)^2", lambda v: (v["c"] @ v["w"] - v["b"]) ** 2, smooth="2*c'*c"
    ),
    "concave": Case("-sum((X*w - y).^2)", lambda v: -jnp.sum(_r(v) ** 2), smooth=f"2*{GRAM}"),
    "where it is declared to be": Case(
        "sum(log(1 + w))",
        lambda v: jnp.sum(jnp.log1p(v["w"])),
        assume={"w": "nonnegative"},
        smooth="1",
    ),
    "mean squared error": Case(
        "sum((X*w - y).^2)/size(N)",
        lambda v: jnp.mean(_r(v) ** 2),
        strong=f"2*{LEAST}/size(N)",
        smooth=f"2*{GRAM}/size(N)",
    ),
    "mean logistic loss, regularised": Case(
        "sum(log(1 + exp(-y.*(X*w))))/size(N) + lam*norm2(w)^2",
        lambda v: _logistic(v) / len(v["y"]) + v["lam"] * jnp.sum(v["w"] ** 2),
        assume={**SIGNS, **LAM},
        strong="2*lam",
        smooth=f"2*lam + {GRAM}/(4*size(N))",
    ),
    "proximal": Case(
        "norm2(w - c)^2/(2*lam) + sum(log(cosh(w)))",
        lambda v: jnp.sum((v["w"] - v["c"]) ** 2) / (2 * v["lam"]) + _log_cosh(v["w"]),
        assume=LAM,
        strong="1/lam",
        smooth="1 + 1/lam",
    ),
    "log-sum-exp at a temperature": Case(
        "lam*log(sum(exp(w/lam)))",
        lambda v: v["lam"] * _log_sum_exp(v["w"] / v["lam"]),
        assume=LAM,
        smooth="1/lam",
    ),
    "quadratic, definite and regularised": Case(
        "w'*A*w + lam*w'*w",
        lambda v: 2 * _quadratic(v) + v["lam"] * jnp.sum(v["w"] ** 2),
        assume={"A": "positive definite", **LAM},
        strong="2*min(eigenvalues(A)) + 2*lam",
        smooth="2*max(eigenvalues(A)) + 2*lam",
    ),
    "affine": Case("sum(X*w)", lambda v: jnp.sum(v["X"] @ v["w"]), smooth="0"),
}
"""Those that were chosen before, and some that are near them."""

NONE: Final = (
    ("sum(w.^4)", {}),
    ("sum(exp(X*w))", {}),
    ("sum(w.*log(w))", {"w": "positive"}),
    ("-sum(log(w))", {"w": "positive"}),
    ("sum(1 ./ w)", {"w": "positive"}),
    ("sum(w.^3)", {}),
    ("norm2(w)", {}),
    ("sum(abs(w))", {}),
)
"""Functions that have neither constant, or kinks."""


@cache
def judged(text: str, by: str = "w", assume: tuple[tuple[str, str], ...] = ()) -> eg.Convexity:
    used = {*re.findall("[A-Za-z]+", text)}
    dims = {name: axes for name, axes in DIMS.items() if name in used}
    words = {name: [word] for name, word in assume}
    return eg.convexity(eg.parse_matrix(text, dims, words), by.split())


def found_of(case: Case) -> eg.Convexity:
    return judged(case.text, case.by, tuple(case.assume.items()))


def written(found: "eg.CurvatureBound | None") -> str | None:
    return None if found is None else str(found).splitlines()[0].partition(" = ")[2]


@pytest.mark.parametrize("name", CASES)
def test_constants_are_as_expected(name: str) -> None:
    case = CASES[name]
    found = found_of(case)
    assert (written(found.strong_convexity), written(found.smoothness)) == (
        case.strong,
        case.smooth,
    )


@pytest.mark.parametrize("name", CASES)
def test_certificates_are_verified(name: str) -> None:
    case = CASES[name]
    found = found_of(case)
    for bound in (found.strong_convexity, found.smoothness):
        for certificate in () if bound is None else bound.certificates:
            assert "verified" in str(verify(certificate.text))


@pytest.mark.parametrize("name", CASES)
def test_eigenvalues_are_between_the_constants(name: str) -> None:
    case = CASES[name]
    found = found_of(case)
    bounds = (found.strong_convexity, found.smoothness)
    for number, sizes in enumerate(SIZES[: samples(2, len(SIZES))]):
        rng = np.random.default_rng(number)
        points = [drawn(case, sizes, SCALES[k % len(SCALES)], rng) for k in range(POINTS)]
        for values, spectrum in zip(points, eigenvalues(case, points), strict=True):
            near = 1e-9 * (1 + np.abs(spectrum).max())
            m, greatest = (b and float(evaluated(b, values)) for b in bounds)
            assert m is None or spectrum.min() >= m - near, values
            assert greatest is None or np.abs(spectrum).max() <= greatest + near, values


def drawn(
    case: Case, sizes: Mapping[str, int], scale: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Values of all variables that have what is declared of them."""
    found: dict[str, Any] = {}
    for name, axes in DIMS.items():
        array = scale * rng.normal(size=tuple(sizes[a] for a in axes))
        match case.assume.get(name):
            case "signs":
                array = np.where(array < 0, -1.0, 1.0)
            case "positive" | "nonnegative":
                array = np.abs(array)
            case "symmetric":
                array = array + array.T
            case "positive semidefinite":
                array = array @ array.T
            case "positive definite":
                array = array @ array.T + np.eye(len(array))
            case _:
                pass
        found[name] = array
    return found


def eigenvalues(case: Case, points: list[dict[str, Any]]) -> np.ndarray[Any, Any]:
    """Those of the Hessians in all variables together at some points, by JAX and NumPy."""
    names = case.by.split()
    shapes = [np.shape(points[0][n]) for n in names]
    ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]

    def flat(z: Any, values: Values) -> Any:
        parts = zip(names, jnp.split(z, ends), shapes, strict=True)
        return case.of({**values, **{n: part.reshape(s) for n, part, s in parts}})

    with jax.enable_x64(True):
        values = {name: jnp.asarray(np.stack([p[name] for p in points])) for name in DIMS}
        at = jnp.concatenate([values[n].reshape(len(points), -1) for n in names], 1)
        hessians = np.asarray(jax.vmap(jax.hessian(flat))(at, values))
    return np.linalg.eigvalsh((hessians + hessians.transpose(0, 2, 1)) / 2)


def evaluated(bound: eg.CurvatureBound | None, values: Values) -> Any:
    """A constant at some values, by the reference."""
    assert bound is not None
    used = [*bound.value.variables, *bound.value.scope]
    return bound.value.evaluate({v.name: values[v.name] for v in used}, reference=True)


@pytest.mark.parametrize(
    "name", ["logistic", "ridge", "sine", "log-sum-exp", "weighted least squares"]
)
def test_a_certificate_of_a_smaller_constant_is_refused(name: str) -> None:
    bound = found_of(CASES[name]).smoothness
    assert bound is not None
    whole = json.loads(bound.certificates[0].text)
    halves = [n for n in whole["terms"] if (n["op"], n["data"]) == ("constant", "1/2")]
    assert halves
    for node in halves:
        node["data"] = "99/200"
    with pytest.raises(eg.UnsupportedOperation, match="refused"):
        verify(json.dumps(whole))


@pytest.mark.parametrize(("text", "assume"), NONE)
def test_a_function_without_constants_has_none(text: str, assume: Mapping[str, str]) -> None:
    found = judged(text, assume=tuple(assume.items()))
    assert (found.strong_convexity, found.smoothness) == (None, None)


def test_a_constant_says_what_it_is() -> None:
    t = eg.variable("t")
    found = eg.convexity(eg.sin(t), t)
    assert found.status == "neither"
    assert repr(found.smoothness) == "<CurvatureBound smooth with L = 1>"
    assert str(found.smoothness).splitlines()[:2] == [
        "smooth with L = 1",
        "the second derivative of L/2*|t|^2 - f in this form: (1 + sin(t))*dt*dt",
    ]


def test_constants_of_random_sums_are_right() -> None:
    rng = np.random.default_rng(0)
    losses = [case for case in CASES.values() if case.by == "w" and not case.assume]
    for _ in range(samples(3, 12)):
        f, g = (losses[k] for k in rng.choice(len(losses), size=2, replace=False))
        m, n = (int(c) for c in rng.choice([-3, -2, -1, 1, 2, 3], size=2))
        text = f"({m})*({f.text}) + ({n})*({g.text})"
        case = Case(text, lambda v, m=m, n=n, f=f.of, g=g.of: m * f(v) + n * g(v))
        bound = judged(text).smoothness
        for sizes in SIZES[:3] if bound else ():
            points = [drawn(case, sizes, 2.0, rng) for _ in range(POINTS)]
            for values, spectrum in zip(points, eigenvalues(case, points), strict=True):
                assert np.abs(spectrum).max() <= float(evaluated(bound, values)) * (1 + 1e-9), text


@pytest.mark.parametrize("word", ["symmetric", "skew", "positive definite", "lower triangular"])
def test_functions_of_entries_of_a_declared_matrix(word: str) -> None:
    """Where what is declared of the matrix says nothing of an entry."""
    X = eg.variable("X", ("n", "n"), [word])
    found = eg.convexity(eg.sum(eg.sin(X)), X).smoothness
    assert found is not None
    assert found.value.evaluate() == 1


def test_probabilities_of_two_axes() -> None:
    Q = eg.variable("Q", ("n", "m"), ["probability"])
    found = eg.convexity(eg.sum(eg.log(1 + eg.exp(Q))), Q).smoothness
    assert found is not None
    assert found.value.evaluate() == 0.25
