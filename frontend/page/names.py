"""The names in a formula that could not be read: those whose sizes a reader may have to say."""

import re
from typing import Final

from eggrad.frontend.printing.latex import latex_name

# Words in braces that are no names, and what is made bold or the like, which is one.
_UPRIGHT: Final = re.compile(r"\\(?:operatorname\*?|text|mathrm|begin|end)\s*\{[^{}]*\}")
_STYLED: Final = re.compile(r"\\(?:math\w+|bold\w*|bm|vec|hat|bar|tilde)\s*\{\s*([^{}]*)\}")
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")
_LATEX_NAME: Final = re.compile(r"([^\W\d_]+)\s*(?:_\{?(\d+)\}?)?")
_WORD: Final = re.compile(r"(?<![\w.])([^\W\d]\w*)(?!\w|\s*\(|\.\w+\()")
# A function is one where it is called: `beta` alone is a variable.
_KNOWN: Final = {"e", "pi", "np"}
_INDEXED: Final = re.compile(r"(?<![\w_])([^\W\d_]+\d*)(?=_)")


def names_in(text: str, notation: str) -> list[str]:
    r"""The names of variables that a text in some notation seems to have, in order.

    >>> names_in("kron(A, B) + sum(x_1)", "matrix")
    ['A', 'B', 'x_1']
    >>> names_in(r"\operatorname{vec}(\Sigma X)^\top \mathbf{w}", "latex")
    ['Sigma', 'X', 'w']
    """
    if notation in ("einsum", "elementwise", "json"):
        # They declare theirs.
        return []
    if notation == "latex":
        found = _in_latex(text)
    elif notation == "index":
        found = _INDEXED.findall(text)
    else:
        found = _WORD.findall(text)
    return [name for name in dict.fromkeys(found) if name not in _KNOWN]


def _in_latex(text: str) -> list[str]:
    text = _STYLED.sub(r" \1 ", _UPRIGHT.sub(" ", text))
    text = re.sub(r"\^\s*\{?\s*(?:T|\\top|\\intercal)\b\s*\}?", " ", text)
    spelt = _COMMAND.sub(lambda m: f" {m[1]} " if _is_greek(m[1]) else " ", text)
    found: list[str] = []
    for word, number in _LATEX_NAME.findall(re.sub(r"_\{?[^\W\d]+\}?", " ", spelt)):
        # Letters side by side are factors.
        *factors, last = [word] if _is_greek(word) else [*word]
        found += [*factors, f"{last}_{number}" if number else last]
    return found


def _is_greek(word: str) -> bool:
    return latex_name(word) == rf"\{word}"
