"""Forms that people read: without a rule a text is longer, and none takes a higher order."""

import pytest

import eggrad as eg
from eggrad.engine.costs.cost import count
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import kept
from eggrad.frontend.printing import matrix
from eggrad.frontend.printing.matrix import format_matrix, length, shortest
from eggrad.rules.functions.reading import names, reading
from eggrad.rules.standard import AT_SYMMETRIC

SQUARE, VECTOR = ("n", "n"), ("n",)
DIMS = dict.fromkeys("ABC", SQUARE) | dict.fromkeys("xy", VECTOR) | dict.fromkeys("cd", ())

ROWS, COLUMNS = "x*ones(n)'", "ones(n)*x'"
SAME = "greater_equal(c, d), {}/(1 + equal(c, d))"

# A rule, an expression, and its text.
NEEDED = [
    ("names.sum_of_exp", "exp(x - log(sum(exp(x))))", "softmax(x)"),
    ("names.exp_over_sum", "exp(x - log(sum(exp(x))))", "softmax(x)"),
    ("names.exp_less_log_of_sum", "exp(x - log(sum(exp(x))))", "softmax(x)"),
    ("names.root_of_sum_of_squares", "x/sqrt(x'*x)", "x/norm2(x)"),
    ("reading.sum_of_squares_is_squared_norm", "(x - y)'*(x - y)", "norm2(x - y)^2"),
    ("reading.sum_of_moduli_is_norm", "sum(abs(x))", "norm1(x)"),
    ("reading.positive_part_of_sign", "relu(sign(x))", "step(x)"),
    ("reading.mean", "sum(x)/size(n)", "mean(x)"),
    ("reading.mean_of_tests", f"where({SAME}, 0)".format(1), "0.5*(1 + sign(c - d))"),
    ("reading.mean_of_tests_times", f"where({SAME}, 0)".format("c"), "0.5*c*(1 + sign(c - d))"),
    ("reading.choice_of_multiple", f"where({SAME}, 0)".format("2*c"), "c + c*sign(c - d)"),
    ("reading.inverse_of_scaled_rows", f"diag(B*(A + inv(B.*({ROWS}))))", "diag(B*A) + 1./x"),
    ("reading.inverse_of_scaled_columns", f"diag((A + inv(B.*({COLUMNS})))*B)", "diag(A*B) + 1./x"),
    ("reading.inverse_of_turned_rows", f"diag((A + inv(B'.*({COLUMNS})))*B')", "diag(A*B') + 1./x"),
    ("reading.inverse_of_turned_columns", f"diag(B'*(A + inv(B'.*({ROWS}))))", "diag(B'*A) + 1./x"),
    ("reading.sum_times_inverted", f"diag((A + inv(B.*({COLUMNS})))*B)", "diag(A*B) + 1./x"),
    ("reading.sign_into_function", "-sum(tanh(x - y))", "sum(tanh(y - x))"),
    ("reading.sign_into_function_of_factor", "-A'*tanh(x - y)", "A'*tanh(y - x)"),
    ("reading.quotient_of_roots", "sqrt(x)./sqrt(y)", "sqrt(x./y)"),
    ("reading.fraction_in_lowest_terms", "1/(1 + c/d)/d", "1/(c + d)"),
    ("reading.base_in_power", "x*(c*d)*(c*d)^(c - 1)", "(c*d)^c*x"),
    ("reading.product_is_divide_by_root", "A*x*(x'*A*x)^-0.5", "A*x/sqrt(x'*A*x)"),
    ("reading.transposed_product", "A'*B' + C'", "(B*A + C)'"),
    ("reading.sum_of_transposes", "A'*B' + C'", "(B*A + C)'"),
    ("reading.sign_into_factor", "-A'*(A*x - y)", "A'*(y - A*x)"),
    ("reading.matrix_out_of_sum", "diag(x)*A - x*y'*A", "(diag(x) - x*y')*A"),
    ("reading.terms_distributed", "(1 - c)*d + (d - 1)*c", "d - c"),
    ("reading.power_out_of_sum", "c*d^c*x + d^(c + 1)*y", "d^c*(c*x + d*y)"),
    ("reading.matrix_powers", "A*A*A", "A^3"),
]


def read(text: str) -> Term:
    return eg.parse_matrix(text, DIMS).term


@pytest.mark.parametrize(("rule", "text", "written"), NEEDED, ids=[rule for rule, *_ in NEEDED])
def test_without_the_rule_the_text_is_longer(
    rule: str, text: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert format_matrix(shortest(read(text))) == written
    ruleset, name = rule.split(".")
    rest = AT_SYMMETRIC.mapped(lambda own: own.without(name) if own.name == ruleset else own)
    monkeypatch.setattr(matrix, "AT_SYMMETRIC", rest)
    kept.forget()
    without = format_matrix(shortest(read(text)))
    # Nor may others find what was found without the rule.
    kept.forget()
    assert length(without) > length(written)


def test_every_rule_has_an_expression() -> None:
    rules = [f"{s.name}.{r.name}" for s in (names, reading) for r in (*s.rules, *s.bulk_rules)]
    assert sorted(rules) == sorted({rule for rule, *_ in NEEDED})


@pytest.mark.parametrize("text", ["A*(B*x)", "x*(y'*x)", "sum(A.*B)", "(x*y')*x", "A*(x*(y'*x))"])
def test_a_text_takes_operations_of_the_same_order(text: str) -> None:
    best = eg.simplify(eg.parse_matrix(text, DIMS)).term
    again = eg.parse_matrix(format_matrix(shortest(best)), DIMS).term
    assert count([again], 10**4) < 10 * count([best], 10**4)
