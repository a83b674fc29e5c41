"""Terms as MATLAB functions, which Octave reads as well."""

from collections.abc import Mapping, Sequence
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT, SIGN
from eggrad.engine.compilation.program import Instruction, Source
from eggrad.engine.indices.affine import indices
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.array_programs import MatrixDialect, called, reduction, words_in
from eggrad.frontend.printing.programs import written

_RESERVED: Final = (
    "break case catch classdef continue else elseif end end_try_catch end_unwind_protect "
    "endfor endfunction endif endswitch endwhile for function global if otherwise parfor "
    "persistent return spmd switch try until unwind_protect unwind_protect_cleanup while do "
    "Inf NaN ones result size sqrt zeros"
)
# Operands may be numbers, or vectors along other axes.
_CHOOSE: Final = """\
function r = choose(c, a, b)
  s = zeros(size(c + a + b));
  [r, a] = deal(b + s, a + s);
  r(c + s ~= 0) = a(c + s ~= 0);
end"""


def format_matlab(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of the variables, and of those in `scope` that fix a size; vectors are columns.

    >>> from eggrad.engine.terms.term import apply, einsum, subtract, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_matlab(apply("exp", subtract(einsum("ij,j->i", A, x), variable("y", ("m",))))))
    function result = f(A, x, y)
      % Axes (m,), for A of axes (m, n), x of axes (n,), y of axes (m,).
      result = exp(A * x - y);
    end
    <BLANKLINE>
    """
    return written(_MatlabDialect, root, scope)


WORDS: Final[Mapping[str, str]] = {
    **called("sin cos tan tanh exp log sign abs floor ceil mod expm1 log1p sinh cosh hypot"),
    "arcsin": "asin({})",
    "arccos": "acos({})",
    "arctan": "atan({})",
    "area_sine": "asinh({})",
    "angle_of": "atan2({}, {})",
    "relu": "max({}, 0)",
    "trunc": "fix({})",
    "round": "round({0}) + (abs({0} - fix({0})) == 0.5) .* (2 * round({0} / 2) - round({0}))",
    "maximum": "max({}, {})",
    "minimum": "min({}, {})",
    "pow": "{} .^ {}",
    "greater": "{} > {}",
    "greater_equal": "{} >= {}",
    "equal": "{} == {}",
    "not_equal": "{} ~= {}",
    "logical_not": "{} == 0",
    "logical_and": "{} & {}",
    "logical_or": "{} | {}",
    "where": "choose({}, {}, {})",
    "softplus": "max({0}, 0) + log1p(exp(-abs({0})))",
    "sigmoid": "1 ./ (1 + exp(-{}))",
    "log1mexp": "choose({0} > -0.7, log(-expm1({0})), log1p(-exp({0})))",
    "log1mexp_exp": "choose({0} < -40, {0}, choose({0} < 0, log(-expm1(-exp({0}))), "
    "log1p(-exp(-exp({0})))))",
    "logaddexp": "max({0}, {1}) + log1p(exp(-abs({0} - {1})))",
    "exp_difference": "exp({} - {})",
    "inv": "inv({})",
    "det": "det({})",
    "adj": "det({0}) * inv({0})",
    "logabsdet": "log(abs(det({})))",
    "signdet": "sign(det({}))",
    "cofactors": "det({0}) * inv({0})'",
    "logdet": "sum(log(abs(diag(lu({})))))",
    "read": "{}({})",
    "sum": "sum({})",
    "max": "max({})",
    "min": "min({})",
    "norm": "norm({})",
    "sum along": "sum({}, {})",
    "max along": "max({}, [], {})",
    "min along": "min({}, [], {})",
    "truth": "double({})",
    "truths": "double({})",
    "nonzero": "({} ~= 0)",
    "divisible": "mod({}, {}) == 0",
    "place": "mod({}, end) + 1",
    "vector": "reshape({}, {})",
    "known": "reshape({}, {})",
    "permuted": "permute({}, [{}])",
    "eye": "eye({})",
    "diagonal": "diag({})",
    "trace": "trace({})",
}
"""What operations are called in MATLAB, and phrases."""


class _MatlabDialect(MatrixDialect):
    language = "MATLAB"
    reserved = frozenset(_RESERVED.split()) | words_in(WORDS)
    modules: Mapping[str, str] = {"choose(": _CHOOSE}
    says: Mapping[str, str] = WORDS
    assignment = "{} = {};"
    inline = False

    def finish(self, results: Sequence[Source], is_step: bool) -> None:
        (source,) = results
        if isinstance(source, Instruction) and not self.has_words(source):
            self.by_entries(source, "result")
        else:
            self.body.append(self.assignment.format("result", self.source(source)[0]))

    def definition(
        self, name: str, given: str, notes: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        lines = [*(f"% {note}" for note in notes), *body]
        return [f"function result = {name}({given})", *(f"  {line}" for line in lines), "end"]

    def whole(self, needed: Sequence[str], functions: Sequence[str]) -> str:
        return super().whole((), [*functions, *(f"{text}\n" for text in needed)])

    def by_entries(self, instruction: Instruction, name: str = "") -> str:
        """The name of an array that loops fill, or that they add to."""
        dims = tuple(instruction.sizes[i] for i in instruction.labels)
        found = reduction(instruction)
        kind = found.kind if found else ""
        with self.loops(dims) as ranges:
            at = [i for i, _ in ranges]
            text, more = self.summed(found, at) if found else (self.entry(instruction, at), [])
        name = name or self.part()
        target = self.read(name, at)[0]
        start = {"max": "-Inf", "min": "Inf"}.get(kind, "zeros")
        update = {"": text[0], "sum": f"{target} + {bracketed(text, PRODUCT)}"}.get(
            kind, f"{'hypot' if kind == 'norm' else kind}({target}, {text[0]})"
        )
        if dims or found:
            made = f"{start}({self.shape(dims)})" if dims else start.replace("zeros", "0")
            self.body.append(self.assignment.format(name, made))
        loops = [f"for {i} = 1:{size}" for i, size in (*ranges, *more)]
        lines = [*loops, self.assignment.format(target, update)]
        self.body += [f"{'  ' * depth}{line}" for depth, line in enumerate(lines)]
        self.body += [f"{'  ' * depth}end" for depth in reversed(range(len(loops)))]
        return name

    # Whole arrays

    def shape(self, dims: Dims) -> str:
        return super().shape(dims) + ", 1" * (len(dims) == 1)

    def full(self, dims: Dims, value: Text) -> Text:
        return f"{bracketed(value, PRODUCT)} * {self.ones(dims)[0]}", PRODUCT

    def whole_of(self, kind: str, operand: str, order: int) -> Text:
        if kind == "norm" and order > 1:
            return f"norm({operand}, 'fro')", ATOM
        if order > 2:
            operand = f"{operand if operand.isidentifier() else self.named(operand)}(:)"
        return self.say(kind, self.say(kind, operand)[0] if order == 2 else operand)

    def along(self, kind: str, operand: str, axis: int) -> Text:
        found = super().along(kind, operand, axis)
        return self.turned(found) if axis == 1 else found

    def dot(self, left: Text, right: Text) -> Text:
        if left[1] < ATOM == right[1]:
            left, right = right, left
        return f"{self.turned(left)[0]} * {bracketed(right, SIGN)}", PRODUCT

    def has_words(self, instruction: Instruction) -> bool:
        if instruction.kind == "zeros_and_ones":
            return 0 < len(instruction.labels) <= 2
        if instruction.kind == "entries":
            # What is read has as many axes, or loses the last ones, or is a matrix.
            dropped = [":" not in part for part in instruction.data]
            return len(instruction.operands[0][1]) <= 2 or dropped == sorted(dropped)
        return super().has_words(instruction)

    def _zeros_and_ones(self, instruction: Instruction) -> Text:
        """Conditions on a column and a row of numbers."""
        index = {
            k: f"(1:{self.program.size(d)}){chr(39) * (not k)}"
            for k, d in instruction.sizes.items()
        }
        constraints = instruction.data.constraints
        factors = [self.say("truth", self.condition(c, index))[0] for c in constraints]
        if {i for _, f in constraints for i in indices(f)} < {*instruction.labels}:
            factors.append(self.ones(instruction.data.dims)[0])
        return " .* ".join(factors), PRODUCT if len(factors) > 1 else ATOM

    def _entries(self, instruction: Instruction) -> Text:
        is_row = (
            len(instruction.operands[0][1]) == 2
            and len(instruction.labels) == 1
            and ":" not in instruction.data[0]
        )
        return (
            self.turned(super()._entries(instruction)) if is_row else super()._entries(instruction)
        )
