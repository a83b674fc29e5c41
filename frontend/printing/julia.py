"""Terms as Julia functions, with its standard library alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT
from eggrad.engine.compilation.program import Instruction, Number, Source
from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.array_programs import MatrixDialect, Range
from eggrad.frontend.printing.programs import written

_WORDS: Final = (
    "baremodule begin break catch const continue do else elseif end export false finally "
    "for function global if import in isa let local macro module quote return struct true "
    "try using where while outer mutable abstract primitive type public I Float64 Inf Int "
    "Matrix NaN abs acos asin atan ceil cos cosh det diag diagm dot exp expm1 fill floor hypot "
    "ifelse inv log log1p logabsdet max maximum min minimum mod norm ones permutedims reshape "
    "round sign sin sinh size sqrt sum tan tanh tr trunc vec zeros"
)
_LINEAR: Final = ("1.0I", "det(", "diag(", "diagm(", "dot(", "inv(", "norm(", "tr(")
_NAMES: Final = {"max": "maximum", "min": "minimum", "hypot": "norm"}


def format_julia(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of the variables, and of those in `scope` that fix a size.

    >>> from eggrad.engine.terms.term import apply, einsum, subtract, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_julia(apply("exp", subtract(einsum("ij,j->i", A, x), variable("y", ("m",))))))
    # Axes (m,), for A of axes (m, n), x of axes (n,), y of axes (m,).
    function f(A, x, y)
        return exp.(A * x .- y)
    end
    <BLANKLINE>
    """
    return written(_JuliaDialect, root, scope)


class _JuliaDialect(MatrixDialect):
    language = "Julia"
    records = "julia"
    reserved = frozenset(_WORDS.split())
    modules: Mapping[str, str] = dict.fromkeys(_LINEAR, "using LinearAlgebra")
    between = "\n"
    root = "sqrt.({})"
    nonzero = "({} .!= 0)"
    place = "Int(mod({}, end)) + 1"
    diagonal = "diagm"
    of_matrices: Mapping[str, str] = {**MatrixDialect.of_matrices, "logdet": "logabsdet({})[1]"}

    def translated(self, template: str) -> str:
        return template.replace("np.inf", "Inf").replace("np.nan", "NaN")

    def definition(
        self, name: str, given: str, notes: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        comments = [f"# {note}" for note in notes]
        return [*comments, f"function {name}({given})", *(f"    {line}" for line in body), "end"]

    # Entry by entry

    def array(self, text: str, ranges: Sequence[Range]) -> str:
        return f"[{text} for {_loops(ranges)}]"

    def total(self, kind: str, text: str, ranges: Sequence[Range]) -> Text:
        entries = f"{text} for {_loops(ranges)}"
        if kind == "sum":
            return f"sum(({entries}); init=0.0)", ATOM
        return self.call(_NAMES[kind], f"[{entries}]" if kind == "hypot" else entries)

    def truth(self, text: str) -> Text:
        return f"Float64({text})", ATOM

    # Operations on entries have points where they are those of arrays

    def sign(self, own: Instruction, sign: str) -> str:
        dotted = sign in ("+", "-") and any(labels for _, labels in own.operands)
        return "." * dotted + super().sign(own, sign)

    def _infix(self, own: Instruction, sign: str, level: int, least: int) -> Text:
        # A sum of numbers has no points.
        mixed = sign == "+" and own.labels and not own.operands[1][1]
        return super()._infix(own, sign, level, PRODUCT if mixed else least)

    def template(self, own: Function) -> str:
        places = ", ".join(["{}"] * own.arity)
        return own.spelled.get("julia") or f"{own.name}.({places})"

    def spelled(self, own: Instruction, template: str) -> str:
        if own.labels:
            return template
        return template.replace(".(", "(").replace(" .", " ").removeprefix(".")

    def _numbers(self, own: Instruction) -> Text:
        text = self.source(own.operands[0][0])[0]
        return f"Float64{'.' * bool(own.labels)}({text})", ATOM

    def _power(self, own: Instruction) -> Text:
        (base, labels), exponent = own.operands
        text = self.source(base)[0]
        if isinstance(base, Number) and text.isdigit():
            # A power of an integer is one, and may overflow.
            base = Instruction("written", data=(f"{text}.0", ATOM))
        return super()._power(replace(own, operands=((base, labels), exponent)))

    # Whole arrays

    def permuted(self, array: Text, order: Indices) -> str:
        return self.call("permutedims", array[0], f"({', '.join(str(k + 1) for k in order)})")[0]

    def whole_of(self, kind: str, operand: Text, order: int) -> Text:
        return self.call(_NAMES.get(kind, kind), operand[0])

    def along(self, kind: str, operand: str, axis: int) -> str:
        return self.call(_NAMES.get(kind, kind), operand, f"dims={axis}")[0]

    def column(self, text: str, axis: int) -> Text:
        return self.call("vec", text)

    def dot(self, left: Source, right: Source) -> Text:
        return self.call("dot", self.source(left)[0], self.source(right)[0])

    def shape(self, dims: Dims) -> str:
        return ", ".join(map(self.bare, dims))

    def full(self, dims: Dims, value: Text) -> Text:
        return self.call("fill", value[0], self.shape(dims))

    def eye(self, size: Size) -> Text:
        return self.call("Matrix", self.words("1.0I"), self.shape((size, size)))

    def known(self, values: Any) -> Text:
        if not values.size:
            return self.zeros(values.shape)
        numbers = self.listed(values.ravel("F").tolist())
        if values.ndim < 2:
            return numbers, ATOM
        return self.call("reshape", numbers, self.shape(values.shape))

    def reads(self, own: Instruction) -> bool:
        return True

    def _entries(self, own: Instruction) -> Text:
        return f"{self.atom(own.operands[0])}[{self.slices(own)}]", ATOM


def _loops(ranges: Sequence[Range]) -> str:
    return ", ".join(f"{i} in 1:{size}" for i, size in ranges)
