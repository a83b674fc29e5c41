"""LaTeX in: from text to an expression."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import Function
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.matrix import functions, values
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import Known, known_functions
from eggrad.frontend.matrix.parser import Reader, problem_of
from eggrad.frontend.formulas.values import MatrixValue
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.words import offset_of
from eggrad.frontend.typeset.below import places
from eggrad.frontend.typeset.sums import Sums
from eggrad.frontend.typeset.syntax import read
from eggrad.frontend.typeset.tokens import plain_words

# What is written otherwise than in matrix notation, whose advice is in the messages.
_ADVICE: Final = (
    ("write ' after it", r"write ^\top after it"),
    ("transpose one of them with '", r"transpose one of them with ^\top"),
    (", or .* for the product of entries", r", or \odot for the product of entries"),
    (
        "write ./ to divide entry by entry, inv(B) for the inverse of a matrix",
        r"write \oslash to divide entry by entry, B^{-1} for the inverse of a matrix",
    ),
    (", as in A[1,2], A[1,:] or A[:,2]", ", as in A_{1,2}"),
    (", as in x[3]", ", as in x_3"),
    ("as in A^2 or A^-1", "as in A^{2} or A^{-1}"),
    ("write .^ for the powers of entries", r"write ^{\odot 2} for the powers of entries"),
    ("a size can follow, as in vector(1, n)", r"a size stands below it, as in \mathbf{1}_n"),
    ("the second is written exp(…)", r"the second is written \exp(…)"),
    ("; a product is written", "; a product of it is written"),
)


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a formula in LaTeX says, with nothing to differentiate by.

    See `eggrad.parse_latex`; `declared` are further functions.
    """
    known = known_functions(declared)
    if dims is None:
        names = ", ".join(_names(read(text, (), known, ())[1]))
        if names:
            raise UnsupportedOperation(
                f"LaTeX says of no name how many axes it has: give the dims of {names}, such as "
                '"A: m n, x: n, c:"'
            )
    shapes = completed_dims(dims or {}, assume)
    scalars = [name for name, sizes in shapes.items() if not sizes]
    definitions, phrase = read(text, shapes, known, scalars)
    try:
        return problem_of(_Reader(text, shapes, assume, known), definitions, phrase)
    except ParseError as error:
        raise _translated(error) from error


def _names(root: Phrase) -> list[str]:
    """The names that a phrase uses, in their order."""
    found: dict[str, None] = {}
    stack = [root]
    while stack:
        phrase = stack.pop()
        if phrase.what == "use":
            found[str(phrase.token)] = None
        stack.extend(reversed(phrase.operands))
    return list(found)


def _translated(error: ParseError) -> ParseError:
    """The same with the advice that LaTeX needs."""
    reason = error.reason
    for matrix, latex in _ADVICE:
        reason = reason.replace(matrix, latex)
    if reason == error.reason:
        return error
    before = error.text.split("\n")[: error.line - 1]
    offset = sum(len(line) + 1 for line in before) + error.column - 1
    return type(error)(reason, error.text, offset, error.expected)


class _Reader(Reader):
    """Looks names up and applies operators, those of LaTeX as well."""

    def __init__(
        self,
        text: str,
        dims: Mapping[str, Dims],
        assume: Mapping[str, Iterable[str]],
        known: Known,
    ) -> None:
        """See `Reader`."""
        super().__init__(text, dims, assume, known)
        self._numbers = count(1)

    def _operands(self, phrase: Phrase) -> tuple[Phrase, ...]:
        match phrase.what:
            case "sum" | "extreme" | "constant":
                return ()
            case "below" if phrase.operands[0].what == "constant":
                return ()
            case "below" if phrase.operands[0].what == "norm":
                return phrase.operands[0].operands
            case _:
                return super()._operands(phrase)

    def computed(self, phrase: Phrase, args: Sequence[MatrixValue]) -> MatrixValue:
        """What a phrase is, given its operands; an error says nothing of the place."""
        match phrase.what:
            case "group":
                return args[0]
            case "list":
                place = offset_of(phrase.operands[1].token)
                raise ParseError("a comma separates the arguments of a function", self.text, place)
            case "sum" | "extreme":
                return Sums(self, self._numbers).value(phrase)
            case "constant":
                return self._constant(_call(phrase.token))
            case "below":
                return self._below(phrase, args)
            case "norm":
                return norm(args[0], "")
            case "bars":
                return bars(args[0])
            case "log bars":
                return _log_bars(args[0])
            case "inner":
                return inner(*args)
            case "DOT":
                both = all(a.order == 1 and not a.turned for a in args) and phrase.token != "*"
                return inner(*args) if both else values.times(*args)
            case "CROSS":
                return cross(*args)
            case "OTIMES":
                return _kronecker(*args)
            case _:
                return super().computed(phrase, args)

    def _look_up(self, token: Token) -> MatrixValue:
        name = str(token)
        if name not in self.names and name in self.sizes:
            return MatrixValue(expression(terms.size(name)))
        return super()._look_up(token)

    def _below(self, phrase: Phrase, args: Sequence[MatrixValue]) -> MatrixValue:
        """An entry, a norm, or a constant of given sizes."""
        (base,) = phrase.operands
        token = phrase.token
        if base.what == "norm":
            return norm(args[0], plain_words(token))
        if base.what == "constant":
            return self._constant(_call(base.token, *_sizes(base.token, token)))
        found = places(token)
        for place in found:
            if place.letter:
                name = f"{base.token}_{place.letter}" if base.what == "use" else "so"
                raise ParseError(
                    f"the index {place.letter} belongs to no sum, and no variable is called {name}",
                    self.text,
                    offset_of(token),
                    (rf"\sum_{place.letter}", "a number"),
                )
        numbers = [p.number for p in found]
        (a,) = args
        if a.order == 2 and len(numbers) == 1 and 10 < numbers[0] < 100:
            numbers = [*divmod(numbers[0], 10)]
        indices = Token("INDICES", f"[{','.join(map(str, numbers))}]", token.start_pos)
        return values.chosen_entries(a, indices)


def _call(token: Token, *operands: Phrase) -> Phrase:
    return Phrase("call", Token("NAME", str(token), token.start_pos), operands)


def _sizes(name: Token, below: Token) -> list[Phrase]:
    r"""The sizes below a constant, as in `I_n` or `\mathbf{1}_{m \times n}`."""
    parts = re.split(r"\\times|,|\N{MULTIPLICATION SIGN}", below.strip("{} "))
    texts = [p.strip() for p in parts]
    found: list[Phrase] = []
    for part in dict.fromkeys(texts) if name == "eye" else texts:
        number = part.isdecimal()
        if not number and not part.isidentifier():
            raise UnsupportedOperation(rf"{part!r} is no size, such as n or m \times n")
        token = Token("NUMBER" if number else "NAME", part, below.start_pos)
        found.append(Phrase("number" if number else "use", token))
    return found


# What LaTeX has besides -------------------------------------------------------------------


def norm(a: MatrixValue, below: str) -> MatrixValue:
    """The norm that the sign below says; of a vector without one the root of squares."""
    if not a.order:
        return a.mapped(language.abs)
    match below, a.order:
        case ("", 2):
            raise ShapeError(
                rf"the norm of {a.shape}: Frobenius' norm or the spectral norm; the first is "
                r"written \|X\|_F"
            )
        case ("" | "2" | "F", 1) | ("F", 2):
            return functions.norm2(a)
        case ("2" | "1" | "infty", 2):
            raise ShapeError(
                f"the norm of {a.shape} with {below} below: that of the matrix as a map, or of "
                "its entries; eggrad knows Frobenius' norm, F"
            )
        case ("1", 1):
            return functions.norm1(a)
        case ("infty", 1):
            return MatrixValue(language.max(language.abs(a.expression)))
        case _:
            raise UnsupportedOperation(f"no norm is known by {below!r}; there are 1, 2, F, \\infty")


def bars(a: MatrixValue) -> MatrixValue:
    """The absolute value of a scalar, the determinant of a square matrix."""
    if not a.order:
        return a.mapped(language.abs)
    if a.order == 1:
        raise ShapeError(
            f"bars around {a.shape}: the absolute values of entries, or the length; the first is "
            r"written \operatorname{abs}(x), the second \|x\|"
        )
    return functions.det(a)


def _log_bars(a: MatrixValue) -> MatrixValue:
    return functions.logdet(a) if a.order == 2 else bars(a).mapped(language.log)


def inner(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """The sum of the products of entries."""
    values.check_alike("the inner product", a, b)
    return functions.sum_of(values.multiply(a, b))


def cross(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    r"""A multiple; `\times` between vectors is another product."""
    if a.order and b.order:
        raise ShapeError(
            rf"\times of {a.shape} and {b.shape}: a product of matrices has no sign, one of "
            r"entries \odot; cross products are not read"
        )
    return values.times(a, b)


def _kronecker(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    if a.order == 1 and b.order == 1 and a.turned == b.turned:
        raise ShapeError(
            rf"\otimes of {a.shape} and {b.shape}: the outer product x y^\top, or the Kronecker "
            r"product \operatorname{vec}(y x^\top)"
        )
    return functions.kron(a, b)
