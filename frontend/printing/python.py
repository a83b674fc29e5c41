"""Terms as NumPy functions like those that people write: the program form, with few names."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT, SIGN, as_tuple
from eggrad.engine.compilation.lowering import detail
from eggrad.engine.compilation.module import as_places
from eggrad.engine.compilation.program import ONE, Contraction, Instruction, Program, Value
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import LETTERS, Dims, Indices, Size, letters
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.operations import EXTREMES, OPERATIONS
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.printing.programs import PrintedDialect, format_condition, written
from eggrad.frontend.printing.templates import binding

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
# Truth values are added up as numbers are.
_AS_NUMBER: Final = "1.0 * "
WORDS: Final[Mapping[str, str]] = {
    **{o.name: o.code for o in OPERATIONS.values() if o.code.startswith("np.")},
    "max": "np.max({})",
    "min": "np.min({})",
    "softplus": "np.logaddexp(0, {})",
    "sigmoid": "np.exp(-np.logaddexp(0, -{}))",
    "log1mexp": "np.where({0} > -0.7, np.log(-np.expm1({0})), np.log1p(-np.exp({0})))",
    "log1mexp_exp": "np.where({0} < -40, {0}, np.where({0} < 0, np.log(-np.expm1(-np.exp({0}))), "
    "np.log1p(-np.exp(-np.exp({0})))))",
    "inv": "np.linalg.inv({})",
    "inverses": "np.linalg.inv({})",
    "adj": "np.linalg.det({0}) * np.linalg.inv({0})",
    "cofactors": "np.linalg.det({0}) * np.linalg.inv({0}).T",
    "cholesky": "np.linalg.cholesky({})",
    "eigenvalues": "np.linalg.eigvalsh({})",
    "eigenvectors": "np.linalg.eigh({})[1]",
    "eigenvector_signs": "np.sign(np.sum("
    'np.linalg.eigh({0}, "U")[1] * np.linalg.eigh({0})[1], axis=-2))',
    "singular_values": "np.linalg.svdvals({})",
    "left_singular_vectors": "np.linalg.svd({}, full_matrices=False)[0]",
    "right_singular_vectors": "np.linalg.svd({}, full_matrices=False)[2].mT",
    "pseudoinverse": "np.linalg.pinv({})",
    "orthonormal_factor": "np.linalg.qr({})[0]",
    "matrix_exponential": "scipy.linalg.expm({})",
    "argsort": 'np.argsort({x}, axis={k}, kind="stable")',
    # What comes first is called `s` after it.
    "logsumexp": "np.logaddexp.reduce({x}, axis={k})",
    "softmax": "np.exp({x} - np.max({x}, axis={k}, keepdims=True)); "
    "{s} / np.sum({s}, axis={k}, keepdims=True)",
    "log_softmax": "{x} - np.max({x}, axis={k}, keepdims=True); "
    "{s} - np.log(np.sum(np.exp({s}), axis={k}, keepdims=True))",
    "norm": "np.hypot.reduce({x}, axis={k})",
    "logdet": "np.linalg.slogdet({x})[1]",
}
"""What operations are called in NumPy, with places for operands and for the axes that go."""


class PythonDialect(PrintedDialect):
    """NumPy's words as people write them; subclasses have those of other libraries.

    Texts are NumPy's, and `words` puts them into those of the library.
    """

    says = WORDS
    reserved = frozenset({"np", "scipy", "float", "run_loop"})
    modules: Mapping[str, str] = {"np.": "import numpy as np", "scipy.": "import scipy.linalg"}
    home = "np."
    root = "np.sqrt({})"
    run_loop = _RUN_LOOP

    def __init__(self, program: Program, taken: set[str]) -> None:
        """Write a program, with other names than those that are taken."""
        if any(t.order > len(LETTERS) for t in postorder(*program.roots)):
            raise UnsupportedOperation(f"np.einsum has {len(LETTERS)} indices, no more")
        super().__init__(program, taken)

    def shape(self, dims: Dims) -> str:
        """The sizes, as one argument."""
        return self.bare(dims[0]) if len(dims) == 1 else as_tuple(map(self.bare, dims))

    def origin(self, function: OwnFunction) -> str:
        """The line that imports a declared function, or says that it is the user's."""
        return imported(function, "numpy") or f"# {function.name} is a function of your own."

    # Arrays that are made -----------------------------------------------------------------------

    def _known(self, instruction: Instruction) -> Text:
        """Known numbers."""
        array: FixedArray
        array, says_places = instruction.data
        if not array.values.size:
            return self.zeros(array.values.shape)
        values = as_places(array.values) if says_places else array.values
        return self.made("array", self.listed(values.tolist()))

    def eye(self, size: Size) -> str:
        """An identity matrix."""
        return self.made("eye", self.bare(size))[0]

    def arange(self, size: Size) -> str:
        """The integers below a size."""
        return self.call("arange", self.bare(size))[0]

    def _zeros_and_ones(self, instruction: Instruction) -> Text:
        indicator: Term = instruction.data
        names = [self.identifier(letter, self._taken) for letter in LETTERS[: indicator.order]]
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

    def _selection(self, instruction: Instruction) -> Text:
        """An array of zeros and ones: 1 at the places that integers say, from the end if < 0."""
        return f"{_AS_NUMBER}({self.chosen(instruction)})", PRODUCT

    def chosen(self, instruction: Instruction) -> str:
        """The condition that the last indices are the places that integers say."""
        places, dims = self.atoms(instruction), instruction.data
        new = ", None" * len(dims)
        conditions: list[str] = []
        for k, d in enumerate(dims):
            apart = len(places) == len(dims)
            key = f"[...{new}]" if apart else f"[..., {k}{new}]"
            spread = f"[:{', None' * (len(dims) - k - 1)}]" if k < len(dims) - 1 else ""
            array = f"{self.call('asarray', places[k if apart else 0])[0]}{key}"
            conditions.append(f"{array} % {self.program.size(d)} == {self.arange(d)}{spread}")
        return conditions[0] if len(dims) == 1 else " & ".join(f"({c})" for c in conditions)

    def _with_zeros(self, instruction: Instruction) -> Text:
        """A diagonal matrix, or an array times identities where it has zeros."""
        value: Value
        value, dims = instruction.data
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

    def _numbers(self, instruction: Instruction) -> Text:
        return _AS_NUMBER + bracketed(self.source(instruction.operands[0][0]), SIGN), PRODUCT

    # Products and sums --------------------------------------------------------------------------

    def _diagonal(self, instruction: Instruction) -> Text:
        ((source, labels),) = instruction.operands
        if len(labels) == 2:
            return self.call("diag", self.source(source)[0])
        return self._einsum((labels, instruction.labels), self.source(source)[0])

    def _einsum(self, parts: Sequence[Indices], *arrays: str) -> Text:
        return self.call("einsum", f'"{letters(*parts)}"', *arrays)

    def _sum(self, instruction: Instruction) -> Text:
        ((source, labels),) = instruction.operands
        if isinstance(source, Instruction) and source.kind == "diagonal":
            ((array, inner),) = source.operands
            if len(inner) == 2:
                return self.call("trace", self.source(array)[0])
            return self._einsum((inner, instruction.labels), self.source(array)[0])
        return self.call("sum", self.source(source)[0], self._axes(labels, instruction.labels))

    def _axes(self, labels: Indices, kept: Indices) -> str:
        gone = tuple(k for k, i in enumerate(labels) if i not in kept)
        return f"axis={gone[0] if len(gone) == 1 else gone}" if kept else ""

    def _outer(self, instruction: Instruction) -> Text:
        a, b = self.atoms(instruction)
        if len(instruction.labels) == 2:
            return self.call("outer", a, b)
        return self._einsum(
            (*(labels for _, labels in instruction.operands), instruction.labels), a, b
        )

    def _contract(self, instruction: Instruction) -> Text:
        c: Contraction = instruction.data
        (left, p), (_, q) = c.left, c.right
        if max(len(p), len(q)) <= 2 and len(c.summed) + len(c.batch) == 2:
            # Entry by entry, then a sum.
            text = f"{bracketed(self.source(left), PRODUCT)} * "
            text += bracketed(self.transposed(c.right, p), SIGN)
            return self.call("sum", text, self._axes(p, instruction.labels))
        if c.operator == "einsum":
            return self._einsum((p, q, instruction.labels), *self.atoms(instruction))
        return self.matrices(c)

    # Views and whole arrays ---------------------------------------------------------------------

    def _entries(self, instruction: Instruction) -> Text:
        return f"{self.atom(instruction.operands[0])}[{', '.join(instruction.data)}]", ATOM

    def _selected(self, instruction: Instruction) -> Text:
        array, index = instruction.operands
        return f"{self.atom(array)}[{':, ' * instruction.data}{self.source(index[0])[0]}]", ATOM

    def _call(self, instruction: Instruction) -> Text:
        """A function of a whole array, in some steps where it takes them."""
        node: Term = instruction.data
        operand, text = self.source(instruction.operands[0][0]), self.word(node.op)
        if node.op in EXTREMES:
            args = filter(None, [operand[0], self._axes(*node.spec)])
            return self.words(text).format(", ".join(args)), ATOM
        known = detail(node)
        if known == (0,) and node.args[0].order == 1:
            text = text.replace(", axis={k}", "").replace(", keepdims=True", "")
        *first, template = self.words(text).split("; ")
        often = text.count("{x}") > 1 and operand[1] < ATOM
        x = self.named(operand[0]) if often else operand[0]
        given = {"x": x, "k": known[0] if isinstance(known, tuple) and len(known) == 1 else known}
        for part in first:
            given["s"] = self.named(part.format(x, **given))
        return template.format(x, **given), binding(template)

    def _loop(self, instruction: Instruction) -> Text:
        """States of a loop, which runs once for all that are needed."""
        return self.named(f"run_loop({self.loop_arguments(instruction)})"), ATOM


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
