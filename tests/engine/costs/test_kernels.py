"""Which kernels compute a node: a table of products, and properties of every term."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.costs.time_model import (
    TimeModel,
    Work,
    dag_work,
    default_rates,
    node_work,
    term_work,
)
from eggrad.engine.indices.spec import parse_spec
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from tests.support.term_strategies import terms

RATES = default_rates()


def operand(name: str, letters: str) -> Term:
    """A variable whose axes have sizes called like the indices."""
    return t.variable(name, letters)


def product(spec: str) -> Term:
    parts = spec.partition("->")[0].split(",")
    return t.einsum(spec, *(operand(name, p) for name, p in zip("AB", parts, strict=False)))


def kernels(node: Term) -> str:
    """The rates of a node with their units, `x` repeats where there are any.

    All but the price of the memory for the result.
    """
    work = (w for w in term_work(node) if w.rate != "fresh")
    parts = ([w.rate, *w.units, *(("x", *w.repeats) if w.repeats else ())] for w in work)
    return ", ".join(" ".join(map(str, own)) for own in parts)


def gemm(points: str, left: str, right: str, out: str) -> str:
    return f"matmul {points}, matmul_operand {left}, matmul_operand {right}, matmul_out {out}"


GEMM = gemm("i j k", "i j", "j k", "i k")
OUTER = gemm("i j", "i", "j", "i j")
BATCH = "batch, batched_" + gemm("i j k x b", "b i j", "b j k", "b i k")

PRODUCTS = {
    # Entry by entry.
    ",->": "scalar",
    ",ij->ij": "scaling i j",
    "ij,ij->ij": "arithmetic i j",
    "ij,ij->ji": "arithmetic i j, transposed i j, transposed i j",
    "i,ij->ij": "broadcast i j, loop i",
    "ij,j->ij": "broadcast i j, loop i",
    "i,ijk->ijk": "broadcast i j k, loop i",
    "i,j->ij": OUTER,
    "i,j->ji": OUTER,
    "i,jk->jik": "broadcast i j k, loop i j",
    "ji,ik->ijk": "broadcast i j k, loop i j, transposed i j",
    # One operand is a vector.
    "i,i->": "dot i",
    "ij,ij->": "dot i j",
    "ij,ji->": "dot i j, transposed i j",
    "ij,j->i": "gemv i j, gemv_row i",
    "ij,i->j": "gemv i j, gemv_row i",
    "ijk,jk->i": "gemv i j k, gemv_row i",
    "ijk,j->ik": "gemv i j k, gemv_row i, transposed i j k",
    # Matrices.
    "ij,jk->ik": GEMM,
    "ij,kj->ik": GEMM,
    "ji,jk->ik": GEMM,
    "ij,jk->ki": GEMM,
    "ijk,kl->ijl": gemm("i j k l", "i j k", "k l", "i j l"),
    "ikj,kl->ijl": gemm("i j k l", "i j k", "k l", "i j l") + ", transposed i j k",
    "ik,jkl->ijl": gemm("i j k l", "i k", "j k l", "i j l") + ", transposed j k l",
    # One product for each entry of a batch.
    "bij,bjk->bik": BATCH,
    "ibj,bjk->bik": BATCH,
    "bij,bj->bi": "batch, batched_gemv i j x b",
    "ijb,bj->bi": "batch, batched_gemv i j x b, transposed b i j",
    "bi,bi->b": "rowwise_dot b i, loop b",
    "ib,ib->b": "arithmetic b i, sum_leading b i, row i",
    # An operand is reduced over the indices that it alone has.
    "ij,j->j": "sum_leading i j, row i, arithmetic j",
    "ij,k->ik": "sum_trailing i j, row i, " + gemm("i k", "i", "k", "i k"),
    "ij,kl->": "sum i j, sum k l, scalar",
    # One operand.
    "ij->ji": "view",
    "ii->i": "view",
    "ij->i": "sum_trailing i j, row i",
    "ij->j": "sum_leading i j, row i",
    "ijk->j": "sum_trailing i j k, row i j",
    "ij->": "sum i j",
    "ii->": "sum i",
}


@pytest.mark.parametrize("spec", PRODUCTS)
def test_kernels_of_a_product(spec: str) -> None:
    assert kernels(product(spec)) == PRODUCTS[spec]


@pytest.mark.parametrize("spec", ["ki,kj->ij", "ik,jk->ij", "ki,kj->ji"])
def test_an_operand_times_itself_is_a_symmetric_product(spec: str) -> None:
    a = t.variable("A", ("m", "m"))
    assert kernels(t.einsum(spec, a, a)).startswith("syrk ")
    found = kernels(t.einsum(spec, a, t.variable("B", ("m", "m"))))
    assert found == gemm("m m m", "m m", "m m", "m m")


def test_a_square_is_no_symmetric_product() -> None:
    a = t.variable("A", ("m", "m"))
    assert kernels(t.einsum("ij,jk->ik", a, a)).startswith("matmul m m m,")


SCATTERS = [
    ("i,ij->ij", "i", "i", "zeros i i, diagonal i"),
    ("ij,jk->ik", "ij", "j", "view"),
    ("ij,ij->", "ii", "i", "sum i"),
    ("ij,kl->ijkl", "ij", "k", "zeros i j k k, diagonal i j k"),
    ("ij,ik->ijk", "ij", "i", "zeros i i j, diagonal i j"),
    ("ij,jk->jk", "ij", "j", "sum_leading i j, row i, zeros j j, diagonal j"),
]


@pytest.mark.parametrize(("spec", "left", "half", "expected"), SCATTERS)
def test_a_delta_is_a_scatter_or_a_change_of_index(
    spec: str, left: str, half: str, expected: str
) -> None:
    assert kernels(t.einsum(spec, operand("A", left), t.delta(half))) == expected


def test_constants_are_numbers() -> None:
    a = operand("A", "ij")
    ones = t.constant(1, ("j",))
    assert kernels(t.einsum("ij,j->i", a, ones)) == kernels(t.einsum("ij->i", a))
    assert kernels(t.einsum(",ij->ij", t.constant(1), a)) == "view"
    assert kernels(t.einsum(",ij->ij", t.constant(2), a)) == "scaling i j"
    # The sum of n ones.
    assert kernels(t.einsum("i,j->ij", t.variable("x", "i"), t.constant(3, "j"))) == "scaling i"
    assert kernels(t.einsum("i,j->i", t.variable("x", "i"), t.constant(1, "j"))) == "scaling i"


@pytest.mark.parametrize(
    ("exponent", "rates"),
    [
        (2, ["arithmetic"]), (3, ["arithmetic"] * 2), (-1, ["reciprocal"]), (1, ["view"]),
        (Fraction(1, 2), ["sqrt"]), (Fraction(-1, 2), ["sqrt", "reciprocal"]), (7, ["power"]),
    ],
)  # fmt: skip
def test_powers(exponent: int | Fraction, rates: list[str]) -> None:
    node = t.power(t.variable("x", ("n",)), t.constant(exponent))
    assert [kernel.split()[0] for kernel in kernels(node).split(", ")] == rates


def test_elementwise_functions() -> None:
    def rates(name: str, out: tuple[str, ...] = ("n",)) -> list[str]:
        work = node_work("function", (name,), (out,), out, (False,))
        return [w.rate for w in work if w.rate != "fresh"]

    assert rates("exp") == ["exp"]
    assert rates("relu") == ["maximum"]
    assert rates("softplus") == ["maximum", "exp", "log1p"]
    assert rates("sigmoid") == ["negate", "exp", "arithmetic", "divide"]
    assert rates("exp", ()) == ["scalar_function"]
    a, b = t.variable("a", ("n",)), t.variable("b", ("n",))
    assert kernels(t.add(a, b)) == "arithmetic n"
    assert kernels(t.divide(a, b)) == "divide n"
    assert kernels(t.divide(t.constant(1), b)) == "reciprocal n"


def test_a_delta_in_a_sum_is_written_out() -> None:
    node = t.add(t.variable("A", ("n", "n")), t.delta(("n",)))
    assert kernels(node) == "arithmetic n n, zeros n n, diagonal n"


def test_matrix_functions() -> None:
    a = t.variable("A", ("n", "n"))
    for name in ("inv", "det", "adj"):
        assert kernels(t.apply(name, a)) == f"{name} n n n"
    assert kernels(t.cofactors(0, a)) == "det n n n"
    assert kernels(t.cofactors(2, a)) == "adj n n n, arithmetic n n n n"
    out = ("n", "k")
    work = node_work("numeric2", ("solve", None), (("n", "n"), out), out, (False, False))
    assert [(w.rate, w.units) for w in work] == [
        ("solve", ("n", "n", "n")), ("matmul", ("k", "n", "n")), ("fresh", ("k", "n")),
    ]  # fmt: skip


def test_equal_work_is_counted() -> None:
    x = t.variable("x", ("n",))
    found = dag_work([t.add(x, t.add(x, x))])
    assert found == {Work("arithmetic", ("n",)): 2, Work("fresh", ("n",)): 2}


@pytest.mark.parametrize("spec", PRODUCTS)
def test_what_is_written_needs_memory(spec: str) -> None:
    node = product(spec)
    found = [w.units for w in term_work(node) if w.rate == "fresh"]
    writes = bool(node.dims) and kernels(node) != "view"
    assert found == [tuple(sorted(map(str, node.dims)))] * writes


@settings(max_examples=300, deadline=None)
@given(terms(), st.data())
def test_every_term_has_a_time_that_grows_with_sizes(root: Term, data: st.DataObject) -> None:
    work = dag_work([root])
    assert {w.rate for w in work} <= RATES.curves.keys()
    names = symbols(root)
    small = {s: data.draw(st.integers(0, 2000)) for s in names}
    large = {s: n + data.draw(st.integers(0, 500)) for s, n in small.items()}
    few, many = (TimeModel({**sizes}, rates=RATES) for sizes in (small, large))
    for w in work:
        assert type(few.work(w)) is int
        assert 0 <= few.work(w) <= many.work(w)
    assert dag_work([root]) == work


def test_a_node_costs_at_least_one_picosecond() -> None:
    model = TimeModel(rates=RATES)
    assert model.node("variable", (("x", ("n",), ()),), (), ("n",), ()) == 1
    spec = parse_spec("ij,j->i")
    args = (("m", "n"), ("n",))
    time = sum(RATES.time(*own) for own in [("gemv", 10**4), ("gemv_row", 100), ("fresh", 100)])
    assert model.node("ein", (spec,), args, ("m",), (False, False)) == 1 + time
    assert model.length("n") == 100
    assert model.length(0) == 1
    assert model.entries(("n", 3)) == 300
