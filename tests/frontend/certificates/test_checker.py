"""The checker of certificates refuses what is false, however it is written, and soon."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from time import perf_counter
from typing import Any, Final

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine import laws
from eggrad.engine.indices.spec import canonical
from eggrad.engine.laws.matching import patterns
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.terms.functions import record
from eggrad.frontend.certificates.arithmetic import Refused
from eggrad.frontend.certificates.checker import COMPUTED, Checker
from eggrad.frontend.certificates.patterns import fact_described, law_described
from eggrad.frontend.interface.certificates import certified_derivative, steps, verify
from eggrad.rules.standard import RULESETS
from tests.support.tiers import samples

JSON = dict[str, Any]


def _node(op: str, data: Any = None, args: Sequence[int] = (), dims: Sequence[Any] = ()) -> JSON:
    return {"op": op, "data": data, "args": [*args], "dims": [*dims]}


def _law(name: str) -> JSON:
    """A law as certificates have it."""
    (known,) = (
        law for s in RULESETS for law in (*s.laws, *s.facts) if f"{s.name}.{law.name}#0" == name
    )
    found = fact_described(known, 0) if isinstance(known, Fact) else None
    if isinstance(known, Rule):
        assert patterns(known)
        found = law_described(known, 0)
    return json.loads(json.dumps(found))


def _certificate(terms: Sequence[JSON], left: int, right: int, *steps: JSON, **more: Any) -> JSON:
    names = ("where", "maximum", "exp", "log", "greater")
    attributes = {n: {a: getattr(record(n), a) for a in ("total", "analytic")} for n in names}
    return {
        "format": "eggrad certificate 1",
        "claim": {"kind": "equal", "left": left, "right": right, "assumed": []},
        "laws": {name: _law(name) for name in (SAME, *more.get("laws", ()))},
        "functions": attributes,
        "slopes": {},
        "facts": [*more.get("facts", ())],
        "chains": [{"from": left, "steps": [*steps]}],
        "terms": [*terms],
    }


def _arithmetic(to: int, *parts: JSON) -> JSON:
    return {"by": "arithmetic", "parts": [*parts], "to": to}


def _by(law: str, to: int, *, backwards: bool = False, **bound: Any) -> JSON:
    return {"by": "law", "law": law, "bound": bound, "backwards": backwards, "to": to}


X: Final = _node("variable", {"name": "x", "assume": []})
SCALARS: Final = [[], [], []]
# 1/max(0, 0) is the last.
NOWHERE: Final = [
    X,
    _node("constant", "1"),
    _node("constant", "0"),
    _node("maximum", None, [2, 2]),
    _node("constant", "-1"),
    _node("power", None, [3, 4]),
]
SAME: Final = "functions.maximum_of_same#0"
# With it 1 = max(0, 0)/max(0, 0) = 0/max(0, 0).
ONE_IS_ZERO: Final = (
    {
        **{"number": "-1", "times": 1, "spec": SCALARS},
        **{"law": "reciprocal", "bound": {"a": ["term", 3]}},
    },
    {
        **{"number": "1", "times": 5, "spec": SCALARS},
        **{"law": SAME, "bound": {"a": ["term", 2]}},
    },
)


def _false() -> Iterator[tuple[str, JSON]]:
    """Proofs that 1 is 0, each by something that is defined nowhere."""
    yield (
        "by a law, from its right side",
        _certificate(
            [*NOWHERE, _node("einsum", SCALARS, [3, 5])],
            1,
            2,
            _by("reciprocal", 6, backwards=True, a=["term", 3]),
            _arithmetic(2, ONE_IS_ZERO[1]),
        ),
    )
    yield "by arithmetic", _certificate(NOWHERE, 1, 2, _arithmetic(2, *ONE_IS_ZERO))
    choice = "branches.choice_of_otherwise#0"
    yield (
        "by what a choice does not choose",
        _certificate(
            [*NOWHERE, _node("where", None, [2, 5, 1])],
            6,
            2,
            _by(choice, 1, a=["term", 5], b=["term", 1], n=["other", []]),
            _arithmetic(2, *ONE_IS_ZERO),
            laws=[choice],
        ),
    )
    zero = "multiples.product_with_zero#0"
    product = _node("einsum", SCALARS, [2, 5])
    yield (
        "by a product with 0",
        _certificate(
            [*NOWHERE, product, _node("add", None, [1, 2]), _node("add", None, [1, 6])],
            1,
            2,
            _arithmetic(7),
            _by(zero, 8, backwards=True, s=["spec", SCALARS], n=["other", []], a=["term", 5]),
            _arithmetic(2, *ONE_IS_ZERO),
            laws=[zero],
        ),
    )
    greatest, facts = "ranges.maximum_by_sign#0", _facts()
    yield (
        "by a law whose right side has less",
        _certificate(
            [
                *NOWHERE,
                _node("exp", None, [5]),
                _node("einsum", SCALARS, [4, 6]),
                _node("maximum", None, [1, 7]),
            ],
            1,
            2,
            _by(greatest, 8, backwards=True, a=["term", 1], b=["term", 7]),
            _by(greatest, 1, a=["term", 1], b=["term", 7]),
            _arithmetic(2, *ONE_IS_ZERO),
            laws=[greatest, *{f["law"]: None for f in facts}],
            facts=facts,
        ),
    )
    positive = facts[:1]
    yield (
        "by what is positive where it is defined",
        _certificate(
            [*NOWHERE, _node("exp", None, [5])],
            1,
            2,
            _arithmetic(2, *ONE_IS_ZERO),
            laws=[positive[0]["law"]],
            facts=positive,
        ),
    )


def _facts() -> list[JSON]:
    """That -exp(1/max(0, 0)) is nonpositive, and 1 nonnegative."""
    nonnegative = "properties.positive_is_nonnegative#0"
    return [
        {"law": "properties.positive_exponential#0", "bound": {"a": ["term", 5]}},
        {"law": nonnegative, "bound": {"a": ["term", 6]}},
        {
            "law": "ranges.nonpositive_multiple#0",
            "bound": {"c": ["number", "-1"], "a": ["term", 6]},
        },
        {
            "law": "properties.positive_constant#0",
            "bound": {"c": ["number", "1"], "n": ["other", []]},
        },
        {"law": nonnegative, "bound": {"a": ["term", 1]}},
    ]


FALSE: Final = dict(_false())


@pytest.mark.parametrize("name", FALSE)
def test_one_is_not_zero(name: str) -> None:
    with pytest.raises(eg.UnsupportedOperation, match="undefined"):
        verify(json.dumps(FALSE[name]))


def test_a_result_has_an_index_once() -> None:
    """By the diagonal of one axis, 2 = 4."""
    law = "constants.unary_constant#0"
    said = {"s": ["spec", [[0], [0, 0]]], "c": ["number", "1"], "n": ["other", [2]]}
    part = {"law": law, "number": "1/2", "times": 1, "spec": [[], [0, 1], []], "bound": said}
    numbers = [_node("constant", "0"), _node("constant", "1")]
    whole = _certificate(numbers, 0, 1, _arithmetic(1, part), laws=[law])
    with pytest.raises(eg.UnsupportedOperation, match="an index once"):
        verify(json.dumps(whole))


def test_a_matrix_whose_diagonal_is_not_0_is_not_divided_by() -> None:
    """Entry by entry, by a diagonal matrix, 2 = 4."""
    words = [*eg.variable("D", (2, 2), ["diagonal", "positive definite"]).thin.term.assumed]
    d = ["other", ["D", [2, 2], words]]
    laws = {
        "matrix_properties.declared_definite#0": {"X": d},
        "matrix_properties.positive_diagonal_entries#0": {"a": ["term", 2]},
        "matrix_properties.declared_diagonal#0": {"X": d},
    }
    law = "written_out.diagonal_matrix#0"
    terms = [
        _node("constant", "0"),
        _node("constant", "1"),
        _node("variable", {"name": "D", "assume": words}, (), [2, 2]),
        _node("constant", "-1"),
        _node("power", None, [2, 3], [2, 2]),
    ]
    part = {"number": "1/2", "times": 4, "spec": [[0, 1], [0, 1], []], "law": law}
    bound = {"n": ["other", [2]], "a": ["term", 2]}
    facts = [{"law": name, "bound": said} for name, said in laws.items()]
    whole = _certificate(
        terms, 0, 1, _arithmetic(1, {**part, "bound": bound}), laws=[law, *laws], facts=facts
    )
    with pytest.raises(eg.UnsupportedOperation, match="undefined"):
        verify(json.dumps(whole))


@pytest.mark.parametrize("way", [1, 0, "true", [True], None])
def test_a_law_is_read_one_way_or_the_other(way: object) -> None:
    whole = json.loads(json.dumps(FALSE["by a law, from its right side"]))
    whole["chains"][0]["steps"][0]["backwards"] = way
    with pytest.raises(eg.UnsupportedOperation, match="true or false"):
        verify(json.dumps(whole))


def test_what_is_0_is_not_divided_by() -> None:
    terms = [*NOWHERE, _node("subtract", None, [0, 0]), _node("power", None, [6, 4])]
    with pytest.raises(eg.UnsupportedOperation, match="which is undefined"):
        verify(json.dumps(_certificate(terms, 7, 2, _arithmetic(2))))


def test_a_derivative_that_is_defined_nowhere_proves_nothing() -> None:
    """The root of x - x is 0, its differential is undefined."""
    terms = [
        X,
        _node("variable", {"name": "dx", "assume": []}),
        _node("subtract", None, [0, 0]),
        _node("constant", "1/2"),
        _node("power", None, [2, 3]),
        _node("constant", "5"),
    ]
    claim = {"kind": "derivative", "of": 4, "by": 0, "along": 1, "is": 5, "assumed": []}
    whole = {**_certificate(terms, 0, 0), "claim": claim}
    checker = Checker(whole)
    df = checker.differential(4, {0: 1})
    terms += [_node(*node) for node in checker.terms.nodes[len(terms) :]]
    terms.append(_node("einsum", SCALARS, [5, 1]))
    whole |= {
        "terms": terms,
        "chains": [{"from": df, "steps": [_arithmetic(len(terms) - 1)]}],
    }
    with pytest.raises(eg.UnsupportedOperation, match="undefined"):
        verify(json.dumps(whole))


@pytest.mark.parametrize("kind", ["derivative", "curved"])
def test_a_direction_is_any_tensor(kind: str) -> None:
    """Along directions that are positive x·y would be convex."""
    x, y = eg.variable("x"), eg.variable("y")
    if kind == "derivative":
        text = certified_derivative(x * y, x, y)
    else:
        found = eg.convexity(x**4 - 2 * x**3 + 2 * x**2, x).certificate
        assert found is not None
        text = found.text
    whole = json.loads(text)
    claim = whole["claim"]
    d = claim["along"] if kind == "derivative" else claim["along"][0][1]
    told = json.loads(text)
    told["terms"][d]["data"]["assume"] = ["positive"]
    with pytest.raises(eg.UnsupportedOperation, match="a direction is any tensor"):
        verify(json.dumps(told))
    claim["assumed"].append(["positive", d])
    with pytest.raises(eg.UnsupportedOperation, match="a direction is new"):
        verify(json.dumps(whole))


def test_what_is_declared_is_said() -> None:
    p = eg.variable("p", (), ["positive"])
    verified = verify(eg.equivalent(eg.exp(eg.log(p)), p).certificate)
    assert {*verified.assumed} == {"p is nonnegative", "p is positive"}


def test_a_claim_is_about_no_more_terms_than_its_kind_says() -> None:
    claim = {"kind": "has", "term": 1, "form": 2, "property": "constant", "assumed": []}
    fact = {
        "law": "curvature.constant_number#0",
        "bound": {"c": ["number", "0"], "n": ["other", []]},
    }
    whole = _certificate(
        NOWHERE, 1, 2, _arithmetic(2, *ONE_IS_ZERO), laws=[fact["law"]], facts=[fact]
    )
    for more in ({}, {"left": 5}, {"of": 5}, {"is": 5, "right": 5}):
        with pytest.raises(eg.UnsupportedOperation, match="undefined"):
            verify(json.dumps({**whole, "claim": {**claim, **more}}))


def test_what_moves_is_not_constant() -> None:
    x = eg.variable("x")
    found = eg.convexity(x**4 - 2 * x**3 + 2 * x**2, x).certificate
    assert found is not None
    whole = json.loads(found.text)
    (moved, _), *_ = whole["claim"]["along"]
    whole["claim"]["assumed"].append(["constant", moved])
    with pytest.raises(eg.UnsupportedOperation, match="what moves is not constant"):
        verify(json.dumps(whole))


def test_slopes_of_a_maximum_are_those_of_different_terms() -> None:
    """The slopes of max(a, b) by a and by b are both 0 where a = b, as in max(x, x)."""
    x, y = eg.variable("x"), eg.variable("y")
    f = eg.maximum(x, y)
    text = certified_derivative(f, x, eg.derivative(f, x))
    assert verify(text).assumed == ("x - y is nonzero almost everywhere",)
    whole = json.loads(text)
    whole["claim"]["assumed"] = []
    with pytest.raises(eg.UnsupportedOperation, match="maximum of equal terms"):
        verify(json.dumps(whole))


# Texts that ask for much ---------------------------------------------------------------------


def _doubled(op: str, data: Any, count: int, first: Sequence[JSON] = (X,)) -> list[JSON]:
    """A term that is made of itself twice, many times over."""
    terms = [*first]
    for k in range(len(first) - 1, len(first) - 1 + count):
        terms.append(_node(op, data, [k, k]))
    return terms


def _factors() -> list[JSON]:
    """A product of 30 sums of two variables each."""
    terms = [_node("variable", {"name": f"x{k}", "assume": []}) for k in range(60)]
    product = 0
    for k in range(0, 60, 2):
        terms.append(_node("add", None, [k, k + 1]))
        if k:
            terms.append(_node("einsum", SCALARS, [product, len(terms) - 1]))
        product = len(terms) - 1
    return terms


LARGE: Final[dict[str, Callable[[], list[JSON]]]] = {
    "a power": lambda: [
        _node("constant", "2"),
        _node("constant", "1" + "0" * 18),
        _node("power", None, [0, 1]),
    ],
    "a number": lambda: [_node("constant", "1e999999999")],
    "a small number": lambda: [_node("constant", "1e-999999999")],
    "digits": lambda: [_node("constant", "1" * 100_000)],
    "squares of a number": lambda: _doubled("einsum", SCALARS, 60, [_node("constant", "3")]),
    "squares of a sum": lambda: _doubled(
        "einsum", SCALARS, 40, [X, _node("constant", "1/3"), _node("add", None, [0, 1])]
    ),
    "squares": lambda: _doubled("einsum", SCALARS, 500),
    "doubled": lambda: _doubled("add", None, 5_000),
    "factors": _factors,
    "axes": lambda: [
        _node("variable", {"name": "A", "assume": []}, [], ["n"] * 300),
        _node("einsum", [[*range(300)], []], [0]),
    ],
    "nested": lambda: [X, *(_node("exp", None, [k]) for k in range(3_000))],
}


@pytest.mark.parametrize("name", LARGE)
def test_what_asks_for_much_is_refused_soon(name: str) -> None:
    terms = LARGE[name]()
    terms.append(_node("constant", "1"))
    whole = _certificate(terms, len(terms) - 2, len(terms) - 1, _arithmetic(len(terms) - 1))
    begin = perf_counter()
    with pytest.raises(eg.UnsupportedOperation, match="refused"):
        verify(json.dumps(whole))
    assert perf_counter() - begin < 60


def test_what_is_made_of_itself_often_is_verified() -> None:
    doubled = _doubled("add", None, 60)
    terms = [*doubled, _node("constant", str(2**60)), _node("einsum", SCALARS, [61, 0])]
    assert verify(json.dumps(_certificate(terms, 60, 62, _arithmetic(62)))).claim


# Names and indices ---------------------------------------------------------------------------


def test_a_name_comes_once() -> None:
    x = eg.variable("x")
    text = eg.equivalent(x + x, 2 * x).certificate
    with pytest.raises(eg.UnsupportedOperation, match="a name comes twice"):
        verify(text.replace('"chains"', '"claim": {}, "chains"'))


@pytest.mark.parametrize("number", ["00", "0#0", "\u0660", " 0", "", "-0"])
def test_a_law_has_one_name(number: str) -> None:
    x = eg.variable("x")
    text = eg.equivalent(eg.log(eg.exp(x)), x).certificate
    assert "functions.log_of_exp#0" in text
    with pytest.raises(eg.UnsupportedOperation, match="no law of this package"):
        verify(text.replace("log_of_exp#0", f"log_of_exp#{number}"))


@pytest.mark.parametrize("word", ["equal to 5", "", "Positive"])
def test_properties_are_those_of_the_package(word: str) -> None:
    claim = {"kind": "has", "term": 0, "form": 0, "property": word, "assumed": [[word, 0]]}
    whole = {**_certificate([X], 0, 0), "claim": claim, "chains": []}
    with pytest.raises(eg.UnsupportedOperation, match="no property of this package"):
        verify(json.dumps(whole))
    whole["claim"] = {**claim, "property": "positive", "assumed": [["positive", 0]]}
    assert verify(json.dumps(whole)).assumed == ("x is positive",)


SQUARE: Final = _node("variable", {"name": "B", "assume": []}, [], ["n", "n"])


@pytest.mark.parametrize(
    "node",
    [
        _node("einsum", [[0, 1], [2]], [0], ["n"]),
        _node("einsum", [[0, 1], [0, 0]], [0], ["n", "n"]),
        _node("einsum", [[0], [0]], [0], ["n"]),
        _node("einsum", [[0, 1], [0, 1], [0]], [0], ["n"]),
        _node("exp", None, [0], ["n"]),
        _node("max", [[0, 1], []], [0], ["n"]),
        _node("sum", None, [0], ["n", "n"]),
        _node("nothing", None, [0], ["n", "n"]),
        _node("delta", None, [], ["n", "m"]),
        _node("delta", None, [], ["n"]),
        _node("variable", {"name": "B", "assume": []}, [], ["n"]),
        _node("variable", {"name": "C", "assume": []}, [], [-1]),
        _node("size", 3.5),
    ],
    ids=lambda n: f"{n['op']} {n['data']} {n['dims']}",
)
def test_terms_that_are_none(node: JSON) -> None:
    with pytest.raises(eg.UnsupportedOperation, match="refused"):
        verify(json.dumps(_certificate([SQUARE, node], 1, 1, _arithmetic(1))))


def test_sums_over_axes_of_length_0_and_1() -> None:
    for size, total in ((0, "0"), (1, "1"), (3, "3")):
        ones = _node("constant", "1", [], [size])
        terms = [ones, _node("einsum", [[0], []], [0]), _node("constant", total)]
        assert verify(json.dumps(_certificate(terms, 1, 2, _arithmetic(2)))).claim
        terms[2] = _node("constant", "2")
        with pytest.raises(eg.UnsupportedOperation, match="refused"):
            verify(json.dumps(_certificate(terms, 1, 2, _arithmetic(2))))


# What laws compute ---------------------------------------------------------------------------

NAMES: Final = ("max", "min", "sin", "cos", "arcsin", "arccos", "floor", "round", "sign", "exp")


def _argument(kind: object, rng: np.random.Generator) -> Any:
    def some(values: Sequence[Any]) -> Any:
        return values[int(rng.integers(len(values)))]

    match str(kind):
        case "tuple[tuple[int, ...], ...]":
            count = int(rng.integers(1, 3))
            parts = [rng.integers(0, 4, rng.integers(0, 4)).tolist() for _ in range(count)]
            used = sorted({i for part in parts for i in part})
            return canonical(
                parts, rng.permutation([i for i in used if rng.random() < 0.6]).tolist()
            )
        case "tuple[int | str, ...]":
            return tuple(some(("n", "m", 1, 2)) for _ in range(rng.integers(0, 4)))
        case "<class 'str'>":
            return some(NAMES)
        case "<class 'int'>":
            return int(rng.integers(3))
        case _:
            return Fraction(int(rng.integers(-6, 7)), some((1, 1, 2, 3)))


@pytest.mark.parametrize("name", sorted({*COMPUTED} - {"is_declared", "plus", "times"}))
def test_what_laws_compute_is_what_the_package_computes(name: str) -> None:
    """Where the package has no value the checker has none either."""
    modules = (import_module(f"{laws.__name__}.{m.name}") for m in iter_modules(laws.__path__))
    function = next(getattr(m, name) for m in modules if hasattr(m, name))
    kinds = [p.annotation for p in signature(function).parameters.values()]
    rng = np.random.default_rng(0)
    for _ in range(samples(300, 5_000)):
        args = [_argument(kind, rng) for kind in kinds]
        try:
            wanted = function(*args)
        except (eg.EggradError, ValueError, TypeError, LookupError, ArithmeticError):
            continue  # No law asks for it.
        try:
            found = COMPUTED[name](*args)
        except (ValueError, TypeError, LookupError, ArithmeticError, Refused):
            found = None
        if name == "exchanged_product":
            assert found in (None, wanted), args
        else:
            assert found == wanted or not (found or wanted), args


# Printed -------------------------------------------------------------------------------------


def test_every_step_is_printed() -> None:
    dims = {"A": ("n", "n"), "u": ("n",), "v": ("n",), "x": ("n",)}
    left, right = (
        eg.parse_matrix(text, dims)
        for text in ("inv(A + u*v')", "inv(A) - inv(A)*u*v'*inv(A)/(1 + v'*inv(A)*u)")
    )
    text = steps(eg.equivalent(left, right).certificate)
    assert text.count("where Z is the difference of both sides of") == 5
    assert "linalg.matrix_times_inverse: a·a⁻¹ = δ; s = ij,jk->ik; a = A" in text
    f = eg.parse_matrix("log(sum(exp(A*x)))", dims)
    text = steps(certified_derivative(f, "x", eg.derivative(f, "x")))
    assert text.startswith("the differential of logsumexp(A*x), which changes with x by dx, by")
    assert "slopes.slope_log: log'(a) = a⁻¹" in text
