"""Names that are code, markup or no words: nothing of them is run, and values stay right."""

import inspect
import io
import json
import random
import xml.etree.ElementTree as ET
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.frontend.cli.main import main
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from tests.support.array_programs import run_julia, run_matlab
from tests.support.values import evaluated

PIECES = [
    '"', "'", '"""', "'''", "\\", "\n", "\r", "\t", "\x00", "\x0c", "{", "}", "{0.__class__}", "%s",
    "%", "$", "#", "</script>", "<!--", "--", "-->", "]]>", "&amp;", "\u2028", "\u2029", "\u202e",
    ";", ":", ",", " ", "`", "[", "]", "(", ")", "^", "_", "~", "=", "|", "²", "①", "ﬁ", "x̃", "·",
    "β", "é", "print(1)", "ran.append(1)", "\\input{x}", "\\end{aligned}", "import os",
]  # fmt: skip
WORDS = [
    "np", "len", "float", "print", "lambda", "None", "self", "f", "t1", "t1_", "v_", "compiled",
    "form_1", "_self", "_known", "_given", "__debug__", "__import__", "softplus", "let",
    "size", "declare", "sum", "sin", "inv", "i", "e", "T", "D", "0", "12", "isinstance", "A_1",
    '"""\n print(1); """', '"""\nran.append(1)\n"""', "a\nran.append(1)#", "a\rran.append(1)#",
    "x)\\\"; ran.append(1)", "x" * 1000,
]  # fmt: skip


def names() -> list[str]:
    rng = random.Random(0)
    drawn = ["".join(rng.choices([*PIECES, "a", "n"], k=rng.randint(1, 4))) for _ in range(40)]
    return [*PIECES, *WORDS, *drawn]


def expressions(name: str, size: str) -> tuple[list[eg.Expression], dict[str, Any]]:
    """Expressions whose texts have the names in every place that a text has for them."""
    # A text of digits is no size.
    size = f"s{size}" if size.isdigit() else size
    x, B = eg.variable(name, (size,)), eg.variable("B", (size, size))
    bend = eg.sum(eg.exp(B @ x)) + x @ x
    built = [
        bend,
        eg.constant(3, (size, size)) @ x + eg.delta((size,)) @ x,
        eg.sum(eg.inv(B) @ x + eg.constant(3, (size,))) * eg.constant(1, (size,)),
        eg.einsum("i,j,k->ijk", x, x, x),
        np.triu(B) @ x,
    ]
    return built, {name: np.array([1.0, 2.0]), "B": np.array([[1.0, 0.5], [0.0, 1.0]])}


def run(text: str, f: eg.Expression, values: dict[str, Any]) -> Any:
    """The value of printed Python, run where nothing may print and nothing may be left behind."""
    ran: list[int] = []
    module: dict[str, Any] = {"ran": ran, "print": lambda *_: ran.append(1)}
    exec(compile(text, "<printed>", "exec"), module)
    (made,) = (m for m in module.values() if inspect.isfunction(m) and m.__module__ is None)
    result = made(*arguments(f, values))
    assert not ran
    return np.asarray(result).astype(float)


def arguments(f: eg.Expression, values: dict[str, Any]) -> list[Any]:
    own = sorted({*f.variables}, key=lambda v: v.data[0])
    return [values[v.data[0]] for v in own]


def check_formats(f: eg.Expression, values: dict[str, Any]) -> None:
    expected = evaluated(f, values, reference=True)
    for language in FORMATS:
        try:
            # Without the search for the shortest formula, which names do not change.
            text = format_unchanged(language, f.term, f.scope)
        except eg.UnsupportedOperation:
            # No inverses there, and no quotes around names.
            assert language == "elementwise"
            continue
        text.encode("utf-8")
        if language in ("python", "sympy"):
            np.testing.assert_allclose(run(text, f, values), expected)
        elif language in ("jax", "torch"):
            compile(text, "<printed>", "exec")
        elif language == "julia":
            np.testing.assert_allclose(run_julia(text, arguments(f, values)), expected)
        elif language == "matlab":
            found = run_matlab(text, arguments(f, values))
            np.testing.assert_allclose(found.reshape(expected.shape), expected)
        elif language == "json":
            assert eg.parse_json(text).term is f.term
        elif language == "einsum":
            assert str(eg.parse(text).expression) == text
        elif language == "dot":
            assert all(line.isprintable() and line.count('"') % 2 == 0 for line in text.split("\n"))
        elif language == "latex":
            body = text.replace(r"\{", "").replace(r"\}", "")
            assert body.count("{") == body.count("}")
            assert r"\input" not in text
        elif language in ("index", "matrix", "unicode"):
            assert text.isprintable()


@pytest.mark.parametrize("group", range(4))
def test_nothing_of_a_name_is_run(group: int) -> None:
    """Each name is that of a variable, and of a size beside the name before it."""
    every = names()
    for k in range(group, len(every), 4):
        out = io.StringIO()
        with redirect_stdout(out):
            built, values = expressions(every[k - 1], every[k])
            for f in built:
                check_formats(f, values)
            compiled = compile_terms([f.term for f in built])
            for _ in range(2):
                results = compiled(**values)
            for f, result in zip(built, results, strict=True):
                np.testing.assert_allclose(result, evaluated(f, values, reference=True))
        assert not out.getvalue()


@pytest.mark.parametrize("name", [name for name in WORDS if not name.isdigit()])
def test_a_variable_called_as_its_size(name: str) -> None:
    x = eg.variable(name, (name,))
    f = eg.gradient(eg.sum(eg.exp(x) + 1), x)
    values = {name: np.array([0.0, 1.0])}
    check_formats(f, values)
    assert all(f.to(language) for language in ("matrix", "latex"))
    np.testing.assert_allclose(eg.compile(f)(**values), np.exp(values[name]))


def test_two_spellings_of_one_identifier() -> None:
    """Python reads both as `fi`; so does it parameters."""
    a, b = eg.variable("ﬁ"), eg.variable("fi")
    values = {"ﬁ": 3.0, "fi": 2.0}
    assert run((a - 2 * b).to("python"), a - 2 * b, values) == -1
    assert eg.compile(a - 2 * b)(**values) == -1


def test_names_of_forms_in_comments() -> None:
    """Which form is fastest where is a comment with names of sizes."""
    size = "k\nran.append(1)"
    a, b, c = (
        eg.variable(n, s) for n, s in [("a", (size, "m")), ("b", ("m", size)), ("c", (size,))]
    )
    f = eg.compile(a @ (b @ c) + a @ b @ c)
    assert all(line[:1] in "# dfi@" for line in f.source.splitlines())


@pytest.mark.parametrize("name", ["\ud800", "a\udfff"])
def test_names_that_no_file_can_have_are_refused(name: str) -> None:
    with pytest.raises(eg.UnsupportedOperation, match="no text can have the name"):
        eg.variable(name)
    with pytest.raises(eg.ShapeError, match="a size is a name"):
        eg.variable("x", (name,))


def test_sizes_made_of_names_that_are_no_words() -> None:
    x = eg.variable("x", ("two words",))
    with pytest.raises(eg.ShapeError, match="whose names are words"):
        x[1:]


def test_pages_and_pictures(tmp_path: Path) -> None:
    """Markup in names stays text; characters that no XML has are left out."""
    name = '</script><b onload="x">&\x00\x0b]]>'
    x = f"`{name}`"
    text = f"declare {x} [{x}] expression exp({x}) *(i,i->) {x} derivative wrt {x}"
    for file in ("graph.html", "graph.svg"):
        path = tmp_path / file
        result = CliRunner().invoke(main, ["graph", text, "--out", str(path)])
        assert result.exit_code == 0, result.output
        written = path.read_text("utf-8")
        assert "<b onload" not in written
        assert "\x00" not in written
        if file.endswith("svg"):
            ET.fromstring(written)


def test_json_of_names() -> None:
    name = 'a"b\\\n\u2028'
    text = (
        f"declare `{name}` [`{name}`] expression `{name}` *(i,i->) `{name}` derivative wrt `{name}`"
    )
    result = CliRunner().invoke(main, ["diff", "--json", text])
    assert json.loads(result.stdout)["wrt"] == [name]
