"""What is printed for other programs, run or read back by them."""

import inspect
import shutil
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate, product
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS
from eggrad.engine.terms.term import apply, cofactors, numeric, variable, variables
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from eggrad.frontend.printing.matrix import has_notation
from eggrad.frontend.text.words import FormatName
from tests.support.array_programs import run_julia, run_matlab
from tests.support.printed_samples import NAMES, close, sample, values_of
from tests.support.random_matrix_texts import DIMS, random_text
from tests.support.values import evaluated

PROGRAMS = ("python", "jax", "torch", "sympy", "matlab", "julia")
each_sample = pytest.mark.parametrize("name", NAMES)


def printed(language: str, f: eg.Expression) -> str:
    return format_unchanged(language, f.thin.term, f.thin.scope)


def function_in(text: str) -> Any:
    """The only function that a Python text defines, in a namespace of its own."""
    module: dict[str, Any] = {}
    exec(compile(text, "<printed>", "exec"), module)
    (found,) = (f for f in module.values() if inspect.isfunction(f) and f.__module__ is None)
    return found


def test_the_command_line_has_all_formats() -> None:
    assert get_args(FormatName) == (*FORMATS,)


def check(f: eg.Expression, languages: Sequence[str] = PROGRAMS) -> None:
    """Every program has the value of the oracle."""
    own = variables(f.thin.term, *f.thin.scope)
    for values, wanted in values_of(f):
        given = [values[v.name] for v in own]
        for language in languages:
            text = printed(language, f)
            with np.errstate(all="ignore"):
                found = run(language, text, given)
            size = np.asarray(found).reshape(np.shape(wanted)) if language == "matlab" else found
            close(size, wanted, text)


def run(language: str, text: str, given: Sequence[Any]) -> Any:
    match language:
        case "matlab":
            return run_matlab(text, given)
        case "julia":
            return run_julia(text, [g.item() if g.ndim == 0 else g for g in given])
        case "sympy":
            sympy = pytest.importorskip("sympy")
            arrays = [
                sympy.Array(g.ravel().tolist(), g.shape) if g.ndim else sympy.Float(g.item())
                for g in given
            ]
            found = function_in(text)(*arrays)
            if not hasattr(found, "shape"):
                return float(found)
            # SymPy's lists of no entries are errors.
            entries = found.tolist() if all(found.shape) else np.zeros(found.shape)
            return np.array(entries).astype(float)
        case "jax":
            jax = pytest.importorskip("jax")
            jax.config.update("jax_enable_x64", True)
            return function_in(text)(*map(jax.numpy.asarray, given))
        case "torch":
            torch = pytest.importorskip("torch")
            return function_in(text)(*(torch.from_numpy(np.asarray(g)) for g in given))
        case _:
            return function_in(text)(*given)


# JSON --------------------------------------------------------------------------------------


@each_sample
def test_json_is_read_as_the_same_expression(name: str) -> None:
    f = sample(name).thin
    again = eg.parse_json(f.to("json"))
    assert again.term is f.term
    assert again.scope == f.scope


# Unicode -----------------------------------------------------------------------------------


@each_sample
def test_unicode_is_read_as_an_equal_expression(name: str) -> None:
    f = sample(name)
    if not has_notation(f.thin.term):
        assert printed("unicode", f) == printed("index", f)
        return
    text = printed("unicode", f)
    own = variables(f.thin.term, *f.thin.scope)
    assume = {v.name: v.assumed for v in own}
    again = eg.parse_matrix(text, {v.name: v.dims for v in own}, assume)
    for values, wanted in values_of(f):
        close(evaluated(again, values, reference=True), wanted, text)


@pytest.mark.parametrize("seed", range(200))
def test_random_texts_in_unicode(seed: int) -> None:
    f = eg.parse_matrix(random_text(Random(seed)), DIMS)
    text = printed("unicode", f)
    again = eg.parse_matrix(text, DIMS)
    rng = np.random.default_rng(seed)
    values = {
        name: rng.normal(size=[{"m": 3, "n": 4}[d] for d in own]) for name, own in DIMS.items()
    }
    close(evaluated(again, values, reference=True), evaluated(f, values, reference=True), text)
    assert printed("unicode", eg.parse_matrix(printed("unicode", again), DIMS)) == printed(
        "unicode", again
    )


# Programs ----------------------------------------------------------------------------------


@each_sample
@pytest.mark.parametrize("language", PROGRAMS)
def test_programs(name: str, language: str) -> None:
    if language == "torch":
        pytest.importorskip("torch")
    check(sample(name), [language])


@pytest.mark.parametrize("seed", range(150))
def test_random_formulas_as_programs(seed: int) -> None:
    check(eg.parse_matrix(random_text(Random(seed)), DIMS), ["matlab", "julia"])


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_function(name: str, language: str) -> None:
    """Of scalars, of vectors, and of what has three axes: at halves, ties and zeros."""
    if language == "torch":
        pytest.importorskip("torch")
    if name not in (FORMATS[language].words or {}):
        pytest.skip("no text, as tests/engine/terms/test_operations.py knows")
    arity = FUNCTIONS[name].arity
    entries = np.array([-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5, 2, 3.5])
    low, high = FUNCTIONS[name].domain
    entries = entries[(entries > low) & (entries < high)]
    every = np.array(list(product(entries, repeat=arity)))[:150]
    scalars = expression(apply(name, *(variable("xyz"[k]) for k in range(arity))))
    with np.errstate(all="ignore"):
        defined = [
            np.isfinite(scalars.evaluate(dict(zip("xyz", e, strict=False)), True)) for e in every
        ]
    every = every[defined].T.copy()
    dims = (every.shape[1], 1, 1)
    for order in (0, 1, 3):
        own = [variable("xyz"[k], dims[:order]) for k in range(arity)]
        f = expression(apply(name, *own))
        values = [v.reshape((*v.shape, 1, 1)[:order]) if order else v[v.size // 2] for v in every]
        with np.errstate(all="ignore"):
            wanted = f.evaluate({v.name: a for v, a in zip(own, values, strict=True)}, True)
            found = run(language, printed(language, f), list(map(np.asarray, values)))
        close_where_finite(np.asarray(found, float).reshape(wanted.shape), wanted)


def close_where_finite(found: Any, wanted: Any) -> None:
    known = np.isfinite(wanted)
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-12, atol=1e-12)


n, m, k = "n", "m", "k"
x, y, A, S = (eg.variable(v, DIMS[v]) for v in ("x", "y", "A", "S"))
T = eg.variable("T", (m, n, k))
E = eg.exp(A @ x)
OTHERS = {
    "entry": A[1, 0] * x,
    "row": A[0] @ x,
    "row alone": A[1],
    "part": x[1:] - x[:-1],
    "last": x[-1] * A[:, -1],
    "backwards": x[::-1] * x,
    "multiple of the identity": eg.parse(
        "declare x[n] expression x *(i,jk->jk) delta[n]"
    ).expression,
    "every other": eg.variable("u", (7,))[1::2],
    "triangle": np.triu(S) @ x,
    "running sum": np.cumsum(x),
    "max": eg.max(A) * x,
    "max of rows": eg.max(A, axis=1) + y,
    "min of columns": eg.min(A, axis=0) * x,
    "max of a tensor": eg.max(T, axis=(0, 2)),
    "min of all": eg.min(T),
    "mean": eg.sum(x) / x.shape[0],
    "norm": np.sqrt(eg.sum(A * A)) * x,
    "softmax": eg.softmax(x),
    "logsumexp": eg.logsumexp(A),
    "log det": eg.log(eg.det(S @ S.T + eg.delta((n,)))),
    "sign of det": eg.signdet(S) * eg.logabsdet(S) if hasattr(eg, "signdet") else eg.det(S),
    "inverse": eg.inv(S) @ x,
    "adjugate": eg.adj(S),
    "cofactors": eg.derivative(eg.det(S), S),
    "no cofactors": expression(cofactors(0, S.term)) * S,
    "second derivative of det": eg.derivative(eg.det(S), S, S),
    "known numbers": np.array([[1.0, -2.5], [0.1, 3.0]]) @ eg.variable("w", (2,)),
    "sizes": eg.constant(3, (n, m)) @ y * 2 ** eg.sum(x),
    "only numbers": eg.constant(Fraction(1, 3)) ** 2,
    "a fraction": x / 3 + Fraction(1, 7),
    "large": x * 10**25,
    "shared": eg.sum(E) * E / (1 + E),
    "deep": reduce(lambda a, _: eg.sin(a) + x, range(60), x),
    "higher": eg.einsum("ijk,j,kl->il", T, x, eg.variable("B", (k, n))),
    "diagonal": eg.einsum("iij->ij", eg.variable("D", (n, n, m))),
    "delta": eg.derivative(T * T, T),
}


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_programs(name: str, language: str) -> None:
    if language == "torch":
        pytest.importorskip("torch")
    check(OTHERS[name], [language])


@pytest.mark.parametrize("language", ["python", "jax", "sympy", "matlab", "julia"])
def test_places_that_are_computed(language: str) -> None:
    if language == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    i, v = eg.variable("i", (3,), ["integer"]), eg.variable("v", (4,))
    places = np.array([0, 1, 6])
    for index in (i, np.floor_divide(i, 2)):
        text = (v[index] * v[0]).to(language)
        values = {"i": places // 2 if index is i else places, "v": np.array([2.0, 3.0, 5.0, 7.0])}
        given = [values[name] for name in ("i", "v")]
        np.testing.assert_allclose(np.ravel(run(language, text, given)), [4, 4, 14])


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("together", [True, False])
def test_places_along_two_axes(language: str, together: bool) -> None:
    if language in ("jax", "torch"):
        pytest.importorskip(language)
    places = np.array([[0.0, 1], [1, -1], [-2, 0]])
    names = [variable("p", (3, 2))] if together else [variable(k, (3,)) for k in "pq"]
    given = [places] if together else [places[:, 0], places[:, 1]]
    text = format_unchanged(language, numeric("selection", *names, data=(2, 3)), names)
    found = np.reshape(np.asarray(run(language, text, given), float), (3, 2, 3))
    assert np.argwhere(found == 1).tolist() == [[0, 0, 1], [1, 1, 2], [2, 0, 0]]
    assert found.sum() == 3


@pytest.mark.parametrize(
    ("f", "julia", "matlab"),
    [
        (x[1:] - x[:-1], "x[2:end] .- x[1:end-1]", "x(2:end) - x(1:end-1)"),
        (x[::-1] * A[1], "x[end:-1:1] .* A[2, :]", "x(end:-1:1) .* A(2, :)'"),
        (A / eg.sum(A, axis=0), "A ./ vec(sum(A, dims=1))'", "A ./ sum(A, 1)"),
        (np.exp(T * T) + eg.sum(T), "exp.(T .* T) .+ sum(T)", "exp(T .* T) + sum(T(:))"),
        (A * x, "A .* x'", "A .* x'"),
        ((S.T + S) @ x, "(S' .+ S) * x", "(S' + S) * x"),
        (np.where(x > 0, x, 1), "ifelse.(x .> 0, x, 1)", "choose(x > 0, x, 1)"),
    ],
)
def test_words_of_matrices(f: eg.Expression, julia: str, matlab: str) -> None:
    """Whole arrays where the languages have words for them, and what broadcasts."""
    assert f"    return {julia}\n" in printed("julia", f)
    assert f"  result = {matlab};\n" in printed("matlab", f)
    check(f, ["julia", "matlab"])


def test_functions_of_ones_own_are_refused() -> None:
    own = eg.function("cube", derivative=lambda a: 3 * a * a, evaluate=lambda a: a**3)
    names = {
        "jax": "JAX",
        "torch": "PyTorch",
        "matlab": "MATLAB",
        "julia": "Julia",
        "sympy": "SymPy",
    }
    for language, shown in names.items():
        with pytest.raises(eg.UnsupportedOperation, match=f"cube is a function .*{shown}"):
            own(x).to(language)
    f = own(x)
    assert eg.parse_json(f.to("json"), [own]) is f
    with pytest.raises(eg.ParseError, match="no function is called 'cube'"):
        eg.parse_json(f.to("json"))


def test_special_functions_of_other_libraries() -> None:
    text = eg.special.erf(x).to("jax")
    assert text.startswith("import" if "jnp." in text else "from jax.scipy.special import erf\n")


@pytest.mark.parametrize("step", [lambda v: v + x, np.sin, lambda v: x - v, lambda v: v * v + v])
def test_deep_programs(step: Any) -> None:
    """Neither Python's stack nor the brackets of other languages are exhausted."""
    deep = reduce(lambda v, _: step(v), range(1000), x)
    for language in PROGRAMS:
        text = printed(language, deep)
        depth = max(accumulate((c in "([") - (c in ")]") for c in text))
        assert depth < 100, language
    values = [np.array([0.1, -0.2])]
    with np.errstate(all="ignore"):
        wanted = deep.evaluate({"x": values[0]}, reference=True)
        close_where_finite(run("julia", printed("julia", deep), values), wanted)
        close_where_finite(run("matlab", printed("matlab", deep), values)[:, 0], wanted)


def on_octave(folder: Path, texts: Sequence[str], given: Sequence[Sequence[Any]]) -> list[str]:
    """The results of functions, each in a file of its own, as Octave prints them."""
    calls: list[str] = []
    for k, (text, values) in enumerate(zip(texts, given, strict=True)):
        home = folder / f"f{k}"
        home.mkdir()
        Path(home, "f.m").write_text(text, "utf-8")
        arrays = (
            f"reshape([{', '.join(map(repr, np.ravel(v, 'F').tolist()))}], "
            f"{', '.join(map(str, (*np.shape(v), 1, 1)[: max(2, np.ndim(v))]))})"
            for v in values
        )
        calls += [f"cd('{home}'); clear f; r = f({', '.join(arrays)});"]
        calls += ["printf('%.17g ', r); printf('\\n');"]
    script = Path(folder, "main.m")
    script.write_text("\n".join(calls), "utf-8")
    return lines_of(["octave", "--no-gui", "--quiet", str(script)])


def on_julia(folder: Path, texts: Sequence[str], given: Sequence[Sequence[Any]]) -> list[str]:
    """The same by Julia, each function in a module of its own."""
    calls: list[str] = []
    for k, (text, values) in enumerate(zip(texts, given, strict=True)):
        arrays = (
            f"reshape(Float64[{', '.join(map(repr, np.ravel(v, 'F').tolist()))}], "
            f"{', '.join(map(str, np.shape(v)))})"
            if np.ndim(v)
            else repr(float(v))
            for v in values
        )
        calls += [f"module M{k}", text, "end"]
        calls += [f"println(join(vec(collect(M{k}.f({', '.join(arrays)}))), ' '))"]
    script = Path(folder, "main.jl")
    script.write_text("\n".join(calls), "utf-8")
    return lines_of(["julia", str(script)])


def lines_of(command: Sequence[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return done.stdout.splitlines()


@pytest.mark.parametrize(("language", "program"), [("matlab", "octave"), ("julia", "julia")])
def test_by_the_languages_themselves(language: str, program: str, tmp_path: Path) -> None:
    if not shutil.which(program):
        pytest.skip(f"there is no {program}")
    texts: list[str] = []
    given: list[list[Any]] = []
    wanted: list[Any] = []
    for f in [*map(sample, NAMES), *OTHERS.values()]:
        for values, expected in list(values_of(f))[-1:]:
            texts.append(printed(language, f))
            given.append([values[v.name] for v in variables(f.thin.term, *f.thin.scope)])
            wanted.append(np.ravel(expected, "F"))
    lines = (on_octave if program == "octave" else on_julia)(tmp_path, texts, given)
    for line, expected, text in zip(lines, wanted, texts, strict=True):
        close(np.array(line.split(), float), expected, text)


@pytest.mark.parametrize("language", PROGRAMS)
def test_names_that_are_none_there(language: str) -> None:
    """Variables and sizes called as words of the languages, or as nothing that is a word."""
    if language == "torch":
        pytest.importorskip("torch")
    words = (
        "end",
        "sum",
        "lambda",
        "np",
        "jnp",
        "torch",
        "I",
        "result",
        "x y",
        "%",
        "#",
        "β",
        "S",
        "t1",
    )
    for k, name in enumerate(words):
        v = eg.variable(name, (words[k - 1],))
        M = eg.variable("M", (words[k - 1],) * 2)
        f = eg.sum(eg.exp(M @ v)) + v @ v
        cube = eg.einsum("i,j,k->ijk", v, v, eg.constant(2, (words[k - 1],)))
        check(f, [language])
        check(cube, [language])
        text = printed(language, f)
        if name in ("x y", "%", "end") and language != "sympy":
            assert name == "end" or f'is "{name}".' in text
