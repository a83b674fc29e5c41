"""The public expression: a term, and where the sizes that it mentions come from.

With the class is what cannot be told apart from it: operators, the sizes of its shape, conditions,
and arrays that a traced function takes from outside. NumPy's functions reach it by the table in
`numpy_protocols`.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, reduce
from math import isfinite
from numbers import Number
from operator import getitem, index, mul
from sys import _getframe
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np

from eggrad.engine.costs.cost import count, node_count
from eggrad.engine.errors import EggradError, ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Dims, Size, transposition
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import (
    IS_COMPLEX,
    Array,
    check_shape,
    known_sizes,
    numbers,
    symbols,
)
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.term import Term
from eggrad.engine.terms.term_patterns import apart, substituted
from eggrad.frontend.calculus.calculus import Thinning, thin_term
from eggrad.frontend.expression import broadcasting
from eggrad.frontend.expression.indexing import expand, is_plain, pick, select
from eggrad.frontend.expression.numpy_protocols import call_function, call_ufunc, check_dtype
from eggrad.frontend.expression.refusals import (
    FORMATTED,
    NoSuchMethod,
    is_calling,
    most_entries,
    no_array,
    no_integer,
    no_method,
    no_number,
    no_truth,
)
from eggrad.frontend.text.doors import checked_flag, checked_integer, checked_mapping, checked_word
from eggrad.frontend.text.sizes import agreed_sizes
from eggrad.frontend.text.words import FormatName, format_axes

if TYPE_CHECKING:
    from eggrad.engine.compilation.compiled import CompiledFunction

# Arithmetic and comparisons, with NumPy's broadcasting -----------------------------------


def _entrywise(
    symbol: str, build: Callable[[Term, Term], Term]
) -> Callable[[object, object], "Expression"]:
    def operation(a: object, b: object) -> "Expression":
        left = as_expression(a, f"left of {symbol}")
        right = as_expression(b, f"right of {symbol}")

        def spread_and_build(p: Term, q: Term) -> Term:
            if symbol == "*" or (symbol == "/" and not (p.dims and q.dims)):
                return build(p, q)
            whole = broadcasting.common(p.dims, q.dims)
            return build(broadcasting.spread(p, whole), broadcasting.spread(q, whole))

        pairs = broadcasting.aligned(left.shape, right.shape)
        return combine(_described(left, symbol, right), [left, right], pairs, spread_and_build)

    operation.__name__ = operation.__qualname__ = build.__name__
    operation.__doc__ = f"`a {symbol} b`, entry by entry."
    return operation


add = _entrywise("+", terms.add)
subtract = _entrywise("-", terms.subtract)
multiply = _entrywise("*", broadcasting.multiply)
divide = _entrywise("/", terms.divide)


def _described(left: "Expression", symbol: str, right: "Expression") -> str:
    axes = [f"({', '.join(str(d) for d in e.shape)})" for e in (left, right)]
    return f"{symbol} of axes {axes[0]} and {axes[1]}"


def negative(a: object) -> "Expression":
    """`-a`."""
    return combine("-", [as_expression(a)], [], terms.negate)


def applied(function: str | Function, *args: object) -> "Expression":
    """An element-wise function of several operands, which are broadcast.

    >>> applied("maximum", as_expression(2), as_expression(3)).to("matrix")
    'max(2, 3)'
    """
    name = function if isinstance(function, str) else function.name
    expressions = [as_expression(a, f"operand {k} of {name}") for k, a in enumerate(args, 1)]
    whole: Dims = ()
    pairs: list[tuple[Size, Size]] = []
    for a in expressions:
        pairs += broadcasting.aligned(whole, a.shape)
        whole = broadcasting.common(whole, a.shape)

    def build(*operands: Term) -> Term:
        dims = reduce(broadcasting.common, (a.dims for a in operands), ())
        return terms.apply(function, *(broadcasting.spread(a, dims) for a in operands))

    return combine(name, expressions, pairs, build)


def matmul(a: object, b: object) -> "Expression":
    """`a @ b`, as NumPy's: vectors, matrices, and stacks of matrices."""
    left, right = as_expression(a, "left of @"), as_expression(b, "right of @")
    pairs = broadcasting.matmul_pairs(left.shape, right.shape)
    return combine(_described(left, "@", right), [left, right], pairs, broadcasting.matmul)


def power(a: object, b: object) -> "Expression":
    """`a ** b`, entry by entry."""
    base, exponent = as_expression(a, "the base"), as_expression(b, "the exponent")
    # Where the base is 0 the slope by the exponent is 0, which `pow` knows.
    if exponent.ndim or (_has_zeros(base.term) and exponent.term.op != "constant"):
        return applied("pow", base, exponent)
    return combine("**", [base, exponent], [], terms.power)


def _has_zeros(term: Term) -> bool:
    """Whether known numbers have a 0 among them."""
    return (term.op == "constant" and term.value == 0) or (
        term.op == "array" and not term.array.values.all()
    )


def _comparison(name: str) -> Callable[[object, object], "Condition"]:
    def compare(a: object, b: object) -> "Condition":
        return Condition(applied(name, a, b))

    compare.__name__ = compare.__qualname__ = name
    return compare


equal = _comparison("equal")
not_equal = _comparison("not_equal")
greater = _comparison("greater")
greater_equal = _comparison("greater_equal")


# Operators ------------------------------------------------------------------------------

_R = TypeVar("_R")
_Method = Callable[[Any, object], _R]


class MergedAxes:
    """What has axes as long as products of symbols, and so is no expression."""


def _gives_way(operation: Callable[[Any, Any], _R]) -> _Method[_R]:
    """The operator, unless the other operand has merged axes: that one's operator is taken."""

    def method(self: object, other: object) -> _R:
        return cast(_R, NotImplemented) if isinstance(other, MergedAxes) else operation(self, other)

    return method


def _operators(operation: Callable[[Any, Any], _R]) -> tuple[_Method[_R], _Method[_R]]:
    """The operator of an operation on expressions, and that with the operands exchanged."""
    return _gives_way(operation), _gives_way(lambda self, other: operation(other, self))


def _of_one(function: str) -> "Callable[[object], Expression]":
    return lambda self: applied(function, self)


def _operators_of_expression(
    operation: Callable[[Any, Any], _R],
) -> tuple[_Method[_R], _Method[_R]]:
    """The operators, likewise, of what stands for an expression."""
    return (
        lambda self, other: operation(as_expression(self), other),
        lambda self, other: operation(other, as_expression(self)),
    )


# Sizes as `shape` gives them ------------------------------------------------------------


def _no_number_of_size(size: "SizeSymbol", *_: object) -> NoReturn:
    """Refuse: a symbol is no number."""
    size.__index__()


def _compared_as_text(compare: Callable[[str, str], bool]) -> _Method[bool]:
    """A comparison of the symbol with a text; with numbers it is refused."""

    def method(self: "SizeSymbol", other: Any) -> bool:
        if isinstance(other, Number):
            self.__index__()
        return compare(self, other)

    return method


class SizeSymbol(str):
    """A size symbol of an expression; arithmetic with it makes expressions.

    It is its own text, and no number: where Python needs one, as in `range(n)`, `numpy.eye(n)` or
    `n < 5`, it raises `UnsupportedOperation`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> x.shape, str(x.sum() / x.shape[0])
    (('n',), 'declare x[n] expression *(i->) x / size(n)')
    """

    __slots__ = ("owners",)
    owners: tuple[Term, ...]

    def __new__(cls, name: str, owners: Iterable[Term]) -> "SizeSymbol":
        """A symbol, and the variables that fix it."""
        made = super().__new__(cls, name)
        made.owners = tuple(owners)
        return made

    def expression(self) -> "Expression":
        """The size as a scalar."""
        return expression(terms.size(str(self)), self.owners)

    def __index__(self) -> NoReturn:
        """Refuse: a symbol is no number, in `range(n)` and `numpy.eye(n)`, say."""
        raise UnsupportedOperation(
            f"size {self} is a symbol, and a number was asked for: instead of numpy.eye, ones and "
            f'zeros write eggrad.eye("{self}"), ones and zeros, instead of a loop einsum and sums; '
            "or declare the size as a number, or differentiate a function by eggrad.grad, in which "
            "sizes are numbers"
        )

    __float__ = __int__ = __round__ = _no_number_of_size
    # NumPy takes a text for a sequence.
    __getitem__: Any = _no_number_of_size
    __iter__: Any = _no_number_of_size

    __lt__, __le__, __gt__, __ge__ = map(
        _compared_as_text, (str.__lt__, str.__le__, str.__gt__, str.__ge__)
    )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> "Expression | Condition":
        """NumPy's element-wise functions of the scalar, as in `numpy.sqrt(n)`."""
        operands = [a.expression() if isinstance(a, SizeSymbol) else a for a in inputs]
        return call_ufunc(ufunc, method, operands, options)

    def __add__(self, other: Any) -> Any:
        """The scalar, plus something."""
        return str.__add__(self, other) if isinstance(other, str) else self.expression() + other

    __radd__ = _operators_of_expression(operator.add)[1]
    __sub__, __rsub__ = _operators_of_expression(operator.sub)
    __mul__, __rmul__ = _operators_of_expression(operator.mul)  # type: ignore[assignment]
    __truediv__, __rtruediv__ = _operators_of_expression(operator.truediv)
    __floordiv__, __rfloordiv__ = _operators_of_expression(lambda a, b: applied("floor", a / b))
    __mod__, __rmod__ = _operators_of_expression(partial(applied, "mod"))  # type: ignore[assignment]
    __pow__, __rpow__ = _operators_of_expression(operator.pow)

    def __abs__(self) -> "Expression":
        """The scalar."""
        return self.expression()

    def __neg__(self) -> "Expression":
        """The negative of the scalar."""
        return -self.expression()


def shape_of(dims: Dims, owners: Iterable[Term]) -> tuple[Size, ...]:
    """The dims, with symbols that know the variables that fix them."""
    known = tuple(owners)
    return tuple(SizeSymbol(d, known) if isinstance(d, str) else d for d in dims)


# Arrays that a traced function takes from outside ---------------------------------------


class Captured:
    """The arrays that were met while a function was traced."""

    def __init__(self, taken: set[str]) -> None:
        """`taken` are names that the arrays do not get."""
        self.values: dict[str, Array] = {}
        self._met: list[tuple[str, object]] = []
        self._taken = taken

    def variable(self, array: Array, source: object = None) -> "Expression":
        """The variable that stands for an array, or for the `source` of which it has the entries.

        It is the same for the same object, unless that has changed.
        """
        met = array if source is None else source
        same = (n for n, known in self._met if known is met)
        name = next((n for n in same if np.array_equal(self.values[n], array)), "")
        if not name:
            name = f"array{len(self.values) + 1}"
            while name in self._taken:
                name += "_"
            # Whoever changes the array later does not change what was traced.
            self.values[name] = array.copy()
            self._met.append((name, met))
        return expression(terms.variable(name, array.shape))


_current: Final[ContextVar[Captured | None]] = ContextVar("captured", default=None)


@contextmanager
def tracing(taken: set[str]) -> Iterator[Captured]:
    """Let arrays that meet expressions become variables."""
    found = Captured(taken)
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)


def _traced_variable(value: Any) -> "Expression | None":
    """The variable of an array, while a function is traced."""
    found = _current.get()
    array = _dense(value)
    if found is None or not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        return None
    return found.variable(array, value)


def _dense(value: Any) -> Any:
    """An array of `scipy.sparse` with all its entries; anything else as it is."""
    if type(value).__module__.startswith(_SPARSE) and hasattr(value, "toarray"):
        check_shape(value.shape)
        return value.toarray()
    return value


_SPARSE: Final = "scipy.sparse"


# The class ------------------------------------------------------------------------------


def numpy_method(name: str) -> Callable[..., Any]:
    """The function of NumPy as a method.

    >>> numpy_method("transpose")(np.zeros((2, 3))).shape
    (3, 2)
    """

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return getattr(np, name)(self, *args, **options)

    method.__name__ = name
    method.__doc__ = f"`numpy.{name}`."
    return method


_numpy_method: "Callable[[str], Callable[..., Expression]]" = cast(Any, numpy_method)

_NO_BITS: Final = (
    "expressions have real numbers and no bits; & and | join comparisons in brackets, as in "
    "numpy.where((x > 0) & (x < 1), x, 0)"
)
_SAME: Final = (
    "write f is g to ask whether they are the same object, and eggrad.equivalent(f, g) whether "
    "they are equal"
)
# Each part is a separate expression.
_MOST_PARTS: Final = 10_000
_permuted = _numpy_method("transpose")
_reshaped = _numpy_method("reshape")
_transposed = _numpy_method("matrix_transpose")


def _has_entries(value: object) -> bool:
    """Whether something has entries, or is a number, so that `==` compares these."""
    if isinstance(value, str):
        return isinstance(value, SizeSymbol)
    return isinstance(value, Number | list | tuple) or hasattr(value, "__array__")


class _Compared:
    """Comparisons entry by entry, with NumPy's broadcasting; `hash` is that of the object.

    Sets and dicts find what is in them, for they ask first whether it is the same object.
    """

    __slots__ = ()
    _plural = ""

    def __eq__(self, other: object) -> "Condition":  # type: ignore[override]
        """A condition for `numpy.where`; what has no entries is equal to none."""
        return equal(self, other) if _has_entries(other) else NotImplemented

    def __ne__(self, other: object) -> "Condition":  # type: ignore[override]
        """A condition for `numpy.where`."""
        return not_equal(self, other) if _has_entries(other) else NotImplemented

    __hash__ = object.__hash__
    __gt__, __lt__ = _operators(greater)
    __ge__, __le__ = _operators(greater_equal)

    def __getattr__(self, name: str) -> Any:
        """Say of what is missing what to write instead; NumPy calls functions of objects so."""
        function = getattr(np, name, None)
        if isinstance(function, np.ufunc) and is_calling():
            return partial(function, self)
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {shown(name)}")
        raise NoSuchMethod(no_method(self._plural, name, dir(type(self))))


class Expression(_Compared):
    """An immutable tensor expression; two that are built alike are the same object.

    `term` is its DAG. `variables` are those in it, and behind them `scope`, variables whose
    values fix size symbols that no variable in it fixes: the gradient of `sum(x)` is ones, as
    many as `x` has entries. `term_complete` is False if a budget cut the search for it short.
    `lost` are names of variables and sizes that it was derived from and has no more, as the
    gradient of `a @ x` by x, which is `a` and may have a value of x all the same.

    The term may be differentiated. What is printed, evaluated, compiled and compared is `thin`;
    `thinnings` say how it is found.
    """

    __slots__ = (
        "__weakref__", "_evaluators", "_symbols", "_thin", "_used", "lost", "scope", "term",
        "term_complete", "thinnings",
    )  # fmt: skip

    _plural = "expressions"

    term: Term
    scope: tuple[Term, ...]
    lost: frozenset[str]
    term_complete: bool
    thinnings: frozenset[Thinning]
    _used: tuple[Term, ...]
    _symbols: frozenset[str]
    _thin: "Expression | None"
    _evaluators: "dict[bool, CompiledFunction]"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: expressions are immutable."""
        raise NoSuchMethod(
            f"an expression never changes, so its {name} is not set: write x = x.reshape(shape) "
            "for x.shape = shape, and give what else there is to remember a name of its own"
        )

    def __reduce__(self) -> tuple[Callable[..., "Expression"], tuple[object, ...]]:
        """Pickle by building anew, so that identity stays equality."""
        # Added rules are functions, which cannot be pickled: what they found can.
        settled = frozenset(p.settled for p in self.thinnings)
        parts = self.term, self.scope, self.complete, settled, self.lost
        _expressions[parts] = self
        return expression, parts

    @property
    def thin(self) -> "Expression":
        """The form that is printed, evaluated, compiled and compared; found at the first use.

        Here alone it is used that matrices are symmetric that were declared so. That holds at
        symmetric matrices and not beside them, so this form has other derivatives.

        >>> from eggrad.frontend.interface.derivatives import derivative
        >>> from eggrad.frontend.expression.functions import variable
        >>> S, w = variable("S", ("n", "n"), ["symmetric"]), variable("w", ("n",))
        >>> slope = derivative(w @ S @ w, w)
        >>> slope.to("matrix"), derivative(slope, w).to("matrix"), derivative(slope, S).to("index")
        ('2*S*w', '2*S', 'fᵢⱼₖ = δᵢⱼ wₖ + δᵢₖ wⱼ')
        """
        if not self.thinnings:
            return self
        if self._thin is None:
            term = thin_term(self.term, self.thinnings)
            complete = self.term_complete and all(p.found.complete for p in self.thinnings)
            made = expression(term, self.variables, complete, lost=self.known)
            object.__setattr__(self, "_thin", made)
        assert self._thin is not None
        return self._thin

    @property
    def known(self) -> frozenset[str]:
        """The names of all variables and sizes that it was made of; each may have a value.

        >>> from eggrad.frontend.interface.derivatives import gradient
        >>> from eggrad.frontend.expression.functions import variable
        >>> a, x = variable("a", ("n",)), variable("x", ("n",))
        >>> sorted(gradient(a @ x, x).known)
        ['a', 'n', 'x']
        """
        sizes = {s for v in self.variables for d in v.dims for s in size_symbols(d)}
        names = (v.name for v in self.variables)
        return self.lost.union(names, sizes, self._symbols)

    @property
    def complete(self) -> bool:
        """Whether no budget cut short the search for what is printed."""
        return self.thin.term_complete

    @property
    def variables(self) -> tuple[Term, ...]:
        """The variables whose values it needs, those that only fix a size last.

        >>> from eggrad.frontend.expression.functions import variable
        >>> [v.name for v in (variable("x", ("n",)) ** 0).variables]
        ['x']
        """
        return (*self._used, *self.scope)

    @property
    def shape(self) -> Dims:
        """The size of each axis: an integer, or a symbol that one can compute with."""
        return shape_of(self.term.dims, self.variables)

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

    def evaluate(
        self,
        values: Mapping[str, Any] | None = None,
        reference: bool = False,
        *,
        check: bool = False,
        **named: Any,
    ) -> Array:
        """The value, given arrays by variable name; a size may be given by its symbol.

        Names that are words of Python may be keywords. A form is computed that neither overflows
        on the way nor loses digits, as `eggrad.compile` does; `reference=True` computes what is
        written. Raises `UnknownVariable` for a missing value and for a name that the expression
        does not contain and was not derived from, `ShapeError` for a wrong shape,
        `UnsupportedOperation` for a value that is not of real numbers. With `check`,
        `AssumptionViolated` for a value that is not what its variable was declared to be.

        >>> from eggrad.frontend.expression.functions import exp, log, variable
        >>> f = log(1 + exp(variable("x")))
        >>> f.evaluate({"x": 1000}), f.evaluate({"x": 1000}, reference=True)
        (array(1000.), array(inf))
        >>> f.evaluate(x=0).round(3)
        np.float64(0.693)
        """
        given = self._values(values, named)
        is_written = checked_flag("evaluate", "reference", reference)
        thin = self.thin
        evaluator = thin._evaluators.get(is_written)
        if evaluator is None:
            # The compiler is loaded by whoever computes something.
            from eggrad.frontend.calculus import code

            scope = thin.variables
            evaluator = code.evaluator(thin.term, scope, as_written=is_written)
            thin._evaluators[is_written] = evaluator
        with np.errstate(all="ignore"):
            found = np.asarray(evaluator(**given))
            if checked_flag("evaluate", "check", check):
                from eggrad.engine.compilation.checked import check_values

                check_values(self.variables, given)
        return found

    def _values(self, values: object, named: Mapping[str, Any]) -> dict[str, Any]:
        """The values that a caller gives, real and by names that there are."""
        given = given_values("evaluate", "arrays", values, named)
        wanted = self.known
        for name, value in given.items():
            if name not in wanted:
                names = ", ".join(v.name for v in self.variables) or "none"
                raise UnknownVariable(
                    f"evaluate: the expression has no variable {shown(name)}; its variables: "
                    f"{names}"
                )
            numbers(f"evaluate: the value of variable {name}", value)
        return given

    def substitute(
        self, values: Mapping[str, object] | None = None, /, **named: object
    ) -> "Expression":
        """The expression with others in place of variables, by name and all at once.

        They are expressions, numbers or arrays, with as many axes; their sizes become equal. What
        was declared of a variable has to hold of what replaces it. Raises `UnknownVariable` for a
        name that the expression does not contain, `ShapeError` where axes do not fit. Names that
        are no words of Python are given in a dict.

        >>> from eggrad.frontend.expression.functions import variable
        >>> x, A = variable("x", ("n",)), variable("A", ("m", "k"))
        >>> (x @ x).substitute(x=A @ variable("y", ("k",))).evaluate({"A": [[1, 2]], "y": [3, 4]})
        array(121.)
        """
        return _substituted(self, given_values("substitute", "expressions", values, named))

    def cost(self, sizes: Mapping[str, int] | int) -> int:
        """Floating-point operations, multiply and add counted apart, at the given sizes.

        `sizes` maps size symbols, or is the size of every symbol.
        """
        term = self.thin.term
        return count([term], {str(s): n for s, n in known_sizes([term], sizes).items()})

    @property
    def node_count(self) -> int:
        """The number of distinct nodes, variables and constants included."""
        return node_count([self.thin.term])

    def to(self, language: FormatName) -> str:
        """The text in another language.

        "einsum" is what `eggrad.parse` reads, "matrix" what `eggrad.parse_matrix` does; what has
        more than two axes is in index notation there. Matrices and LaTeX are written as the
        shortest equal formula that is found; "unicode" is matrix notation for a terminal. "index"
        has Kronecker deltas, "elementwise" is what `eggrad.parse_elementwise` reads, "latex" needs
        amsmath. "python" is a NumPy function, "jax", "torch", "sympy", "matlab" and "julia" are
        functions there. "json" is what `eggrad.parse_json` reads, "dot" is for Graphviz
        (docs/formats.md). Raises `UnsupportedOperation` for any other, for inverses and
        determinants in "elementwise", and for declared functions that a language has not.

        >>> from eggrad.frontend.expression.functions import variable
        >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
        >>> (A @ x).to("matrix"), (A @ x).to("index")
        ('A*x', 'fᵢ = Σⱼ Aᵢⱼ xⱼ')
        """
        # What writes texts is loaded with the first of them.
        from eggrad.frontend.printing.formats import FORMATS, format_expression

        checked_word("to", "language", language, FORMATS)
        # What is read back as it was may still be differentiated.
        form = self if language == "json" else self.thin
        return format_expression(language, form.term, form.scope)

    def __str__(self) -> str:
        """Write it in the language that `eggrad.parse` reads; one with loops as Python."""
        return self.to("python" if terms.steps_of(self.thin.term) else "einsum")

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The formula in a notebook."""
        from eggrad.frontend.printing.display import formula_bundle

        return formula_bundle(self, lambda: self.to("latex"))

    def __repr__(self) -> str:
        """Show axes and formula; what is not yet found is not looked for, so it is quick.

        >>> from eggrad.frontend.expression.functions import exp, variable
        >>> exp(variable("A", ("m", "n")) @ variable("x", ("n",)))
        Expression((m,): exp(A*x))
        """
        from eggrad.frontend.printing.display import short_formula

        form = self if self._thin is None else self._thin
        axes = ", ".join(map(str, self.shape))
        axes += "," if self.ndim == 1 else ""
        return f"Expression(({axes}): {short_formula(form.term, form.scope)})"

    # Python's operators

    __add__, __radd__ = _operators(add)
    __sub__, __rsub__ = _operators(subtract)
    __mul__, __rmul__ = _operators(multiply)
    __truediv__, __rtruediv__ = _operators(divide)
    __matmul__, __rmatmul__ = _operators(matmul)
    __pow__, __rpow__ = _operators(power)
    __mod__, __rmod__ = _operators(partial(applied, "mod"))
    __floordiv__, __rfloordiv__ = _operators(np.floor_divide)
    __neg__ = negative
    __round__ = _numpy_method("round")
    __abs__, __floor__, __ceil__, __trunc__ = map(_of_one, ("abs", "floor", "ceil", "trunc"))

    def __divmod__(self, other: object) -> "tuple[Expression, Expression]":
        """The quotient, rounded down, and the remainder."""
        return self // other, self % other

    def __rdivmod__(self, other: object) -> "tuple[Expression, Expression]":
        """The quotient of other, rounded down, and the remainder."""
        return other // self, other % self

    def __len__(self) -> int:
        """The length of the first axis, if it is a number."""
        shape = self.shape
        if not shape:
            raise UnsupportedOperation("a scalar has no length: len(x) is that of the first axis")
        return index(cast(int, shape[0]))

    def __index__(self) -> NoReturn:
        """Refuse: an expression is no number, in `range(n - 1)`, say."""
        raise UnsupportedOperation(no_integer())

    def __getitem__(self, key: object) -> "Expression":
        """Entries and slices at literal places, new axes as in `x[:, None]`, arrays of integers."""
        if not is_plain(key):
            return cast(Expression, call_function(getitem, (self, key), {}))
        found = pick(key, self.shape)
        if not (found.constraints or found.new_axes):
            return self

        def build(a: Term) -> Term:
            entries = select(a, found.sizes, found.constraints, found.out)
            return expand(entries if found.constraints else a, found.new_axes)

        return combine(found.text, [self], [], build)

    def __iter__(self) -> Iterator["Expression"]:
        """The parts along the first axis, if its length is known."""
        if not self.ndim:
            raise UnsupportedOperation(
                "a scalar has no entries: a loop is over the parts of an array along its first axis"
            )
        length = self.shape[0]
        if not isinstance(length, int):
            raise UnsupportedOperation(
                f"how many entries there are along an axis of size {length} is not known; give the "
                "size as an integer, or write einsum, sum, logsumexp or a product of the whole"
            )
        if length > _MOST_PARTS:
            raise UnsupportedOperation(
                f"a loop over {length} entries would take too long, at most {_MOST_PARTS} are "
                "allowed: write einsum, sum, logsumexp or a product of the whole"
            )
        return (self[k] for k in range(length))

    def __bool__(self) -> NoReturn:
        """Refuse: an expression has no value."""
        raise UnsupportedOperation(no_truth("an expression"))

    def __float__(self) -> NoReturn:
        """Refuse: an expression has no value."""
        raise UnsupportedOperation(no_number())

    __int__ = __float__
    __complex__ = __float__

    def __format__(self, spec: str) -> str:
        """The formula; its values have digits, and it has none."""
        if spec:
            raise UnsupportedOperation(FORMATTED)
        return str(self)

    def __invert__(self, *_: object) -> NoReturn:
        """Refuse: bits are those of integers."""
        raise UnsupportedOperation(_NO_BITS)

    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = __invert__
    __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = __invert__

    def __setitem__(self, key: object, value: object) -> NoReturn:
        """Refuse: expressions are immutable."""
        raise UnsupportedOperation(
            "the entries of an expression are not assigned to: write numpy.where(condition, a, b), "
            "numpy.concatenate of slices, or numpy.stack of entries"
        )

    def __delitem__(self, key: object) -> NoReturn:
        """Refuse: expressions are immutable."""
        raise UnsupportedOperation("entries are not deleted: write numpy.delete, or a slice")

    def __array__(self, dtype: object = None, copy: object = None) -> Array:
        """The entries as scalar expressions, where NumPy makes an array of what it is given.

        A sparse matrix asks for an array before it lets the operators of its operand work, which
        it does where that array holds one object.
        """
        if str(_getframe(1).f_globals.get("__name__")).startswith(_SPARSE):
            alone = np.empty((), dtype=object)
            alone[()] = self
            return alone
        number = self.size
        if isinstance(number, int) and number <= most_entries() and dtype in (None, object):
            return cast(Array, call_function(np.ndarray, (self,), {}))
        raise UnsupportedOperation(no_array())

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> "Expression | Condition":
        """NumPy's element-wise functions of expressions (NEP 13)."""
        if any(isinstance(a, MergedAxes) for a in inputs):
            return NotImplemented
        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """NumPy's other functions of expressions (NEP 18)."""
        if any(issubclass(t, MergedAxes) for t in types):
            return NotImplemented
        return call_function(function, args, options)

    # The methods of NumPy's arrays that are functions of the same name

    all = _numpy_method("all")
    any = _numpy_method("any")
    argmax = _numpy_method("argmax")
    argmin = _numpy_method("argmin")
    argsort = _numpy_method("argsort")
    clip = _numpy_method("clip")
    conj = _numpy_method("conj")
    conjugate = _numpy_method("conj")
    cumprod = _numpy_method("cumprod")
    cumsum = _numpy_method("cumsum")
    diagonal = _numpy_method("diagonal")
    dot = _numpy_method("dot")
    flatten = _numpy_method("ravel")
    max = _numpy_method("max")
    mean = _numpy_method("mean")
    min = _numpy_method("min")
    prod = _numpy_method("prod")
    ptp = _numpy_method("ptp")
    ravel = _numpy_method("ravel")
    repeat = _numpy_method("repeat")
    round = _numpy_method("round")
    squeeze = _numpy_method("squeeze")
    std = _numpy_method("std")
    sum = _numpy_method("sum")
    swapaxes = _numpy_method("swapaxes")
    take = _numpy_method("take")
    trace = _numpy_method("trace")
    var = _numpy_method("var")

    @property
    def mT(self) -> "Expression":  # noqa: N802 - NumPy's name
        """The last two axes exchanged."""
        return _transposed(self)

    @property
    def size(self) -> "Expression | int":
        """The number of entries; a scalar expression where a size is a symbol."""
        known = [d for d in self.shape if isinstance(d, int)]
        if len(known) == self.ndim:
            return reduce(mul, known, 1)
        return reduce(mul, map(as_expression, self.shape))

    @property
    def dtype(self) -> "np.dtype[np.float64]":
        """The type of the values: numbers of double precision."""
        # A mean of entries that are expressions would be made a number of this type.
        if str(_getframe(1).f_globals.get("__name__")).endswith("._core._methods"):
            raise AttributeError("an expression is no scalar of NumPy")
        return np.dtype(np.float64)

    @property
    def real(self) -> "Expression":
        """Itself: values are real."""
        return self

    @property
    def imag(self) -> "Expression":
        """Zeros: values are real."""
        return self * 0

    @property
    def flat(self) -> "Iterator[Expression]":
        """The entries, the last axis counted fastest."""
        return iter(self.ravel())

    def astype(self, dtype: Any, **_: Any) -> "Expression | Condition":
        """Itself for floating-point numbers, cut to whole ones, or the condition that it is not 0.

        >>> from eggrad.frontend.expression.functions import variable
        >>> variable("x").astype(int).to("matrix")
        'trunc(x)'
        """
        kind = check_dtype("astype", dtype, "fib")
        if kind == "b":
            return not_equal(self, 0)
        return applied("trunc", self) if kind == "i" else self

    def compress(self, condition: Any, axis: int | None = None) -> "Expression":
        """`numpy.compress`, by literal truth values."""
        return np.compress(condition, self, axis=axis)  # type: ignore[call-overload]

    def copy(self, order: object = "C") -> "Expression":
        """Itself, for it never changes."""
        return self

    __pos__ = __copy__ = __deepcopy__ = copy

    def item(self, *place: Any) -> "Expression":
        """An entry as a scalar, the only one without a place."""
        flat = len(place) == 1 and not isinstance(place[0], tuple)
        for k in place if flat else place[0] if len(place) == 1 else place:
            checked_integer("item", "a place", k)
        if flat:
            return self.ravel()[place[0]]
        return self[place[0] if len(place) == 1 else place] if place else self.reshape(())

    def reshape(self, *shape: Any, order: str = "C") -> "Expression":
        """`numpy.reshape`, to a tuple of sizes or to several."""
        return _reshaped(self, shape[0] if len(shape) == 1 else shape, order=order)

    def transpose(self, *axes: Any) -> "Expression":
        """`numpy.transpose`, by a tuple of axes or by several."""
        return _permuted(self, axes[0] if len(axes) == 1 else axes or None)


_expressions: WeakValueDictionary[object, Expression] = WeakValueDictionary()
# Two threads that make one expression at once have to get the same object.
_making = Lock()


def expression(
    term: Term,
    candidates: Iterable[Term] = (),
    complete: bool = True,
    thinnings: frozenset[Thinning] = frozenset(),
    lost: Iterable[str] = (),
) -> Expression:
    """The expression of `term`, with the fewest of the `candidates` that fix all its sizes.

    For each size symbol that no variable in `term` fixes, the first candidate by name that has
    an axis of it. `thinnings` are about parts of the term. Of the names `lost` those count that no
    variable has.

    >>> x = terms.variable("x", ("n",))
    >>> expression(terms.constant(1, ("n",)), [x]).scope == (x,)
    True
    """
    variables, mentioned = terms.variables(term), frozenset(symbols(term))
    return _make(
        term, candidates, complete, thinnings, lost, variables=variables, mentioned=mentioned
    )


def _make(
    term: Term,
    candidates: Iterable[Term],
    complete: bool,
    thinnings: frozenset[Thinning],
    lost: Iterable[str],
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
        firsts = (
            min(choices, key=lambda v, s=s: s not in v.dims)
            for s, choices in fixing.items()
            if choices
        )
        scope = terms.variables(*firsts)
    gone = frozenset(lost).difference((v.name for v in (*variables, *scope)), fixed, mentioned)
    key = (term, scope, complete, thinnings, gone)
    found = _expressions.get(key)
    if found is not None:
        return found
    made = object.__new__(Expression)
    parts = {"term": term, "scope": scope, "term_complete": complete, "thinnings": thinnings}
    parts |= {"_used": variables, "_symbols": mentioned, "_thin": None, "_evaluators": {}}
    parts["lost"] = gone
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    with _making:
        return _expressions.setdefault(key, made)


def given_values(what: str, kind: str, values: object, named: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name, some of them keywords.

    >>> given_values("evaluate", "arrays", {"x": 1}, {"y": 2})
    {'x': 1, 'y': 2}
    """
    by_name = {} if values is None else values
    wanted = f"a dict of {kind} by name, or there are keywords"
    given = checked_mapping(what, "values", by_name, wanted)
    for name in given.keys() & named:
        raise UnsupportedOperation(f"{what}: there are two values for {shown(name)}")
    return {**given, **named}


def as_expression(value: object, what: str = "an operand") -> Expression:
    """An expression as it is; a number, or an array or list of real numbers, as a constant.

    A condition is 1 or 0, an infinity or NaN an array without axes. Messages call the value `what`.
    A multiple of an identity matrix is that of a delta; `UnsupportedOperation` for all else.

    >>> as_expression(2).term.data, as_expression(np.eye(3)).term.op
    (Fraction(2, 1), 'delta')
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, Condition):
        return value.test
    if isinstance(value, SizeSymbol):
        return value.expression()
    if isinstance(value, float | np.floating) and not isfinite(value):
        # No fraction, so laws know of it what they know of arrays: which signs there are.
        return expression(terms.array(fixed_array(float(value))))
    number = exact(value)
    if number is None and (outside := _traced_variable(value)) is not None:
        return outside
    if number is not None:
        return expression(terms.constant(number))
    dense = _dense(value)
    if isinstance(dense, np.ndarray | list | tuple):
        try:
            if _has_expression(dense):
                return cast(Expression, call_function(np.asarray, (dense,), {}))
            return expression(broadcasting.array_term(_numbers(cast(object, dense))))
        except EggradError as error:
            raise type(error)(f"{what}: {error}") from error
    if isinstance(value, complex | np.complexfloating):
        raise UnsupportedOperation(f"{what}: {value} {IS_COMPLEX}")
    if isinstance(value, MergedAxes):
        raise UnsupportedOperation(
            "an array with axes as long as products of sizes is no expression; its property "
            "'entries' is one, in which each axis stands for itself, and numpy.reshape makes one"
        )
    raise UnsupportedOperation(
        f"{what}: expected an expression, a number or an array, not {shown(value)}, "
        f"a {type(value).__name__}"
    )


def _numbers(value: object) -> Array:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise UnsupportedOperation(f"this list is no array: {error}") from error


def _has_expression(value: object) -> bool:
    """Whether a list has an expression somewhere, or an array has objects."""
    if isinstance(value, list | tuple):
        try:
            return any(map(_has_expression, cast("list[object]", value)))
        except RecursionError:
            raise UnsupportedOperation("a list that contains itself is no array") from None
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "O"
    return isinstance(value, Expression | Condition | SizeSymbol)


def unified(
    expressions: Sequence[Expression],
    pairs: Iterable[tuple[Size, Size]],
    what: str,
    *,
    free: bool = False,
) -> list[Expression]:
    """The same expressions with sizes replaced, as `agreed_sizes` says.

    >>> a, b = (expression(terms.variable(*v)) for v in [("x", ("?x",)), ("y", ("n",))])
    >>> [e.shape for e in unified([a, b], [("?x", "n")], "x + y")]
    [('n',), ('n',)]
    """
    variables = [v for e in expressions for v in e.variables]
    renamed = agreed_sizes(variables, pairs, what, free=free)
    if not renamed:
        return list(expressions)
    result: list[Expression] = []
    for e in expressions:
        term, *others = terms.substitute_sizes([e.term, *e.scope], renamed)
        later = frozenset(p.resized(renamed) for p in e.thinnings)
        result.append(expression(term, others, e.term_complete, later, e.lost))
    return result


def _substituted(f: Expression, values: Mapping[str, object]) -> Expression:
    """An expression with others in place of variables, all at once."""
    known = {v.name: v for v in f.variables}
    given: dict[Term, Expression] = {}
    lost = f.lost.difference(values)
    for name, value in values.items():
        if name in f.lost and name not in known:
            lost |= as_expression(value).known
            continue
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownVariable(
                f"the expression has no variable {shown(name)}; its variables: {names}"
            )
        replacement = given[known[name]] = as_expression(value)
        if replacement.ndim != known[name].order:
            raise ShapeError(
                f"substitute: {name} has axes {format_axes(known[name].dims)}, what replaces it "
                f"has axes {format_axes(replacement.term.dims)}"
            )
    if not given:
        return expression(f.term, f.scope, f.term_complete, f.thinnings, lost)
    inside = (f.term, *f.variables)
    outside = [t for e in given.values() for t in (e.term, *e.scope)]
    places, sizes = apart([*given], inside, outside)
    # Symmetric matrices, for instance, may be replaced by others: their law holds no longer.
    later = frozenset(p for p in f.thinnings if substituted(p.term, places) is p.term)
    later = frozenset(p.resized(sizes) for p in later)
    root, *fixing = terms.substitute_sizes([substituted(t, places) for t in inside], sizes)
    before = expression(root, fixing, f.term_complete, later)
    variables = [expression(t) for t in terms.substitute_sizes([places[v] for v in given], sizes)]
    pairs = [
        pair
        for v, e in zip(variables, given.values(), strict=True)
        for pair in zip(e.term.dims, v.term.dims, strict=True)
    ]
    what = f"substitute {', '.join(values)}"
    after, *both = unified([before, *variables, *given.values()], pairs, what, free=True)
    replaced = {v.term: e for v, e in zip(both, both[len(given) :], strict=False)}
    candidates = [v for v in after.variables if v not in replaced]
    candidates += [v for e in replaced.values() for v in e.variables]
    term = substituted(after.term, {v: e.term for v, e in replaced.items()})
    complete = after.term_complete and all(e.term_complete for e in replaced.values())
    later = after.thinnings.union(*(e.thinnings for e in replaced.values()))
    lost = lost.union(*(e.lost for e in given.values()))
    return expression(term, candidates, complete, later, lost)


def combine(
    what: str,
    operands: Sequence[Expression],
    pairs: Iterable[tuple[Size, Size]],
    build: Callable[..., Term],
) -> Expression:
    """The expression `build(*terms of the operands)`, each pair of sizes made equal before."""
    agreed = unified(operands, pairs, what)
    term = build(*(e.term for e in agreed))
    known = {v for e in agreed for v in e._used}
    variables = agreed[0]._used if len(agreed) == 1 else tuple(terms.variables(*known))
    mentioned = frozenset[str]().union(*(e._symbols for e in agreed))
    candidates = (*known, *(v for e in agreed for v in e.scope))
    complete = all(e.term_complete for e in agreed)
    later = frozenset[Thinning]().union(*(e.thinnings for e in agreed))
    lost = {name for e in agreed for name in e.lost}
    return _make(term, candidates, complete, later, lost, variables=variables, mentioned=mentioned)


# Comparisons, and choices by them -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Condition(_Compared):
    """`test` is 1 where the condition holds and 0 elsewhere.

    >>> import numpy as np
    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> np.where(x >= 1, x, -x).evaluate({"x": [-1.0, 1.0, 2.0]})
    array([1., 1., 2.])
    """

    test: Expression
    _plural = "comparisons"

    def __and__(self, other: object) -> "Condition":
        """Both."""
        return Condition(applied("logical_and", self.test, truth(other)))

    def __or__(self, other: object) -> "Condition":
        """At least one."""
        return Condition(applied("logical_or", self.test, truth(other)))

    def __xor__(self, other: object) -> "Condition":
        """Exactly one."""
        return Condition(applied("not_equal", self.test, truth(other)))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> "Condition":
        """The opposite."""
        return Condition(applied("logical_not", self.test))

    __add__ = __radd__ = _operators_of_expression(operator.add)[0]
    __sub__, __rsub__ = _operators_of_expression(operator.sub)
    __mul__ = __rmul__ = _operators_of_expression(operator.mul)[0]
    __truediv__, __rtruediv__ = _operators_of_expression(operator.truediv)
    __pow__ = _operators_of_expression(operator.pow)[0]

    def __neg__(self) -> Expression:
        """-1 or 0."""
        return -self.test

    def __abs__(self) -> "Condition":
        """Itself, as of truth values."""
        return self

    def __getitem__(self, key: object) -> "Condition":
        """The condition at some entries."""
        return Condition(self.test[key])

    def __iter__(self) -> "Iterator[Condition]":
        """The parts along the first axis, if its length is known."""
        return map(Condition, iter(self.test))

    @property
    def shape(self) -> Dims:
        """The size of each axis."""
        return self.test.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.test.ndim

    def astype(self, dtype: Any) -> "Expression | Condition":
        """1 or 0 as numbers; the condition itself for `bool`."""
        return self if np.dtype(dtype) == bool else self.test

    any = numpy_method("any")
    all = numpy_method("all")
    sum = _numpy_method("sum")
    mean = _numpy_method("mean")

    def __bool__(self) -> NoReturn:
        """Refuse: a comparison of expressions has no value."""
        reason = no_truth("a comparison of expressions")
        asked = self.test.term.op in ("equal", "not_equal")
        raise UnsupportedOperation(f"{reason}; {_SAME}" if asked else reason)

    def __float__(self) -> NoReturn:
        """Refuse: a comparison of expressions has no value."""
        raise UnsupportedOperation(
            "a comparison of expressions has no value: write numpy.where(condition, 1, 0), or "
            "compute with the condition, which counts as 1 or 0"
        )

    __int__ = __index__ = __float__

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        """Refuse: NumPy would make an array of conditions."""
        raise UnsupportedOperation(no_array())

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> "Expression | Condition":
        """NumPy's element-wise functions of conditions, which are 1 or 0."""
        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: object,
        args: tuple[Any, ...],
        options: Mapping[str, Any],
    ) -> Any:
        """NumPy's other functions of conditions, which are 1 or 0."""
        return call_function(function, args, options)


def truth(value: object) -> Expression:
    """1 where something holds and 0 elsewhere: a condition, truth values, or what is not 0.

    >>> truth([True, False]).evaluate({}), truth(np.array([2, 0])).evaluate({})
    (array([1., 0.]), array([1., 0.]))
    """
    if isinstance(value, Condition):
        return value.test
    if isinstance(value, np.ndarray | np.bool_ | list | tuple | Number):
        found = value if _has_expression(value) else _numbers(value)
        if isinstance(found, np.ndarray) and found.dtype.kind in "biuf":
            return as_expression((found != 0).astype(float))
    return applied("not_equal", value, 0)


def where(condition: object, a: object = None, b: object = None) -> Expression:
    """`a` where the condition holds, `b` elsewhere, entry by entry.

    What is not selected never matters, undefined as it may be, in values and in derivatives. The
    condition is a comparison; an expression, an array or a list holds where it is not 0.

    >>> from eggrad.frontend.expression.functions import log, variable
    >>> x = variable("x")
    >>> float(where(x > 0, x * log(x), 0).evaluate({"x": 0}))
    0.0
    """
    if a is None or b is None:
        raise UnsupportedOperation(
            "where without values: how many places there are depends on values; write "
            "numpy.where(condition, a, b)"
        )
    test = condition if isinstance(condition, Expression) else truth(condition)
    return applied("where", test, a, b)
