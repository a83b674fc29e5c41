"""What the names of a formula are where nobody says it: scalars, columns or matrices.

A name that begins with a capital letter is a matrix, any other a scalar or a column. Of all ways
to read the formula those remain in which every operator has operands of fitting kinds; only
numbers, not scalar variables, are added to vectors and matrices, and a scalar's name stands
before what it multiplies.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Final

from eggrad.engine.errors import ParseError
from eggrad.engine.terms.operations import EXTREMES
from eggrad.frontend.formulas.functions import Known
from eggrad.frontend.formulas.places import kept_axes
from eggrad.frontend.formulas.syntax import Line
from eggrad.frontend.text.phrases import Phrase

MAX_NAMES: Final = 12
_ORDERS: Final = {"scalar": 0, "column": 1, "matrix": 2}
_TURNED: Final = {"column": "row", "row": "column", "matrix": "matrix"}
_PRODUCTS: Final = {
    ("column", "row"): "matrix",
    ("row", "column"): "scalar",
    ("matrix", "matrix"): "matrix",
    ("matrix", "column"): "column",
    ("row", "matrix"): "row",
}
_TENSORS: Final = ("column", "row", "matrix")
_NUMERIC: Final = ("number", "scalar")


def inferred_orders(
    text: str, lines: Sequence[Line], functions: Mapping[str, Known]
) -> dict[str, int]:
    """The number of axes of each name; raises `ParseError` where that is not certain.

    >>> from eggrad.frontend.formulas.functions import known_functions
    >>> from eggrad.frontend.matrix.syntax import read
    >>> inferred_orders("", read("norm2(A*x - y)^2"), known_functions(()))
    {'A': 2, 'x': 1, 'y': 1}
    """
    defined = {str(line.name) for line in lines[:-1]}
    names = list(dict.fromkeys(n for p in lines for n in _names(p.body) if n not in defined))
    unsure = [n for n in names if not n[0].isupper()]
    if len(unsure) > MAX_NAMES:
        raise ParseError(f"these names need declared dims: {', '.join(unsure)}", text, 0)
    readings: list[dict[str, str]] = []
    for kinds in product(("scalar", "column"), repeat=len(unsure)):
        known = dict.fromkeys(names, "matrix") | dict(zip(unsure, kinds, strict=True))
        if _fits(known, lines, functions):
            readings.append(known)
    if len(readings) == 1:
        return {name: _ORDERS[kind] for name, kind in readings[0].items()}
    if not readings:
        raise ParseError(
            "declare the dims: where capital letters are matrices and others scalars or columns, "
            "this cannot be read",
            text,
            0,
        )
    listed = "; ".join(", ".join(f"{n} a {k}" for n, k in r.items()) for r in readings[:4])
    more = f"; and {len(readings) - 4} more" if len(readings) > 4 else ""
    raise ParseError(f"declare the dims: this can be read with {listed}{more}", text, 0)


def _names(phrase: Phrase) -> Iterator[str]:
    """The names in a phrase, but for sizes and the T of a transpose."""
    stack = [phrase]
    while stack:
        p = stack.pop()
        if p.what == "use":
            yield str(p.token)
        stack.extend(reversed(_operands(p)))


def _operands(phrase: Phrase) -> tuple[Phrase, ...]:
    """The operands that are no sizes, and not the T of a transpose."""
    if phrase.what == "call" and phrase.token in ("eye", "ones", "zeros", "size", "unit"):
        return ()
    first_alone = phrase.what == "call" and phrase.token in ("vector", "matrix")
    if first_alone or (phrase.what == "POWER" and _is_transpose(phrase)):
        return phrase.operands[:1]
    return phrase.operands


def _is_transpose(power: Phrase) -> bool:
    return power.operands[1].what == "use" and power.operands[1].token == "T"


def _fits(known: Mapping[str, str], lines: Sequence[Line], functions: Mapping[str, Known]) -> bool:
    names = dict(known)
    for line in lines:
        kind = _kind(line.body, names, functions)
        if kind is None:
            return False
        names[str(line.name)] = kind
    return True


def _kind(root: Phrase, names: Mapping[str, str], functions: Mapping[str, Known]) -> str | None:
    """The kind of a phrase; None where an operator has no such operands."""
    done: list[str | None] = []
    stack: list[tuple[Phrase, bool]] = [(root, False)]
    while stack:
        phrase, ready = stack.pop()
        operands = _operands(phrase)
        if operands and not ready:
            stack.append((phrase, True))
            stack.extend((o, False) for o in reversed(operands))
            continue
        args = done[len(done) - len(operands) :]
        del done[len(done) - len(operands) :]
        known = [a for a in args if a is not None]
        done.append(_result(phrase, known, names, functions) if len(known) == len(args) else None)
    return done.pop()


def _result(
    phrase: Phrase, args: Sequence[str], names: Mapping[str, str], functions: Mapping[str, Known]
) -> str | None:
    match phrase.what:
        case "number" | "pi":
            return "number"
        case "use":
            return names[str(phrase.token)]
        case "natural power":
            return None if args[0] == "matrix" else _entrywise(args[0])
        case "negate" | "group":
            return args[0]
        case "TRANSPOSE":
            return _TURNED.get(args[0])
        case "POWER" if len(args) == 1:
            return _TURNED.get(args[0])
        case "indexed":
            return _indexed(args[0], kept_axes(phrase.token))
        case "norm":
            matrix = phrase.sizes and phrase.sizes[0] in ("F", "*", "max")
            return "scalar" if args[0] != "matrix" or matrix else None
        case "call":
            return _called(phrase, args, functions)
        case "TIMES" if args[0] in _TENSORS and phrase.operands[1].what == "use":
            # A scalar's name stands before what it multiplies.
            return None if args[1] == "scalar" else _times(*args)
        case operator:
            return _OPERATORS.get(operator, _alike)(*args)


def _indexed(kind: str, kept: tuple[bool, ...]) -> str | None:
    if kind == "matrix" and len(kept) == 2:
        return {(True, True): "matrix", (True, False): "column", (False, True): "row"}.get(
            (kept[0], kept[1]), "scalar"
        )
    return (kind if kept[0] else "scalar") if kind in ("column", "row") and len(kept) == 1 else None


def _called(phrase: Phrase, args: Sequence[str], functions: Mapping[str, Known]) -> str | None:
    name, count = str(phrase.token), len(args)
    match name:
        case "size":
            return "scalar"
        case "vector" | "matrix":
            return ("column" if name == "vector" else name) if args[0] in _NUMERIC else None
        case "eye":
            return "matrix"
        case "unit":
            return "column"
        case "ones" | "zeros":
            return "column" if len(phrase.operands) == 1 else "matrix"
        case "kron" | "⊗":
            known = all(a in _TENSORS for a in args)
            return (args[0] if args[0] == args[1] else "matrix") if known else None
        case "norm" if count == 2:
            return "scalar" if args[0] in ("column", "row") else None
    kinds = functions[name].kinds
    if kinds is None or (name in EXTREMES and count == 2):
        return _entrywise(reduce(lambda a, b: (a and b and _alike(a, b)) or "", args)) or None
    if functions[name].least == count == 2:
        return kinds.get(args[0]) if args[1] in kinds else None
    if count == 2:
        wanted = "row" if phrase.operands[1].token == "1" else "column"
        return wanted if args[0] == "matrix" else None
    return kinds.get(args[0])


def _entrywise(kind: str) -> str:
    return "scalar" if kind == "number" else kind


def _alike(a: str, b: str) -> str | None:
    if "number" in (a, b):
        return b if a == "number" else a
    return a if a == b else None


def _times(a: str, b: str) -> str | None:
    if a in _NUMERIC or b in _NUMERIC:
        return _alike(a, b) or (b if a == "scalar" else a)
    return _PRODUCTS.get((a, b))


def _entries(a: str, b: str) -> str | None:
    found = _alike(a, b)
    return found if found in _TENSORS or (a, b) == ("number", "number") else None


def _over(a: str, b: str) -> str | None:
    if b not in _NUMERIC:
        return None
    return "scalar" if a == "number" and b == "scalar" else a


def _power(a: str, b: str) -> str | None:
    if a == "matrix":
        return a if b == "number" else None
    return _alike(a, b) if a in _NUMERIC and b in _NUMERIC else None


def _entries_power(a: str, b: str) -> str | None:
    return a if a in _TENSORS and b in _NUMERIC else _entries(a, b)


_OPERATORS: Final[dict[str, Callable[[str, str], str | None]]] = {
    "TIMES": _times,
    "DIVIDE": _over,
    "DOT_TIMES": _entries,
    "DOT_DIVIDE": _entries,
    "POWER": _power,
    "DOT_POWER": _entries_power,
}
