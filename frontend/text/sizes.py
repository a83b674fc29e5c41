"""Which sizes are the same, and what operands of one operation have to agree on.

Texts in which axes have no names make symbols equal: an integer wins over symbols, and the symbol
mentioned first over later ones. Elsewhere two symbols are two sizes; one that begins with `?` is
not known yet and becomes what it meets.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, count
from math import gcd
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.affine import (
    AffineForm,
    as_size,
    coefficient,
    form,
    is_simple,
    plus,
    resized,
    resized_dims,
    size_form,
    size_symbols,
    times,
)
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms.term import Term, substitute_sizes

Clash = tuple[tuple[Size, int | None], tuple[Size, int | None]]
"""Two sizes that should be equal and are not, each with the place that gave it, if one is known."""


class SizeClasses:
    """A union-find over axis sizes; a size is known by the number that it was given here.

    >>> classes = SizeClasses()
    >>> m, n, three = classes.named("m"), classes.named("n"), classes.integer(3, place=7)
    >>> classes.unify(n, m), classes.size(n)
    (None, 'm')
    >>> classes.unify(three, n), classes.size(m)
    (None, 3)
    >>> classes.unify(m, classes.integer(4, place=9))
    ((3, 7), (4, 9))
    """

    def __init__(self) -> None:
        """Begin without any size."""
        self._parents: list[int] = []
        self._symbols: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._integers: dict[int, tuple[int, int]] = {}

    def fresh(self) -> int:
        """A size of which nothing is known."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def named(self, symbol: str) -> int:
        """The size with that symbol; the same number for the same symbol."""
        found = self._symbols.get(symbol)
        if found is None:
            found = self._symbols[str(symbol)] = self.fresh()
            self._names[found] = str(symbol)
        return found

    def integer(self, value: int, place: int) -> int:
        """A size known to be `value`; `place` says where, for the message of a clash."""
        number = self.fresh()
        self._integers[number] = (value, place)
        return number

    def given(self, size: Size, place: int) -> int:
        """A size that is a symbol or an integer."""
        return self.named(size) if isinstance(size, str) else self.integer(size, place)

    def find(self, number: int) -> int:
        """The representative of a class: the number of the symbol that names it, if one does."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def unify(self, a: int, b: int) -> Clash | None:
        """Make two sizes equal; two different integers are left as they are and returned.

        So is one that is made of others, unless the other is a symbol that it is not made of.
        """
        first, second = self.find(a), self.find(b)
        if first == second:
            return None
        made = [i for i in (first, second) if not is_simple(self._names.get(i, 0))]
        if made:
            return self._replace(second if made[0] == first else first, made[0])
        one, other = self._integers.get(first), self._integers.get(second)
        if one and other and one[0] != other[0]:
            return one, other
        named = self._names.keys()
        keep, drop = sorted((first, second), key=lambda i: (i not in named, i))
        self._parents[drop] = keep
        value = one or other
        if value:
            self._integers[keep] = value
        return None

    def _replace(self, number: int, made: int) -> Clash | None:
        """Let a class be one that is made of others, if it can be."""
        size, other = self.size(made), self.size(number)
        if size is None or isinstance(other, int) or (other and other in size_symbols(size)):
            return (size or 0, None), (other or 0, None)
        if other and not is_simple(other) and other != size:
            return (size, None), (other, None)
        self._parents[number] = made
        return None

    def size(self, number: int) -> Size | None:
        """What a class is called: an integer, a symbol, or nothing yet."""
        root = self.find(number)
        if root in self._integers:
            return self._integers[root][0]
        name = self._names.get(root)
        if name is None or is_simple(name):
            return name
        known: dict[Size, Size] = {s: self.size(self.named(s)) or s for s in size_symbols(name)}
        return resized_dims((name,), known)[0]

    def name_free(self) -> None:
        """Call every class that has no name yet `n1`, `n2`, ... in the order of creation."""
        unused = (name for i in count(1) if (name := f"n{i}") not in self._symbols)
        for number in range(len(self._parents)):
            if self.size(number) is None:
                self._names[self.find(number)] = next(unused)

    def renamed(self) -> dict[Size, Size]:
        """What each symbol has become, for those that changed."""
        found = {symbol: self.size(number) for symbol, number in self._symbols.items()}
        return {s: size for s, size in found.items() if size is not None and size != s}


def unify_sizes(pairs: Iterable[tuple[Size, Size]], what: str) -> dict[Size, Size]:
    """The replacements of symbols that make the two sizes of every pair equal.

    Integers win over symbols, the symbol mentioned first over later ones. Raises `ShapeError`,
    which begins with `what`, when two different integers would have to be equal.

    >>> unify_sizes([("m", "n"), ("n", 3)], "A + B")
    {'m': 3, 'n': 3}
    >>> unify_sizes([("m", 2), ("m", 3)], "A + B")
    Traceback (most recent call last):
    eggrad.engine.errors.ShapeError: A + B: size m would have to be both 2 and 3
    >>> unify_sizes([("n - 1", "m"), ("m", 4)], "A + B")
    {'m': 4, 'n': 5}
    """
    wanted = list(pairs)
    if not all(is_simple(size) for pair in wanted for size in pair):
        return _solved(wanted, what)
    classes = SizeClasses()
    for a, b in wanted:
        clash = classes.unify(classes.given(a, 0), classes.given(b, 0))
        if clash:
            (one, _), (other, _) = clash
            symbols = list(dict.fromkeys(s for s in (a, b) if isinstance(s, str)))
            if not symbols:
                raise ShapeError(f"{what}: sizes {one} and {other} would have to be equal")
            subject = f"size{'s' * (len(symbols) > 1)} {' and '.join(symbols)}"
            raise ShapeError(f"{what}: {subject} would have to be both {one} and {other}")
    return classes.renamed()


def _solved(pairs: Iterable[tuple[Size, Size]], what: str) -> dict[Size, Size]:
    """The same where sizes are made of others: one symbol of each equation goes."""
    found: dict[Size, Size] = {}
    for a, b in pairs:
        equation = resized(plus(size_form(a), times(-1, size_form(b))), found)
        if not equation:
            continue
        solution = _solution(equation, [s for s in (b, a) if is_simple(s)])
        if solution is None:
            raise ShapeError(f"{what}: sizes {a} and {b} would have to be equal")
        found = {s: resized_dims((d,), solution)[0] for s, d in found.items()} | solution
    return found


def _solution(equation: AffineForm, first: Sequence[Size]) -> dict[Size, Size] | None:
    """What a symbol has to be for a form to be 0, one of the `first` if that can be."""
    divisor = gcd(*(c for _, c in equation))
    equation = form((key, c // divisor) for key, c in equation)
    symbols = {str(key): c for key, c in equation if key}
    if len(symbols) == 1:
        ((symbol, c),) = symbols.items()
        number, rest = divmod(-coefficient(equation, ""), c)
        return None if rest or number < 0 else {symbol: number}
    for size in (*first, *reversed(symbols)):
        c = symbols.get(str(size), 0)
        if abs(c) == 1:
            rest = form(term for term in equation if term[0] != size)
            return {str(size): as_size(times(-c, rest))}
    return None


def unify(terms: Sequence[Term], pairs: Iterable[tuple[Size, Size]], what: str) -> tuple[Term, ...]:
    """The same terms with sizes replaced so that every pair is equal; see `unify_sizes`.

    >>> from eggrad.engine.terms.term import variable
    >>> x, y = unify([variable("x", ("n",)), variable("y", ("m",))], [("n", "m")], "x + y")
    >>> y.dims
    ('n',)
    """
    return substitute_sizes(terms, unify_sizes(pairs, what))


# Operands of one operation: sizes, and variables of one name -------------------------------

UNKNOWN: Final = "?"
"""What a symbol begins with that stands for any size, as in `?x_1`."""

_MOST_AXES: Final = 3


def unknown(size: Size) -> bool:
    """Whether a size becomes what it meets.

    >>> unknown("?x_1"), unknown("?x_1 - 1"), unknown("n"), unknown(3)
    (True, True, False, False)
    """
    return UNKNOWN in str(size) and any(s.startswith(UNKNOWN) for s in size_symbols(size))


def unknown_size(name: str, axis: int) -> str:
    """The size of an axis of a variable, counted from 0, of which nothing is known.

    >>> unknown_size("A", 0)
    '?A_1'
    """
    return f"{UNKNOWN}{name}_{axis + 1}"


def fitted_sizes(
    pairs: Iterable[tuple[Size, Size]], what: str, variables: Sequence[Term] = ()
) -> dict[Size, Size]:
    """The replacements that make the two sizes of every pair equal, where symbols are sizes.

    A size that is not known becomes the other one, and a symbol a number. Raises `ShapeError`,
    which begins with `what` and says which axes of `variables` have them, where two symbols or two
    numbers would have to be equal.

    >>> fitted_sizes([("?x_1", "n - 1"), ("m", 3)], "x + y")
    {'m': 3, '?x_1': 'n - 1'}
    >>> fitted_sizes([("n", "m")], "x + y")
    Traceback (most recent call last):
    eggrad.engine.errors.ShapeError: x + y: sizes n and m would have to be equal
    """
    found: dict[Size, Size] = {}
    # Numbers are known before symbols meet, which they may have made equal.
    for a, b in sorted(pairs, key=_certainty):
        one, other = resized_dims((a, b), found)
        equation = plus(size_form(one), times(-1, size_form(other)))
        if not equation:
            continue
        loose = [s for d in (one, other) for s in size_symbols(d) if s.startswith(UNKNOWN)]
        solution = None
        if loose or type(one) is int or type(other) is int:
            # The second first: of two unknown sizes the one mentioned first stays.
            solution = _solution(equation, loose[::-1])
        if solution is None or (loose and not solution.keys() & {*loose}):
            raise ShapeError(f"{what}: {_differing((a, b), (one, other), variables)}")
        found = {s: resized_dims((d,), solution)[0] for s, d in found.items()} | solution
    return found


def _certainty(pair: tuple[Size, Size]) -> int:
    if any(isinstance(d, int) for d in pair):
        return 0
    return 1 if any(map(unknown, pair)) else 2


def _differing(given: Dims, met: Dims, variables: Sequence[Term]) -> str:
    """That two sizes differ, what they are, and where they come from."""
    text = f"sizes {given[0]} and {given[1]} would have to be equal"
    for v, w in combinations(variables, 2):
        if v.name == w.name and given in {*zip(v.dims, w.dims, strict=True)}:
            text += f", for {v.name} is one variable"
            break
    changed = [f"{d} is {now}" for d, now in zip(given, met, strict=True) if d != now]
    # Of a size that no axis has it is said where the symbols are from of which it is made.
    sources = [s for d in given for s in ([d] if _places(d, variables) else size_symbols(d))]
    origins = [
        f"{s} is {places}" for s in dict.fromkeys(sources) if (places := _places(s, variables))
    ]
    return "; ".join([text, *changed, ", ".join(origins)]).rstrip("; ")


def _places(size: Size, variables: Sequence[Term]) -> str:
    """The axes that have a size, in words."""
    found = dict.fromkeys(
        f"axis {k} of {v.name}" for v in variables for k, d in enumerate(v.dims) if d == size
    )
    more = [f"{len(found) - _MOST_AXES} more"] if len(found) > _MOST_AXES else []
    return " and ".join([*list(found)[:_MOST_AXES], *more])


def agreed_sizes(
    variables: Iterable[Term], pairs: Iterable[tuple[Size, Size]], what: str, *, free: bool = False
) -> dict[Size, Size]:
    """The replacements that make each pair equal, and the axes of variables of one name.

    With `free` any two symbols are made equal, as `unify_sizes` does, else as `fitted_sizes`.
    Raises `ShapeError`, which begins with `what`, where that cannot be.

    >>> from eggrad.engine.terms.term import variable
    >>> agreed_sizes([variable("x", ("?",)), variable("x", ("n",))], [("n", 3)], "x + x")
    {'n': 3, '?': 3}
    """
    listed = tuple(variables)
    wanted = [(p, q) for p, q in pairs if p != q]
    known: dict[str, Term] = {}
    for v in listed:
        first = known.setdefault(v.name, v)
        if first is v:
            continue
        if first.order != v.order or first.data != v.data:
            raise ShapeError(
                f"{what}: {_described(first)} and {_described(v)} are two variables of one name; "
                "they need as many axes and the same assumptions"
            )
        wanted += [(p, q) for p, q in zip(first.dims, v.dims, strict=True) if p != q]
    if not wanted:
        return {}
    return unify_sizes(wanted, what) if free else fitted_sizes(wanted, what, listed)


def _described(variable: Term) -> str:
    assumed = variable.assumed
    words = "".join(f", {word}" for word in assumed)
    return f"{variable.name} with axes ({', '.join(str(d) for d in variable.dims)}){words}"
