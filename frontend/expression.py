"""The public expression: a term, and where the sizes that it mentions come from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from eggrad.engine import term as terms
from eggrad.engine.affine import size_symbols
from eggrad.engine.binding import name_of, symbols
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.operations import count, node_count
from eggrad.engine.spec import Dims, Size, scaling, transposition
from eggrad.engine.term import Term
from eggrad.frontend.agreement import agreed_sizes
from eggrad.frontend.exact_numbers import exact
from eggrad.frontend.operators import Operators
from eggrad.frontend.size_symbols import SizeSymbol, shape_of
from eggrad.frontend.tracing import as_variable

if TYPE_CHECKING:
    from eggrad.engine.binding import Array
    from eggrad.engine.compiled import CompiledFunction

__all__ = ["Expression", "as_expression", "combine", "expression", "unified"]


class Expression(Operators):
    """An immutable tensor expression; two that are built alike are the same object.

    `term` is its DAG. `variables` are the variables in it, and `scope` further variables whose
    values fix size symbols that no variable in it fixes: the gradient of `sum(x)` is ones, as
    many as `x` has entries. `complete` is False for a result that a budget cut short.
    """

    __slots__ = ("__weakref__", "_compiled", "_symbols", "complete", "scope", "term", "variables")

    term: Term
    scope: tuple[Term, ...]
    complete: bool
    variables: tuple[Term, ...]
    _symbols: frozenset[str]
    _compiled: "CompiledFunction | None"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: expressions are immutable."""
        raise AttributeError("expressions are immutable")

    def __reduce__(self) -> tuple[Callable[..., "Expression"], tuple[object, ...]]:
        """Pickle by building anew, so that identity stays equality."""
        return expression, (self.term, self.scope, self.complete)

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

    def evaluate(self, values: Mapping[str, Any]) -> "Array":
        """The value, given arrays by variable name; a size may be given by its symbol.

        Raises `UnknownVariable` for a missing value, `ShapeError` for a wrong shape. Names that
        the expression does not contain are ignored.
        """
        if self._compiled is None:
            from eggrad.engine.compiled import compile_terms

            made = compile_terms([self.term], self.scope, single=True)
            object.__setattr__(self, "_compiled", made)
        assert self._compiled is not None
        with np.errstate(all="ignore"):
            return np.asarray(self._compiled(**values))

    def cost(self, sizes: Mapping[str, int] | int) -> int:
        """Floating-point operations, multiply and add counted apart, at the given sizes.

        `sizes` maps size symbols, or is the size of every symbol.
        """
        return count([self.term], sizes)

    @property
    def node_count(self) -> int:
        """The number of distinct nodes, variables and constants included."""
        return node_count([self.term])

    def to(self, language: str) -> str:
        """The text in another language.

        "einsum" is what `eggrad.parse` reads, "matrix" what `eggrad.parse_matrix` does; what has
        more than two axes is in index notation there. Matrices and LaTeX are written as the
        shortest equal formula that is found. "index" has Kronecker deltas, "elementwise"
        is what `eggrad.parse_elementwise` reads, "latex" needs amsmath, "python" is a NumPy
        function, "dot" is for Graphviz. Raises `UnsupportedOperation` for any other, and for
        inverses and determinants in "elementwise".

        >>> from eggrad.frontend.functions import variable
        >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
        >>> (A @ x).to("matrix"), (A @ x).to("index")
        ('A*x', 'fᵢ = Aᵢⱼ xⱼ')
        """
        from eggrad.frontend.formats import format_expression

        return format_expression(language, self.term, self.scope)

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
        names = ", ".join(name_of(v) for v in self.variables)
        return f"<Expression of {names or 'no variables'}, axes ({axes}), {self.node_count} nodes>"


_expressions: WeakValueDictionary[object, Expression] = WeakValueDictionary()


def expression(term: Term, candidates: Iterable[Term] = (), complete: bool = True) -> Expression:
    """The expression of `term`, with the fewest of the `candidates` that fix all its sizes.

    For each size symbol that no variable in `term` fixes, the first candidate by name that has
    an axis of it.

    >>> x = terms.variable("x", ("n",))
    >>> expression(terms.constant(1, ("n",)), [x]).scope == (x,)
    True
    """
    return _make(term, candidates, complete, terms.variables(term), frozenset(symbols(term)))


def _make(
    term: Term,
    candidates: Iterable[Term],
    complete: bool,
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
    key = (term, scope, complete)
    found = _expressions.get(key)
    if found is None:
        found = object.__new__(Expression)
        parts = {"term": term, "scope": scope, "complete": complete, "variables": variables}
        for name, part in (parts | {"_symbols": mentioned, "_compiled": None}).items():
            object.__setattr__(found, name, part)
        _expressions[key] = found
    return found


def as_expression(value: object) -> Expression:
    """An expression as it is, a number or an array of one number as a constant.

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
    if isinstance(value, np.ndarray) and (plain := _plain_array(value)) is not None:
        return expression(plain)
    if number is None:
        raise UnsupportedOperation(
            f"expected an expression or a number, not a {type(value).__name__}; for an array, use "
            "a variable and give the array to evaluate()"
        )
    return expression(terms.constant(number))


def _plain_array(array: "Array") -> Term | None:
    """An array whose entries are all the same, or a multiple of the identity, as a term."""
    if array.dtype.kind not in "biuf":
        return None
    number = exact(array.flat[0]) if array.size else Fraction(0)
    if number is None:
        return None
    if not array.size or (array == array.flat[0]).all():
        return terms.constant(number, array.shape)
    if array.ndim == 2 and np.array_equal(array, array[0, 0] * np.eye(len(array))):
        identity = terms.delta(array.shape[:1])
        return (
            identity if number == 1 else terms.einsum(scaling(2), terms.constant(number), identity)
        )
    return None


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
        result.append(expression(term, others, e.complete))
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
    return _make(term, candidates, all(e.complete for e in own), variables, mentioned)
