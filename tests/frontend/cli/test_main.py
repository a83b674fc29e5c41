"""The command line: what each command prints, and the full text of typical mistakes."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import eggrad
from eggrad.engine.costs.time_model import Curve, Rates, cache_path, default_rates, load_rates
from eggrad.engine.terms.binding import symbols
from eggrad.frontend.cli import calibrate
from eggrad.frontend.cli import main as cli
from eggrad.frontend.interface.own_rules import laws_named
from eggrad.rules.standard import RULESETS

SQUARE = "declare x 1 expression x *(i,i->) x"
PRODUCT = "declare A 2 x 1 expression A *(ij,j->i) x"


def run(*arguments: str, text: str | bytes = "") -> Result:
    return CliRunner().invoke(cli.main, arguments, input=text)


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "values.npz"
    np.savez(path, A=np.array([[1.0, 2.0], [3.0, 4.0]]), x=np.array([1.0, -1.0]))
    return str(path)


def derivative(text: str, *wrt: str) -> str:
    return str(eggrad.derivative(eggrad.parse(text).expression, *wrt))


def test_diff_prints_the_derivative() -> None:
    result = run("diff", f"{SQUARE} derivative wrt x")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == derivative(SQUARE, "x") + "\n"


@pytest.mark.parametrize("wrt", [["x"], ["x", "x"]])
def test_diff_takes_the_variables_from_the_text_or_from_options(wrt: list[str]) -> None:
    given = [word for name in wrt for word in ("--wrt", name)]
    by_option = run("diff", SQUARE, *given)
    by_text = run("diff", f"{SQUARE} derivative {' '.join('wrt ' + name for name in wrt)}")
    assert by_option.exit_code == 0
    assert by_option.stdout == by_text.stdout == derivative(SQUARE, *wrt) + "\n"


def test_diff_reads_standard_input() -> None:
    result = run("diff", "-", text=f"{SQUARE}\nderivative wrt x\n")
    assert result.stdout == derivative(SQUARE, "x") + "\n"


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_diff_prints_text_that_reads_back(mode: str) -> None:
    result = run("diff", "--mode", mode, "--format", "einsum", f"{SQUARE} derivative wrt x")
    values = {"x": np.array([1.0, -2.0, 3.0])}
    np.testing.assert_allclose(eggrad.parse(result.stdout).expression.evaluate(values), [2, -4, 6])


def test_diff_checks() -> None:
    result = run("diff", "--check", f"{SQUARE} derivative wrt x wrt x")
    assert result.exit_code == 0
    assert result.stdout == derivative(SQUARE, "x", "x") + "\n"
    assert result.stderr.startswith("largest error ")
    assert " against central differences at 3 random points" in result.stderr


def test_diff_fails_where_the_check_does(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = eggrad.parse("declare x 1 expression 3 *(,i->i) x").expression
    monkeypatch.setattr(eggrad.Problem, "derivative", lambda *_, **__: wrong)
    result = run("diff", "--check", f"{SQUARE} derivative wrt x")
    assert result.exit_code == 1
    assert result.stdout == f"{wrong}\n"
    assert result.stderr.startswith("largest error ")
    report = json.loads(run("diff", "--check", "--json", f"{SQUARE} derivative wrt x").stdout)
    assert report["check"]["passed"] is False


def test_diff_counts_operations() -> None:
    (n,) = symbols(eggrad.parse(SQUARE).expression.term)
    by_symbol = run("diff", "--sizes", f"{n} = 100", f"{SQUARE} derivative wrt x")
    for_all = run("diff", "--sizes", "100", f"{SQUARE} derivative wrt x")
    assert by_symbol.stderr == for_all.stderr
    assert by_symbol.stderr.endswith(" nodes, 100 operations\n")


def test_diff_reports_in_json() -> None:
    text = f"{SQUARE} derivative wrt x"
    result = run("diff", "--json", "--check", "--sizes", "10", text)
    report = json.loads(result.stdout)
    assert report.pop("seconds") > 0
    assert report.pop("check")["passed"] is True
    assert report.pop("nodes") > 0
    assert report == {
        "input": text,
        "derivative": derivative(SQUARE, "x"),
        "wrt": ["x"],
        "mode": "auto",
        "operations": 10,
        "complete": True,
    }
    plain = json.loads(run("diff", "--json", text).stdout)
    assert (plain["check"], plain["operations"]) == (None, None)


def test_simplify() -> None:
    text = "declare x 1 expression x + x - x"
    result = run("simplify", text, "--sizes", "5")
    assert result.exit_code == 0
    assert result.stdout == str(eggrad.parse("declare x 1 expression x").expression) + "\n"
    assert result.stderr == "1 nodes, 0 operations\n"
    assert json.loads(run("simplify", "--json", text).stdout)["nodes"] == 1


def test_eval_prints(data: str) -> None:
    assert run("eval", PRODUCT, "--data", data).stdout == "[-1. -1.]\n"
    assert (
        run("eval", f"{PRODUCT} derivative wrt x", "--data", data).stdout == "[[1. 2.]\n [3. 4.]]\n"
    )
    report = json.loads(run("eval", "--json", PRODUCT, "--data", data).stdout)
    assert report == {"shape": [2], "value": [-1.0, -1.0]}
    not_finite = run("eval", "--json", "declare x 1 expression log(x)", "--data", data)
    assert json.loads(not_finite.stdout)["value"] == [0.0, None]


@pytest.mark.parametrize("name", ["result.npy", "result"])
def test_eval_writes(data: str, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    result = run("eval", PRODUCT, "--data", data, "--out", str(out))
    assert (result.exit_code, result.output) == (0, "")
    assert np.load(out).tolist() == [-1, -1]


def test_rules() -> None:
    listed = run("rules", "list")
    assert listed.exit_code == 0
    ruleset, rule = listed.stdout.splitlines()[:2]
    name, law = rule.strip().split(": ", 1)
    shown = run("rules", "show", name)
    assert shown.stdout.startswith(f"{name}: {law}\n")
    rules = json.loads(run("rules", "list", "--json").stdout)
    assert name in [r["name"] for r in rules[ruleset.split(" ")[0]]]
    assert json.loads(run("rules", "show", name, "--json").stdout)[0]["law"] == law
    assert len(run("rules", "show", ruleset.split(" ")[0]).stdout) > len(shown.stdout)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("functions.log_of_exp", "log_of_exp: log exp a = a.\n"),
        ("properties.nonnegative_square", "nonnegative_square: A square, and"),
        ("loops.push_loop", "push_loop: The tangents"),
        ("rejected.root_of_square", "rejected: tempting laws that are false\n"),
    ],
)
def test_laws_are_shown_by_the_names_of_reports(name: str, shown: str) -> None:
    assert run("rules", "show", name).stdout.startswith(shown)


def test_laws_of_ones_own_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from eggrad.rules.notation import *\n"
        'mine = Ruleset("mine", "", "nothing")\n'
        'mine.state("none", twice=a + a >> 2 * a)\n',
        "utf-8",
    )
    shown = run("rules", "show", "mine.twice", "--rules", str(path)).stdout
    assert shown.startswith("twice: a + a = 2·a.\n")
    assert run("rules", "show", "mine.twice").exit_code == 2


def test_every_law_is_listed_and_shown_by_either_name() -> None:
    listed = json.loads(run("rules", "list", "--json").stdout)
    for ruleset in RULESETS:
        assert [r["name"] for r in listed[ruleset.name]] == [r.name for r in ruleset.every_law]
        for law in ruleset.every_law:
            for name in (law.name, f"{ruleset.name}.{law.name}"):
                assert laws_named(name) == [(ruleset, law)]


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["show", "identities.log_of_exp"], "did you mean 'functions.log_of_exp'?"),
        (["show", "functions.log_exp"], "did you mean 'functions.log_of_exp' or "),
        (["show", "propertes"], "did you mean 'properties'?"),
        (["check", "sums.like_term"], "did you mean 'sums.like_terms'?"),
        (["minimize", SQUARE, "--without", "sums.delta_sift"], "mean 'delta.delta_sift'?"),
        (["report", SQUARE, "--only", "functons"], "did you mean 'functions'?"),
    ],
)
def test_names_that_are_near_are_offered(command: list[str], meant: str) -> None:
    result = run("rules", *command)
    assert result.exit_code == 2
    assert meant in result.stderr


def test_interruption_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(eggrad.Problem, "derivative", interrupt)
    result = run("diff", f"{SQUARE} derivative wrt x")
    assert (result.exit_code, result.output) == (130, "")


def installed(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [
        sys.executable,
        "-c",
        "from eggrad.frontend.cli.main import main; main()",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, check=False, timeout=60, **options)


def test_the_program_itself() -> None:
    version = installed("--version")
    assert (version.returncode, version.stderr) == (0, b"")
    assert version.stdout.startswith(b"eggrad ")
    found = installed("diff", "-", input=f"{SQUARE} derivative wrt x".encode())
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.decode() == derivative(SQUARE, "x") + "\n"
    wrong = installed("diff", "declare x 1 expression (x")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"Traceback" not in wrong.stderr


def test_a_closed_pipe_is_quiet(data: str) -> None:
    program = "import sys; from eggrad.frontend.cli.main import main; main()"
    command = [sys.executable, "-c", program, "rules", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert isinstance(process.stdout, io.BufferedReader)
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_help_is_fast_to_load() -> None:
    program = (
        "import sys; from eggrad.frontend.cli import main; "
        "print(sorted({'numpy', 'egglog', 'lark', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Rates:
    """What calibration finds, without measuring; the cache folder is an empty one."""
    rates = Rates({**default_rates().curves, "exp": Curve(((1, 125_000),))}, np.__version__)
    monkeypatch.setattr(calibrate, "measured", lambda progress: progress("exp") or rates)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return rates


def test_calibrate_keeps_what_it_measures(measured: Rates) -> None:
    result = run("calibrate")
    assert result.exit_code == 0
    assert result.stderr == f"measuring exp\nwritten to {cache_path()}\n"
    head, *lines = result.stdout.splitlines()
    assert head == "kernel (µs)                     1       1,000   1,000,000"
    assert "exp                         0.125     125.000  125000.000" in lines
    assert len(lines) == len(measured.curves)
    assert load_rates() == measured


def test_calibrate_writes_where_it_is_told_to_or_not_at_all(
    measured: Rates, tmp_path: Path
) -> None:
    dry = run("calibrate", "--dry-run", "--json")
    assert (dry.exit_code, dry.stderr) == (0, "measuring exp\n")
    assert Rates.from_json(dry.stdout) == measured
    assert not cache_path().exists()
    path = tmp_path / "mine.json"
    assert run("calibrate", "--out", str(path)).exit_code == 0
    assert path.read_text("utf-8") == dry.stdout
    assert not cache_path().exists()


def test_calibrate_cannot_write(measured: Rates, tmp_path: Path) -> None:
    result = run("calibrate", "--out", str(tmp_path))
    assert measured
    assert result.exit_code == 2
    assert result.stderr.endswith(f"Error: cannot write {tmp_path}: Is a directory\n")


def test_matrix_notation() -> None:
    arguments = ["diff", "--matrix", "norm2(A*x - y)^2", "--dims", "A: m n, x: n, y: m"]
    assert run(*arguments, "--wrt", "x").stdout == "2*A'*(A*x - y)\n"
    assert run(*arguments, "--wrt", "x", "--wrt", "x").stdout == "2*A'*A\n"
    latex = run(*arguments, "--wrt", "x", "--format", "latex").stdout
    assert latex == "2 A^\\top \\left(A x - y\\right)\n"
    simplified = run("simplify", "--matrix", "(S')'*x - x + x", "--dims", "S: n n, x: n")
    assert simplified.stdout == "S*x\n"
    known = ["--matrix", "inv(S)*S", "--dims", "S: 3 3", "--assume", "S: positive definite"]
    assert run("simplify", *known).stdout == "eye(3)\n"


BY_SYMMETRIC = "declare S 2{symmetric} w 1 expression w *(i,i->) (S *(ij,j->i) w)"


@pytest.mark.parametrize("names", ["ww", "wS", "Sw", "SS", "wSw"])
def test_diff_checks_every_step_by_symmetric_matrices(names: str) -> None:
    given = [word for name in names for word in ("--wrt", name)]
    result = run("diff", "--check", "--json", BY_SYMMETRIC, *given)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["check"]["passed"]
    assert found["derivative"] == derivative(BY_SYMMETRIC, *names)


def test_results_by_symmetric_matrices_are_short(tmp_path: Path) -> None:
    def printed(*arguments: str) -> str:
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    matrix = ["--matrix", "w'*S*w", "--dims", "S: n n, w: n", "--assume", "S: symmetric"]
    assert printed("diff", *matrix, "--wrt", "w") == "2*S*w\n"
    assert printed("diff", *matrix, "--wrt", "w", "--wrt", "w") == "2*S\n"
    traced = printed("diff", *matrix, "--wrt", "w", "--trace")
    assert "symmetric.symmetric_variable" in traced
    assert traced.endswith("2*S*w\n")
    simple = ["--matrix", "S'*w", *matrix[2:]]
    assert printed("simplify", *simple) == "S*w\n"
    data = tmp_path / "values.npz"
    np.savez(data, S=np.eye(2), w=np.ones(2))
    assert printed("eval", "--data", str(data), f"{BY_SYMMETRIC} derivative wrt w") == "[2. 2.]\n"
