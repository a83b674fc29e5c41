"""Programs as people write them, in any language: the program form, with few names."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any, Final

from eggrad.engine.compilation.dialect import ATOM, POWER, PRODUCT, SIGN, SUM, Dialect
from eggrad.engine.compilation.passes import run_passes
from eggrad.engine.compilation.program import (
    ONE,
    Block,
    Instruction,
    Number,
    Program,
    Source,
    Steps,
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
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import as_float, escaped, identifier
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.cofactors import without_higher_cofactors
from eggrad.engine.terms.functions import Function, OwnFunction
from eggrad.engine.terms.term import (
    LoopStep,
    Term,
    only_indices,
    own_functions,
    postorder,
    steps_of,
    variables,
)
from eggrad.frontend.printing.templates import filled

# A part that occurs again has a name if it is longer.
WORTH_NAMING: Final = 8
# Compilers give up on deeper brackets.
DEEP: Final = 40
# Smaller integers are floating-point numbers.
_EXACT: Final = 2**53
_MINUS: Final = Number(Fraction(-1))
# What computes numbers from numbers.
ARITHMETIC: Final = ("add", "subtract", "multiply", "scale", "divide", "negate", "repeat", "power")


class PrintedDialect(Dialect):
    """What is alike in all languages: names for parts, numbers, operations on entries.

    Functions are called as NumPy calls them, and `words` puts them into those of the language.
    """

    language = "NumPy"
    says: Mapping[str, str] = {}
    """The text of each operation that the language has, by its name, with places for operands."""
    reserved: frozenset[str] = frozenset()
    """What no variable may be called."""
    modules: Mapping[str, str] = {}
    """The lines that texts need in which something stands."""
    home = ""
    """What stands before the names of functions."""
    reads_backwards = True
    splits_axes = True
    identifier: Callable[[str, Collection[str]], str] = staticmethod(identifier)
    """A name of the language like the given one, that is not taken."""
    first = 0
    """The first index of an axis."""
    length = "{}.shape[{}]"
    """The length of an axis of a variable."""
    assignment = "{} = {}"
    """A statement that names something."""
    comment = "#"
    between = "\n\n"
    """What stands between definitions, beside the end of a line."""
    exponent: Text = ("**", SIGN)
    """The sign of a power, and how tightly an exponent has to bind."""
    root = "sqrt({})"
    run_loop = ""

    def __init__(self, program: Program, taken: set[str]) -> None:
        """Write a program, with other names than those that are taken."""
        super().__init__(program)
        self.body: list[str] = []
        self._taken = taken
        self._numbers_of_parts = count(1)
        self._texts: dict[Instruction, Text] = {}
        self.used: set[str] = set()

    # The text as a whole ------------------------------------------------------------------------

    @classmethod
    def fresh(cls, name: str, taken: set[str]) -> str:
        """A name like the given one, that is not taken; it is from now on."""
        fresh_name = cls.identifier(name, taken)
        taken.add(fresh_name)
        return fresh_name

    def finish(self, results: Sequence[Source], is_step: bool) -> None:
        """Write the statements that return the results: a list of the step of a loop."""
        texts = ", ".join(map(self.result, results))
        self.body.append(f"return [{texts}]" if is_step else f"return {texts}")

    def result(self, source: Source) -> str:
        """The array to return."""
        return self.source(source)[0]

    def definition(
        self, name: str, given: str, notes: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        """The lines of a function; the first note says what it is, if there is one."""
        title = [f'"""{note}"""' for note in notes[:1] if note]
        lines = [*title, *(f"{self.comment} {note}" for note in notes[1:]), *body]
        return [f"def {name}({given}):", *(f"    {line}" for line in lines)]

    def whole(self, needed: Sequence[str], functions: Sequence[str]) -> str:
        """The text of functions, and lines that they need."""
        return self.between.join(["\n".join([*needed, ""])] * bool(needed) + [*functions])

    def origin(self, function: OwnFunction) -> str:
        """The line that imports a declared function, or says that it is the user's."""
        raise UnsupportedOperation(
            f"{function.name} is a function of your own, which has no text in {self.language}"
        )

    # Parts --------------------------------------------------------------------------------------

    def words(self, template: str) -> str:
        """A text with NumPy's words in those of the language; what it needs is noted."""
        text = self.translated(template)
        self.used.update(m for m in self.modules if m in text)
        return text

    def translated(self, template: str) -> str:
        """The same without a note."""
        return template

    def part(self) -> str:
        """A name for a part."""
        return self.fresh(f"t{next(self._numbers_of_parts)}", self._taken)

    def named(self, text: str) -> str:
        """A name for what a text says."""
        name = self.part()
        self.body.append(self.assignment.format(name, text))
        return name

    def stored(self, instruction: Instruction) -> str:
        """A name for what an instruction computes."""
        return self.named(self.text(instruction)[0])

    def is_long(self, instruction: Instruction) -> bool:
        """Whether a name is shorter than what an instruction computes."""
        return len(self.text(instruction)[0]) > WORTH_NAMING

    def text(self, instruction: Instruction) -> Text:
        """The text of what an instruction computes: the same wherever it is used."""
        if instruction not in self._texts:
            self._texts[instruction] = super().text(instruction)
        return self._texts[instruction]

    def call(self, name: str, *args: str) -> Text:
        """A call of what NumPy calls so."""
        return f"{self.words(f'{self.home}{name}(')}{', '.join(filter(None, args))})", ATOM

    # Numbers and sizes --------------------------------------------------------------------------

    def number(self, number: Number) -> Text:
        """A number, as short as it is exact."""
        sizes = " * ".join(map(self.program.size, number.sizes))
        text, level = self.fraction(number.value)
        if not sizes:
            return text, level
        if number.value == 1 and len(number.sizes) == 1:
            return self.bare(number.sizes[0]), ATOM if is_simple(number.sizes[0]) else SUM
        if number.value == 1:
            return sizes, PRODUCT
        return f"{bracketed((text, level), PRODUCT)} * {sizes}", PRODUCT

    def fraction(self, value: Fraction) -> Text:
        """A number as the language computes with it: what is not exact is the nearest float."""
        nearest = as_float(value)
        top, bottom = abs(value.numerator), value.denominator
        if bottom == 1 and top < _EXACT:
            text = str(value.numerator)
        elif bottom > 1 and max(top, bottom) < _EXACT and Fraction(repr(nearest)) != value:
            return f"{value.numerator} / {bottom}", PRODUCT
        else:
            text = self.listed(nearest)
        return text, SIGN if value < 0 else ATOM

    def listed(self, numbers: Any) -> str:
        """The text of numbers, in lists as they are in Python's."""
        text = repr(numbers)
        for word in ("nan", "inf"):
            text = text.replace(word, self.words(f"np.{word}")) if word in text else text
        return text

    def is_number(self, source: Source) -> bool:
        """Whether it is a number of the language's, not an array."""
        if not isinstance(source, Instruction):
            return isinstance(source, Number)
        if source.kind in ("array", "zeros_and_ones"):
            return not source.labels
        is_root = source.kind == "power" and source.data == Fraction(1, 2)
        arithmetic = source.kind in ARITHMETIC and not is_root
        return arithmetic and all(self.is_number(s) for s, _ in source.operands)

    def bare(self, d: Size) -> str:
        """The text of a size that stands alone."""
        text = self.program.size(d)
        return text[1:-1] if text.startswith("(") else text

    def zeros(self, dims: Dims) -> Text:
        """An array of zeros."""
        return self.made("zeros", self.shape(dims))

    def ones(self, dims: Dims) -> Text:
        """An array of ones."""
        return self.made("ones", self.shape(dims))

    def full(self, dims: Dims, value: Text) -> Text:
        """An array of one number."""
        return self.made("full", self.shape(dims), value[0])

    def made(self, name: str, *args: str) -> Text:
        """A call that makes an array."""
        return self.call(name, *args)

    # Instructions -------------------------------------------------------------------------------

    def sign(self, instruction: Instruction, sign: str) -> str:
        """The sign of an operation of two."""
        return sign

    def _array(self, instruction: Instruction) -> Text:
        return self.source(instruction.operands[0][0])

    def _filled(self, instruction: Instruction) -> Text:
        ((source, _),), dims = instruction.operands, instruction.data
        if source in (ONE, Number(Fraction(0))):
            return self.ones(dims) if source == ONE else self.zeros(dims)
        if isinstance(source, Number):
            return self.full(dims, self.source(source))
        return f"{bracketed(self.source(source), PRODUCT)} * {self.ones(dims)[0]}", PRODUCT

    def _broadcast(self, instruction: Instruction) -> Text:
        text = bracketed(self.spread(instruction.operands[0], instruction.labels), PRODUCT)
        sign = self.sign(replace(instruction, operands=instruction.operands * 2), "*")
        return f"{text} {sign} {self.ones(instruction.data)[0]}", PRODUCT

    def _infix(self, instruction: Instruction, sign: str, level: int, least: int) -> Text:
        left, right = self.broadcast_operands(instruction)
        if sign == "+" and right[0].startswith("-"):
            least = POWER
        sign = self.sign(instruction, sign)
        return f"{bracketed(left, level)} {sign} {bracketed(right, least)}", level

    def _add(self, instruction: Instruction) -> Text:
        first, second = instruction.operands
        if first == second:
            return f"2 * {bracketed(self.broadcast_operands(instruction)[0], SIGN)}", PRODUCT
        opposite = _opposite(second[0])
        if opposite is not None:
            return self._subtract(replace(instruction, operands=(first, (opposite, second[1]))))
        return super()._add(instruction)

    def _multiply(self, instruction: Instruction) -> Text:
        # What has more axes comes first.
        one, other = instruction.operands
        turned = other[1] and len(one[1]) < len(other[1])
        return super()._multiply(
            replace(instruction, operands=(other, one)) if turned else instruction
        )

    def _scale(self, instruction: Instruction) -> Text:
        factor, array = instruction.operands
        if factor[0] == _MINUS:
            return f"-{bracketed(self.transposed(array, instruction.labels), SIGN)}", SIGN
        return super()._scale(instruction)

    def _negate(self, instruction: Instruction) -> Text:
        return f"-{bracketed(self.broadcast_operands(instruction)[0], SIGN)}", SIGN

    def _repeat(self, instruction: Instruction) -> Text:
        text = bracketed(self.source(instruction.operands[0][0]), SIGN)
        return f"{self.program.size(instruction.data)} * {text}", PRODUCT

    def _power(self, instruction: Instruction) -> Text:
        base, exponent = self.broadcast_operands(instruction)
        if instruction.data == Fraction(1, 2):
            return self.applied(instruction, self.root, [base])
        if instruction.data == -1:
            sign = self.sign(replace(instruction, operands=instruction.operands[::-1]), "/")
            return f"1 {sign} {bracketed(base, SIGN)}", PRODUCT
        sign, least = self.exponent
        return (
            f"{bracketed(base, ATOM)} {self.sign(instruction, sign)} {bracketed(exponent, least)}",
            POWER,
        )

    def _function(self, instruction: Instruction) -> Text:
        function: Function = instruction.data[0]
        args = self.operands(instruction, self.broadcast_operands(instruction))
        if isinstance(function, OwnFunction):
            return function.code.format(*(text for text, _ in args)), ATOM
        return self.applied(instruction, self.word(function.name), args)

    def applied(self, instruction: Instruction, template: str, args: Sequence[Text]) -> Text:
        """A text with places for the operands of an operation on entries."""
        return filled(self.words(template), args, self.named)

    def operands(self, instruction: Instruction, operands: Sequence[Text]) -> Sequence[Text]:
        """The operands of a function; any number says yes or no in NumPy, 0 no."""
        return operands

    def word(self, operation: str) -> str:
        """The text of an operation, with places for its operands."""
        if operation not in self.says:
            raise UnsupportedOperation(f"{operation} has no text in {self.language}")
        return self.says[operation]


def _opposite(source: Source) -> Source | None:
    """The same with the other sign, if it is a negative number or the multiple by one."""
    if isinstance(source, Number):
        return source.times(_MINUS) if source.value < 0 else None
    if isinstance(source, str) or source.kind != "scale":
        return None
    (factor, _), (array, labels) = source.operands
    positive = _opposite(factor)
    if positive is None:
        return None
    made = replace(source, operands=((positive, ()), (array, labels)))
    return array if positive == ONE and labels == source.labels else made


class _Inline(Block):
    """No statements: what is computed stands where it is used, unless it has a name.

    What is used again, or nested deep, gets one.
    """

    def __init__(self, roots: Sequence[Term], dialect: PrintedDialect) -> None:
        super().__init__()
        self._dialect = dialect
        # A sum of equals is a multiple.
        of_node = ({*n.args} if n.op == "add" else n.args for n in postorder(*roots))
        self._users = Counter(a for args in of_node for a in args)
        self._depth: dict[Term, int] = {}

    def emit(self, instruction: Instruction) -> Source:
        return instruction

    def alias(self, instruction: Instruction) -> Source:
        return instruction

    def kept(self, node: Term, source: Source) -> Source:
        self._depth[node] = 1 + max((self._depth[a] for a in node.args), default=0)
        if not node.args or not isinstance(source, Instruction):
            return source
        deep = self._depth[node] > DEEP
        if deep or (self._users[node] > 1 and self._dialect.is_long(source)):
            self._depth[node] = 0
            return self._dialect.stored(source)
        return source


def written(dialect: type[PrintedDialect], root: Term, scope: Sequence[Term]) -> str:
    """The text of a function in a dialect, and of all that it needs."""
    root = without_higher_cofactors(root)
    taken = {*dialect.reserved, *(f.name for f in own_functions(root))}
    every = variables(root, *scope)
    mentioned = {*taken, *(v.name for v in every), *symbols(root)}
    used: set[str] = set()
    known: dict[LoopStep, tuple[str, tuple[str, ...]]] = {}
    functions: list[list[str]] = []
    for k, step in enumerate(steps_of(root), 1):
        arguments = (*step.carries, *step.slices, *step.constants)
        function = _Function(dialect, step.results, arguments, {*taken}, known, is_step=True)
        used |= function.dialect.used
        name = dialect.fresh(f"step{k}", mentioned)
        # No other function may have something else that is called so.
        taken.add(name)
        functions.append(function.lines(name))
        known[step] = name, tuple(function.open)
    function = _Function(dialect, [root], every, {*taken}, known)
    functions.append(function.lines(function.fresh("f")))
    if known:
        functions.insert(0, function.dialect.words(dialect.run_loop).splitlines())
    used |= function.dialect.used
    needed = dict.fromkeys(line for m, line in dialect.modules.items() if m in used)
    origins = [function.dialect.origin(f) for f in own_functions(root)]
    texts = ["\n".join([*lines, ""]) for lines in functions]
    return function.dialect.whole([*needed, *origins], texts)


class _Function:
    """A function of some variables; `open` are sizes that none of them has."""

    def __init__(
        self,
        dialect: type[PrintedDialect],
        roots: Sequence[Term],
        arguments: Sequence[Term],
        taken: set[str],
        steps: Steps,
        *,
        is_step: bool = False,
    ) -> None:
        self._taken, self._is_step, self._roots = taken, is_step, roots
        self._arguments, self._kind = arguments, dialect
        self._names = {v: self.fresh(v.name) for v in arguments}
        self._sizes = {d: self.fresh(d) for d in symbols(*roots)}
        names = {v.name: name for v, name in self._names.items()}
        like = next((self._names[v] for v in sorted(arguments, key=lambda v: not v.dims)), "")
        program = Program(
            tuple(roots), CostModel(), names, self._sizes, {}, like, in_place=False, steps=steps
        )
        program.alone, program.reads_backwards = True, dialect.reads_backwards
        program.splits_axes = dialect.splits_axes
        program.indices = only_indices(*roots)
        self.dialect = dialect(program, taken)
        program.block = _Inline(roots, self.dialect)
        run_passes(program)
        self.dialect.finish(program.returned, is_step)
        self._used = {d: self._sizes[d] for d in sorted(program.used)}
        fixed = {s for v in arguments for d in v.dims for s in size_symbols(d)}
        self.open = [d for d in self._used if d not in fixed]

    def fresh(self, name: str) -> str:
        """A name that nothing else in the function has."""
        return self._kind.fresh(name, self._taken)

    def _origin(self, size: str) -> str:
        v, axis, more = place_of_size(size, self._arguments)
        return self._kind.length.format(self._names[v], axis + self._kind.first) + more

    def lines(self, name: str) -> list[str]:
        """The lines of the definition."""
        sizes = [
            self._kind.assignment.format(n, self._origin(d))
            for d, n in self._used.items()
            if d not in self.open
        ]
        known = ", ".join(f"{n} of axes {_axes(v.dims)}" for v, n in self._names.items())
        result = " and ".join(_axes(r.dims) for r in self._roots)
        title = "" if self._is_step else f"Axes {result}{', for ' * bool(known)}{known}."
        given = ", ".join([*self._names.values(), *(self._sizes[d] for d in self.open)])
        pairs = {**{v.name: n for v, n in self._names.items()}, **self._used}
        notes = [title, *(f'{n} is "{escaped(d)}".' for d, n in pairs.items() if n != d)]
        return self.dialect.definition(name, given, notes, [*sizes, *self.dialect.body])


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


def format_condition(
    constraint: Constraint,
    index: Callable[[int], str],
    size: Callable[[str], str],
    divisible: str = "({}) % {} == 0",
) -> str:
    """A condition on indices and sizes, given their texts.

    >>> format_condition((2, ((0, 1), ("n", 1))), "ij".__getitem__, str)
    '(i+n) % 2 == 0'
    """
    relation, f = constraint
    if isinstance(relation, int):
        return divisible.format(format_form(f, index, size, " * "), relation)
    signs = {"=": " == ", ">=": " >= ", "*": " * "}
    return format_comparison(constraint, index, size, signs)


def _axes(dims: Dims) -> str:
    return escaped(f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})")
