"""Terms as MATLAB functions, which Octave reads as well."""

import re
from collections.abc import Sequence
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.entries import Entry
from eggrad.frontend.printing.formula_programs import ATOM, FormulaProgram
from eggrad.frontend.printing.matrix import Form

_WORDS: Final = (
    "break case catch classdef continue else elseif end end_try_catch end_unwind_protect "
    "endfor endfunction endif endswitch endwhile for function global if otherwise parfor "
    "persistent return spmd switch try until unwind_protect unwind_protect_cleanup while "
    "do Inf NaN abs acos asin atan ceil choose cos det diag double exp eye fix floor inv "
    "log log1p lu max min mod norm ones reshape result round sign sin size sqrt sum tan tanh trace "
    "zeros"
)
_CHOOSE: Final = """
function r = choose(c, a, b)
  r = b;
  r(c ~= 0) = a(c ~= 0);
end
"""


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
    return _Program(root, scope).text(scope)


class _Program(FormulaProgram):
    language = "MATLAB"
    key = "matlab"
    words = frozenset(_WORDS.split())
    comment = "%"
    inline = False

    def text(self, scope: Sequence[Term]) -> str:
        """The whole text."""
        name = self.unused("f")
        lines = self.formula(scope)
        if lines is None:
            self.store("result", self.root.dims, self.body())
        else:
            self.lines += [f"{part or 'result'} = {text};" for part, text in lines]
        sizes = [f"{size} = {place};" for size, place in self.sizes()]
        body = [f"  {line}" for line in (*self.comments(), *sizes, *self.lines)]
        head = f"function result = {name}({', '.join(self.names.values())})"
        choose = _CHOOSE if any("choose(" in line for line in self.lines) else ""
        return "\n".join([head, *body, "end", ""]) + choose

    # Formulas

    def made(self, name: str, value: Text | None, sizes: Sequence[str]) -> Text:
        shape = ", ".join(sizes)
        match name:
            case "size":
                return shape, ATOM if shape.isidentifier() or shape.isdigit() else 0
            case "unit":
                place, size = sizes
                return f"double((1:{size})' == {place})", ATOM
            case "vector" | "matrix":
                assert value is not None
                ones = f"ones({shape}{', 1' * (name == 'vector')})"
                return f"{bracketed(value, ATOM)} * {ones}", 1
            case "eye":
                return f"eye({shape})", ATOM
            case _:
                return f"{name}({shape}{', 1' * (len(sizes) == 1)})", ATOM

    def along(self, kind: str, operand: str, rows: bool) -> Text:
        axis = 2 if rows else 1
        return f"{kind}({operand}, {'' if kind == 'sum' else '[], '}{axis})", ATOM

    def entries(self, array: Text, key: Sequence[str]) -> Text:
        if array[1] < ATOM or not array[0].isidentifier():
            raise UnsupportedOperation("MATLAB takes entries of what has a name")
        return f"{array[0]}({', '.join(key)})", ATOM

    def call(self, form: Form, args: Sequence[Text]) -> str | None:
        x = args[0][0]
        order = form.args[0].order
        match form.text:
            case "sum" | "max" | "min" if len(args) == 1:
                whole = f"{form.text}({x})"
                return f"{form.text}({whole})" if order == 2 else whole
            case "diag" | "sqrt":
                return f"{form.text}({x})"
            case "tr":
                return f"trace({x})"
            case "norm2":
                return f"norm({x}, 'fro')" if order == 2 else f"norm({x})"
            case "logdet":
                return f"sum(log(abs(diag(lu({x})))))"
            case "logsumexp":
                inner = f"sum(exp({x}))"
                return f"log(sum({inner}))" if order == 2 else f"log({inner})"
            case "softmax":
                return f"exp({x}) / sum(exp({x}))"
            case _:
                return None

    def test(self, text: str, order: int) -> Text:
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        return f"double({inner})", ATOM

    # Entry by entry

    def assigned(self, name: str, text: str) -> str:
        return f"{name} = {text};"

    def read(self, name: str, at: Sequence[str]) -> str:
        return f"{name}({', '.join(at)})" if at else name

    def truth(self, text: str) -> Text:
        return f"double({text})", ATOM

    def store(self, name: str, dims: Dims, entry: Entry) -> None:
        ranges = self.ranges(dims)
        more = self.ranges(entry.over)
        at = [i for i, _ in ranges]
        target = self.read(name, at)
        if entry.within is None:
            text = entry.at(at)[0]
            update = text
        else:
            text, level = entry.within([*at, *(i for i, _ in more)])
            summed = f"{target} + {bracketed((text, level), 1)}"
            update = summed if entry.reduction == "sum" else f"{entry.reduction}({target}, {text})"
        self.taken.difference_update(i for i, _ in (*ranges, *more))
        start = {"max": "-Inf", "min": "Inf"}.get(entry.reduction, "zeros")
        shape = f"({self.sizes_of(dims)}{', 1' * (len(dims) == 1)})"
        if dims:
            self.lines.append(f"{name} = {start}{shape};")
        elif entry.within is not None:
            self.lines.append(f"{name} = {'0' if start == 'zeros' else start};")
        for depth, (i, d) in enumerate((*ranges, *more)):
            self.lines.append(f"{'  ' * depth}for {i} = 1:{self._end(d)}")
        count = len(ranges) + len(more)
        self.lines.append(f"{'  ' * count}{target} = {update};")
        self.lines += ["  " * depth + "end" for depth in reversed(range(count))]

    def _end(self, d: int | str) -> str:
        text = self.size(d)
        return text if re.fullmatch(r"\w+", text) else f"({text})"

    def literal(self, node: Term) -> str:
        if not node.array.values.size:
            return f"zeros({self.sizes_of(node.dims)}{', 1' * (node.order == 1)})"
        numbers = re.sub(r"\binf\b", "Inf", ", ".join(self.column_major(node)))
        numbers = re.sub(r"\bnan\b", "NaN", numbers)
        if node.order == 0:
            return numbers
        return f"reshape([{numbers}], {self.sizes_of(node.dims)}{', 1' * (node.order == 1)})"
