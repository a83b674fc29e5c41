"""What can be written in matrix notation: signs, functions and constants, one sentence each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from eggrad.engine.terms.functions import ELEMENTWISE
from eggrad.engine.terms.functions import FUNCTIONS as RECORDS
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.frontend.matrix.functions import FUNCTIONS
from eggrad.frontend.text.words import MATRIX_WORDS


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
# What the records do not say.
_SENTENCES: Final[Mapping[str, str]] = {
    "sinh": "The hyperbolic sine of every entry.",
    "cosh": "The hyperbolic cosine of every entry.",
    "sqrt": "The square root of every entry.",
    "arctanh": "The inverse hyperbolic tangent of every entry.",
    "log1p": "The logarithm log(1 + x) of every entry x.",
    "expm1": "The difference exp(x) - 1 of every entry x.",
    "sigmoid": "The logistic function 1/(1 + exp(-x)) of every entry x.",
    "softplus": "The smooth ramp log(1 + exp(x)) of every entry x.",
    "max": "The greatest entry; of two tensors the greater of each pair of entries.",
    "min": "The least entry; of two tensors the lesser of each pair of entries.",
    "sum": "The sum of all entries; sum(A, 1) of each column, sum(A, 2) of each row.",
    "colmax": "The greatest entry of each column.",
    "colmin": "The least entry of each column.",
    "rowmax": "The greatest entry of each row.",
    "rowmin": "The least entry of each row.",
    "logabsdet": "The logarithm of the absolute value of the determinant.",
    "signdet": "The sign of the determinant: -1, 0 or 1.",
    "inv": "The inverse of a matrix.",
    "adj": "The adjugate of a matrix: its determinant times its inverse.",
    "outer": "The matrix x*y' of the products of the entries of two vectors.",
    "kron": "The Kronecker product; it needs sizes that are numbers.",
    "vec": "The columns of a matrix one below the other; it needs sizes that are numbers.",
    "norm": "The length of a vector, the root of the sum of squares.",
}
_MATRICES: Final = frozenset(
    {"tr", "trace", "det", "logdet", "logabsdet", "signdet", "inv", "adj", "diag", "vec", "normF"}
    | {"colmax", "colmin", "rowmax", "rowmin", *STACK_FUNCTIONS}
)
_EXAMPLES: Final[Mapping[str, str]] = {
    "outer": "outer(x, y)",
    "kron": "kron(A, B)",
    "where": "where(greater(x, 0), x, y)",
    "sum": "sum(A.*B)",
    "tr": "tr(A*X*B)",
    "trace": "trace(A*X*B)",
    "logdet": "logdet(S)",
    "inv": "x'*inv(A)*x",
    "norm": "norm(A*x - b)^2",
    "norm2": "norm2(A*x - b)^2",
    "softmax": "y'*softmax(A*x)",
    "relu": "sum(relu(A*x + b))",
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
            yield Entry("function", name, sentence_of(name), _example(name))
    for name, (sentence, example) in CONSTANTS.items():
        yield Entry("constant", name, sentence, example)


def sentence_of(name: str) -> str:
    """What a function is, in a sentence: as its record says, or its own description.

    >>> sentence_of("tanh")
    'The hyperbolic tangent of every entry.'
    """
    # A table of functions may have sentences of its own.
    found = getattr(FUNCTIONS[name], "sentence", "") or _SENTENCES.get(name)
    if found:
        return found
    record = _OPERATIONS.get(name) or STACK_FUNCTIONS.get(name)
    return record.sentence if record else (FUNCTIONS[name][0].__doc__ or "").splitlines()[0]


_OPERATIONS: Final = {MATRIX_WORDS.get(f, f): RECORDS[f] for f in ELEMENTWISE}


def _example(name: str) -> str:
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if name in _MATRICES:
        return f"{name}(A)"
    operation = _OPERATIONS.get(name)
    return f"{name}({', '.join('xyz'[: operation.arity if operation else 1])})"
