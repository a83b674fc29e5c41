"""Proofs as text, the same in every process."""

import os
import subprocess
import sys

import pytest

from eggrad.engine.equality.explanation import explain
from eggrad.engine.equality.steps import ProofStep
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    negate,
    numeric,
    size,
    variable,
)
from eggrad.frontend.printing.verdict import LANGUAGES, format_steps
from eggrad.rules.standard import RULESETS

n = "n"
x = variable("x", (n,))
A, B = variable("A", (n, "m")), variable("B", ("m", n))
TRACE = (einsum("ii->", einsum("ij,jk->ik", A, B)), einsum("ii->", einsum("ij,jk->ik", B, A)))
CHOSEN = [r for r in RULESETS if r.name in ("unary", "products")]


def printed(left: Term, right: Term, language: str) -> str:
    steps = explain(left, right, CHOSEN)
    assert steps is not None
    return format_steps(left, steps, CHOSEN, language)


def test_matrix_notation() -> None:
    assert printed(*TRACE, "matrix").splitlines() == [
        "tr(A*B)",
        "  = → unary.unary_of_product: A product can transpose, take diagonals and sum by itself.",
        "  = → products.same_network: "
        "Products with the same factors on the same indices are equal.",
        "tr(B*A)",
        "  = ← unary.unary_of_product: A product can transpose, take diagonals and sum by itself.",
        "tr(B*A)",
    ]


def test_einsum_and_latex() -> None:
    assert printed(*TRACE, "einsum").splitlines()[::2] == [
        "*(ii->) (A *(ij,jk->ik) B)",
        "A *(ij,ji->) B",
        "B *(ij,ji->) A",
        "*(ii->) (B *(ij,jk->ik) A)",
    ]
    first = printed(*TRACE, "latex").splitlines()[0]
    assert first == r"\operatorname{tr}\left(A B\right)"


def test_what_the_notation_does_not_show_has_no_line() -> None:
    lines = printed(*TRACE, "index").splitlines()
    assert lines[0] == "f = Σᵢⱼ Aᵢⱼ Bⱼᵢ"
    assert [line.startswith("  = ") for line in lines] == [False, True, True, False, True, False]
    assert lines[-1] == "f = Σᵢⱼ Bᵢⱼ Aⱼᵢ"


def test_without_matrix_notation_all_is_in_index_notation() -> None:
    T = variable("T", (n, n, n))
    left = einsum("ij,jkl->ikl", delta((n,)), T)
    rules = [r for r in RULESETS if r.name in ("delta", "unary")]
    steps = explain(left, T, rules)
    assert steps is not None
    assert format_steps(left, steps, rules).splitlines()[::2][0] == "fᵢⱼₖ = Σₗ δᵢₗ Tₗⱼₖ"


def test_operations_of_generated_code() -> None:
    one, y = constant(1, (n,)), variable("y", ("n",))
    sum_ = add(one, apply("exp", y))
    left = divide(apply("exp", x), sum_)
    right = divide(one, einsum("i,i->i", sum_, apply("exp", negate(x))))
    rules = [r for r in RULESETS if r.name == "exponentials"]
    steps = explain(left, right, rules)
    assert steps is not None
    shown = [format_steps(left, steps, rules, k).splitlines()[::2] for k in LANGUAGES]
    index = [
        "fᵢ = exp(xᵢ) / (1 + exp(yᵢ))",
        "fᵢ = exp(xᵢ - softplus(yᵢ))",
        "fᵢ = 1 / ((1 + exp(yᵢ)) exp(-xᵢ))",
    ]
    matrix = ["exp(x)./(1 + exp(y))", "exp(x - softplus(y))", "1./((1 + exp(y)).*exp(-x))"]
    assert shown[:3] == [index, matrix, index]
    latex = r"\exp\left(x - \operatorname{softplus}\left(y\right)\right)"
    assert latex in format_steps(left, steps, rules, "latex")


def test_what_no_notation_has() -> None:
    step = ProofStep("stability.norm", False, numeric("norm", x, data=((0,), ())))
    with pytest.raises(UnsupportedOperation, match="makes norm, which is for generated code"):
        format_steps(size(n), [step], RULESETS)


def test_no_step() -> None:
    assert format_steps(A, (), RULESETS) == "A"


def test_other_languages_are_refused() -> None:
    known = ", ".join(LANGUAGES)
    with pytest.raises(UnsupportedOperation, match=f"as 'python'; known are: {known}"):
        format_steps(A, (), RULESETS, "python")


PROGRAM = """
from eggrad.rules.standard import RULESETS
from eggrad.engine.equality.explanation import explain
from eggrad.engine.equality.steps import ProofStep
from eggrad.engine.terms.term import add, apply, einsum, negate, subtract, variable
from eggrad.frontend.printing.verdict import format_steps
x, y = variable("x", ("n",)), variable("y", ("n",))
e = apply("exp", subtract(x, y))
left = einsum("i,i->i", einsum("i,i->i", e, apply("exp", y)), apply("sin", negate(x)))
right = negate(einsum("i,i->i", apply("sin", x), apply("exp", x)))
rules = [r for r in RULESETS if r.name not in ("stability", "exponentials", "symmetric")]
print(format_steps(left, explain(left, right, rules), rules, "einsum"))
"""


def test_the_same_text_for_all_hash_seeds() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(texts) == 1
    assert texts.pop().splitlines()[-1] == "-(sin(x) *(i,i->i) exp(x))"
