"""Terms as Julia functions, with its standard library alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT
from eggrad.engine.compilation.program import Instruction, Number
from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.array_programs import MatrixDialect, called, words_in
from eggrad.frontend.printing.programs import written

_RESERVED: Final = (
    "baremodule begin break catch const continue do else elseif end export false finally "
    "for function global if import in isa let local macro module quote return struct true "
    "try using where while outer mutable abstract primitive type public "
    "I Inf NaN diag fill ones size sqrt vec zeros"
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


WORDS: Final[Mapping[str, str]] = {
    **called("sin cos tan tanh exp log sign abs floor ceil trunc round mod", "{}.({})"),
    **called("expm1 log1p sinh cosh hypot", "{}.({})"),
    "arcsin": "asin.({})",
    "arccos": "acos.({})",
    "arctan": "atan.({})",
    "area_sine": "asinh.({})",
    "angle_of": "atan.({}, {})",
    "relu": "max.({}, 0)",
    "maximum": "max.({}, {})",
    "minimum": "min.({}, {})",
    "pow": "{} .^ {}",
    "greater": "{} .> {}",
    "greater_equal": "{} .>= {}",
    "equal": "{} .== {}",
    "not_equal": "{} .!= {}",
    "logical_not": ".!{}",
    "logical_and": "{} .& {}",
    "logical_or": "{} .| {}",
    "where": "ifelse.({}, {}, {})",
    "softplus": "max.({0}, 0) .+ log1p.(exp.(-abs.({0})))",
    "sigmoid": "1 ./ (1 .+ exp.(-{}))",
    "log1mexp": "ifelse.({0} .> -0.7, log.(-expm1.({0})), log1p.(-exp.({0})))",
    "log1mexp_exp": "ifelse.({0} .< -40, {0}, ifelse.({0} .< 0, log.(-expm1.(-exp.({0}))), "
    "log1p.(-exp.(-exp.({0})))))",
    "logaddexp": "max.({0}, {1}) .+ log1p.(exp.(-abs.({0} .- {1})))",
    "exp_difference": "exp.({} .- {})",
    "inv": "inv({})",
    "det": "det({})",
    "adj": "det({0}) * inv({0})",
    "logabsdet": "logabsdet({})[1]",
    "signdet": "logabsdet({})[2]",
    "cofactors": "det({0}) * inv({0})'",
    "logdet": "logabsdet({})[1]",
    "array": "[{0} for {1}]",
    "loop": "{} in 1:{}",
    "between": ", ",
    "read": "{}[{}]",
    "sum over": "sum(({} for {}); init=0.0)",
    "max over": "maximum({} for {})",
    "min over": "minimum({} for {})",
    "norm over": "norm([{} for {}])",
    "sum": "sum({})",
    "max": "maximum({})",
    "min": "minimum({})",
    "norm": "norm({})",
    "sum along": "vec(sum({}, dims={}))",
    "max along": "vec(maximum({}, dims={}))",
    "min along": "vec(minimum({}, dims={}))",
    "truth": "Float64({})",
    "truths": "Float64.({})",
    "nonzero": "({} .!= 0)",
    "divisible": "mod({}, {}) == 0",
    "place": "Int(mod({}, end)) + 1",
    "vector": "{0}",
    "known": "reshape({}, {})",
    "permuted": "permutedims({}, ({}))",
    "eye": "Matrix(1.0I, {0}, {0})",
    "diagonal": "diagm({})",
    "trace": "tr({})",
    "dot": "dot({}, {})",
}
"""What operations are called in Julia, and phrases."""


class _JuliaDialect(MatrixDialect):
    language = "Julia"
    reserved = frozenset(_RESERVED.split()) | words_in(WORDS)
    modules: Mapping[str, str] = dict.fromkeys(_LINEAR, "using LinearAlgebra")
    says: Mapping[str, str] = WORDS
    root = "sqrt.({})"

    def definition(
        self, name: str, given: str, notes: Sequence[str], body: Sequence[str]
    ) -> list[str]:
        comments = [f"# {note}" for note in notes]
        return [*comments, f"function {name}({given})", *(f"    {line}" for line in body), "end"]

    def full(self, dims: Dims, value: Text) -> Text:
        return self.call("fill", value[0], self.shape(dims))

    # Operations on entries have points where they are those of arrays

    def sign(self, instruction: Instruction, sign: str) -> str:
        dotted = sign in ("+", "-") and any(labels for _, labels in instruction.operands)
        return "." * dotted + super().sign(instruction, sign)

    def _infix(self, instruction: Instruction, sign: str, level: int, least: int) -> Text:
        # A sum of numbers has no points.
        mixed = sign == "+" and instruction.labels and not instruction.operands[1][1]
        return super()._infix(instruction, sign, level, PRODUCT if mixed else least)

    def spelled(self, instruction: Instruction, template: str) -> str:
        if instruction.labels:
            return template
        return template.replace(".(", "(").replace(" .", " ").removeprefix(".")

    def _power(self, instruction: Instruction) -> Text:
        (base, labels), exponent = instruction.operands
        text = self.source(base)[0]
        if isinstance(base, Number) and text.isdigit():
            # A power of an integer is one, and may overflow.
            base = Instruction("written", data=(f"{text}.0", ATOM))
        return super()._power(replace(instruction, operands=((base, labels), exponent)))
