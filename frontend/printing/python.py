"""Terms as NumPy functions like those that people write."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.views import by_views, slices
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import (
    coefficient,
    format_form,
    is_simple,
    plus,
    size_form,
    size_symbols,
    size_text,
    times,
)
from eggrad.engine.indices.constraints import Constraint, format_comparison
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.indices.texts import as_float, escaped, identifier
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.cofactors import without_higher_cofactors
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import (
    ELEMENTWISE,
    EXTREMES,
    FUNCTIONS,
    MATRIX_FUNCTIONS,
    Function,
    OwnFunction,
)
from eggrad.engine.terms.loops import BEFORE, LAST, Recurrence, recurrence_of
from eggrad.engine.terms.stack_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import Loop, Step, Term, own_functions, postorder, steps_of, variables
from eggrad.frontend.printing.templates import filled

SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")


def unary(part: Indices, out: Indices, operand: Text, spec: str, total: str = "np.sum") -> Text:
    """A transpose, diagonal, trace or sum; `total` is called for the latter."""
    if len(set(part)) == len(part):
        gone = tuple(k for k, i in enumerate(part) if i not in out)
        kept = tuple(i for i in part if i in out)
        if gone:
            axis = "" if not out else f", axis={gone[0] if len(gone) == 1 else gone}"
            return _turned((f"{total}({operand[0]}{axis})", ATOM), kept, out)
        return _turned(operand, kept, out)
    if spec in ("ii->", "ii->i"):
        return f"np.{'diag' if out else 'trace'}({operand[0]})", ATOM
    return f'np.einsum("{spec}", {operand[0]})', ATOM


def _turned(a: Text, own: Indices, wanted: Indices) -> Text:
    """An array with its axes in another order."""
    if own == wanted:
        return a
    if own == wanted[::-1]:
        return f"{bracketed(a, ATOM)}.T", ATOM
    return f"np.transpose({a[0]}, {tuple(own.index(i) for i in wanted)})", ATOM


def binary(first: tuple[Text, Indices], second: tuple[Text, Indices], out: Indices) -> Text | None:
    """A product by `*`, `@` or `np.outer`; None where only `np.einsum` has it."""
    (a, p), (b, q) = first, second
    if len(set(p)) < len(p) or len(set(q)) < len(q):
        return None
    if not p or not q:
        a, b = (unary(own, out, v, "") if own else v for v, own in (first, second))
        return _infix(a, "*", b)
    alone = [i for i in (*p, *q) if i not in out and (i in p) != (i in q)]
    summed = [i for i in p if i in q and i not in out]
    if alone or max(len(p), len(q)) > 2:
        return None
    if not summed:
        return _without_sum(a, p, b, q, out)
    if len(summed) == 2 or len([i for i in p if i in q]) == 2:
        product = _infix(a, "*", _turned(b, q, p))[0]
        axis = f", axis={p.index(summed[0])}" if out else ""
        return f"np.sum({product}{axis})", ATOM
    (s,) = summed
    if out and out[0] not in p:
        (a, p), (b, q) = (b, q), (a, p)
    if len(p) == 2 and len(q) == 1 and p[0] == s:
        # A vector from the left needs no transpose.
        return _infix(b, "@", a)
    left = a if p[-1] == s else _turned(a, p, p[::-1])
    right = b if q[0] == s else _turned(b, q, q[::-1])
    return _infix(left, "@", right)


def _without_sum(a: Text, p: Indices, b: Text, q: Indices, out: Indices) -> Text | None:
    if set(p) == set(q):
        return _infix(_turned(a, p, out), "*", _turned(b, q, out))
    if len(p) == len(q) == 1:
        first, second = (a, b) if p == out[:1] else (b, a)
        return f"np.outer({first[0]}, {second[0]})", ATOM
    if len(out) > 2:
        return None
    (matrix, own), (vector, (i,)) = ((a, p), (b, q)) if len(p) == 2 else ((b, q), (a, p))
    scale = vector if (i,) == out[1:] else (f"{bracketed(vector, ATOM)}[:, None]", ATOM)
    return _infix(_turned(matrix, own, out), "*", scale)


def _infix(a: Text, sign: str, b: Text) -> Text:
    """A product of two; one sign in front is that of the whole."""
    return f"{bracketed(a, PRODUCT)} {sign} {bracketed(b, SIGN)}", PRODUCT


def _loop_arguments(
    own: Recurrence, step: str, length: str, arrays: Sequence[str], sizes: Sequence[str]
) -> str:
    first, second = len(own.starts), len(own.starts) + len(own.slices)
    parts = arrays[:first], arrays[first:second], (*arrays[second:], *sizes)
    groups = (f"({''.join(f'{text}, ' for text in part).rstrip()})" for part in parts)
    return f"{step}, {length}, {', '.join(groups)}, backwards={own.backwards}"


def _states_text(whole: str, loop: Loop, others: str = "") -> str:
    if loop.part == LAST:
        place = "0" if loop.backwards else "-1"
    else:
        place = ":-1" if (loop.part == BEFORE) != loop.backwards else "1:"
    return f"{whole}[{loop.carry}][{place}{others}]"


# Terms -------------------------------------------------------------------------------------


# Truth values are added up as numbers are.
_AS_NUMBER: Final = "1.0 * "
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
_CALLS: Final = {name: FUNCTIONS[name].code for name in ELEMENTWISE} | {
    name: f.python
    for name, f in (*MATRIX_FUNCTIONS.items(), *STACK_FUNCTIONS.items())
    if name != "adj"
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
    return Writer([root], scope).text()


class Writer:
    """Writes a function of NumPy arrays; subclasses write those of other libraries' arrays.

    Code is written in NumPy's words, and `translated` has the last word on it.
    """

    library = "NumPy"
    key = "python"
    """What records of functions call the language."""
    name = "f"
    modules: Mapping[str, str] = {"np": "import numpy as np", "scipy": "import scipy.linalg"}
    """What the code calls each module, and how it is imported."""
    along_axes: Mapping[str, Text] = _ALONG_AXES

    def __init__(self, roots: Sequence[Term], scope: Sequence[Term]) -> None:
        """Give every name of a user one that Python has."""
        self.roots = [without_higher_cofactors(root) for root in roots]
        self._variables = variables(*self.roots, *scope)
        self._functions = own_functions(*self.roots)
        self._taken = {"np", "float", "run_loop", *self.modules, *(f.name for f in self._functions)}
        self._body: list[str] = []
        self._names = {v: self._identifier(v.name) for v in self._variables}
        self._size_names = {d: self._identifier(d) for d in symbols(*self.roots)}
        self._sizes: dict[str, str] = {}
        self._steps: Mapping[Step, Writer] = {}
        self._loops: dict[Recurrence, str] = {}
        # Sizes that no array has are further parameters.
        self._is_step, self.open = False, list[str]()

    def text(self) -> str:
        """The module."""
        steps: dict[Step, Writer] = {}
        functions: list[list[str]] = []
        for k, step in enumerate(steps_of(*self.roots), 1):
            own = (*step.carries, *step.slices, *step.constants)
            steps[step] = writer = type(self)(step.results, own)
            writer._steps, writer._is_step = steps, True
            writer.name = self._identifier(f"step{k}")
            functions.append(writer.function([writer._names[v] for v in own]))
        self._steps = steps
        self.name = self._identifier("f")
        functions.append(self.function([*self._names.values()]))
        if steps:
            functions.insert(0, [self.translated(line) for line in _RUN_LOOP.splitlines()])
        whole = "\n".join(line for own in functions for line in own)
        head = [line for m, line in self.modules.items() if re.search(rf"\b{m}\.", whole)]
        head += [self.origin(f) for f in self._functions]
        texts = ["\n".join([*own, ""]) for own in functions]
        return "\n\n".join(["\n".join([*head, ""]), *texts] if head else texts)

    def function(self, parameters: Sequence[str]) -> list[str]:
        """The lines of a function of some parameters, and of the sizes that none of them has."""
        roots = self.roots
        if any(t.order > len(specs.LETTERS) for t in postorder(*roots)):
            raise UnsupportedOperation(f"np.einsum has {len(specs.LETTERS)} indices, no more")
        users = Counter(a for node in postorder(*roots) for a in node.args)
        done: dict[Term, Text] = {}
        body = self._body
        depth: dict[Term, int] = {}
        for node in postorder(*roots):
            text = self.node(node, [done[a] for a in node.args], done)
            depth[node] = 1 + max((depth[a] for a in node.args), default=0)
            often = users[node] > 1 and len(text[0]) > WORTH_NAMING
            if node.args and (often or depth[node] > DEEP):
                depth[node] = 0
                text = self.named(text[0]), ATOM
            done[node] = text
        results = [self.result(r, done[r][0]) for r in roots]
        returned = f"[{', '.join(results)}]" if self._is_step else results[0]
        body.append(f"return {returned}")
        body = [self.translated(line) for line in body]
        body[:0] = self.first_lines("\n".join(body))
        mentioned = {*re.findall(r"\w+", "\n".join(body))}
        sizes = sorted(self._sizes.items())
        lines = [f"{size} = {place}" for size, place in sizes if size in mentioned and place] + body
        known = ", ".join(f"{n} of axes {_axes(v.dims)}" for v, n in self._names.items())
        result = " and ".join(_axes(r.dims) for r in roots)
        title = f'"""Axes {result}{", for " * bool(known)}{known}."""'
        used = {d: name for d, name in self._size_names.items() if name in self._sizes}
        lines = [*[title] * (not self._is_step), *renamings("#", self._names, used), *lines]
        given = ", ".join([*parameters, *(self._size_names[d] for d in self.open)])
        return [f"def {self.name}({given}):", *(f"    {k}" for k in lines)]

    def named(self, text: str) -> str:
        """A name for what a text says."""
        name = self._identifier(f"t{len(self._body) + 1}")
        self._body.append(f"{name} = {text}")
        return name

    def translated(self, line: str) -> str:
        """A line in the words of the library."""
        return line

    def first_lines(self, body: str) -> list[str]:
        """Lines that stand before all others, given these."""
        return []

    def result(self, root: Term, text: str) -> str:
        """The array to return."""
        return text

    def reads(self, key: Sequence[str]) -> bool:
        """Whether an array can be asked for these entries."""
        return True

    def origin(self, function: OwnFunction) -> str:
        """The line that imports a declared function, or says that it is the user's own."""
        return imported(function, "numpy") or f"# {function.name} is a function of your own."

    def call(self, node: Term, args: Sequence[Text]) -> Text:
        """An element-wise function or one of a matrix."""
        code = node.data.code if isinstance(node.data, OwnFunction) else _CALLS[node.op]
        own = self.unspread(node, args) if len(args) == 2 else args
        texts = [text for text, _ in own]
        known = FUNCTIONS.get(node.op)
        if known and (node.op == "where" or node.op.startswith("logical_")):
            texts = [text.removeprefix(_AS_NUMBER) for text in texts]
        if known and known.is_test:
            return _AS_NUMBER + code.format(*texts), PRODUCT
        return code.format(*texts), ATOM

    def spelled(self, own: Function) -> str:
        """The text of a function that only programs have, with places for its operands."""
        return own.spelled.get(self.key) or own.spelled.get("python") or own.code

    def _along_axes(self, node: Term, operand: Text) -> Text:
        """A function of a whole array."""
        (text, level), order = self.along_axes[node.op], node.args[0].order
        kept = node.spec[1] if node.op != "logdet" else ()
        gone = tuple(k for k in range(order) if k not in kept)
        if len(gone) == order == 1:
            text = text.replace(", axis={k}", "").replace(", keepdims=True", "")
        *first, template = text.split("; ")
        often = text.count("{x}") > 1 and operand[1] < ATOM
        given = {"x": self.named(operand[0]) if often else operand[0]}
        given["k"] = str(gone[0] if len(gone) == 1 else gone)
        for part in first:
            given["s"] = self.named(part.format(**given))
        return template.format(**given), level

    def _identifier(self, name: str) -> str:
        """A Python name that nothing else in the text has."""
        own = identifier(name, self._taken)
        self._taken.add(own)
        return own

    def _size(self, size: Size) -> str:
        for symbol in size_symbols(size):
            self._use_size(symbol)
        return size_text(size, self._size_names)

    def _use_size(self, size: str) -> None:
        name = self._size_names[size]
        if name not in self._sizes:
            self._sizes[name] = self._origin(size)

    def _origin(self, size: str) -> str:
        fixed = {s for v in self._variables for d in v.dims for s in size_symbols(d)}
        if size not in fixed:
            self.open.append(size)
            return ""
        v, axis, more = place_of_size(size, self._variables)
        return f"{self._names[v]}.shape[{axis}]{more}"

    def shape(self, dims: Dims) -> str:
        """The sizes, as one argument."""
        listed = ", ".join(map(self._size, dims))
        return listed if len(dims) == 1 else f"({listed})"

    def node(self, node: Term, args: Sequence[Text], done: Mapping[Term, Text]) -> Text:
        """The text of a node, given those of its operands."""
        match node.op:
            case "variable":
                return self._names[node], ATOM
            case "array":
                return self.array(node.array)
            case "constant":
                return self.constant(node.value, node.dims)
            case "size":
                size = node.symbol
                return self._size(size), ATOM if is_simple(size) else SUM
            case "delta":
                return self.delta(node.dims[: node.order // 2])
            case "indicator":
                return self.indicator(node)
            case "selection":
                return self.selection(node, args[0])
            case "argsort":
                return self.argsort(args[0][0], node.number), ATOM
            case "scan":
                return self._states(node, args)
            case "einsum":
                return self._product(node, args)
            case name if name in EXTREMES:
                source, out = node.spec
                return unary(
                    source, out, args[0], specs.format_spec(node.spec), EXTREMES[name].python
                )
            case "add" if node.args[0] is node.args[1]:
                return f"2 * {bracketed(args[0], SIGN)}", PRODUCT
            case "add" | "subtract":
                left, right = self.unspread(node, args)
                sign, least = ("+", SUM) if node.op == "add" else ("-", PRODUCT)
                if node.op == "add" and right[0].startswith("-"):
                    least = POWER
                return f"{bracketed(left, SUM)} {sign} {bracketed(right, least)}", SUM
            case "divide":
                left, right = self.unspread(node, args)
                return f"{bracketed(left, PRODUCT)} / {bracketed(right, SIGN)}", PRODUCT
            case "negate":
                return f"-{bracketed(args[0], SIGN)}", SIGN
            case "power":
                return _power(node, args)
            case "adj":
                return MATRIX_FUNCTIONS["adj"].python.format(args[0][0]), PRODUCT
            case "cofactors" if node.data == 1:
                matrix = args[0][0]
                return f"np.linalg.det({matrix}) * np.linalg.inv({matrix}).T", PRODUCT
            case name if name in _CALLS or isinstance(node.data, OwnFunction):
                return self.call(node, args)
            case name if name in FUNCTIONS:
                return filled(self.spelled(FUNCTIONS[name]), args, self.named)
            case name if name in self.along_axes:
                return self._along_axes(node, args[0])
            case name:
                raise UnsupportedOperation(
                    f"{name} has no function in {self.library}; see eggrad.compile"
                )

    def _states(self, node: Term, args: Sequence[Text]) -> Text:
        """States of a loop, which runs once for all that are needed."""
        own = recurrence_of(node)
        if own not in self._loops:
            step = self._steps[own.step]
            arrays = [text for text, _ in args]
            shape = [self._size(node.loop.inside[s]) for s in step.open]
            given = _loop_arguments(own, step.name, self._size(own.length), arrays, shape)
            self._loops[own] = self.named(f"run_loop({given})")
        return _states_text(self._loops[own], node.loop), ATOM

    def array(self, array: FixedArray) -> Text:
        """Known numbers."""
        values = array.values
        if not values.size:
            return f"np.zeros({self.shape(values.shape)})", ATOM
        listed = re.sub(r"\b(nan|inf)\b", r"np.\1", repr(values.tolist()))
        return f"np.array({listed})", ATOM

    def constant(self, value: Fraction, dims: Dims) -> Text:
        """An array of one number."""
        if not dims:
            return format_fraction(value)
        if value in (0, 1):
            return f"np.{'ones' if value else 'zeros'}({self.shape(dims)})", ATOM
        return f"np.full({self.shape(dims)}, {format_fraction(value)[0]})", ATOM

    def delta(self, dims: Dims) -> Text:
        """A product of identity matrices."""
        identities = [f"np.eye({self._size(d)})" for d in dims]
        if len(dims) == 1:
            return identities[0], ATOM
        rows, columns = range(len(dims)), range(len(dims), 2 * len(dims))
        spec = specs.canonical(list(zip(rows, columns, strict=True)), (*rows, *columns))
        return f'np.einsum("{specs.format_spec(spec)}", {", ".join(identities)})', ATOM

    def indicator(self, node: Term) -> Text:
        """An array of zeros and ones."""
        letters = [identifier(letter, self._taken) for letter in specs.LETTERS[: node.order]]
        index = letters.__getitem__
        conditions = [f"({format_condition(c, index, self._size)})" for c in node.constraints]
        if not conditions or not node.order:
            whole = " * ".join(conditions) or f"np.ones({self.shape(node.dims)})"
            return (f"float({whole})", ATOM) if conditions else (whole, ATOM)
        shape = f"({', '.join(map(self._size, node.dims))}{',' * (node.order == 1)})"
        function = f"lambda {', '.join(letters)}: 1.0 * {' * '.join(conditions)}"
        return f"np.fromfunction({function}, {shape})", ATOM

    def selection(self, node: Term, places: Text) -> Text:
        """An array of zeros and ones: 1 at the places that integers say, from the end if < 0."""
        return f"1.0 * ({self.chosen(node, places)})", PRODUCT

    def chosen(self, node: Term, places: Text) -> str:
        """The condition that the last indices are the places that integers say."""
        count = len(node.chosen)
        new = ", None" * count
        conditions: list[str] = []
        for k, d in enumerate(node.chosen):
            size = self._size(d)
            own = f"[..., {k}{new}]" if count > 1 else "[..., None]"
            spread = f"[:{', None' * (count - k - 1)}]" if k < count - 1 else ""
            array = f"np.asarray({places[0]}){own}"
            conditions.append(f"{array} % {size} == {self.arange(size)}{spread}")
        return conditions[0] if count == 1 else " & ".join(f"({c})" for c in conditions)

    def arange(self, size: str) -> str:
        """The integers below a size."""
        return f"np.arange({size})"

    def argsort(self, operand: str, axis: int) -> str:
        """The places in ascending order along an axis."""
        return f'np.argsort({operand}, axis={axis}, kind="stable")'

    def unspread(self, node: Term, args: Sequence[Text]) -> tuple[Text, Text]:
        """The operands of an operation on entries; a constant beside an array is a number."""
        numbers = [
            format_fraction(a.value) if a.op == "constant" and b.order else None
            for a, b in zip(node.args, node.args[::-1], strict=True)
        ]
        first, second = (
            (number if number and not other else text)
            for text, number, other in zip(args, numbers, numbers[::-1], strict=True)
        )
        return first, second

    def _product(self, node: Term, args: Sequence[Text]) -> Text:
        *parts, out = node.spec
        spec = specs.format_spec(node.spec)
        if len(parts) == 1:
            return unary(parts[0], out, args[0], spec)
        vectors = [k for k, a in enumerate(node.args) if a.op == "delta"]
        if vectors and sorted(a.order for a in node.args) == [1, 2] and node.order == 2:
            return f"np.diag({args[1 - vectors[0]][0]})", ATOM
        if by_views(node):
            first = node.args[0].op != "indicator"
            left, right, _ = node.spec
            own = (right, left, out) if first else (left, right, out)
            key = slices(node.args[first], node.args[1 - first], own)
            if key is not None and self.reads(key):
                return f"{bracketed(args[1 - first], ATOM)}[{', '.join(key)}]", ATOM
        found = binary((args[0], parts[0]), (args[1], parts[1]), out)
        return found or (f'np.einsum("{spec}", {args[0][0]}, {args[1][0]})', ATOM)


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


def _power(node: Term, args: Sequence[Text]) -> Text:
    exponent = node.args[1].data if node.args[1].op == "constant" else None
    if exponent == Fraction(1, 2):
        return f"np.sqrt({args[0][0]})", ATOM
    if exponent == -1:
        return f"1 / {bracketed(args[0], SIGN)}", PRODUCT
    return f"{bracketed(args[0], ATOM)} ** {bracketed(args[1], SIGN)}", POWER


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
