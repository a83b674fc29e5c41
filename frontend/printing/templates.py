"""Texts of functions with places for their operands, as programs in any language have them."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from eggrad.engine.indices.precedence import Text, bracketed, levels

_SUM, _PRODUCT, *_, _ATOM = levels("python")
# What stands in brackets as an operand of anything.
_LOOSE: Final = -1
_NEGATED: Final = re.compile(r"-\w+\Z")
# A call of a function with each operand as an argument, once.
_CALL: Final = re.compile(r"[\w.]+\(\{\}(, (\{\}|\d+))*\)\Z")


def filled(template: str, args: Sequence[Text], named: Callable[[str], str]) -> Text:
    """The text with these operands; what it mentions twice is `named` first.

    >>> filled("{} > {}", [("a", _ATOM), ("b + 1", 0)], str)
    ('a > (b + 1)', -1)
    """
    if len(args) == 1 and _NEGATED.match(args[0][0]) and "-{}" in template:
        # Two signs are none.
        template, args = template.replace("-{}", "{}"), [(args[0][0][1:], _ATOM)]
    if _CALL.match(template):
        return template.format(*(text for text, _ in args)), _ATOM
    often = [template.count(f"{{{k}}}") > 1 for k in range(len(args))]
    texts = [
        named(text) if twice and level < _ATOM else bracketed((text, level), _ATOM)
        for (text, level), twice in zip(args, often, strict=True)
    ]
    whole = template.format(*texts)
    return whole, _ATOM if _is_one_call(template) else _LOOSE


def binding(template: str) -> int:
    """How tightly the operator binds that is outside of all brackets, if there is one.

    >>> binding("np.exp({x} - 1)") == _ATOM, binding("det({0}) * inv({0})") == _PRODUCT
    (True, True)
    """
    depth, found = 0, _ATOM
    for sign in re.findall(r"[()\[\]]| [-+] | [*/] ", template):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(sign, 0)
        if sign.startswith(" ") and not depth:
            found = min(found, _SUM if sign.strip() in "+-" else _PRODUCT)
    return found


def _is_one_call(template: str) -> bool:
    """Whether the bracket after a name is closed at the end."""
    opened = re.match(r"[\w.]+\(", template)
    if not opened:
        return False
    depth = 1
    for place in range(opened.end(), len(template)):
        depth += {"(": 1, ")": -1}.get(template[place], 0)
        if not depth:
            return place == len(template) - 1
    return False
