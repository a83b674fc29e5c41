"""The public expression: a term, and where the sizes that it mentions come from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

import numpy as np

from eggrad.engine.costs.cost import count, node_count
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Dims, Size, transposition
from eggrad.engine.indices.texts import exact
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.thinning import Thinning, thin_term
from eggrad.frontend.expression import broadcasting
from eggrad.frontend.expression.agreement import agreed_sizes
from eggrad.frontend.expression.operators import Operators
from eggrad.frontend.expression.size_symbols import SizeSymbol, shape_of
from eggrad.frontend.expression.tracing import as_variable

if TYPE_CHECKING:
    from eggrad.engine.compilation.compiled import CompiledFunction
    from eggrad.engine.terms.binding import Array

__all__ = ["Expression", "as_expression", "combine", "expression", "unified"]


class Expression(Operators):
    """An immutable tensor expression; two that are built alike are the same object.

    `term` is its DAG. `variables` are the variables in it, and `scope` further variables whose
    values fix size symbols that no variable in it fixes: the gradient of `sum(x)` is ones, as
    many as `x` has entries. `term_complete` is False if a budget cut the search for it short.

    The term may be differentiated. What is printed, evaluated, compiled and compared is `thin`;
    `thinnings` say how it is found.
    """

    __slots__ = (
        "__weakref__", "_evaluators", "_symbols", "_thin", "scope", "term", "term_complete",
        "thinnings", "variables",
    )  # fmt: skip

    term: Term
    scope: tuple[Term, ...]
    term_complete: bool
    thinnings: frozenset[Thinning]
    variables: tuple[Term, ...]
    _symbols: frozenset[str]
    _thin: "Expression | None"
    _evaluators: "dict[bool, CompiledFunction]"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: expressions are immutable."""
        raise AttributeError("expressions are immutable")

    def __reduce__(self) -> tuple[Callable[..., "Expression"], tuple[object, ...]]:
        """Pickle by building anew, so that identity stays equality."""
        # Added rules are functions, which cannot be pickled: what they found can.
        settled = frozenset(p.settled for p in self.thinnings)
        parts = self.term, self.scope, self.complete, settled
        _expressions[parts] = self
        return expression, parts

    @property
    def thin(self) -> "Expression":
        """The form that is printed, evaluated, compiled and compared; found at the first use.

        Here alone it is used that matrices are symmetric that were declared so. That holds at
        symmetric matrices and not beside them, so this form has other derivatives.

        >>> from eggrad.frontend.interface.api import derivative
        >>> from eggrad.frontend.expression.functions import variable
        >>> S, w = variable("S", ("n", "n"), ["symmetric"]), variable("w", ("n",))
        >>> slope = derivative(w @ S @ w, w)
        >>> slope.to("matrix"), derivative(slope, w).to("matrix"), derivative(slope, S).to("index")
        ('2*S*w', '2*S', 'fᵢⱼₖ = δᵢₖ wⱼ + δᵢⱼ wₖ')
        """
        if not self.thinnings:
            return self
        if self._thin is None:
            term = thin_term(self.term, self.thinnings)
            complete = self.term_complete and all(p.found.complete for p in self.thinnings)
            made = expression(term, (*self.variables, *self.scope), complete)
            object.__setattr__(self, "_thin", made)
        assert self._thin is not None
        return self._thin

    @property
    def complete(self) -> bool:
        """Whether no budget cut short the search for what is printed."""
        return self.thin.term_complete

    @property
    def shape(self) -> Dims:
        """The size of each axis: an integer, or a symbol that one can compute with."""
        return shape_of(self.term.dims, (*self.variables, *self.scope))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.term.order

    @property
    def T(self) -> "Expression":  # noqa: N802 - NumPy's name
        """The axes in reverse order."""
        if self.ndim < 2:
            return self
        spec = transposition(range(self.ndim)[::-1])
        return combine("transpose", [self], [], lambda a: terms.einsum(spec, a))

    def evaluate(self, values: Mapping[str, Any], reference: bool = False) -> "Array":
        """The value, given arrays by variable name; a size may be given by its symbol.

        A form is computed that neither overflows on the way nor loses digits, as
        `eggrad.compile` does; `reference=True` computes what is written. Raises `UnknownVariable`
        for a missing value, `ShapeError` for a wrong shape. Names that the expression does not
        contain are ignored.

        >>> from eggrad.frontend.expression.functions import exp, log, variable
        >>> f = log(1 + exp(variable("x")))
        >>> f.evaluate({"x": 1000}), f.evaluate({"x": 1000}, reference=True)
        (array(1000.), array(inf))
        """
        own = self.thin
        evaluator = own._evaluators.get(reference)
        if evaluator is None:
            from eggrad.frontend.calculus.compilation import evaluator_of

            evaluator = own._evaluators[reference] = evaluator_of(own, reference)
        if not isinstance(values, Mapping):
            raise UnsupportedOperation(f"the values are a dict of arrays by name, not {values!r}")
        with np.errstate(all="ignore"):
            return np.asarray(evaluator(**values))

    def cost(self, sizes: Mapping[str, int] | int) -> int:
        """Floating-point operations, multiply and add counted apart, at the given sizes.

        `sizes` maps size symbols, or is the size of every symbol.
        """
        return count([self.thin.term], sizes)

    @property
    def node_count(self) -> int:
        """The number of distinct nodes, variables and constants included."""
        return node_count([self.thin.term])

    def to(self, language: str) -> str:
        """The text in another language.

        "einsum" is what `eggrad.parse` reads, "matrix" what `eggrad.parse_matrix` does; what has
        more than two axes is in index notation there. Matrices and LaTeX are written as the
        shortest equal formula that is found. "index" has Kronecker deltas, "elementwise"
        is what `eggrad.parse_elementwise` reads, "latex" needs amsmath, "python" is a NumPy
        function, "dot" is for Graphviz. Raises `UnsupportedOperation` for any other, and for
        inverses and determinants in "elementwise".

        >>> from eggrad.frontend.expression.functions import variable
        >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
        >>> (A @ x).to("matrix"), (A @ x).to("index")
        ('A*x', 'fᵢ = Aᵢⱼ xⱼ')
        """
        from eggrad.frontend.printing.formats import format_expression

        return format_expression(language, self.thin.term, self.thin.scope)

    def __str__(self) -> str:
        """Write it in the language that `eggrad.parse` reads."""
        return self.to("einsum")

    def _repr_latex_(self) -> str:
        """The formula in a notebook."""
        return rf"$\displaystyle {self.to('latex')}$"

    def _repr_svg_(self) -> str | None:
        """The DAG in a notebook, where the Python package `graphviz` and Graphviz are there."""
        try:
            import graphviz

            return graphviz.Source(self.to("dot")).pipe("svg").decode()
        except (ImportError, OSError):
            return None

    def __repr__(self) -> str:
        """Show axes and variables; `str` writes the whole expression."""
        axes = ", ".join(str(d) for d in self.shape)
        names = ", ".join(v.name for v in self.thin.variables)
        return f"<Expression of {names or 'no variables'}, axes ({axes}), {self.node_count} nodes>"


_expressions: WeakValueDictionary[object, Expression] = WeakValueDictionary()
# Two threads that make one expression at once have to get the same object.
_making = Lock()


def expression(
    term: Term,
    candidates: Iterable[Term] = (),
    complete: bool = True,
    thinnings: frozenset[Thinning] = frozenset(),
) -> Expression:
    """The expression of `term`, with the fewest of the `candidates` that fix all its sizes.

    For each size symbol that no variable in `term` fixes, the first candidate by name that has
    an axis of it. `thinnings` are about parts of the term.

    >>> x = terms.variable("x", ("n",))
    >>> expression(terms.constant(1, ("n",)), [x]).scope == (x,)
    True
    """
    own, mentioned = terms.variables(term), frozenset(symbols(term))
    return _make(term, candidates, complete, thinnings, variables=own, mentioned=mentioned)


def _make(
    term: Term,
    candidates: Iterable[Term],
    complete: bool,
    thinnings: frozenset[Thinning],
    *,
    variables: tuple[Term, ...],
    mentioned: frozenset[str],
) -> Expression:
    fixed = {s for v in variables for d in v.dims for s in size_symbols(d)}
    scope: tuple[Term, ...] = ()
    if open_symbols := mentioned - fixed:
        ordered = terms.variables(*candidates)
        # An axis of the symbol itself says more than one of a size made of it.
        fixing = {s: [v for v in ordered if s in symbols(v)] for s in open_symbols}
        firsts = (min(own, key=lambda v, s=s: s not in v.dims) for s, own in fixing.items() if own)
        scope = terms.variables(*firsts)
    key = (term, scope, complete, thinnings)
    found = _expressions.get(key)
    if found is not None:
        return found
    made = object.__new__(Expression)
    own = {"term": term, "scope": scope, "term_complete": complete, "thinnings": thinnings}
    own |= {"variables": variables, "_symbols": mentioned, "_thin": None, "_evaluators": {}}
    for name, part in own.items():
        object.__setattr__(made, name, part)
    with _making:
        return _expressions.setdefault(key, made)


def as_expression(value: object) -> Expression:
    """An expression as it is; a number, or an array or list of real numbers, as a constant.

    A multiple of an identity matrix is that of a delta; `UnsupportedOperation` for all else.

    >>> as_expression(2).term.data, as_expression(np.eye(3)).term.op
    (Fraction(2, 1), 'delta')
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, SizeSymbol):
        return value.expression()
    number = exact(value)
    if number is None and (outside := as_variable(value)) is not None:
        return outside
    if number is not None:
        return expression(terms.constant(number))
    if isinstance(value, np.ndarray | list | tuple):
        return expression(broadcasting.array_term(_numbers(value)))
    raise UnsupportedOperation(
        f"expected an expression, a number or an array, not a {type(value).__name__}"
    )


def _numbers(value: object) -> "Array":
    try:
        mixed = isinstance(value, list | tuple) and _has_expression(value)
    except RecursionError:
        raise UnsupportedOperation("a list that contains itself is no array") from None
    if mixed:
        raise UnsupportedOperation("a list of expressions is no array: numpy.stack joins them")
    try:
        return np.asarray(value)
    except ValueError as error:
        raise UnsupportedOperation(f"this list is no array: {error}") from error


def _has_expression(value: object) -> bool:
    """Whether a list has an expression somewhere."""
    if isinstance(value, list | tuple):
        return any(map(_has_expression, cast("list[object]", value)))
    return isinstance(value, Expression | SizeSymbol)


def unified(
    expressions: Sequence[Expression], pairs: Iterable[tuple[Size, Size]], what: str
) -> list[Expression]:
    """The same expressions with sizes replaced, as `agreed_sizes` says.

    >>> a, b = (expression(terms.variable(*v)) for v in [("x", ("n",)), ("y", ("m",))])
    >>> [e.shape for e in unified([a, b], [("n", "m")], "x + y")]
    [('n',), ('n',)]
    """
    own = [v for e in expressions for v in (*e.variables, *e.scope)]
    renamed = agreed_sizes(own, pairs, what)
    if not renamed:
        return list(expressions)
    result: list[Expression] = []
    for e in expressions:
        term, *others = terms.substitute_sizes([e.term, *e.scope], renamed)
        later = frozenset(p.resized(renamed) for p in e.thinnings)
        result.append(expression(term, others, e.term_complete, later))
    return result


def combine(
    what: str,
    operands: Sequence[Expression],
    pairs: Iterable[tuple[Size, Size]],
    build: Callable[..., Term],
) -> Expression:
    """The expression `build(*terms of the operands)`, each pair of sizes made equal before."""
    own = unified(operands, pairs, what)
    term = build(*(e.term for e in own))
    known = {v for e in own for v in e.variables}
    variables = own[0].variables if len(own) == 1 else tuple(terms.variables(*known))
    mentioned = frozenset[str]().union(*(e._symbols for e in own))
    candidates = (*known, *(v for e in own for v in e.scope))
    complete = all(e.term_complete for e in own)
    later = frozenset[Thinning]().union(*(e.thinnings for e in own))
    return _make(term, candidates, complete, later, variables=variables, mentioned=mentioned)
