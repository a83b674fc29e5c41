"""What the documents show is what happens.

`python -m tests.docs.test_pages README.md docs/numpy.md` writes their sessions anew; all pages
where none is named.
"""

import re
import subprocess
import sys
import tracemalloc
from collections.abc import Collection
from importlib.util import find_spec
from itertools import takewhile

import numpy as np
import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad import special
from eggrad.frontend.cli.main import main
from eggrad.frontend.elementwise.parser import ARITIES
from eggrad.frontend.formulas.functions import CONSTANTS, FUNCTIONS
from eggrad.frontend.text.parser import parse
from eggrad.frontend.text.printer import format_problem
from eggrad.rules import notation
from tests.docs import functions
from tests.docs.sessions import BLOCK, FILE, refreshed
from tests.support.places import DOCS, ROOT

# The pages with sessions, and how many each has.
SESSIONS = {
    "README.md": 4,
    "docs/backends.md": 1,
    "docs/certificates.md": 2,
    "docs/certificates/proofs_read.md": 5,
    "docs/convexity.md": 2,
    "docs/distributed.md": 4,
    "docs/elementwise.md": 6,
    "docs/equivalence.md": 2,
    "docs/experiments.md": 1,
    "docs/factored.md": 5,
    "docs/formats.md": 4,
    "docs/functions.md": 1,
    "docs/gallery.md": 12,
    "docs/guide/compare.md": 5,
    "docs/guide/compile.md": 5,
    "docs/guide/first_derivative.md": 5,
    "docs/guide/own.md": 3,
    "docs/guide/shapes.md": 5,
    "docs/how-to/machine_learning.md": 5,
    "docs/how-to/optimisation.md": 5,
    "docs/how-to/rule_research.md": 5,
    "docs/how-to/statistics.md": 5,
    "docs/index.md": 3,
    "docs/language.md": 1,
    "docs/matrix.md": 5,
    "docs/numpy.md": 2,
    "docs/numpy_text.md": 4,
    "docs/page.md": 1,
    "docs/properties.md": 4,
    "docs/reference.md": 1,
    "docs/typeset.md": 4,
    "docs/writing_rules.md": 7,
}
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")))
# Blocks of code, and what tests do with those of each language.
CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = {
    line.partition("#")[0].strip()
    for page in PAGES
    if page != "CONTRIBUTING.md"  # has tests of its own
    for language, block in CODE.findall((ROOT / page).read_text("utf-8"))
    if language == "sh"
    for line in block.splitlines()
}


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def without_errors(text: str) -> str:
    """The text without the digits of rounding errors, which differ between machines."""
    return re.sub(r"largest error [0-9.e-]+", "largest error", text)


@pytest.mark.parametrize("page", SESSIONS)
def test_sessions_show_what_happens(page: str) -> None:
    text = text_of(page)
    assert len(BLOCK.findall(text)) >= SESSIONS[page]
    assert "Traceback" not in text
    assert without_errors(refreshed(text)) == without_errors(text)


def test_every_page_with_a_session_is_tested() -> None:
    walked = {"docs/walks.md"}
    assert {page for page in PAGES if BLOCK.search(text_of(page))} == SESSIONS.keys() | walked


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_code_is_run_or_read(page: str) -> None:
    text = text_of(page)
    for language, body in CODE.findall(text):
        match language:
            case "python":
                assert body.startswith(">>> ")
            case "console":
                assert body.startswith("$ ")
            case "py":  # a file of the sessions, or a step of a walk
                assert re.match(r"# \S+\.py(, after: .*)?\n", body)
            case "text":  # see the tests of these pages
                assert page in ("docs/architecture.md", "docs/language.md", "docs/walks.md")
            case _:  # see the next tests
                assert language == "sh"


@pytest.mark.parametrize("line", sorted(SHELL))
def test_commands_that_are_not_run_are_there(line: str) -> None:
    match re.sub(r"^(\w+=\S+ )+", "", line).split():
        case ["make", *words]:
            done = subprocess.run(
                ["make", "--dry-run", *words], cwd=ROOT, capture_output=True, check=False
            )
            assert done.returncode == 0, done.stderr
        case ["python", "-m", module, *_]:
            assert find_spec(module)
        case ["eggrad", *words]:
            command = [*takewhile(str.isalpha, words)]
            offered = CliRunner().invoke(main, [*command, "--help"]).output
            assert {word for word in words if word.startswith("--")} <= {*offered.split()}
        case ["podman", *_]:
            assert (ROOT / "Containerfile").exists()
        case [program, *words]:
            assert (program, words[0]) == ("pip", "install")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose)
    targets = [((ROOT / page).parent / link).resolve() for link in links]
    assert [target for target in targets if not target.exists()] == []
    if page.startswith("docs/"):  # the site has no other files
        assert [target for target in targets if ROOT / "docs" not in target.parents] == []


def test_factored_examples_store_no_large_tensor() -> None:
    tracemalloc.start()
    try:
        refreshed(text_of("docs/factored.md"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The Hessian of the first example would have 200 MB; T has 8, its difference from UV' as many.
    assert peak < 60e6


@pytest.mark.parametrize(
    ("page", "start", "end", "names"),
    [
        ("docs/elementwise.md", "## The language", "\n# ", ARITIES),
        ("docs/functions.md", "", "\n# ", special.__all__),
        ("docs/matrix.md", "", "## Where", {*FUNCTIONS, *CONSTANTS}),
    ],
    ids=["elementwise", "special", "matrix"],
)
def test_all_functions_are_described(
    page: str, start: str, end: str, names: Collection[str]
) -> None:
    text = text_of(page)
    part = text[text.index(start) :].partition(end)[0]
    assert {*names} <= {*re.findall(r"\w+", part)}


def test_the_tables_of_functions_are_current() -> None:
    page = functions.PAGE.read_text("utf-8")
    assert functions.drawn(page) == page, "run python -m tests.docs.functions"


def test_all_names_of_the_notation_are_there() -> None:
    text = text_of("docs/writing_rules.md")
    assert len(FILE.findall(text)) == 5
    words = {
        w
        for cell in re.findall(r"^\| (.*?) \| ", text, re.M)
        for w in re.findall(r"\b[a-z]\w*(?=\()", cell)
    }
    assert len(words) > 15
    assert all(hasattr(notation, w) or w in ("state", "when", "noted") for w in words)


@pytest.mark.parametrize(
    "line",
    [
        line
        for block in re.findall(r"```text\n(.*?)```", text_of("docs/language.md"), re.DOTALL)
        for line in block.splitlines()
    ],
)
def test_the_example_reads(line: str) -> None:
    declared = "" if line.startswith("declare") else "declare A 2 B 2 x 1 y 1 c 0 expression "
    term = parse(declared + line).term
    assert parse(format_problem(term)).term is term


def test_the_order_of_vec() -> None:
    """What docs/matrix.md says of the Hessian and of vec, by a linear function of a matrix."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 3)), rng.normal(size=(4, 5))
    f = eg.parse_matrix("A*X*B", {"A": ("p", "m"), "X": ("m", "n"), "B": ("n", "q")})
    H = eg.derivative(f, "X").evaluate({"A": A, "B": B})
    p, q, m, n = H.shape
    matrix = H.transpose(1, 0, 3, 2).reshape(p * q, m * n)
    np.testing.assert_allclose(matrix, np.kron(B.T, A))


def test_sessions_are_written_as_they_run() -> None:
    session = "```python\n>>> for i in range(2):\n...     print(i)\nwrong\n```\n"
    expected = "```python\n>>> for i in range(2):\n...     print(i)\n0\n1\n```\n"
    assert refreshed(session) == expected


def test_commands_show_both_streams() -> None:
    command = "echo here; echo there >&2"
    text = f"```console\n$ {command}\n```\n"
    assert refreshed(text) == f"```console\n$ {command}\nhere\nthere\n```\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or SESSIONS:
        (ROOT / name).write_text(refreshed(text_of(name)), "utf-8")
