"""Texts read: the thesis's language, the notations of papers, and JSON."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import special
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.expression.own_functions import DeclaredFunction, records_of
from eggrad.frontend.interface.derivatives import Mode, derivative_by, wrt_variable
from eggrad.frontend.text.doors import checked_text

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.frontend.formulas.declarations import Declared
    from eggrad.frontend.interface.own_rules import Rules
    from eggrad.frontend.text.phrases import Problem as Parsed


class Problem:
    """A text of the thesis's language: `expression`, and `wrt`, names or None."""

    expression: Expression
    wrt: tuple[str, ...] | None

    def __init__(self, parsed: "Parsed") -> None:
        """Wrap what the parser found; `parse` is the way to call this."""
        self._declared = (*parsed.declared, *(parsed.wrt or ()))
        # What is declared may have a value, whether or not the text uses it.
        names = {v.name for v in self._declared}
        self.expression = expression(parsed.term, parsed.declared, lost=names)
        self.wrt = None if parsed.wrt is None else tuple(v.name for v in parsed.wrt)

    def __repr__(self) -> str:
        """Show the expression, and with respect to what it is to be differentiated."""
        wrt = f", wrt {', '.join(self.wrt)}" if self.wrt else ""
        return f"<Problem {self.expression!r}{wrt}>"

    def derivative(
        self,
        *wrt: str | Expression,
        mode: Mode = "auto",
        budget: "Budget | None" = None,
        exact: bool = False,
        rules: "Rules | None" = None,
    ) -> Expression:
        """The derivative that the text asks for, or the one with respect to `wrt`, simplified.

        Options: see `derivative`. A name may be any that the text declares. Raises
        `UnsupportedOperation` where neither says with respect to what.
        """
        arguments = self.arguments(*wrt)
        return derivative_by(self.expression, arguments, mode, budget, exact=exact, rules=rules)

    def arguments(self, *wrt: str | Expression) -> tuple[Term, ...]:
        """The variables of `wrt`, or those that the text names."""
        names = wrt or self.wrt or ()
        return tuple(wrt_variable(self.expression, w, self._declared) for w in names)


NOTATIONS: Final = {
    "matrix": "matrix",
    "latex": "typeset",
    "index": "index",
    "numpy": "numpy_text",
}
"""The notations whose texts do not declare variables, and the folders of their readers."""


def reader_of(notation: str) -> "Callable[..., Parsed]":
    """What reads a notation: a function of a text, of dims, of words and of functions.

    >>> reader_of("matrix")("x'*x", {"x": ("n",)}, {}).term.op
    'einsum'
    """
    # Lark and its grammars are loaded by whoever reads a text.
    return import_module(f"eggrad.frontend.{NOTATIONS[notation]}.parser").read_problem


def _read(
    notation: str,
    text: str,
    functions: Any,
    *,
    dims: Any,
    assume: Any,
) -> Expression:
    """The expression of a text that declares nothing itself."""
    from eggrad.frontend.formulas.declarations import given_assumptions, given_dims

    what = f"parse_{notation}"
    axes = None if dims is None else given_dims(what, "dims", dims)
    checked_text(what, "text", text)
    problem = reader_of(notation)(
        text, axes, given_assumptions(what, assume), records_of(functions)
    )
    names = {*(axes or ()), *(v.name for v in problem.declared)}
    return expression(problem.term, problem.declared, lost=names)


def parse(text: str, functions: Sequence[DeclaredFunction] = ()) -> Problem:
    """Read a text of the thesis's language.

    `functions` are functions of your own that it calls, see `eggrad.function`.
    Raises `ParseError`, which shows the place; where shapes do not fit it is a `ShapeError`, where
    a name is not declared an `UnknownVariable` as well.

    >>> problem = parse("declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x")
    >>> problem.expression.ndim, problem.wrt
    (1, ('x',))
    """
    # Lark is loaded by whoever reads a text.
    from eggrad.frontend.text import parser

    return Problem(parser.parse(checked_text("parse", "text", text), records_of(functions)))


def parse_matrix(
    text: str,
    dims: "Declared | str | None" = None,
    assume: Mapping[str, Iterable[str]] | str | None = None,
    functions: Sequence[DeclaredFunction] = (),
) -> Expression:
    """Read an expression of the matrix language (docs/matrix.md).

    `dims` has the axes of every variable: none for a scalar, one for a column, two for a matrix;
    a size may be None, and a number says how many axes there are; or it is a text, such as
    `"A: m n, x: n, c:"`. What is declared symmetric, say, is square: its two sizes become one.
    Without `dims` names that begin with a capital letter are matrices, and others scalars or
    columns, if only one choice fits. `assume` has the properties of some, as in
    `eggrad.variable`, or is a text, `"A: symmetric"`. A row has one axis, too. `functions` are
    functions of your own that the text calls, see `eggrad.function`. Raises `ParseError`; where
    shapes do not fit it is a `ShapeError`, where a name is not declared an `UnknownVariable` as
    well.

    >>> f = parse_matrix("norm2(A*x - y)^2", {"A": ("m", "n"), "x": ("n",), "y": ("m",)})
    >>> f.shape
    ()
    """
    return _read("matrix", text, functions, dims=dims, assume=assume)


def parse_json(text: str, functions: Sequence[DeclaredFunction] = ()) -> Expression:
    """Read an expression that `f.to("json")` has written; nothing in the text is run.

    `functions` are functions of your own that it calls, see `eggrad.function`; those of
    `eggrad.special` are known. The expression is the same object. Raises `ParseError`, which shows
    the place.

    >>> from eggrad.frontend.expression.functions import variable
    >>> f = 2 * variable("x", ("n",))
    >>> parse_json(f.to("json")) is f
    True
    """
    from eggrad.frontend.text.json_nodes import read_json

    checked_text("parse_json", "text", text)
    records = records_of(functions)
    known = [f.record for f in vars(special).values() if isinstance(f, DeclaredFunction)]
    names = {f.name for f in records}
    return expression(*read_json(text, [*records, *(f for f in known if f.name not in names)]))


def parse_index(
    text: str,
    dims: "Declared | str | None" = None,
    assume: Mapping[str, Iterable[str]] | str | None = None,
    functions: Sequence[DeclaredFunction] = (),
) -> Expression:
    """Read an expression in index notation, with sums written or understood (docs/typeset.md).

    `dims` has the axes of every variable; without it a name has as many axes as it has indices.
    The axes of the result are those on the left of an equals sign, `f_ij = …`, whose sizes `dims`
    may have as well; without one they are the free indices in the order of the alphabet. `assume`
    and `functions` are as in `parse_matrix`. Raises `ParseError`; where sizes do not fit it is a
    `ShapeError`, where a name is not declared an `UnknownVariable` as well.

    >>> f = parse_index("x_i A_ij x_j", {"A": ("n", "n"), "x": ("n",)})
    >>> f.to("matrix")
    "x'*A*x"
    >>> parse_index("f_ij = sum_k A_ik B_jk", {"A": ("m", "n"), "B": ("k", "n")}).to("matrix")
    "A*B'"
    """
    return _read("index", text, functions, dims=dims, assume=assume)


def parse_latex(
    text: str,
    dims: "Declared | str | None" = None,
    assume: Mapping[str, Iterable[str]] | str | None = None,
    functions: Sequence[DeclaredFunction] = (),
) -> Expression:
    r"""Read a formula in LaTeX: matrix notation, with sums over indices (docs/typeset.md).

    Arguments are as in `parse_matrix`; each letter is a name, and Greek letters are called as
    their macros are, `"alpha"`. Raises `ParseError`; where shapes do not fit it is a `ShapeError`,
    where a name is not declared an `UnknownVariable` as well. Without `dims` it says of which names
    they are wanted.

    >>> f = parse_latex(r"\|Ax - b\|_2^2", {"A": ("m", "n"), "x": ("n",), "b": ("m",)})
    >>> f.to("matrix")
    'norm2(A*x - b)^2'
    >>> parse_latex(r"\sum_{i=1}^n x_i \log x_i", {"x": ("n",)}).to("matrix")
    "x'*log(x)"
    """
    return _read("latex", text, functions, dims=dims, assume=assume)


def parse_numpy(
    text: str,
    dims: "Declared | str | None" = None,
    assume: Mapping[str, Iterable[str]] | str | None = None,
    functions: Sequence[DeclaredFunction] = (),
) -> Expression:
    """Read an expression as it is written with NumPy (docs/numpy_text.md); nothing is executed.

    The text is an expression, or lines of assignments with one at the end, or a function, whose
    arguments are the variables. `dims` has the axes of every variable, as many as it likes, and is
    otherwise as in `parse_matrix`, as are `assume` and `functions`. Without `dims` names that begin
    with a capital letter are matrices, and others scalars or vectors, if only one choice fits, or
    only one whose value is a scalar. Raises `ParseError`; where shapes do not fit it is a
    `ShapeError`, where a name is not declared an `UnknownVariable` as well.

    >>> f = parse_numpy("np.sum((X @ w - y)**2) / 2")
    >>> f.to("matrix"), [v.order for v in f.variables]
    ('norm2(X*w - y)^2/2', [2, 1, 1])
    >>> parse_numpy("lambda x: x.T @ x + np.exp(c)", {"x": ("n",), "c": ()}).to("matrix")
    "x'*x + exp(c)"
    """
    return _read("numpy", text, functions, dims=dims, assume=assume)
