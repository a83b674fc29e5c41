"""What to write instead, said with the words of the notation that somebody writes.

What computes with values knows no notation: its errors carry keys of advice, and whoever knows the
notation of a text fills the sentences in.
"""

from collections.abc import Mapping
from typing import Final, Literal

from eggrad.engine.errors import ShapeError

Advice = Literal[
    "left transposed", "right transposed", "other order", "product of entries", "one transposed",
    "quotient of entries", "powers of matrices", "powers of entries", "exponential of entries",
    "exponential of a matrix", "function of entries", "absolute values", "Frobenius",
    "norms of matrices", "index of a vector", "indices of a matrix", "size of a constant",
    "outer or Kronecker",
]  # fmt: skip
Words = Mapping[str, str]

_SENTENCES: Final[Mapping[Advice, str]] = {
    "left transposed": "; the left transposed fits: write {transpose} after it",
    "right transposed": "; the right transposed fits: write {transpose} after it",
    "other order": "; the other order fits",
    "product of entries": ", or {times} for the product of entries",
    "one transposed": "; transpose one of them with {transpose}",
    "quotient of entries": "; write {over} to divide entry by entry, {inverse} for the inverse of "
    "a matrix",
    "powers of matrices": ", as in {powers}; write {power} for the powers of entries",
    "powers of entries": "; write {power} for the powers of entries",
    "exponential of entries": "; the second is written {exp}",
    "exponential of a matrix": "; the first is written {expm}, the second {exp}",
    "function of entries": "; the second is written with {below} behind its name",
    "absolute values": "; the first is written {abs}, the second {norm}",
    "Frobenius": "; the first is written {frobenius}",
    "norms of matrices": "; eggrad knows Frobenius' norm, F, and the nuclear norm, *",
    "index of a vector": ", as in {entry}",
    "indices of a matrix": ", as in {entries}",
    "outer or Kronecker": "; the first is written {outer}, the second {kron}",
    "size of a constant": "; {sized}",
}
IN_MATRIX: Final[Words] = {
    "transpose": "'",
    "times": ".*",
    "over": "./",
    "inverse": "inv(B)",
    "powers": "A^2 or A^-1",
    "power": ".^",
    "exp": "exp(…)",
    "expm": "expm(…)",
    "below": "⊙",
    "abs": "abs(x)",
    "norm": "norm(x)",
    "frobenius": "normF(A)",
    "outer": "x*y'",
    "kron": "kron(x, y)",
    "entry": "x[3]",
    "entries": "A[1,2], A[1,:] or A[:,2]",
    "sized": "a size can follow, as in vector(1, n)",
}
"""The words of matrix notation, and of what has no other."""
IN_LATEX: Final[Words] = IN_MATRIX | {
    "transpose": r"^\top",
    "times": r"\odot",
    "over": r"\oslash",
    "inverse": "B^{-1}",
    "powers": "A^{2} or A^{-1}",
    "power": r"^{\odot 2}",
    "exp": r"\exp_\odot(…)",
    "expm": r"\operatorname{expm}(…)",
    "below": r"_\odot",
    "abs": r"\operatorname{abs}(x)",
    "norm": r"\|x\|",
    "frobenius": r"\|A\|_F",
    "outer": r"x y^\top",
    "kron": r"\operatorname{kron}(x, y)",
    "entry": "x_3",
    "entries": "A_{1,2}",
    "sized": r"a size stands below it, as in \mathbf{1}_n",
}
IN_INDEX: Final[Words] = IN_MATRIX | {
    "power": "f_i = x_i^2",
    "sized": "dims of the name on the left of an equals sign do",
}


# Advice where a text has two meanings.
_QUESTIONS: Final = frozenset(
    {"exponential of entries", "exponential of a matrix", "function of entries", "absolute values"}
    | {"Frobenius", "norms of matrices", "outer or Kronecker"}
)


class AdvisedShapeError(ShapeError):
    """Shapes that do not fit, and keys of what to write instead."""

    def __init__(self, reason: str, *advice: Advice) -> None:
        """Remember the keys; the message has the words of matrix notation."""
        super().__init__(reason + "".join(_SENTENCES[a].format_map(IN_MATRIX) for a in advice))
        self._reason = reason
        self._advice = advice

    @property
    def asks(self) -> bool:
        """Whether the text has two meanings with these shapes."""
        return not _QUESTIONS.isdisjoint(self._advice)

    def said(self, words: Words) -> str:
        r"""The message in the words of a notation.

        >>> error = AdvisedShapeError("+ of 2 x 1 and 1 x 2: the shapes differ", "one transposed")
        >>> print(error.said(IN_LATEX))
        + of 2 x 1 and 1 x 2: the shapes differ; transpose one of them with ^\top
        """
        return self._reason + "".join(_SENTENCES[a].format_map(words) for a in self._advice)
