"""Names of matrix notation cut into tokens: `x'Ax` has the name `Ax`, or the names A and x.

Which names there are decides that, and whether brackets behind a name are those of a function.
"""

from collections.abc import Collection, Iterator, Sequence

from lark import Token

from eggrad.frontend.formulas.names import is_word, may_be_product, splits
from eggrad.frontend.text.errors import TextQuestion, TextUnknownVariable
from eggrad.frontend.text.words import offset_of

_POWERS = ("POWER", "DOT_POWER", "RAISED", "DOT_RAISED")


def with_names(
    text: str, cut: Sequence[Token], names: Collection[str] | None, functions: Collection[str]
) -> Iterator[Token]:
    """The tokens with names apart; `names` are those of variables, None where nobody says them.

    >>> from eggrad.frontend.matrix.syntax import read
    >>> [p.token.value for p in read("Ax", ["A", "x"])[0].body.operands]
    ['A', 'x']
    """
    known = names or ()
    following = (*cut[1:], Token("END", ""))[: len(cut)]
    # `e` that stands elsewhere than below an exponent is a variable, where nobody says what is one.
    bare = names is None and any(
        t == "e" and after.type not in _POWERS for t, after in zip(cut, following, strict=True)
    )
    for token, after in zip(cut, following, strict=True):
        name = str(token)
        if token.type != "NAME" or name in known:
            yield token
        elif name in functions:
            yield Token.new_borrow_pos("FUNCTION", name, token)
        elif name in ("pi", "π") or (name == "e" and not bare):
            yield Token.new_borrow_pos("EULER" if name == "e" else "PI", name, token)
        else:
            ways = splits(name, known)
            if len(ways) > 1:
                readings = " or ".join("*".join(way) for way in ways)
                raise TextUnknownVariable(
                    f"{name!r} is {readings}; write the signs", text, offset_of(token)
                )
            if names is None and not ways and may_be_product(name):
                raise TextQuestion(
                    f"{name!r} is one name, or {'*'.join(name)}; write the signs, or say which "
                    "variables there are",
                    text,
                    offset_of(token),
                )
            start = offset_of(token)
            kind = "CALLED" if after.type == "LPAR" else "WORD" if is_word(name) else "NAME"
            for part in ways[0] if ways else [name]:
                yield Token("NAME" if ways else kind, part, start)
                start += len(part)
