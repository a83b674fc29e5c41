"""Formulas as texts of the matrix language, which reads them back."""

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from itertools import count
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.printing.formulas import Form, turned
from eggrad.frontend.printing.matrix_form import form_of
from eggrad.frontend.text.precedence import Text, bracketed, levels

__all__ = ["Line", "Style", "format_matrix", "written"]

_SUM, _PRODUCT, _POWER, _TRANSPOSE, _ATOM = levels("matrix")
# How tightly each operator binds, and its sign.
_OPERATORS: Final = {
    "add": (_SUM, " + "),
    "subtract": (_SUM, " - "),
    "times": (_PRODUCT, "*"),
    "multiply": (_PRODUCT, ".*"),
    "divide": (_PRODUCT, "/"),
    "divide_entries": (_PRODUCT, "./"),
    "power": (_POWER, "^"),
    "power_entries": (_POWER, ".^"),
}
# A part that occurs again is named where that saves so many letters.
WORTH_NAMING: Final = 6


Style = Callable[[Form, Sequence[Text]], Text]
"""What writes a form, given the texts of its operands."""

Line = tuple[str, str]
"""The name of a part, and its text."""


def format_matrix(root: Term, scope: Sequence[Term] = ()) -> str:
    """The shortest way found to write a term of at most two axes; a vector may be a row.

    Parts that occur more than once have names where that is shorter. Raises
    `UnsupportedOperation` for a term that has a part with more than two axes.

    >>> from eggrad.engine.terms.term import einsum, subtract, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> residual = subtract(einsum("ij,j->i", A, x), variable("y", ("m",)))
    >>> format_matrix(einsum("ij,i->j", A, residual))
    "A'*(A*x - y)"
    """
    return "".join(
        f"{name} = {text}; " if name else text for name, text in written(root, _joined, scope)
    )


def written(root: Term, style: Style, scope: Sequence[Term] = ()) -> list[Line]:
    """The lines in which a style writes a term: named parts first, the whole without a name.

    `scope` are further variables, whose names no part gets.
    """
    users = Counter(a for node in postorder(root) for a in node.args)
    forms: dict[Term, Form] = {}
    for node in postorder(root):
        form = form_of(node, forms)
        forms[node] = replace(form, shared=True) if users[node] > 1 and form.args else form
    if root.op == "indicator" and not forms[root].text and not forms[root].args:
        raise UnsupportedOperation("conditions on indices have no matrix notation")
    taken = {*(v.name for v in variables(root, *scope)), *symbols(root)}
    wanted = [forms[root], turned(forms[root])] if root.order == 1 else [forms[root]]
    texts = (_lines(form, taken, style) for form in wanted)
    return min(texts, key=lambda lines: sum(len(text) for _, text in lines))


def _lines(root: Form, taken: Set[str], style: Style) -> list[Line]:
    """The definitions of named parts, and the text of a form."""
    # A loop, because forms are as deep as terms.
    order: list[Form] = []
    uses: Counter[int] = Counter()
    stack = [(root, False)]
    while stack:
        form, ready = stack.pop()
        if ready:
            order.append(form)
            continue
        uses[id(form)] += 1
        if uses[id(form)] == 1:
            stack.append((form, True))
            stack.extend((a, False) for a in reversed(form.args))
    names = (name for k in count(1) if (name := f"t{k}") not in taken)
    done: dict[int, Text] = {}
    definitions: list[Line] = []
    for form in order:
        text, level = style(form, [done[id(a)] for a in form.args])
        times = uses[id(form)]
        if form.args and (times - 1) * len(text) > 2 * times + WORTH_NAMING:
            name = next(names)
            definitions.append((name, text))
            text, level = style(Form("name", text=name), ())
        done[id(form)] = text, level
    return [*definitions, ("", done[id(root)][0])]


def _joined(form: Form, args: Sequence[Text]) -> Text:
    match form.op:
        case "name":
            return form.text, _ATOM
        case "number":
            return form.text, _ATOM
        case "call":
            name = (form.function and form.function.matrix) or form.text
            return f"{name}({', '.join(text for text, _ in args)})", _ATOM
        case "index":
            return f"{bracketed(args[0], _ATOM)}{form.text}", _ATOM
        case "transpose":
            return f"{bracketed(args[0], _TRANSPOSE)}'", _TRANSPOSE
        case "negate":
            return f"-{bracketed(args[0], _PRODUCT)}", _SUM
        case "power" | "power_entries":
            level, sign = _OPERATORS[form.op]
            return f"{bracketed(args[0], _TRANSPOSE)}{sign}{_exponent(args[1])}", level
        case operator:
            level, sign = _OPERATORS[operator]
            left, right = args
            # A sum within a sum needs no brackets, and a multiple's number none around the rest.
            whole = operator == "times" and form.args[0].op == "number" and right[1] == _PRODUCT
            added = operator == "add" and not right[0].startswith("-")
            least = level if added or whole else level + 1
            return f"{bracketed(left, level)}{sign}{bracketed(right, least)}", level


def _exponent(part: Text) -> str:
    text, level = part
    atom = level == _ATOM or (text.startswith("-") and text[1:].replace(".", "").isdigit())
    return text if atom else f"({text})"
