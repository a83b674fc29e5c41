"""Arrays larger than the memory are refused before they are made."""

import numpy as np
import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import check_shape, memory
from eggrad.frontend.cli.main import main

HUGE = 10**9
TOO_LARGE = "an array of 1000000000 x 1000000000 entries needs 8e[+]09 GB of memory, this machine"


def refused(*arguments: str) -> str:
    """What the command line says, in one line, of what it does not compute."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_the_memory_of_a_machine() -> None:
    assert memory() > 2**20
    check_shape((memory() // 16,))
    with pytest.raises(eg.BudgetExceeded, match="this machine has"):
        check_shape((memory(),))
    with pytest.raises(eg.ShapeError, match="at most 64 axes"):
        check_shape((1,) * 65)


def test_constants_products_and_deltas() -> None:
    x, ones = eg.variable("x", ("n",)), eg.constant(1, (HUGE, HUGE))
    for f in (ones, eg.delta((HUGE,)), 2 * ones, eg.exp(ones)):
        with pytest.raises(eg.BudgetExceeded, match=TOO_LARGE):
            f.evaluate({})
        with pytest.raises(eg.BudgetExceeded, match=TOO_LARGE):
            oracle.evaluate([f.term], {})
    outer = eg.compile(eg.einsum("i,j->ij", eg.exp(x), x))
    assert outer(x=np.ones(2)).shape == (2, 2)
    with pytest.raises(eg.BudgetExceeded, match="an array of 10000000 x 10000000 entries"):
        outer(x=np.ones(10**7))


def test_what_needs_no_array_is_computed() -> None:
    assert eg.sum(eg.constant(2, (HUGE, HUGE))).evaluate({}) == 2e18
    assert eg.sum(eg.delta((HUGE,))).evaluate({}) == 1e9
    x = eg.variable("x", (10**6,))
    assert (eg.delta((10**6,)) @ x).evaluate({"x": np.ones(10**6)}).shape == (10**6,)
    factored = eg.compile(eg.hessian(eg.sum(eg.exp(x)), x), structure="factored")
    hessian = factored(x=np.zeros(10**6))
    assert (hessian @ np.ones(10**6))[0] == 1
    with pytest.raises(eg.BudgetExceeded, match="an array of 1000000 x 1000000 entries"):
        hessian.todense()


def test_indicators() -> None:
    triangle = f"declare indicator expression indicator[i-j>=0][{HUGE},{HUGE}]"
    triangle = triangle.replace("declare indicator", "declare y 0")
    with pytest.raises(eg.BudgetExceeded, match=TOO_LARGE):
        eg.parse(triangle).expression.evaluate({"y": 1})


def test_the_command_line(tmp_path: object) -> None:
    data = f"{tmp_path}/v.npz"
    np.savez(data, x=np.ones(3))
    message = "Error: an array of 1000000000 x 1000000000 entries needs 8e+09 GB of memory, "
    text = f"declare x 1 expression 1[{HUGE},{HUGE}]"
    assert refused("eval", text, "--data", data).startswith(message)
    jacobian = "declare x [1000000] expression x *(i,i->i) x derivative wrt x"
    assert refused("diff", "--check", jacobian).startswith(
        "Error: an array of 1000000 x 1000000 entries needs 8e+03 GB of memory, "
    )
    gradient = "declare x [1000000] expression x *(i,i->) x derivative wrt x"
    assert refused("diff", "--check", gradient).startswith(
        "Error: central differences would compute 8.0e+12 entries, at most 1e+10 are allowed"
    )


def test_many_axes_are_compared() -> None:
    x = "declare x 100 expression x"
    result = CliRunner().invoke(main, ["equal", x, x])
    assert result.exit_code == 0
