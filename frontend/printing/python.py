"""Terms as NumPy functions like those that people write: the program form, with few names."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, POWER, PRODUCT, SIGN, SUM, Dialect, as_tuple
from eggrad.engine.compilation.lowering import detail
from eggrad.engine.compilation.module import as_places
from eggrad.engine.compilation.passes import run_passes
from eggrad.engine.compilation.program import (
    ONE,
    Block,
    Contraction,
    Instruction,
    Number,
    Program,
    Source,
    Steps,
    Value,
)
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import (
    coefficient,
    format_form,
    is_simple,
    plus,
    size_form,
    size_symbols,
    times,
)
from eggrad.engine.indices.constraints import Constraint, format_comparison
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import LETTERS, Dims, Indices, Size, letters
from eggrad.engine.indices.texts import as_float, escaped, identifier
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.cofactors import without_higher_cofactors
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import EXTREMES, MATRIX_FUNCTIONS, Function, OwnFunction
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import (
    Step,
    Term,
    only_indices,
    own_functions,
    postorder,
    steps_of,
    variables,
)
from eggrad.frontend.printing.templates import filled

# A loop, one step after the other; what a step is given has a first axis of size 1.
_RUN_LOOP: Final = '''\
def run_loop(step, length, starts, slices, constants, backwards):
    """The states of each carry, before and after each step."""
    kept = [[np.asarray(start)] for start in starts]
    for k in reversed(range(length)) if backwards else range(length):
        now = [states[-1][None] for states in kept] + [a[k : k + 1] for a in slices]
        for states, after in zip(kept, step(*now, *constants)):
            states.append(after[0])
    return [np.stack(states[::-1] if backwards else states) for states in kept]'''
# A part that occurs again has a name if it is longer.
WORTH_NAMING: Final = 8
# Python's compiler gives up on deeper brackets.
DEEP: Final = 40
# Smaller integers are floating-point numbers.
_EXACT: Final = 2**53
# Truth values are added up as numbers are.
_AS_NUMBER: Final = "1.0 * "
_CALLS: Final = {
    **{name: f.python for name, f in (*MATRIX_FUNCTIONS.items(), *STACK_FUNCTIONS.items())},
    "argsort": 'np.argsort({x}, axis={k}, kind="stable")',
}
# Functions of whole arrays, given the array and the axes; what comes first is called `s` after it.
_ALONG_AXES: Final = {
    "logsumexp": ("np.logaddexp.reduce({x}, axis={k})", ATOM),
    "softmax": (
        "np.exp({x} - np.max({x}, axis={k}, keepdims=True)); "
        "{s} / np.sum({s}, axis={k}, keepdims=True)",
        PRODUCT,
    ),
    "log_softmax": (
        "{x} - np.max({x}, axis={k}, keepdims=True); "
        "{s} - np.log(np.sum(np.exp({s}), axis={k}, keepdims=True))",
        SUM,
    ),
    "norm": ("np.hypot.reduce({x}, axis={k})", ATOM),
    "logdet": ("np.linalg.slogdet({x})[1]", ATOM),
}
# What computes Python's numbers from such.
_ARITHMETIC: Final = ("add", "subtract", "multiply", "scale", "divide", "negate", "repeat", "power")


class PythonDialect(Dialect):
    """NumPy's words as people write them; subclasses have those of other libraries.

    Texts of records are NumPy's, and `words` puts them into those of the library.
    """

    library = "NumPy"
    key_of_records = "python"
    modules: Mapping[str, str] = {"np": "import numpy as np", "scipy": "import scipy.linalg"}
    """What the code calls each module, and how it is imported."""
    along_axes: Mapping[str, Text] = _ALONG_AXES
    calls: Mapping[str, str] = _CALLS
    reads_backwards = True

    def __init__(self, program: Program, taken: set[str]) -> None:
        """Write a program, with other names than those that are taken."""
        super().__init__(program)
        self.body: list[str] = []
        self._taken = taken
        self._texts: dict[Instruction, Text] = {}
        self.used: set[str] = set()

    def words(self, template: str) -> str:
        """A text with NumPy's words in those of the library, whose modules are noted as used."""
        text = self.translated(template)
        self.used.update(m for m in self.modules if f"{m}." in text)
        return text

    def translated(self, template: str) -> str:
        """The same without a note."""
        return template

    def named(self, text: str) -> str:
        """A name for what a text says."""
        name = fresh(f"t{len(self.body) + 1}", self._taken)
        self.body.append(f"{name} = {text}")
        return name

    def text(self, own: Instruction) -> Text:
        """The text of what an instruction computes: the same wherever it is used."""
        if own not in self._texts:
            self._texts[own] = super().text(own)
        return self._texts[own]

    def result(self, source: Source) -> str:
        """The array to return."""
        return self.source(source)[0]

    def call(self, name: str, *args: str) -> Text:
        """A call of what NumPy calls so."""
        return f"{self.words(f'np.{name}(')}{', '.join(filter(None, args))})", ATOM

    # Numbers ------------------------------------------------------------------------------------

    def number(self, number: Number) -> Text:
        """A number, as short as it is exact."""
        sizes = " * ".join(map(self.program.size, number.sizes))
        text, level = format_fraction(number.value)
        value = self.words(text), level
        if not sizes:
            return value
        if number.value == 1 and len(number.sizes) == 1:
            return self.bare(number.sizes[0]), ATOM if is_simple(number.sizes[0]) else SUM
        if number.value == 1:
            return sizes, PRODUCT
        return f"{bracketed(value, PRODUCT)} * {sizes}", PRODUCT

    def is_number(self, source: Source) -> bool:
        """Whether it is a number of Python's, not an array."""
        if not isinstance(source, Instruction):
            return isinstance(source, Number)
        if source.kind in ("array", "zeros_and_ones"):
            return not source.labels
        is_root = source.kind == "power" and source.data == Fraction(1, 2)
        arithmetic = source.kind in _ARITHMETIC and not is_root
        return arithmetic and all(self.is_number(s) for s, _ in source.operands)

    def bare(self, d: Size) -> str:
        """The text of a size that stands alone."""
        text = self.program.size(d)
        return text[1:-1] if text.startswith("(") else text

    def shape(self, dims: Dims) -> str:
        """The sizes, as one argument."""
        return self.bare(dims[0]) if len(dims) == 1 else as_tuple(map(self.bare, dims))

    # Arrays that are made -----------------------------------------------------------------------

    def _known(self, own: Instruction) -> Text:
        """Known numbers."""
        array: FixedArray
        array, says_places = own.data
        if not array.values.size:
            return self.zeros(array.values.shape)
        values = as_places(array.values) if says_places else array.values
        listed = repr(values.tolist())
        for word in ("nan", "inf"):
            listed = listed.replace(word, self.words(f"np.{word}"))
        return self.made("array", listed)

    def made(self, name: str, *args: str) -> Text:
        """A call that makes an array."""
        return self.call(name, *args)

    def zeros(self, dims: Dims) -> Text:
        """An array of zeros."""
        return self.made("zeros", self.shape(dims))

    def ones(self, dims: Dims) -> Text:
        """An array of ones."""
        return self.made("ones", self.shape(dims))

    def eye(self, size: Size) -> str:
        """An identity matrix."""
        return self.made("eye", self.bare(size))[0]

    def arange(self, size: Size) -> str:
        """The integers below a size."""
        return self.call("arange", self.bare(size))[0]

    def _array(self, own: Instruction) -> Text:
        return self.source(own.operands[0][0])

    def _filled(self, own: Instruction) -> Text:
        ((source, _),), dims = own.operands, own.data
        if source in (ONE, Number(Fraction(0))):
            return self.ones(dims) if source == ONE else self.zeros(dims)
        if isinstance(source, Number):
            return self.made("full", self.shape(dims), self.source(source)[0])
        return f"{bracketed(self.source(source), PRODUCT)} * {self.ones(dims)[0]}", PRODUCT

    def _broadcast(self, own: Instruction) -> Text:
        text = self.spread(own.operands[0], own.labels)
        return f"{bracketed(text, PRODUCT)} * {self.ones(own.data)[0]}", PRODUCT

    def _zeros_and_ones(self, own: Instruction) -> Text:
        indicator: Term = own.data
        names = [identifier(letter, self._taken) for letter in LETTERS[: indicator.order]]
        index = names.__getitem__
        conditions = [f"({self._condition(c, index)})" for c in indicator.constraints]
        if not conditions or not indicator.order:
            whole = " * ".join(conditions)
            return (f"float({whole})", ATOM) if conditions else self.ones(indicator.dims)
        shape = as_tuple(map(self.bare, indicator.dims))
        function = f"lambda {', '.join(names)}: {_AS_NUMBER}{' * '.join(conditions)}"
        return self.call("fromfunction", function, shape)

    def _condition(self, constraint: Constraint, index: Callable[[int], str]) -> str:
        return format_condition(constraint, index, self.bare)

    def _selection(self, own: Instruction) -> Text:
        """An array of zeros and ones: 1 at the places that integers say, from the end if < 0."""
        return f"{_AS_NUMBER}({self.chosen(own)})", PRODUCT

    def chosen(self, own: Instruction) -> str:
        """The condition that the last indices are the places that integers say."""
        (places,), dims = self.atoms(own), own.data
        new = ", None" * len(dims)
        conditions: list[str] = []
        for k, d in enumerate(dims):
            key = f"[..., {k}{new}]" if len(dims) > 1 else "[..., None]"
            spread = f"[:{', None' * (len(dims) - k - 1)}]" if k < len(dims) - 1 else ""
            array = f"{self.call('asarray', places)[0]}{key}"
            conditions.append(f"{array} % {self.program.size(d)} == {self.arange(d)}{spread}")
        return conditions[0] if len(dims) == 1 else " & ".join(f"({c})" for c in conditions)

    def _with_zeros(self, own: Instruction) -> Text:
        """A diagonal matrix, or an array times identities where it has zeros."""
        value: Value
        value, dims = own.data
        if value.axes == (value.axes[0], value.axes[0]) and value.labels:
            return self.call("diag", self.source(value.source)[0])
        first = dict[int, int]()
        parts: list[Indices] = []
        arrays: list[str] = []
        for k, i in enumerate(value.axes):
            if first.setdefault(i, k) != k:
                parts.append((first[i], k))
                arrays.append(self.eye(dims[k]))
        unlike = {i for i in first if value.axes.count(i) == 1} - {*value.labels}
        for i in sorted(unlike):
            parts.append((first[i],))
            arrays.append(self.ones((dims[first[i]],))[0])
        if value.labels:
            parts.insert(0, tuple(first[i] for i in value.labels))
            arrays.insert(0, self.source(value.source)[0])
        out = tuple(range(len(dims)))
        whole = arrays[0], ATOM
        if parts != [out]:
            whole = self._einsum((*parts, out), *arrays)
        if value.labels or value.source == ONE:
            return whole
        return f"{bracketed(self.source(value.source), PRODUCT)} * {whole[0]}", PRODUCT

    # Entry by entry -----------------------------------------------------------------------------

    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""
        return self.call("transpose", array[0], str(order))[0]

    def _infix(self, own: Instruction, sign: str, level: int, least: int) -> Text:
        left, right = self.broadcast_operands(own)
        if sign == "+" and right[0].startswith("-"):
            least = POWER
        return f"{bracketed(left, level)} {sign} {bracketed(right, least)}", level

    def _add(self, own: Instruction) -> Text:
        first, second = own.operands
        if first == second:
            return f"2 * {bracketed(self.broadcast_operands(own)[0], SIGN)}", PRODUCT
        return super()._add(own)

    def _multiply(self, own: Instruction) -> Text:
        # What has more axes comes first.
        one, other = own.operands
        turned = other[1] and len(one[1]) < len(other[1])
        return super()._multiply(replace(own, operands=(other, one)) if turned else own)

    def _scale(self, own: Instruction) -> Text:
        factor, array = own.operands
        if factor[0] == Number(Fraction(-1)):
            return f"-{bracketed(self.transposed(array, own.labels), SIGN)}", SIGN
        return super()._scale(own)

    def _negate(self, own: Instruction) -> Text:
        return f"-{bracketed(self.broadcast_operands(own)[0], SIGN)}", SIGN

    def _power(self, own: Instruction) -> Text:
        base, exponent = self.broadcast_operands(own)
        if own.data == Fraction(1, 2):
            return self.call("sqrt", base[0])
        if own.data == -1:
            return f"1 / {bracketed(base, SIGN)}", PRODUCT
        return f"{bracketed(base, ATOM)} ** {bracketed(exponent, SIGN)}", POWER

    def _function(self, own: Instruction) -> Text:
        function: Function
        function, asked = own.data
        args = self.operands(function, asked, self.broadcast_operands(own))
        if isinstance(function, OwnFunction):
            return function.code.format(*(text for text, _ in args)), ATOM
        return filled(self.words(self.template(function)), args, self.named)

    def operands(
        self, function: Function, asked: Sequence[bool], operands: Sequence[Text]
    ) -> Sequence[Text]:
        """The operands of a function; any number says yes or no in NumPy, 0 no."""
        return operands

    def template(self, own: Function) -> str:
        """The text of a function, with places for its operands."""
        return own.spelled.get("python") or own.code

    def _numbers(self, own: Instruction) -> Text:
        return _AS_NUMBER + bracketed(self.source(own.operands[0][0]), SIGN), PRODUCT

    # Products and sums --------------------------------------------------------------------------

    def _repeat(self, own: Instruction) -> Text:
        text = bracketed(self.source(own.operands[0][0]), SIGN)
        return f"{self.program.size(own.data)} * {text}", PRODUCT

    def _diagonal(self, own: Instruction) -> Text:
        ((source, labels),) = own.operands
        if len(labels) == 2:
            return self.call("diag", self.source(source)[0])
        return self._einsum((labels, own.labels), self.source(source)[0])

    def _einsum(self, parts: Sequence[Indices], *arrays: str) -> Text:
        return self.call("einsum", f'"{letters(*parts)}"', *arrays)

    def _sum(self, own: Instruction) -> Text:
        ((source, labels),) = own.operands
        if isinstance(source, Instruction) and source.kind == "diagonal":
            ((array, inner),) = source.operands
            if len(inner) == 2:
                return self.call("trace", self.source(array)[0])
            return self._einsum((inner, own.labels), self.source(array)[0])
        return self.call("sum", self.source(source)[0], self._axes(labels, own.labels))

    def _axes(self, labels: Indices, kept: Indices) -> str:
        gone = tuple(k for k, i in enumerate(labels) if i not in kept)
        return f"axis={gone[0] if len(gone) == 1 else gone}" if kept else ""

    def _outer(self, own: Instruction) -> Text:
        a, b = self.atoms(own)
        if len(own.labels) == 2:
            return self.call("outer", a, b)
        return self._einsum((*(labels for _, labels in own.operands), own.labels), a, b)

    def _contract(self, own: Instruction) -> Text:
        c: Contraction = own.data
        (left, p), (_, q) = c.left, c.right
        if max(len(p), len(q)) <= 2 and len(c.summed) + len(c.batch) == 2:
            # Entry by entry, then a sum.
            text = f"{bracketed(self.source(left), PRODUCT)} * "
            text += bracketed(self.transposed(c.right, p), SIGN)
            return self.call("sum", text, self._axes(p, own.labels))
        if c.operator == "einsum":
            return self._einsum((p, q, own.labels), *self.atoms(own))
        return self.matrices(c)

    # Views and whole arrays ---------------------------------------------------------------------

    def _entries(self, own: Instruction) -> Text:
        return f"{self.atom(own.operands[0])}[{', '.join(own.data)}]", ATOM

    def _selected(self, own: Instruction) -> Text:
        array, index = own.operands
        return f"{self.atom(array)}[{':, ' * own.data}{self.source(index[0])[0]}]", ATOM

    def _call(self, own: Instruction) -> Text:
        node: Term = own.data
        (x, *_), k = (self.source(s) for s, _ in own.operands), detail(node)
        if node.op in self.along_axes:
            return self._along_axes(node, x)
        if node.op == "cofactors" and node.data == 1:
            text = self.words("np.linalg.det({0}) * np.linalg.inv({0}).T").format(x[0])
            return text, PRODUCT
        if node.op in EXTREMES:
            return self.call(node.op, x[0], self._axes(*node.spec))
        if node.op not in self.calls:
            raise UnsupportedOperation(
                f"{node.op} has no function in {self.library}; see eggrad.compile"
            )
        text = self.words(self.calls[node.op]).format(x[0], x=x[0], k=k)
        return text, PRODUCT if node.op == "adj" else ATOM

    def _along_axes(self, node: Term, operand: Text) -> Text:
        """A function of a whole array, in some steps."""
        (text, level), order = self.along_axes[node.op], node.args[0].order
        kept = node.spec[1] if node.op != "logdet" else ()
        gone = tuple(k for k in range(order) if k not in kept)
        if len(gone) == order == 1:
            text = text.replace(", axis={k}", "").replace(", keepdims=True", "")
        *first, template = self.words(text).split("; ")
        often = text.count("{x}") > 1 and operand[1] < ATOM
        given = {"x": self.named(operand[0]) if often else operand[0]}
        given["k"] = str(gone[0] if len(gone) == 1 else gone)
        for part in first:
            given["s"] = self.named(part.format(**given))
        return template.format(**given), level

    def _loop(self, own: Instruction) -> Text:
        """States of a loop, which runs once for all that are needed."""
        return self.named(f"run_loop({self.loop_arguments(own)})"), ATOM

    def origin(self, function: OwnFunction) -> str:
        """The line that imports a declared function, or says that it is the user's own."""
        return imported(function, "numpy") or f"# {function.name} is a function of your own."

    def first_lines(self, body: str) -> list[str]:
        """Lines that stand before all others, given these."""
        return []


class _Inline(Block):
    """No statements: what is computed stands where it is used, unless it has a name.

    What is used again, or nested deep, gets one.
    """

    def __init__(self, roots: Sequence[Term], dialect: PythonDialect) -> None:
        super().__init__()
        self._dialect = dialect
        self._users = Counter(a for node in postorder(*roots) for a in node.args)
        self._depth: dict[Term, int] = {}

    def emit(self, own: Instruction) -> Source:
        return own

    def alias(self, own: Instruction) -> Source:
        return own

    def kept(self, node: Term, source: Source) -> Source:
        self._depth[node] = 1 + max((self._depth[a] for a in node.args), default=0)
        deep = self._depth[node] > DEEP
        if not node.args or not isinstance(source, Instruction):
            return source
        if deep or self._users[node] > 1:
            text, _ = self._dialect.text(source)
            if deep or len(text) > WORTH_NAMING:
                self._depth[node] = 0
                return self._dialect.named(text)
        return source


def format_python(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of the variables, and of those in `scope` that fix a size.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_python(einsum("ij,j->i", A, x)))
    def f(A, x):
        \"\"\"Axes (m,), for A of axes (m, n), x of axes (n,).\"\"\"
        return A @ x
    <BLANKLINE>
    """
    return written(PythonDialect, root, scope)


def written(dialect: type[PythonDialect], root: Term, scope: Sequence[Term]) -> str:
    """The module of a function in a dialect."""
    root = without_higher_cofactors(root)
    taken = {"np", "float", "run_loop", *dialect.modules, *(f.name for f in own_functions(root))}
    every = variables(root, *scope)
    mentioned = {*taken, *(v.name for v in every), *symbols(root)}
    used: set[str] = set()
    known: dict[Step, tuple[str, tuple[str, ...]]] = {}
    functions: list[list[str]] = []
    for k, step in enumerate(steps_of(root), 1):
        own = (*step.carries, *step.slices, *step.constants)
        function = _Function(dialect, step.results, own, {*taken}, known, is_step=True)
        used |= function.dialect.used
        name = fresh(f"step{k}", mentioned)
        # No other function may have something else that is called so.
        taken.add(name)
        functions.append(function.lines(name))
        known[step] = name, tuple(function.open)
    function = _Function(dialect, [root], every, {*taken}, known)
    functions.append(function.lines(function.fresh("f")))
    if known:
        functions.insert(0, function.dialect.words(_RUN_LOOP).splitlines())
    used |= function.dialect.used
    head = [line for m, line in dialect.modules.items() if m in used]
    head += [function.dialect.origin(f) for f in own_functions(root)]
    texts = ["\n".join([*own, ""]) for own in functions]
    return "\n\n".join(["\n".join([*head, ""]), *texts] if head else texts)


def fresh(name: str, taken: set[str]) -> str:
    """A Python name that is not taken; it is from now on."""
    own = identifier(name, taken)
    taken.add(own)
    return own


class _Function:
    """A function of some variables; `open` are sizes that none of them has."""

    def __init__(
        self,
        dialect: type[PythonDialect],
        roots: Sequence[Term],
        own: Sequence[Term],
        taken: set[str],
        steps: Steps,
        *,
        is_step: bool = False,
    ) -> None:
        if any(t.order > len(LETTERS) for t in postorder(*roots)):
            raise UnsupportedOperation(f"np.einsum has {len(LETTERS)} indices, no more")
        self._taken, self._is_step, self._roots, self._own = taken, is_step, roots, own
        self._names = {v: self.fresh(v.name) for v in own}
        self._sizes = {d: self.fresh(d) for d in symbols(*roots)}
        names = {v.name: name for v, name in self._names.items()}
        like = next((self._names[v] for v in sorted(own, key=lambda v: not v.dims)), "")
        program = Program(
            tuple(roots), CostModel(), names, self._sizes, {}, like, in_place=False, steps=steps
        )
        program.alone, program.reads_backwards = True, dialect.reads_backwards
        program.indices = only_indices(*roots)
        self.dialect = dialect(program, taken)
        program.block = _Inline(roots, self.dialect)
        run_passes(program)
        results = [self.dialect.result(r) for r in program.returned]
        returned = f"[{', '.join(results)}]" if is_step else results[0]
        body = [*self.dialect.body, f"return {returned}"]
        self._body = [*self.dialect.first_lines("\n".join(body)), *body]
        self._used = {d: self._sizes[d] for d in sorted(program.used)}
        fixed = {s for v in own for d in v.dims for s in size_symbols(d)}
        self.open = [d for d in self._used if d not in fixed]

    def fresh(self, name: str) -> str:
        """A Python name that nothing else in the function has."""
        return fresh(name, self._taken)

    def _origin(self, size: str) -> str:
        v, axis, more = place_of_size(size, self._own)
        return f"{self._names[v]}.shape[{axis}]{more}"

    def lines(self, name: str) -> list[str]:
        """The lines of the definition."""
        sizes = [f"{n} = {self._origin(d)}" for d, n in self._used.items() if d not in self.open]
        known = ", ".join(f"{n} of axes {_axes(v.dims)}" for v, n in self._names.items())
        result = " and ".join(_axes(r.dims) for r in self._roots)
        title = f'"""Axes {result}{", for " * bool(known)}{known}."""'
        head = [*[title] * (not self._is_step), *renamings("#", self._names, self._used)]
        given = ", ".join([*self._names.values(), *(self._sizes[d] for d in self.open)])
        return [f"def {name}({given}):", *(f"    {k}" for k in (*head, *sizes, *self._body))]


def place_of_size(size: str, variables: Sequence[Term]) -> tuple[Term, int, str]:
    """A variable and its axis that is as long as a size, or longer by a number, which is last.

    >>> from eggrad.engine.terms.term import variable
    >>> place_of_size("n", [variable("x", ["n - 1"])])[1:]
    (0, ' + 1')
    """
    axes = ((v, k, d) for v in variables for k, d in enumerate(v.dims))
    for v, k, d in sorted(axes, key=lambda axis: axis[2] != size):
        behind = plus(size_form(size), times(-1, size_form(d)))
        if {*dict(behind)} <= {""}:
            number = coefficient(behind, "")
            sign = "" if not number else f" + {number}" if number > 0 else f" - {-number}"
            return v, k, sign
    raise UnsupportedOperation(f"no variable has an axis of size {size}")


def renamings(
    sign: str, names: Mapping[Term, str], sizes: Mapping[str, str] | None = None
) -> list[str]:
    """Comments that say what variables and sizes are called whose names no identifiers are."""
    pairs = {**{v.name: own for v, own in names.items()}, **(sizes or {})}
    return [f'{sign} {own} is "{escaped(name)}".' for name, own in pairs.items() if own != name]


def imported(function: OwnFunction, library: str) -> str:
    """The line that imports a declared function of a library's arrays; empty if there is none."""
    evaluate = function.evaluate.get(library)
    name, home = getattr(evaluate, "__name__", ""), getattr(evaluate, "__module__", None)
    if name.isidentifier():
        called = "" if name == function.name else f" as {function.name}"
        # `eggrad.special` looks its functions up when they are called; a ufunc has no module.
        if home in ("scipy.special", "jax.scipy.special", "torch.special"):
            return f"from {home} import {name}{called}"
        for place in (home or "scipy.special", "numpy"):
            if place != "__main__" and getattr(sys.modules.get(place), name, None) is evaluate:
                return f"from {place} import {name}{called}"
    return ""


def format_condition(
    constraint: Constraint, index: Callable[[int], str], size: Callable[[str], str]
) -> str:
    """A condition on indices and sizes, given their texts."""
    signs = {"=": " == ", ">=": " >= ", "*": " * "}
    relation, f = constraint
    if isinstance(relation, int):
        return f"({format_form(f, index, size, ' * ')}) % {relation} == 0"
    return format_comparison(constraint, index, size, signs)


def format_fraction(value: Fraction) -> Text:
    """A number as Python computes with it: what is not exact is the nearest float."""
    nearest = as_float(value)
    top, bottom = abs(value.numerator), value.denominator
    if bottom == 1 and top < _EXACT:
        text = str(value.numerator)
    elif bottom > 1 and max(top, bottom) < _EXACT and Fraction(repr(nearest)) != value:
        return f"{value.numerator} / {bottom}", PRODUCT
    else:
        text = repr(nearest).replace("inf", "np.inf")
    return text, SIGN if value < 0 else ATOM


def _axes(dims: Dims) -> str:
    return escaped(f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})")
