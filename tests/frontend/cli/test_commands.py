"""Mistakes on the command line: status 2, nothing on standard output, and a message."""

import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import eggrad
from eggrad.frontend.cli import main as cli
from eggrad.frontend.cli.commands import Commands

SQUARE = "declare x 1 expression x *(i,i->) x"
PRODUCT = "declare A 2 x 1 expression A *(ij,j->i) x"


def run(*arguments: str, text: str | bytes = "") -> Result:
    return CliRunner().invoke(cli.main, arguments, input=text)


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "values.npz"
    np.savez(path, A=np.eye(2), x=np.array([1.0, -1.0]))
    return str(path)


def usage(command: str, arguments: str, message: str) -> str:
    return (
        f"Usage: main {command} [OPTIONS] {arguments}\n"
        f"Try 'main {command} --help' for help.\n\nError: {message}\n"
    )


MISTAKES: dict[str, tuple[list[str], str]] = {
    "nothing to differentiate by": (
        ["diff", SQUARE],
        "Error: differentiate by what? "
        "End the text with 'derivative wrt NAME', or give --wrt NAME\n",
    ),
    "given twice": (
        ["diff", f"{SQUARE} derivative wrt x", "--wrt", "x"],
        "Error: the text has 'derivative wrt' already; leave out --wrt\n",
    ),
    "simplify a derivative": (
        ["simplify", f"{SQUARE} derivative wrt x"],
        "Error: simplify takes a text without 'derivative wrt'; "
        "use 'eggrad diff' for a derivative\n",
    ),
    "no such rule": (
        ["rules", "show", "nonsense"],
        "Error: no rule and no ruleset is called 'nonsense'; see 'eggrad rules list'\n",
    ),
    "no such file": (
        ["eval", SQUARE, "--data", "nowhere.npz"],
        "Error: cannot read nowhere.npz: No such file or directory\n",
    ),
    "dims without a matrix": (
        ["diff", SQUARE, "--dims", "x: n"],
        "Error: --dims and --assume belong to the matrix language, LaTeX, index notation and "
        "NumPy; add --matrix, --latex, --index or --numpy\n",
    ),
    "two languages": (
        ["diff", "--matrix", "--latex", "x", "--wrt", "x"],
        "Error: a text is in one language, not in matrix and latex\n",
    ),
    "latex without dims": (
        ["diff", "--latex", "x^2", "--wrt", "x"],
        "Error: LaTeX says of no name how many axes it has: give the dims of x, such as "
        '"A: m n, x: n, c:"\n',
    ),
    "a name without dims": (
        ["diff", "--matrix", "A*x", "--dims", "x: n", "--wrt", "x"],
        "Error: line 1, column 1: no variable is called 'A'\n  A*x\n  ^\nexpected x\n",
    ),
    "dims of no form": (
        ["diff", "--matrix", "A*x", "--dims", "A m n", "--wrt", "x"],
        usage(
            "diff",
            "TEXT",
            "Invalid value for '--dims': 'A m n' is not of the form 'A: m n, x: n, c:'",
        ),
    ),
    "a misspelt variable": (
        ["diff", "declare x 1 expression z", "--wrt", "x"],
        "Error: line 1, column 24: no variable is called 'z'\n"
        "  declare x 1 expression z\n"
        "                         ^\n"
        "expected x\n",
    ),
    "an open bracket": (
        ["simplify", "declare x 1 expression sin(x"],
        "Error: line 1, column 27: this bracket is never closed\n"
        "  declare x 1 expression sin(x\n"
        "                            ^\n",
    ),
    "sizes that contradict": (
        ["simplify", "declare A [2,3] x [2] expression A *(ij,j->i) x"],
        "Error: line 1, column 36: product *(ij,j->i): axis 2 of the left operand has size 3 "
        "(line 1, column 14), axis 1 of the right operand size 2 (line 1, column 20)\n"
        "  declare A [2,3] x [2] expression A *(ij,j->i) x\n"
        "                                     ^\n",
    ),
    "a size that is none": (
        ["diff", SQUARE, "--sizes", "n=five"],
        usage("diff", "TEXT", "Invalid value for '--sizes': 'n=five' is not of the form n=5"),
    ),
    "a function of too few": (
        ["diff", "--matrix", "mod(x)", "--wrt", "x"],
        "Error: line 1, column 1: mod takes 2 arguments, not 1\n  mod(x)\n  ^\n",
    ),
    "a function of nothing": (
        ["diff", "--matrix", "x + vector()", "--wrt", "x"],
        "Error: line 1, column 5: vector takes the value of its entries, as vector(1)\n"
        "  x + vector()\n      ^\n",
    ),
    "a function that is not there": (
        ["simplify", "--matrix", "xyz(x)"],
        "Error: line 1, column 1: no function is called 'xyz'\n  xyz(x)\n  ^\n",
    ),
    "a size without end": (
        ["diff", SQUARE, "--sizes", "n=" + "9" * 5000],
        usage(
            "diff",
            "TEXT",
            "Invalid value for '--sizes': the largest size is 1000000000000000000",
        ),
    ),
    "dims without end": (
        ["diff", "--matrix", "x", "--dims", "x: " + "9" * 5000, "--wrt", "x"],
        usage(
            "diff",
            "TEXT",
            "Invalid value for '--dims': the largest size is 1000000000000000000",
        ),
    ),
    "a size given twice": (
        ["diff", SQUARE, "--sizes", "n=1,n=2"],
        usage("diff", "TEXT", "Invalid value for '--sizes': n is given twice"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_end_with_a_message(mistake: str) -> None:
    arguments, expected = MISTAKES[mistake]
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "declare x 1",
        "declare x 1 expression x +",
        "declare x 1 expression sin(x",
        "declare x 1 expression z",
        "declare x 1 expression x *(ij,i->) x",
        "declare x 1 expression det(x)",
        "declare x 1 expression x *(i,i->k) x derivative wrt x",
        "declare x 1 A 2 expression x + A",
    ],
)
def test_mistakes_in_the_text_show_the_place(text: str) -> None:
    with pytest.raises(eggrad.EggradError) as caught:
        eggrad.parse(text)
    for command in (["diff"], ["simplify"], ["eval", "--data", "nowhere"]):
        result = run(*command, text)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"Error: {caught.value}\n"


def test_mistakes_in_the_data(tmp_path: Path, data: str) -> None:
    not_an_archive, one_array = tmp_path / "text.npz", tmp_path / "one.npy"
    not_an_archive.write_text("no archive")
    np.save(one_array, np.zeros(3))
    folder = str(tmp_path)

    def stderr(*arguments: str) -> str:
        result = run("eval", PRODUCT, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        return result.stderr

    assert stderr("--data", str(not_an_archive)) == (
        f"Error: {not_an_archive} is not a .npz file of plain arrays\n"
    )
    assert stderr("--data", str(one_array)) == (
        f"Error: {one_array} holds one array without a name; save them by numpy.savez\n"
    )
    assert stderr("--data", folder) == f"Error: cannot read {folder}: Is a directory\n"
    assert stderr("--data", data, "--out", folder) == (
        f"Error: cannot write {folder}: Is a directory\n"
    )
    complex_numbers = tmp_path / "complex.npz"
    np.savez(complex_numbers, A=np.eye(2), x=np.array([1j, 0]))
    assert stderr("--json", "--data", str(complex_numbers)) == (
        "Error: evaluate: the value of variable x is complex: expressions are of real numbers; "
        "give the real and the imaginary part apart\n"
    )
    missing = run("eval", "declare y 1 expression y", "--data", data)
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr.startswith("Error: variable y (")
    assert missing.stderr.endswith(") has no value\n")


def test_input_that_is_not_text() -> None:
    result = run("diff", "-", text=b"declare \xff")
    assert result.exit_code == 2
    assert result.stderr == "Error: standard input is not UTF-8 text: byte 8\n"


def test_a_list_of_expressions_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "expressions.txt"
    path.write_bytes(b"x\xff")
    result = run("classes", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {path} is not UTF-8 text: byte 1\n"


def test_rule_files_that_exit(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text("import sys\nsys.exit(0)\n")
    result = run("simplify", SQUARE, "--rules", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {path}, line 2: SystemExit: 0\n  sys.exit(0)\n"


@pytest.mark.parametrize(
    "command", [["diff"], ["simplify"], ["equal"], ["rules", "check"], ["rules", "report"]]
)
def test_help_says_that_rule_files_are_executed(command: list[str]) -> None:
    text = " ".join(run(*command, "--help").stdout.split())
    assert "executed" in text
    assert "trust" in text


SCALAR = ["--matrix", "--dims", "x:"]


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["diff", "--matrix", "-x'*x", "--dims", "x: n", "--wrt", "x"], "-2*x"),
        (["diff", *SCALAR, "--wrt", "x", "-x"], "-1"),
        (["diff", "-x*x", "--matrix", "--dims=x:", "--wrt=x"], "-2*x"),
        (["diff", *SCALAR, "--wrt", "x", "--", "-x"], "-1"),
        (["simplify", *SCALAR, "-2 + x + 2"], "x"),
        (["equal", *SCALAR, "-x*x", "-x^2"], "equal: the rules make them one e-class"),
        (["equal", *SCALAR, "-x", "x - 2*x"], "equal: the rules make them one e-class"),
        (["convex", *SCALAR, "-log(x)", "--wrt", "x"], "convex: laws of composition show it"),
    ],
)
def test_formulas_begin_with_a_minus(arguments: list[str], printed: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, printed)


def test_the_order_of_formulas_is_kept() -> None:
    result = run("equal", *SCALAR, "-x", "x")
    assert result.stdout.splitlines()[1:] == ["x = 2.0", "left = -2.0", "right = 2.0"]


def test_convex_says_what_it_found_and_by_what() -> None:
    result = run("convex", "--matrix", "--dims", "x:, y:", "x*y", "--wrt", "x", "--wrt", "y")
    assert result.exit_code == 0
    assert result.stdout.startswith("neither: it lies above one chord and below another\n")
    said = json.loads(run("convex", *SCALAR, "x^3", "--wrt", "x", "--json").stdout)
    assert said["status"] == "neither"
    assert said["chords"]["convex"].keys() == {"values", "weight"}
    said = json.loads(run("convex", *SCALAR, "exp(x)", "--wrt", "x", "--json").stdout)
    assert (said["status"], said["chords"]) == ("convex", {})
    assert "exp(x) is convex" in said["certificate"][1]
    budget = run(
        "convex", *SCALAR, "--nodes", "1", "log(1 + exp(x)) + x^4 - 2*x^3 + 2*x^2", "--wrt", "x"
    )
    assert budget.exit_code == 3
    assert run("convex", *SCALAR, "x").stderr.startswith("Error: convex in what? ")


def test_convex_says_how_strongly_and_how_smooth() -> None:
    said = run("convex", *SCALAR, "sin(x)", "--wrt", "x", "--constants").stdout
    assert "\nstrongly convex: no constant was found\n\nsmooth with L = 1\n" in said
    asked = ("convex", *SCALAR, "3*x^2", "--wrt", "x", "--constants", "--json")
    said = json.loads(run(*asked).stdout)
    assert (said["strongly convex"]["value"], said["smooth"]["value"]) == ("6", "6")
    assert said["smooth"]["certificates"][0][0].startswith("the second derivative of L/2*|x|^2 - f")
    asked = ("convex", *SCALAR, "x^4", "--wrt", "x", "--constants")
    assert "smooth: no constant was found" in run(*asked).stdout


@pytest.mark.parametrize("word", ["--wtr", "-wrt", "-wtr", "--wrtt=x", "--w"])
def test_options_that_are_misspelt(word: str) -> None:
    result = run("diff", *SCALAR, "x", word, "x")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"No such option '{word.partition('=')[0]}'" in result.stderr
    assert "'--wrt'" in result.stderr


@pytest.mark.parametrize("group", [cli.main, cli.rules], ids=["eggrad", "rules"])
def test_help_lists_the_sentences_of_commands_that_it_does_not_load(group: Commands) -> None:
    context = click.Context(group)
    for name, sentence in group.sentences.items():
        command = group.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(200) == sentence
