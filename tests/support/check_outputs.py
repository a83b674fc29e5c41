"""What is printed for the public cases, judged by other programs: `make outputs`.

Python: each derivative as a function, run by a fresh interpreter with NumPy alone, and read by
ruff. LaTeX: each case and its derivative, in matrix and in index notation, set by pdflatex with
amsmath alone (Debian's texlive-latex-base and texlive-latex-recommended; left out where it is
missing), and so are the element-wise definitions with their adjoints. Matrix notation: which
texts have more nodes than the closed form by hand.
"""

import inspect
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.frontend.printing.latex import format_latex_index
from tests.cases.test_derivative_cases import CASES, instances
from tests.frontend.elementwise.test_adjoint import CASES as DEFINITIONS
from tests.frontend.elementwise.test_adjoint import definition
from tests.frontend.printing.test_formats import MATRIX_CASES, dims_of

__all__ = ["latex_formulas", "longer_than_by_hand", "python_script"]

Case = dict[str, Any]
FACTS = {
    "symmetric": "symmetric",
    "symmetric positive definite": "positive definite",
    "entries positive": "positive",
    "invertible": "invertible",
}


def facts_of(case: Case) -> dict[str, set[str]]:
    """What a case declares of its variables, in the words of `assume`."""
    return {
        name: {FACTS[word] for word in described["properties"] if word in FACTS}
        for name, described in case["vars"].items()
    }


def read(case: Case) -> tuple[eg.Expression, eg.Expression]:
    """The expression of a case and its derivative."""
    f = eg.parse(case["einsum_syntax"]).expression
    return f, eg.derivative(f, *case["wrt_list"])


def python_script(case: Case, text: str) -> str:
    """A printed derivative, and its comparison with the reference at all instances."""
    module: dict[str, Any] = {}
    exec(text, module)
    (name,) = (n for n, f in module.items() if inspect.isfunction(f))
    wanted = inspect.signature(module[name]).parameters
    lines = [text, "import numpy"]
    for values in instances(case):
        stored = {n: np.asarray(v).tolist() for n, v in values.items()}
        # Empty arrays lose their shape in a list; no instance has one.
        lines += [
            f"values = {{n: numpy.array(v) for n, v in {stored!r}.items()}}",
            f"found = {name}(**{{n: values[n] for n in {sorted(wanted)!r}}})",
            f"wanted = eval({case['derivative_numpy']!r}, {{'np': numpy, **values}})",
            "numpy.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9)",
        ]
    return "\n".join(lines) + "\n"


def check_python(folder: Path) -> None:
    """Run every function by itself; ruff reads the functions alone, as they are printed."""
    printed = folder / "printed"
    printed.mkdir()
    for case in CASES:
        text = read(case)[1].to("python")
        Path(printed, f"{case['id']}.py").write_text(text, "utf-8")
        path = folder / f"run_{case['id']}.py"
        path.write_text(python_script(case, text), "utf-8")
        subprocess.run([sys.executable, "-I", path], check=True)
    print(f"{len(CASES)} functions have the values of the reference")
    subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", printed], check=True)


def latex_formulas() -> Iterator[str]:
    """All formulas: of cases and derivatives, of definitions and their adjoints."""
    for case in CASES:
        for f in read(case):
            yield f.to("latex")
            yield format_latex_index(f.term)
    for case in DEFINITIONS:
        f = definition(case)
        yield f.to("latex")
        yield from (f.adjoint(name).to("latex") for name in case["vjp"])


def check_latex(folder: Path) -> None:
    """Set all formulas in one document; pdflatex stops at the first that it cannot read."""
    if not shutil.which("pdflatex"):
        print("LaTeX was not checked: there is no pdflatex")
        return
    formulas = list(latex_formulas())
    page = (
        r"\documentclass{article}\usepackage{amsmath}\begin{document}",
        *(rf"\[ {formula} \]" for formula in formulas),
        r"\end{document}",
    )
    Path(folder, "page.tex").write_text("\n".join(page), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    print(f"{len(formulas)} formulas are set by pdflatex with amsmath")


def longer_than_by_hand() -> tuple[int, list[tuple[str, str, str]]]:
    """How many texts were compared, and those with more nodes: case, text, closed form."""
    compared, longer = 0, []
    for case in MATRIX_CASES:
        dims = dims_of(case)
        facts = facts_of(case)
        f = eg.parse_matrix(case["matrix_syntax"], dims, assume=facts)
        derivative = eg.derivative(f, *case["wrt_list"])
        if derivative.ndim > 2:
            continue
        compared += 1
        text = derivative.to("matrix")
        variables = {
            name: eg.variable(name, shape, assume=facts.get(name, ()))
            for name, shape in dims.items()
        }
        by_hand = eval(case["derivative_numpy"], {"np": np, **variables})
        ours = eg.parse_matrix(text, dims, assume=facts).node_count
        theirs = by_hand.node_count if isinstance(by_hand, eg.Expression) else 1
        if ours > theirs:
            longer.append(
                (case["id"], f"{text} ({ours})", f"{case['derivative_numpy']} ({theirs})")
            )
    return compared, longer


def main() -> None:
    compared, longer = longer_than_by_hand()
    print(f"{compared - len(longer)} of {compared} texts have no more nodes than by hand; not so:")
    for row in longer:
        print("  " + "; ".join(row))
    with TemporaryDirectory() as folder:
        check_python(Path(folder))
        check_latex(Path(folder))


if __name__ == "__main__":
    main()
