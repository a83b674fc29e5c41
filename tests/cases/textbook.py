"""Gradients and Hessians from textbooks, in matrix notation, with NumPy references.

    python -m tests.cases.textbook [--picture]

writes the table of docs/textbook.md, and with pdflatex and pdftoppm (Debian's texlive-latex-base,
texlive-latex-recommended and poppler-utils) a picture of the formulas.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import eggrad as eg
from eggrad.frontend.cli.input import parse_dims
from tests.support.places import DOCS

__all__ = ["ROWS", "Row", "table"]

DOCUMENT = DOCS / "textbook.md"
PICTURE = DOCUMENT.parent / "figures" / "textbook.png"
# Names of positive definite matrices.
DEFINITE = "KPRS"
BEGIN = "<!-- Written by python -m tests.cases.textbook. -->"


@dataclass(frozen=True)
class Row:
    """A function, what it is differentiated by, and the derivative by NumPy.

    Matrices called K, P, R and S are positive definite, p has positive entries.
    """

    name: str
    text: str
    dims: str
    wrt: str
    reference: str

    @property
    def axes(self) -> dict[str, tuple[int | str, ...]]:
        """The axes of each variable."""
        return parse_dims(None, None, self.dims)

    @property
    def expression(self) -> eg.Expression:
        """The function."""
        assume = {name: ["positive definite"] for name in self.axes if name in DEFINITE}
        return eg.parse_matrix(self.text, self.axes, assume)

    @property
    def derivative(self) -> eg.Expression:
        """The derivative."""
        return eg.derivative(self.expression, *self.wrt)


REGRESSION = "X: m n, w: n, y: m"
ROWS = [
    Row("least squares", "norm2(X*w - y)^2", REGRESSION, "w", "2 * X.T @ (X @ w - y)"),
    Row("its Hessian", "norm2(X*w - y)^2", REGRESSION, "ww", "2 * X.T @ X"),
    Row(
        "ridge regression", "norm2(X*w - y)^2 + c*norm2(w)^2", f"{REGRESSION}, c:", "w",
        "2 * X.T @ (X @ w - y) + 2 * c * w",
    ),
    Row(
        "weighted least squares", "(X*w - y)'*diag(p)*(X*w - y)", f"{REGRESSION}, p: m", "w",
        "2 * X.T @ (p * (X @ w - y))",
    ),
    Row(
        "lasso, the smooth part in the weights' signs", "0.5*norm2(X*w - y)^2 + c*norm1(w)",
        f"{REGRESSION}, c:", "w", "X.T @ (X @ w - y) + c * np.sign(w)",
    ),
    Row(
        "logistic regression", "sum(softplus(-y.*(X*w)))", REGRESSION, "w",
        "-X.T @ (y / (1 + np.exp(y * (X @ w))))",
    ),
    Row(
        "its Hessian", "sum(softplus(-y.*(X*w)))", REGRESSION, "ww",
        "(X.T * (y**2 / (2 + np.exp(y * (X @ w)) + np.exp(-y * (X @ w))))) @ X",
    ),
    Row(
        "softmax cross-entropy", "logsumexp(W*x) - y'*(W*x)", "W: m n, x: n, y: m", "W",
        "np.outer(np.exp(W @ x) / np.exp(W @ x).sum() - y, x)",
    ),
    Row(
        "Poisson regression", "sum(exp(X*w)) - y'*(X*w)", REGRESSION, "w",
        "X.T @ (np.exp(X @ w) - y)",
    ),
    Row("its Hessian", "sum(exp(X*w)) - y'*(X*w)", REGRESSION, "ww", "(X.T * np.exp(X @ w)) @ X"),
    Row(
        "support vectors, squared hinge", "sum(relu(1 - y.*(X*w)).^2) + c*norm2(w)^2",
        f"{REGRESSION}, c:", "w",
        "-2 * X.T @ (y * np.maximum(1 - y * (X @ w), 0)) + 2 * c * w",
    ),
    Row(
        "Huber's loss", "sum(0.5*min(abs(X*w - y), c).^2 + c*relu(abs(X*w - y) - c))",
        f"{REGRESSION}, c:", "w", "X.T @ np.clip(X @ w - y, -c, c)",
    ),
    Row(
        "Gaussian likelihood, by the mean", "0.5*(x - u)'*inv(S)*(x - u) + 0.5*logdet(S)",
        "x: n, u: n, S: n n", "u", "np.linalg.inv(S) @ (u - x)",
    ),
    Row(
        "by the covariance", "0.5*(x - u)'*inv(S)*(x - u) + 0.5*logdet(S)",
        "x: n, u: n, S: n n", "S",
        "0.5 * np.linalg.inv(S) - 0.5 * np.outer(np.linalg.inv(S) @ (x - u), "
        "np.linalg.inv(S) @ (x - u))",
    ),
    Row(
        "by the precision", "0.5*(x - u)'*P*(x - u) - 0.5*logdet(P)", "x: n, u: n, P: n n", "P",
        "0.5 * np.outer(x - u, x - u) - 0.5 * np.linalg.inv(P)",
    ),
    Row(
        "principal components", "norm2(X - X*W*W')^2", "X: m n, W: n k", "W",
        "-2 * (X.T @ (X - X @ W @ W.T) + (X - X @ W @ W.T).T @ X) @ W",
    ),
    Row(
        "Rayleigh's quotient", "x'*S*x/(x'*x)", "x: n, S: n n", "x",
        "2 * (S @ x - x * (x @ S @ x) / (x @ x)) / (x @ x)",
    ),
    Row(
        "matrix factorisation", "norm2(T - U*V')^2", "T: m n, U: m k, V: n k", "U",
        "-2 * (T - U @ V.T) @ V",
    ),
    Row(
        "with a mask", "norm2(O.*(T - U*V'))^2", "O: m n, T: m n, U: m k, V: n k", "V",
        "-2 * (O**2 * (T - U @ V.T)).T @ U",
    ),
    Row(
        "Gaussian process, by the kernel", "0.5*y'*inv(K)*y + 0.5*logdet(K)", "K: n n, y: n", "K",
        "0.5 * np.linalg.inv(K) - 0.5 * np.outer(np.linalg.inv(K) @ y, np.linalg.inv(K) @ y)",
    ),
    Row(
        "Kalman innovations", "logdet(H*P*H' + R) + v'*inv(H*P*H' + R)*v",
        "H: m n, P: n n, R: m m, v: m", "v", "2 * np.linalg.inv(H @ P @ H.T + R) @ v",
    ),
    Row(
        "by the noise", "logdet(H*P*H' + R) + v'*inv(H*P*H' + R)*v",
        "H: m n, P: n n, R: m m, v: m", "R",
        "np.linalg.inv(H @ P @ H.T + R) - np.outer(np.linalg.inv(H @ P @ H.T + R) @ v, "
        "np.linalg.inv(H @ P @ H.T + R) @ v)",
    ),
    Row(
        "kernel ridge regression", "norm2(K*a - y)^2 + c*a'*K*a", "K: n n, a: n, y: n, c:", "a",
        "2 * K @ (K @ a - y) + 2 * c * K @ a",
    ),
    Row(
        "radial basis function", "exp(-norm2(x - z)^2/(2*s^2))", "x: n, z: n, s:", "x",
        "-np.exp(-((x - z) @ (x - z)) / (2 * s**2)) * (x - z) / s**2",
    ),
    Row("entropy", "-p'*log(p)", "p: n", "p", "-np.log(p) - 1"),
    Row("softmax, its Jacobian", "softmax(x)", "x: n", "x",
        "np.diag(np.exp(x) / np.exp(x).sum()) "
        "- np.outer(np.exp(x), np.exp(x)) / np.exp(x).sum()**2",
    ),
    Row(
        "Mahalanobis distance", "sqrt((x - u)'*P*(x - u))", "x: n, u: n, P: n n", "x",
        "P @ (x - u) / np.sqrt((x - u) @ P @ (x - u))",
    ),
]  # fmt: skip


def table() -> str:
    """The rows: the function, by what, the derivative as text and formula, operations at 100."""
    lines = [
        "| function | by | derivative | | operations |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        found = row.derivative
        formula = found.to("latex").replace("\n", " ").replace("|", r"\vert ")
        by = " ".join(row.wrt)
        lines.append(
            f"| {row.name}: `{row.text}` | {by} | `{found.to('matrix')}` | ${formula}$ "
            f"| {found.cost(100):,} |"
        )
    return "\n".join(lines)


def picture() -> None:
    """Draw all formulas, as LaTeX sets them."""
    rows = (rf"{row.name} & $\displaystyle {row.derivative.to('latex')}$ \\[2ex]" for row in ROWS)
    page = (
        r"\documentclass{article}\usepackage{amsmath}",
        r"\usepackage[paperwidth=6.6in,paperheight=12.1in,margin=0.2in]{geometry}",
        r"\pagestyle{empty}\begin{document}\noindent\renewcommand{\arraystretch}{1.5}\begin{tabular}{p{2in}l}",
        *rows,
        r"\end{tabular}\end{document}",
    )
    with TemporaryDirectory() as folder:
        Path(folder, "page.tex").write_text("\n".join(page), "utf-8")
        for command in (
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
            ["pdftoppm", "-r", "100", "-png", "-gray", "-singlefile", "page.pdf", "page"],
        ):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        PICTURE.write_bytes(Path(folder, "page.png").read_bytes())


if __name__ == "__main__":
    before = DOCUMENT.read_text("utf-8").partition(BEGIN)[0]
    DOCUMENT.write_text(f"{before}{BEGIN}\n\n{table()}\n", "utf-8")
    if "--picture" in sys.argv:
        picture()
