"""What terminals and notebooks show, without a search, an exception, or markup of a user's."""

import sys
from types import ModuleType

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.calculus import calculus
from eggrad.frontend.printing import matrix

A, x, y = eg.variable("A", ("m", "n")), eg.variable("x", ("n",)), eg.variable("y", ("m",))


def loop() -> eg.Expression:
    xs = eg.variable("xs", ("T", "n"))
    return eg.scan(lambda state, row: (np.tanh(state + row), None), x, xs)[0]


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (A @ x + y, "Expression((m,): A*x + y)"),
        (eg.sum(x * x), "Expression((): x'*x)"),
        (A, "Expression((m, n): A)"),
        (eg.variable("z", (2, 3, "k")), "Expression((2, 3, k): fᵢⱼₖ = zᵢⱼₖ)"),
        (eg.variable("v", (3,)) * np.arange(3.0), "Expression((3,): v.*array1)"),
    ],
)
def test_expressions_show_axes_and_formula(f: eg.Expression, text: str) -> None:
    assert repr(f) == text


def test_long_formulas_are_cut_and_large_ones_not_written() -> None:
    f = x
    for _ in range(30):
        f = eg.sin(f) + x
    assert len(repr(f)) < 100
    assert repr(f).endswith("…)")
    for _ in range(3_000):
        f = eg.sin(f) + x
    assert repr(f) == "Expression((n,): 6061 nodes of x)"


def test_text_is_shown_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    S, w = eg.variable("S", ("n", "n"), ["symmetric"]), eg.variable("w", ("n",))
    f = eg.gradient(eg.exp(w @ S @ w), w)

    def searched(*_: object) -> None:
        pytest.fail("searched")

    monkeypatch.setattr(calculus, "thinned", searched)
    monkeypatch.setattr(matrix, "shortest", searched)
    assert repr(f).startswith("Expression((n,): ")


def test_loops_have_neither_formula_nor_latex() -> None:
    f = loop()
    assert repr(f).startswith("Expression((n,): ")
    assert f._repr_mimebundle_() == {"text/plain": str(f)}


def test_notebooks_show_latex_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    # The package alone: what it calls is not there, which it says by errors of its own.
    monkeypatch.setitem(sys.modules, "graphviz", ModuleType("graphviz"))
    assert (A @ x)._repr_mimebundle_(include=None, exclude=None) == {
        "text/plain": "Expression((m,): A*x)",
        "text/latex": r"$\displaystyle A x$",
    }
    assert not hasattr(A @ x, "_repr_svg_")


def test_definitions_show_latex() -> None:
    d = eg.parse_elementwise("f[i] = x[i] * x[i]", {"x": ("n",)})
    assert d._repr_mimebundle_()["text/latex"].startswith(r"$\displaystyle f_{i} = ")


def test_verdicts_show_what_was_found() -> None:
    t = eg.variable("t")
    equal = eg.equivalent(eg.exp(eg.log(t)), t)
    assert repr(equal).endswith(", where t > 0>")
    assert "<th>where</th><td>t &gt; 0</td>" in equal._repr_html_()
    different = eg.equivalent(t, -t)
    assert repr(different) == "<Verdict different: they differ at these values>"
    assert "<th>t</th><td>" in different._repr_html_()


def test_names_are_no_markup() -> None:
    name = "<script>alert(1)</script>"
    shown = eg.equivalent(eg.variable(name), 2 * eg.variable(name))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_properties_and_problems_are_shown() -> None:
    assert "<th>range</th><td>(0, inf)</td>" in eg.properties(eg.exp(x))._repr_html_()
    problem = eg.parse("declare x 1 expression sin(x) derivative wrt x")
    assert repr(problem) == "<Problem Expression((x_1,): sin(x)), wrt x>"


def test_sources_are_shown_as_python() -> None:
    compiled = eg.compile(A @ x, sizes={"m": 2, "n": 3})
    assert repr(compiled) == "<numpy function (A[m,n], x[n]) -> [m], 10 operations at m=2, n=3>"
    shown = compiled._repr_mimebundle_()["text/markdown"]
    assert shown == f"```python\n{compiled.source.rstrip()}\n```"
