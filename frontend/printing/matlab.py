"""Terms as MATLAB functions, which Octave reads as well."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT, SIGN
from eggrad.engine.compilation.program import Instruction, Source
from eggrad.engine.indices.affine import indices
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.array_programs import MatrixDialect, reduction
from eggrad.frontend.printing.programs import written

_WORDS: Final = (
    "break case catch classdef continue else elseif end end_try_catch end_unwind_protect "
    "endfor endfunction endif endswitch endwhile for function global if otherwise parfor "
    "persistent return spmd switch try until unwind_protect unwind_protect_cleanup while "
    "do Inf NaN abs acos asin atan ceil choose cos cosh det diag double exp expm1 eye fix floor "
    "hypot inv log log1p lu max min mod norm ones permute reshape result round sign sin sinh size "
    "sqrt sum tan tanh trace zeros"
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


class _MatlabDialect(MatrixDialect):
    language = "MATLAB"
    records = "matlab"
    reserved = frozenset(_WORDS.split())
    modules: Mapping[str, str] = {"choose(": _CHOOSE}
    between = "\n"
    inline = False
    nonzero = "({} ~= 0)"
    trace = "trace"
    place = "mod({}, end) + 1"
    of_matrices: Mapping[str, str] = {
        **MatrixDialect.of_matrices,
        "logdet": "sum(log(abs(diag(lu({})))))",
    }

    def translated(self, template: str) -> str:
        return template.replace("np.inf", "Inf").replace("np.nan", "NaN")

    def assignment(self, name: str, text: str) -> str:
        return f"{name} = {text};"

    def finish(self, results: Sequence[Source], is_step: bool) -> None:
        (source,) = results
        if isinstance(source, Instruction) and not self.has_words(source):
            self.by_entries(source, "result")
        else:
            self.body.append(self.assignment("result", self.source(source)[0]))

    def definition(
        self, name: str, given: str, notes: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        lines = [*(f"% {note}" for note in notes), *body]
        return [f"function result = {name}({given})", *(f"  {line}" for line in lines), "end"]

    def whole(self, needed: Sequence[str], functions: Sequence[str]) -> str:
        return super().whole((), [*functions, *(f"{text}\n" for text in needed)])

    # Entry by entry

    def read(self, name: str, at: Sequence[str]) -> str:
        return f"{name}({', '.join(at)})" if at else name

    def truth(self, text: str) -> Text:
        return f"double({text})", ATOM

    def by_entries(self, own: Instruction, name: str = "") -> str:
        """The name of an array that loops fill, or that they add to."""
        dims = tuple(own.sizes[i] for i in own.labels)
        found = reduction(own)
        with (
            self.loops(dims) as ranges,
            self.loops([found.sizes[i] for i in found.gone] if found else [], summing=True) as more,
        ):
            at = [i for i, _ in ranges]
            if found:
                every = zip((*found.kept, *found.gone), [*at, *(i for i, _ in more)], strict=True)
                text = self.product(found, dict(every))
            else:
                text = self.entry(own, at)
        name = name or self.part()
        target = self.read(name, at)
        start = {"max": "-Inf", "min": "Inf"}.get(found.kind if found else "", "zeros")
        if found and found.kind == "sum":
            text = f"{target} + {bracketed(text, PRODUCT)}", ATOM
        elif found:
            text = f"{found.kind}({target}, {text[0]})", ATOM
        if dims:
            self.body.append(self.assignment(name, f"{start}({self.shape(dims)})"))
        elif found:
            self.body.append(self.assignment(name, "0" if start == "zeros" else start))
        loops = [f"for {i} = 1:{size}" for i, size in (*ranges, *more)]
        lines = [*loops, self.assignment(target, text[0])]
        self.body += [f"{'  ' * depth}{line}" for depth, line in enumerate(lines)]
        self.body += [f"{'  ' * depth}end" for depth in reversed(range(len(loops)))]
        return name

    # Whole arrays

    def _numbers(self, own: Instruction) -> Text:
        return self.call("double", self.source(own.operands[0][0])[0])

    def permuted(self, array: Text, order: Indices) -> str:
        return self.call("permute", array[0], f"[{', '.join(str(k + 1) for k in order)}]")[0]

    def whole_of(self, kind: str, operand: Text, order: int) -> Text:
        if kind == "hypot":
            return self.call("norm", operand[0], "'fro'" if order > 1 else "")
        if order == 2:
            operand = self.call(kind, operand[0])
        elif order > 2:
            name = operand[0] if operand[0].isidentifier() else self.named(operand[0])
            operand = f"{name}(:)", ATOM
        return self.call(kind, operand[0])

    def along(self, kind: str, operand: str, axis: int) -> str:
        return self.call(kind, operand, "" if kind == "sum" else "[]", str(axis))[0]

    def column(self, text: str, axis: int) -> Text:
        return self._turned((text, ATOM)) if axis == 1 else (text, ATOM)

    def dot(self, left: Source, right: Source) -> Text:
        if isinstance(right, str):
            left, right = right, left
        return f"{self.row(left)[0]} * {bracketed(self.source(right), SIGN)}", PRODUCT

    def shape(self, dims: Dims) -> str:
        return ", ".join([*map(self.bare, dims), *["1"] * (len(dims) == 1)])

    def full(self, dims: Dims, value: Text) -> Text:
        return f"{bracketed(value, PRODUCT)} * {self.ones(dims)[0]}", PRODUCT

    def eye(self, size: Size) -> Text:
        return self.call("eye", self.bare(size))

    def known(self, values: Any) -> Text:
        if not values.size:
            return self.zeros(values.shape)
        numbers = self.listed(values.ravel("F").tolist())
        return self.call("reshape", numbers, self.shape(values.shape))

    def has_words(self, own: Instruction) -> bool:
        if own.kind == "zeros_and_ones":
            return 0 < len(own.labels) <= 2
        return super().has_words(own)

    def _zeros_and_ones(self, own: Instruction) -> Text:
        """Conditions on a column and a row of numbers."""
        index = {k: f"(1:{self.program.size(d)}){chr(39) * (not k)}" for k, d in own.sizes.items()}
        constraints = own.data.constraints
        factors = [f"double({self.condition(c, index)})" for c in constraints]
        if {i for _, f in constraints for i in indices(f)} < {*own.labels}:
            factors.append(self.ones(own.data.dims)[0])
        return " .* ".join(factors), PRODUCT if len(factors) > 1 else ATOM

    def reads(self, own: Instruction) -> bool:
        """Whether what is read has as many axes, or loses the last ones, or is a matrix."""
        dropped = [":" not in part for part in own.data]
        return len(own.operands[0][1]) <= 2 or dropped == sorted(dropped)

    def _entries(self, own: Instruction) -> Text:
        ((source, labels),) = own.operands
        text = f"{self.name_of(source)}({self.slices(own)})", ATOM
        is_row = len(labels) == 2 and len(own.labels) == 1 and ":" not in own.data[0]
        return self._turned(text) if is_row else text
