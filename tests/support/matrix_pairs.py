"""Random pairs of matrix forms, many of them nearly singular: equal ones, and near misses.

A pair is an identity of matrix algebra at random matrices, within something larger; a near miss has
one number, sign, transpose or factor changed on one side, and differs by NumPy at values where all
is well conditioned. In matrix notation, so that what reads it has no part in what is written.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import numpy as np

import eggrad as eg

DIMS = {
    **dict.fromkeys("ABC", ("n", "n")),
    **dict.fromkeys("XY", ("m", "n")),
    **dict.fromkeys("UV", ("n", "k")),
    **dict.fromkeys("xy", ("n",)),
    "z": ("m",),
    "c": (),
}
# P, Q and R are square matrices, the others variables: left and right side.
SQUARE = (
    ("inv(P*Q)", "inv(Q)*inv(P)"),
    ("inv(P')", "inv(P)'"),
    ("inv(inv(P))", "P"),
    ("P*inv(P)*Q", "Q"),
    ("inv(P)*P*Q*inv(Q)*A", "A"),
    ("inv(P)*det(P)", "adj(P)"),
    ("inv(P)*(P + Q)*inv(Q)", "inv(P) + inv(Q)"),
    ("inv(P) - inv(Q)", "inv(P)*(Q - P)*inv(Q)"),
    ("inv(eye(n) + P*Q)*P", "P*inv(eye(n) + Q*P)"),
    ("inv(eye(n) + P)*P", "eye(n) - inv(eye(n) + P)"),
    ("inv(2*P)", "inv(P)/2"),
    ("inv(P + x*y')", "inv(P) - inv(P)*x*y'*inv(P)/(1 + y'*inv(P)*x)"),
    ("inv(P + U*V')", "inv(P) - inv(P)*U*inv(eye(k) + V'*inv(P)*U)*V'*inv(P)"),
    ("(P*Q)'", "Q'*P'"),
    ("(P + Q)*(P - Q)", "P*P - Q*Q - P*Q + Q*P"),
    ("pseudoinverse(inv(P))*Q", "P*Q"),
    ("P*pseudoinverse(P)*Q", "Q"),
    ("adj(P*Q)", "adj(Q)*adj(P)"),
)
RECTANGULAR = (
    ("inv(X'*X)*X'", "pseudoinverse(X)"),
    ("X'*inv(X*X')", "pseudoinverse(X)"),
    ("X*inv(X'*X)*X'*X", "X"),
    ("X*pseudoinverse(X)*X", "X"),
    ("pseudoinverse(X)*X*pseudoinverse(X)", "pseudoinverse(X)"),
    ("pseudoinverse(X')", "pseudoinverse(X)'"),
    ("pseudoinverse(pseudoinverse(X))", "X"),
    ("pseudoinverse(2*X)", "pseudoinverse(X)/2"),
    ("inv(X'*X + c*eye(n))*X'", "X'*inv(X*X' + c*eye(m))"),
    ("(X*pseudoinverse(X))'", "X*pseudoinverse(X)"),
    ("(X'*Y)'", "Y'*X"),
)
SCALAR = (
    ("det(P*Q)", "det(P)*det(Q)"),
    ("det(P')", "det(P)"),
    ("det(inv(P))", "1/det(P)"),
    ("det(P)*tr(inv(P))", "tr(adj(P))"),
    ("det(eye(n) + U*V')", "det(eye(k) + V'*U)"),
    ("det(P + x*y')", "det(P) + y'*adj(P)*x"),
    ("tr(P*Q*R)", "tr(R*P*Q)"),
    ("tr(P'*Q)", "sum(P .* Q)"),
    ("x'*inv(P)*y", "y'*inv(P')*x"),
    ("tr(inv(P)*Q*P)", "tr(Q)"),
    ("norm2(P*x)^2", "x'*P'*P*x"),
    ("det(inv(P)*Q*P)", "det(Q)"),
)
# Nearly singular ones are frequent: floating-point numbers lose half of their digits, or all.
MATRICES = (
    *("A", "B", "C", "A'", "(A*B)", "(A + B)", "(2*A - C)"),
    "(x*y' + 1e-6*eye(n))",
    "(A'*A + 1e-8*eye(n))",
    "(1e-5*A)",
    "(x*x' + 1e-9*B)",
    "(eye(n) - 0.999999*ones(n, n)/3 + 1e-7*B)",
    "(ones(n, n) + 1e-7*A)",
    "(U*V' + 1e-4*C)",
)


@dataclass(frozen=True)
class MatrixPair:
    """Two formulas, and whether they are equal."""

    left: str
    right: str
    equal: bool

    def read(self) -> tuple[eg.Expression, eg.Expression]:
        dims = {n: d for n, d in DIMS.items() if n in _names(self.left + " " + self.right)}
        left, right = (
            eg.parse_matrix(text, {n: d for n, d in dims.items() if n in _names(text)})
            for text in (self.left, self.right)
        )
        return left, right


def _names(text: str) -> set[str]:
    for word in ("pseudoinverse", "inv", "det", "adj", "tr", "eye", "ones", "sum", "norm2"):
        text = text.replace(word, "")
    return set(text)


def matrix_pair(random: Random) -> MatrixPair:
    """An identity at random matrices, within something larger."""
    family = random.choice((SQUARE, SQUARE, RECTANGULAR, SCALAR))
    left, right = random.choice(family)
    for name in "PQR":
        matrix = random.choice(MATRICES)
        left, right = (text.replace(name, matrix) for text in (left, right))
    if random.random() < 0.5:
        left, right = right, left
    if family is SQUARE:
        around = random.choice(("{}", "{}", "x'*({})*y", "tr(({})*B)", "({})*U", "({})' + C"))
    elif family is SCALAR:
        around = random.choice(("{}", "{}", "({})*x", "({})^2", "exp(-({}))"))
    else:
        around = "{}"
    return MatrixPair(around.format(left), around.format(right), equal=True)


def near_miss(random: Random) -> MatrixPair:
    """A pair like the above with something changed on one side."""
    while True:
        pair = matrix_pair(random)
        missed = random.choice([*_changed(pair.right)])
        found = MatrixPair(pair.left, missed, equal=False)
        if _clearly_differ(found):
            return found


def _changed(text: str) -> Iterator[str]:
    yield f"2*({text})"
    yield f"1.001*({text})"
    yield f"-({text})"
    for old, new in ((" + ", " - "), (" - ", " + "), ("'", ""), ("inv(", "2*inv("), ("1/", "2/")):
        places = [k for k in range(len(text)) if text.startswith(old, k)]
        for k in places:
            yield text[:k] + new + text[k + len(old) :]
    for old, new in ("AB", "BA", "xy", "yx", "UV"):
        if old in text:
            yield text.replace(old, new, 1)


def _clearly_differ(pair: MatrixPair) -> bool:
    """Whether both sides are defined at some random values, and differ by more than rounding."""
    try:
        left, right = pair.read()
    except eg.EggradError:
        return False
    if left.shape != right.shape:
        return False
    for seed, sizes in enumerate(({"n": 3, "m": 3, "k": 2}, {"n": 2, "m": 4, "k": 3}) * 2):
        rng = np.random.default_rng(seed)
        values = {n: rng.normal(size=[sizes[str(s)] for s in d]) for n, d in DIMS.items()}
        a, b = (
            f.evaluate({v.name: values[v.name] for v in f.variables}, reference=True)
            for f in (left, right)
        )
        if np.isfinite([a, b]).all() and np.abs(a - b).max() > 1e-4 * np.abs([a, b]).max():
            return True
    return False
