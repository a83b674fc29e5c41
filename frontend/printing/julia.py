"""Terms as Julia functions, with its standard library alone."""

import re
from collections.abc import Sequence
from typing import Final

from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.entries import Entry, Range
from eggrad.frontend.printing.formula_programs import ATOM, TRANSPOSE, FormulaProgram
from eggrad.frontend.printing.matrix import Form

_WORDS: Final = (
    "baremodule begin break catch const continue do else elseif end export false finally "
    "for function global if import in isa let local macro module quote return struct true "
    "try using where while outer mutable abstract primitive type public I Float64 Inf "
    "Matrix NaN abs acos asin atan ceil cos det diag diagm dot exp fill floor ifelse inv "
    "log logabsdet max maximum min minimum mod norm ones reshape round sign sin size sqrt "
    "sum tan tanh tr trunc vec zeros"
)
# Larger integers overflow.
_DIGITS: Final = 15


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
    return _Program(root, scope).text(scope)


class _Program(FormulaProgram):
    language = "Julia"
    key = "julia"
    words = frozenset(_WORDS.split())

    def text(self, scope: Sequence[Term]) -> str:
        """The whole text."""
        name = self.unused("f")
        lines = self.formula(scope)
        if lines is None:
            self._store("return", self.root.dims, self.body(), assigned=" ")
        else:
            for part, text in lines[:-1]:
                self.lines.append(f"{part} = {text}")
            whole = lines[-1][1]
            # A row of a matrix, or what is turned into one, is no vector.
            is_plain = self.root.order != 1 or not re.search(r"'|t\d", whole)
            self.lines.append(f"return {whole if is_plain else f'vec({whole})'}")
        sizes = [f"{size} = {place}" for size, place in self.sizes()]
        body = [f"    {line}" for line in (*sizes, *self.lines)]
        head = f"function {name}({', '.join(self.names.values())})"
        linear = {"I", "det", "diag", "diagm", "dot", "inv", "logabsdet", "norm", "tr"}
        used = {*re.findall(r"\w+", "\n".join(re.sub(r"\d\.0I", "I", line) for line in body))}
        imports = ["using LinearAlgebra", ""] if used & linear else []
        return "\n".join([*imports, *self.comments(), head, *body, "end", ""])

    def digits(self, text: str) -> str:
        return f"{text}.0" if text.isdigit() and len(text) > _DIGITS else text

    # Formulas

    def sign(self, form: Form) -> str:
        dotted = form.op in ("add", "subtract") and form.order
        return "." * bool(dotted) + super().sign(form)

    def product(self, form: Form, args: Sequence[Text]) -> Text:
        if form.order or not form.args[0].order:
            return super().product(form, args)
        row, column = args
        return f"dot({self.transposed(row)[0]}, {column[0]})", ATOM

    def made(self, name: str, value: Text | None, sizes: Sequence[str]) -> Text:
        shape = ", ".join(sizes)
        match name:
            case "size":
                return shape, ATOM if shape.isidentifier() or shape.isdigit() else 0
            case "eye":
                return f"Matrix(1.0I, {shape}, {shape})", ATOM
            case "unit":
                place, size = sizes
                return f"Float64.((1:{size}) .== {place})", ATOM
            case "vector" | "matrix":
                assert value is not None
                return f"fill({value[0]}, {shape})", ATOM
            case _:
                return f"{name}({shape})", ATOM

    def along(self, kind: str, operand: str, rows: bool) -> Text:
        name = kind if kind == "sum" else f"{kind}imum"
        found = f"vec({name}({operand}, dims={2 if rows else 1}))"
        return (found, ATOM) if rows else (f"{found}'", TRANSPOSE)

    def entries(self, array: Text, key: Sequence[str]) -> Text:
        found = f"{bracketed(array, ATOM)}[{', '.join(key)}]"
        is_row = len(key) == 2 and ":" not in key[0] and ":" in key[1]
        return (f"{found}'", TRANSPOSE) if is_row else (found, ATOM)

    def call(self, form: Form, args: Sequence[Text]) -> str | None:
        x = args[0][0]
        order = form.args[0].order
        match form.text:
            case "sum" if len(args) == 1:
                return f"sum({x})"
            case "max" | "min":
                return f"{form.text}imum({x})"
            case "diag" if order == 1:
                return f"diagm({x})" if x.isidentifier() else f"diagm(vec({x}))"
            case "diag" | "tr":
                return f"{form.text}({x})"
            case "norm2":
                return f"norm({x})"
            case "sqrt":
                return f"sqrt{'.' * bool(form.order)}({x})"
            case "logdet":
                return f"logabsdet({x})[1]"
            case "logsumexp":
                return f"log(sum(exp.({x})))"
            case "softmax":
                return f"exp.({x}) ./ sum(exp.({x}))"
            case _:
                return None

    def spelled(self, name: str, order: int) -> str:
        found = super().spelled(name, order)
        if order:
            return found
        return re.sub(r" \.([^\w\s.{]+)", r" \1", found.replace(".(", "("))

    def test(self, text: str, order: int) -> Text:
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        return f"Float64{'.' * bool(order)}({inner})", ATOM

    # Entry by entry

    def _loops(self, ranges: Sequence[Range]) -> str:
        return ", ".join(f"{i} in 1:{self._end(d)}" for i, d in ranges)

    def _end(self, d: int | str) -> str:
        text = self.size(d)
        return text if re.fullmatch(r"\w+", text) else f"({text})"

    def _store(self, name: str, dims: Dims, entry: Entry, assigned: str) -> None:
        ranges = self.ranges(dims)
        text, _ = entry.at([i for i, _ in ranges])
        self.taken.difference_update(i for i, _ in ranges)
        whole = f"[{text} for {self._loops(ranges)}]" if dims else text
        self.lines.append(f"{name}{assigned}{whole}")

    def store(self, name: str, dims: Dims, entry: Entry) -> None:
        self._store(name, dims, entry, " = ")

    def total(self, kind: str, text: str, ranges: Sequence[Range]) -> Text:
        if kind == "sum":
            return f"sum(({text} for {self._loops(ranges)}); init=0.0)", ATOM
        if kind == "hypot":
            return f"norm([{text} for {self._loops(ranges)}])", ATOM
        return f"{kind}imum({text} for {self._loops(ranges)})", ATOM

    def truth(self, text: str) -> Text:
        return f"Float64({text})", ATOM

    def literal(self, node: Term) -> str:
        if not node.array.values.size:
            return f"zeros({self.sizes_of(node.dims)})"
        numbers = re.sub(r"\binf\b", "Inf", ", ".join(self.column_major(node)))
        numbers = re.sub(r"\bnan\b", "NaN", numbers)
        if node.order == 0:
            return numbers
        return (
            f"[{numbers}]"
            if node.order == 1
            else f"reshape([{numbers}], {self.sizes_of(node.dims)})"
        )
