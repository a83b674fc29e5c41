"""What can be written in matrix notation: signs, functions and constants, one sentence each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eggrad.frontend.formulas.functions import FUNCTIONS, OF_MATRICES


@dataclass(frozen=True)
class Entry:
    """A sign, a function or a constant: its name, what it is, and a formula that has it."""

    kind: str
    name: str
    sentence: str
    example: str


SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "+  -": ("The sum and the difference; a scalar is added to every entry.", "A*x + b - 1"),
    "*": ("The product of matrices, of a matrix and a vector, or with a scalar.", "A*B*x"),
    "a b": ("A product without a sign: a space stands between two names.", "2 A x"),
    ".*": ("The product of two tensors entry by entry.", "x.*y"),
    "/": ("The quotient; the divisor is a scalar.", "A*x/c"),
    "./": ("The quotient of two tensors entry by entry.", "x./y"),
    "^": ("A power of a scalar, or of a square matrix by an integer.", "c^3*x'*A^2*x"),
    ".^": ("A power of every entry.", "x.^2"),
    "'": ("The transpose, also written ᵀ.", "x'*A*x"),
    "‖ ‖": ("The length of a vector, the root of the sum of squares.", "‖A*x - b‖^2"),
    "| |": ("The determinant of a matrix, the absolute value of a scalar.", "log|A| + |c|"),
    "[ ]": ("An entry, a row, a column or a part; places count from 1.", "A[1,:]*x + y[2]"),
    "t = ...;": ("A name for a part, then the formula that has it.", "t = A*x - b; t'*t"),
    "e  pi": ("The numbers e and π, where no variable is called so.", "e^(-pi*c)"),
}  # fmt: skip
"""Signs, each with a sentence and an example."""

CONSTANTS: Final[Mapping[str, tuple[str, str]]] = {
    "eye": ("The identity matrix with so many rows.", "A - c*eye(3)"),
    "ones": ("A vector or a matrix whose entries are all 1.", "x'*ones(3)"),
    "zeros": ("A vector or a matrix whose entries are all 0.", "x + zeros(3)"),
    "unit": ("A column of the identity matrix: which one, and of how many rows.", "x'*unit(2, 3)"),
    "vector": ("A vector whose entries are all the same.", "x + vector(2, 3)"),
    "matrix": ("A matrix whose entries are all the same.", "A + matrix(2, 3, 3)"),
}  # fmt: skip
"""Constants, likewise."""
_EXAMPLES: Final[Mapping[str, str]] = {
    "outer": "outer(x, y)",
    "kron": "kron(A, B)",
    "where": "where(greater(x, 0), x, y)",
    "sum": "sum(A.*B)",
    "tr": "tr(A*X*B)",
    "logdet": "logdet(S)",
    "inv": "x'*inv(A)*x",
    "norm": "norm(A*x - b)^2",
    "norm2": "norm2(A*x - b)^2",
    "softmax": "y'*softmax(A*x)",
    "relu": "sum(relu(A*x + b))",
    "cross": "cross(x, y)",
    "prod": "prod(x[1:3])",
    "cumprod": "cumprod(x[1:3])",
}


def entries() -> Iterator[Entry]:
    """All that can be written, signs first.

    >>> [(e.sentence, e.example) for e in entries() if e.name == "det"]
    [('The determinant.', 'det(A)')]
    """
    for name, (sentence, example) in SIGNS.items():
        yield Entry("sign", name, sentence, example)
    for name in sorted(FUNCTIONS, key=str.lower):
        if name not in SIGNS:
            yield Entry("function", name, FUNCTIONS[name].sentence, _example(name))
    for name, (sentence, example) in CONSTANTS.items():
        yield Entry("constant", name, sentence, example)


def _example(name: str) -> str:
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    return f"{name}({'A' if name in OF_MATRICES else ', '.join('xyz'[: FUNCTIONS[name].least])})"
