"""Names that users choose, as generated code can have them: identifiers, strings and comments.

Nothing of a name is ever read as code, whatever is in it.
"""

import re
from collections.abc import Collection
from keyword import iskeyword
from typing import Final
from unicodedata import normalize

__all__ = ["escaped", "identifier", "is_text"]

_WORD: Final = re.compile(r"\w+")


def identifier(name: str, taken: Collection[str]) -> str:
    """A Python name like the given one that is not taken, and no word of Python's own.

    >>> identifier("x y", ()), identifier("lambda", ()), identifier("np", {"np"})
    ('v_x_y', 'lambda_', 'np_')
    """
    # Python itself reads names in this form: two spellings of one name would clash.
    own = normalize("NFKC", name)
    if not _WORD.fullmatch(own) or not own.isidentifier() or own.startswith("__"):
        own = "v_" + "".join(c if _WORD.match(c) and f"_{c}".isidentifier() else "_" for c in own)
    while own in taken or iskeyword(own):
        own += "_"
    return own


def escaped(text: str) -> str:
    r"""The text in one line within double quotes or a comment, odd characters as Python has them.

    >>> print(escaped('a"b\nc'))
    a\"b\nc
    """
    return "".join(
        f"\\{c}" if c in '\\"' else c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text
    )


def is_text(name: str) -> bool:
    r"""Whether a name can be written to a file: halves of surrogate pairs cannot.

    >>> is_text("x"), is_text("\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in name)
