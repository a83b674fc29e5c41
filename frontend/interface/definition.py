"""Element-wise definitions of tensors, whose indices are affine forms: what users hold."""

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

import numpy as np

from eggrad.engine.errors import ShapeError, UnknownVariable
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import Array, checked_size, numbers
from eggrad.frontend.elementwise.adjoint import (
    Frame,
    Occurrence,
    adjoint_body,
    head_names,
    occurrences,
)
from eggrad.frontend.elementwise.as_term import as_term
from eggrad.frontend.elementwise.paths import misread_at, readings
from eggrad.frontend.elementwise.printer import (
    format_definition,
    format_form,
    format_value,
    written,
)
from eggrad.frontend.elementwise.syntax import (
    Node,
    Number,
    Read,
    free_names,
    fresh_name,
    names_within,
    substitute,
    walk,
)
from eggrad.frontend.expression.expression import (
    Expression,
    as_expression,
    expression,
    given_values,
)
from eggrad.frontend.expression.own_functions import DeclaredFunction, records_of
from eggrad.frontend.formulas.declarations import given_dims
from eggrad.frontend.interface.compile import tiered
from eggrad.frontend.interface.tiers import TieredFunction
from eggrad.frontend.printing.display import formula_bundle
from eggrad.frontend.printing.latex import format_latex_definition
from eggrad.frontend.text.doors import checked_mapping, checked_text, checked_word
from eggrad.frontend.text.words import FormatName

Shapes = Mapping[str, Sequence[Affine]]


class Definition:
    """A tensor defined by what each of its entries is; `parse_elementwise` reads one.

    `name` is what the text defines, `body` the value of an entry. `sizes` has the size of each
    index of the head, `shapes` those of the arguments: integers, symbols, or forms of symbols;
    `lengths` and `arguments` have the same as affine forms. `complete` is False for a derivative
    whose simplification a budget cut short.
    """

    name: str
    body: Node
    complete: bool

    def __init__(
        self,
        name: str,
        sizes: Mapping[str, Affine],
        shapes: Mapping[str, tuple[Affine, ...]],
        body: Node,
        complete: bool = True,
    ) -> None:
        """Take what is known to fit; nothing is checked."""
        self.name = name
        self.body = body
        self.complete = complete
        self.lengths = dict(sizes)
        self.arguments = dict(shapes)
        self._found: dict[Node, list[Occurrence]] = {}
        self._last: tuple[object, TieredFunction] | None = None

    @property
    def sizes(self) -> dict[str, Size]:
        """The size of each index of the head."""
        return {n: _size(f) for n, f in self.lengths.items()}

    @property
    def shapes(self) -> dict[str, tuple[Size, ...]]:
        """The axes of each argument."""
        return {n: tuple(map(_size, shape)) for n, shape in self.arguments.items()}

    @property
    def shape(self) -> tuple[Size, ...]:
        """The axes of the tensor that is defined."""
        return tuple(map(_size, self.lengths.values()))

    @property
    def cotangent(self) -> str:
        """The name of the cotangent in adjoints: `d` and `name`, more of them if taken."""
        return _unused(f"d{self.name}", self.arguments)

    def adjoint(self, x: str) -> "Definition":
        """The derivative of a scalar by an argument, given that by the tensor defined here.

        The result is called `d` and the argument's name, and has its axes. It reads the same
        arguments and the cotangent, which is called `d` and the name of what is defined here;
        where an argument has such a name already, there is one more `d`.
        Raises `UnknownVariable` where there is no such argument.

        Urban and van der Smagt 2017, algorithm 4.

        >>> d = parse_elementwise("f[i; j] = exp (x[i + j])", {"x": (6,)}, sizes={"i": 3, "j": 4})
        >>> print(d.adjoint("x"))
        dx[k] = sum{i}_(max [0; k - 3])^(min [2; k]) (df[i; k - i] * exp (x[k]))
        """
        shape = self._shape_of(x)
        places = tuple(map(Affine.of, self.lengths))
        found = [o for o in self._occurrences(Read(self.cotangent, places)) if o.read.name == x]
        names = head_names(found, len(shape), self._symbols())
        head = dict(zip(names, shape, strict=True))
        body = adjoint_body(found, Frame(self.lengths, head, names, {}))
        arguments = {**self.arguments, self.cotangent: tuple(self.lengths.values())}
        return Definition(_unused(f"d{x}", arguments), head, arguments, body, self._complete(found))

    def jacobian(self, x: str) -> "Definition":
        """The derivative by an argument: axes of what is defined here, then of the argument.

        Raises `UnknownVariable` where there is no such argument.

        >>> d = parse_elementwise("f[i] = x[i] ** 2", {"x": (3,)})
        >>> print(d.jacobian("x"))
        df_dx[i; j] = if {i - j = 0} then (2 * x[j]) else (0)
        """
        shape = self._shape_of(x)
        found = [o for o in self._occurrences(Number(Fraction(1))) if o.read.name == x]
        taken = self._symbols().union(self.lengths, names_within(self.body))
        names = head_names([], len(shape), taken)
        head = {**self.lengths, **dict(zip(names, shape, strict=True))}
        body = adjoint_body(found, Frame(self.lengths, head, names, {n: n for n in self.lengths}))
        name = _unused(f"d{self.name}_d{x}", self.arguments)
        return Definition(name, head, self.arguments, body, self._complete(found))

    @staticmethod
    def of(f: Expression, name: str = "f") -> "Definition":
        """The definition of an expression: what its entries are.

        Arguments have no declared properties, so what holds at symmetric matrices alone is not
        used. Raises `UnsupportedOperation` where it has inverses or determinants, which entries
        one by one do not say.

        >>> from eggrad.frontend.expression.functions import variable
        >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
        >>> print(Definition.of(A @ x))
        f[i] = sum{j}_0^(n - 1) (A[i; j] * x[j])
        """
        given = as_expression(f, "Definition.of: f")
        found = written(given.term)
        fresh = fresh_name(checked_text("Definition.of", "name", name), {*found.arguments})
        return Definition(fresh, found.lengths, found.arguments, found.body, given.term_complete)

    @property
    def expression(self) -> Expression:
        """The same tensor as an expression of arguments that are variables.

        What lies outside of ranges and conditions counts as 0. Raises `ShapeError` where a size
        or the number of terms of a sum has fractions, `UnsupportedOperation`
        for an exponent that depends on indices.

        >>> d = parse_elementwise("f[i] = x[i + 1] - x[i]", {"x": ("n",)}, sizes={"i": "m"})
        >>> d.expression.to("index")
        'fᵢ = Σⱼ [j=i+1] xⱼ - Σₖ [k=i] xₖ'
        """
        term, variables = as_term(self.lengths, self.arguments, self.body)
        return expression(term, variables, lost=frozenset(self.arguments))

    def _shape_of(self, x: str) -> tuple[Affine, ...]:
        if not isinstance(x, str) or x not in self.arguments:
            names = ", ".join(self.arguments) or "none"
            raise UnknownVariable(f"{self.name} has no argument {shown(x)}; its arguments: {names}")
        return self.arguments[x]

    def _occurrences(self, cotangent: Node) -> list[Occurrence]:
        if cotangent not in self._found:
            self._found[cotangent] = occurrences(self.body, cotangent)
        return self._found[cotangent]

    def _complete(self, found: Sequence[Occurrence]) -> bool:
        return self.complete and all(o.complete for o in found)

    def _symbols(self) -> frozenset[str]:
        forms = [*self.lengths.values(), *(f for shape in self.arguments.values() for f in shape)]
        return frozenset(n for f in forms for n in f.names)

    def evaluate(self, values: Mapping[str, Any] | None = None, **named: Any) -> Array:
        """All entries in double precision, given arrays by the arguments' names.

        A size may be given by its symbol. Raises `UnknownVariable` for a missing value,
        `UnsupportedOperation` for one that is not of real numbers, `ShapeError` for a wrong shape
        and where an entry outside of an array is needed, `UnknownVariable` for a name that is
        neither an argument's nor a size's.

        >>> d = parse_elementwise("f[i] = x[i + 1] - x[i]", {"x": (4,)}, sizes={"i": 3})
        >>> d.evaluate({"x": [1, 2, 4, 8]})
        array([1., 2., 4.])
        """
        needed, wanted = self._needed
        given = given_values("evaluate", "arrays", values, named)
        names = {*self.arguments, *self._symbols(), *wanted}
        for name in given:
            if name not in names:
                raise UnknownVariable(
                    f"evaluate: {self.name} has no argument {shown(name)}; its arguments: "
                    f"{', '.join(self.arguments) or 'none'}"
                )
        arrays = arrays_of(self.arguments, given, needed)
        symbols = numbers_of(wanted, self.arguments, arrays, given)
        shapes = {name: array.shape for name, array in arrays.items()}
        function = self._at(symbols, shapes)
        with np.errstate(all="ignore"):
            return function(**{name: arrays[name] for name in function.parameters})

    @cached_property
    def _needed(self) -> tuple[set[str], set[str]]:
        """The arguments that are read, and the symbols that have to be numbers."""
        sizes = {n for size in self.lengths.values() for n in size.names}
        symbols = sizes | free_names(self.body).difference(self.lengths)
        return {n.name for n in walk(self.body) if isinstance(n, Read)}, symbols

    def _at(
        self, symbols: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]
    ) -> TieredFunction:
        """What computes the entries at sizes that are numbers; that of the last call is kept."""
        asked = dict(symbols), dict(shapes)
        if self._last is None or self._last[0] != asked:
            forms = {name: Affine({}, number) for name, number in symbols.items()}
            body = substitute(self.body, forms, frozenset(self.lengths))
            lengths = {n: f.substitute(symbols) for n, f in self.lengths.items()}
            arguments = {n: tuple(Affine({}, d) for d in shape) for n, shape in shapes.items()}
            _check_sizes(lengths)
            _check_readings(body, lengths, shapes)
            found = expression(*as_term(lengths, arguments, body))
            self._last = asked, tiered(lambda _: found)
        return self._last[1]

    def to(self, language: FormatName) -> str:
        r"""Write it as "elementwise", the notation of `str`, as "latex", or as an expression.

        Every other language is one of `Expression.to`. Raises `UnsupportedOperation` for none of
        these, and what `expression` raises.

        >>> d = parse_elementwise("f[i; j] = exp (x[i + j])", {"x": (7,)}, {"i": 3, "j": 5})
        >>> print(d.to("latex"))
        f_{i, j} = \exp\left(x_{i + j}\right), \quad 0 \le i < 3, \; 0 \le j < 5
        """
        checked_word("to", "language", language, get_args(FormatName))
        if language == "elementwise":
            return str(self)
        if language == "latex":
            return format_latex_definition(self.name, self.lengths, self.body)
        return self.expression.to(language)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What notebooks show."""
        return formula_bundle(self, lambda: self.to("latex"))

    def __eq__(self, other: object) -> bool:
        """Whether the definitions say the same in the same words."""
        if not isinstance(other, Definition):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Alike for equal definitions."""
        return hash((self.name, self.body))

    def _key(self) -> tuple[object, ...]:
        return self.name, list(self.lengths.items()), self.arguments, self.body

    def __str__(self) -> str:
        """Write it in the notation that `parse_elementwise` reads, given `shapes` and `sizes`."""
        return format_definition(self.name, list(self.lengths), self.body)

    def __repr__(self) -> str:
        """Show the text."""
        return f"<Definition {self}>"


def parse_elementwise(
    text: str,
    shapes: Mapping[str, Sequence[Size]] | str,
    sizes: Mapping[str, Size] | None = None,
    functions: Sequence[DeclaredFunction] = (),
) -> Definition:
    """Read the definition of a tensor by its entries (docs/elementwise.md).

    `shapes` has the axes of every argument, each an integer, a symbol or a form like
    `"2*N - 1"`, or is a text, `"A: m n, x: n"`; `sizes` has the sizes of indices, and numbers for
    symbols. `functions` are functions of your own that the text calls, see `eggrad.function`.
    Raises `ParseError`, which shows the place; where axes do not fit or an entry would be read
    that is not there it is
    a `ShapeError`, where a name is unknown an `UnknownVariable` as well.

    >>> d = parse_elementwise("f[i; j] = exp (x[i + j])", {"x": (7,)}, sizes={"i": 3, "j": 5})
    >>> d.evaluate({"x": [0] * 7}).shape
    (3, 5)
    """
    # Lark is loaded by whoever reads a text.
    from eggrad.frontend.elementwise.parser import parse

    checked_text("parse_elementwise", "text", text)
    known = given_dims("parse_elementwise", "shapes", shapes)
    axes: dict[str, Any] = {**known}
    for name, shape in axes.items():
        if isinstance(shape, int):
            raise ShapeError(
                f"parse_elementwise: shapes has for {shown(name)} no tuple of sizes, such as "
                f"({shape},), but {shape}"
            )
    given = {} if sizes is None else sizes
    sizes = checked_mapping("parse_elementwise", "sizes", given, 'a dict such as {"i": 3}')
    found = parse(text, axes, sizes, records_of(functions))
    return Definition(found.name, found.sizes, found.shapes, found.body)


def _check_sizes(lengths: Mapping[str, Affine]) -> None:
    for name, length in lengths.items():
        if length.constant < 0:
            raise ShapeError(f"the index {name} would have {length.constant} values")


def _check_readings(
    body: Node, lengths: Mapping[str, Affine], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise `ShapeError` where an entry is needed that is not there."""
    for path, read in readings(body):
        shape = shapes[read.name]
        for form, size in zip(read.indices, shape, strict=True):
            at = misread_at(form, Affine({}, size), path, lengths)
            if at is not None:
                needed = "; ".join(format_form(f.substitute(at)) for f in read.indices)
                where = ", ".join(f"{n} = {v}" for n, v in at.items())
                raise ShapeError(
                    f"{read.name} has no such entry: {format_value(read)} is "
                    f"{read.name}[{needed}] where {where}; its shape is {shape}"
                )


def _unused(name: str, taken: Container[str]) -> str:
    while name in taken:
        name = f"d{name}"
    return name


def _size(form: Affine) -> Size:
    return int(form.constant) if form.is_constant else format_form(form)


# Values of the arguments, and the sizes that their shapes fix ------------------------------


def arrays_of(shapes: Shapes, values: Mapping[str, Any], needed: Iterable[str]) -> dict[str, Array]:
    """The values of arguments as arrays; those that are not needed may be missing.

    >>> arrays_of({"x": (Affine.of("n"),)}, {"x": [1, 2]}, ["x"])
    {'x': array([1., 2.])}
    """
    for name in sorted(needed):
        if name not in values:
            raise UnknownVariable(f"there is no value for {name}")
    arrays: dict[str, Array] = {}
    for name, shape in shapes.items():
        if name in values:
            array = _real(name, values[name])
            if array.ndim != len(shape):
                raise ShapeError(f"{name}: {_shown(shape)} wanted, the value has {array.shape}")
            arrays[name] = array
    return arrays


def numbers_of(
    symbols: Iterable[str], shapes: Shapes, arrays: Mapping[str, Array], values: Mapping[str, Any]
) -> dict[str, int]:
    """The number that each size is, from the shapes of arrays or from values of that name.

    >>> import numpy as np
    >>> n = Affine.of("n")
    >>> numbers_of({"n"}, {"x": (2 * n - 1,)}, {"x": np.zeros(5)}, {})
    {'n': 3}
    """
    wanted = sorted(symbols)
    found = {n: checked_size(n, values[n]) for n in wanted if n in values and n not in arrays}
    waiting = [
        (name, form, length)
        for name, array in arrays.items()
        for form, length in zip(shapes[name], array.shape, strict=True)
    ]
    while waiting:
        # Every round takes an axis whose size has at most one symbol that is not known yet.
        now = [(name, form, form.substitute(found), length) for name, form, length in waiting]
        at = next((i for i, (_, _, form, _) in enumerate(now) if len(form.names) < 2), None)
        if at is None:
            break
        waiting.pop(at)
        name, given, form, length = now[at]
        rest = length - form.constant
        if form.is_constant and rest:
            raise ShapeError(
                f"{name}: {_shown(shapes[name])} wanted, the value has {arrays[name].shape}"
            )
        for symbol, c in form.items():
            number = rest / c
            if number != int(number) or number < 0:
                raise ShapeError(f"{name}: {format_form(given)} = {length} has no solution")
            found[symbol] = int(number)
    for symbol in wanted:
        if symbol not in found:
            raise UnknownVariable(f"no shape says what {symbol} is; give it among the values")
    return found


def _real(name: str, value: object) -> Array:
    return numbers(f"the value of variable {name}", value).astype(float, copy=False)


def _shown(shape: Sequence[Affine]) -> str:
    return f"shape ({', '.join(map(format_form, shape))}{',' * (len(shape) == 1)})"
