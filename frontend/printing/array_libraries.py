"""Terms as functions of JAX's and PyTorch's arrays, which need nothing but these libraries."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import EXTREMES, FUNCTIONS, Function, OwnFunction
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.printing.python import (
    ATOM,
    PRODUCT,
    SUM,
    Writer,
    format_condition,
    format_fraction,
    imported,
)
from eggrad.frontend.printing.templates import filled

_ARITHMETIC: Final = ("add", "subtract", "divide", "negate", "power", "einsum")
_NUMPY: Final = re.compile(r"\bnp\.(\w+)")


def format_jax(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of JAX's arrays, of the variables and of those in `scope` that fix a size.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_jax(apply("exp", einsum("ij,j->i", A, x))))
    import jax.numpy as jnp
    <BLANKLINE>
    <BLANKLINE>
    def f(A, x):
        \"\"\"Axes (m,), for A of axes (m, n), x of axes (n,).\"\"\"
        return jnp.exp(A @ x)
    <BLANKLINE>
    """
    return _JaxWriter([root], scope).text()


def format_torch(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of PyTorch's tensors, likewise; scalars are tensors without axes.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> A = variable("A", ("m", "n"))
    >>> print(format_torch(einsum("ij->i", apply("relu", A))))
    import torch
    <BLANKLINE>
    <BLANKLINE>
    def f(A):
        \"\"\"Axes (m,), for A of axes (m, n).\"\"\"
        return torch.sum(torch.relu(A), axis=1)
    <BLANKLINE>
    """
    return _TorchWriter([root], scope).text()


class _LibraryWriter(Writer):
    key = ""

    def __init__(self, roots: Sequence[Term], scope: Sequence[Term]) -> None:
        super().__init__(roots, scope)
        # Scalars that Python's numbers are, not arrays.
        self.numbers: set[Term] = set()
        for t in postorder(*self.roots):
            arithmetic = t.op in _ARITHMETIC and self.numbers.issuperset(t.args)
            is_root = t.op == "power" and t.args[1].data == Fraction(1, 2)
            leaf = t.op in ("constant", "size", "indicator", "delta")
            if not t.order and (leaf or (arithmetic and not is_root)):
                self.numbers.add(t)

    def origin(self, function: OwnFunction) -> str:
        found = imported(function, self.key)
        if not found:
            raise UnsupportedOperation(
                f"{function.name} is a function of your own: evaluate= has none of {self.library} "
                "arrays that can be imported"
            )
        return found


class _JaxWriter(_LibraryWriter):
    library = "JAX"
    key = "jax"
    modules: Mapping[str, str] = {
        "jax.nn": "import jax",
        "jax.scipy": "import jax.scipy.linalg",
        "jnp": "import jax.numpy as jnp",
    }
    along_axes: Mapping[str, Text] = {
        "logsumexp": ("jax.nn.logsumexp({x}, axis={k})", ATOM),
        "softmax": ("jax.nn.softmax({x}, axis={k})", ATOM),
        "log_softmax": ("jax.nn.log_softmax({x}, axis={k})", ATOM),
        "norm": (
            "np.maximum(np.max(np.abs({x}), axis={k}, keepdims=True), np.finfo({x}.dtype).tiny); "
            "np.sqrt(np.sum(({x} / {s}) ** 2, axis={k})) * np.squeeze({s}, axis={k})",
            PRODUCT,
        ),
        "logdet": ("np.linalg.slogdet({x})[1]", ATOM),
    }

    def translated(self, line: str) -> str:
        return _NUMPY.sub(r"jnp.\1", line).replace("scipy.linalg.", "jax.scipy.linalg.")

    def argsort(self, operand: str, axis: int) -> str:
        return f"np.argsort({operand}, axis={axis}, stable=True)"

    def result(self, root: Term, text: str) -> str:
        return f"np.asarray({text})" if root in self.numbers else text


# What PyTorch calls functions of NumPy.
_TORCH: Final = {"transpose": "permute", **{f: f"a{f}" for f in EXTREMES}}


class _TorchWriter(_LibraryWriter):
    library = "PyTorch"
    key = "torch"
    modules: Mapping[str, str] = {"torch": "import torch"}
    along_axes: Mapping[str, Text] = {
        "logsumexp": ("torch.logsumexp({x}, {k})", ATOM),
        "softmax": (
            "torch.exp({x} - torch.amax({x}, {k}, keepdim=True)); "
            "{s} / torch.sum({s}, {k}, keepdim=True)",
            PRODUCT,
        ),
        "log_softmax": (
            "{x} - torch.amax({x}, {k}, keepdim=True); "
            "{s} - torch.logsumexp({s}, {k}, keepdim=True)",
            SUM,
        ),
        "norm": (
            "torch.clamp(torch.amax(torch.abs({x}), {k}, keepdim=True), "
            "min=torch.finfo({x}.dtype).tiny); "
            "torch.sqrt(torch.sum(({x} / {s}) ** 2, {k})) * torch.squeeze({s}, {k})",
            PRODUCT,
        ),
        "logdet": ("torch.logdet({x})", ATOM),
    }

    def __init__(self, roots: Sequence[Term], scope: Sequence[Term]) -> None:
        super().__init__(roots, scope)
        self._like = self._identifier("like")

    def translated(self, line: str) -> str:
        line = line.replace("scipy.linalg.expm", "torch.linalg.matrix_exp")
        return _NUMPY.sub(lambda found: f"torch.{_TORCH.get(found[1], found[1])}", line)

    def first_lines(self, body: str) -> list[str]:
        if self._like not in re.findall(r"\w+", body):
            return []
        # Dtype and device of what is made are those of an argument.
        own = next(iter(sorted(self._names, key=lambda v: not v.dims)), None)
        name = self._names[own] if own else ""
        kind = (
            f'"dtype": {name}.dtype, "device": {name}.device' if own else '"dtype": torch.float64'
        )
        return [f"{self._like} = {{{kind}}}"]

    def result(self, root: Term, text: str) -> str:
        return self._tensor(text) if root in self.numbers else text

    def reads(self, key: Sequence[str]) -> bool:
        return not any("::-" in part for part in key)

    def node(self, node: Term, args: Sequence[Text], done: Mapping[Term, Text]) -> Text:
        is_root = node.op == "power" and node.args[1].data == Fraction(1, 2)
        if is_root or node.op in (*FUNCTIONS, "scan") or isinstance(node.data, OwnFunction):
            args = [
                (self._tensor(text), ATOM) if a in self.numbers else (text, level)
                for a, (text, level) in zip(node.args, args, strict=True)
            ]
        return super().node(node, args, done)

    def call(self, node: Term, args: Sequence[Text]) -> Text:
        own = FUNCTIONS.get(node.op)
        if own is None or isinstance(node.data, OwnFunction):
            return super().call(node, args)
        text, level = filled(self.spelled(own), args, self.named)
        return (f'{text}.to({self._like}["dtype"])', ATOM) if own.is_test else (text, level)

    def spelled(self, own: Function) -> str:
        known = own.spelled.get(self.key) or own.spelled.get("python")
        return known or own.standard.replace("xp.", "torch.")

    def shape(self, dims: Dims) -> str:
        return f"({', '.join(map(self._size, dims))}{',' * (len(dims) == 1)})"

    def array(self, array: FixedArray) -> Text:
        values = array.values
        if not values.size:
            return f"torch.zeros({tuple(values.shape)}, **{self._like})", ATOM
        listed = re.sub(r"\b(nan|inf)\b", r"torch.\1", repr(values.tolist()))
        return f"torch.tensor({listed}, **{self._like})", ATOM

    def constant(self, value: Fraction, dims: Dims) -> Text:
        if not dims:
            return super().constant(value, dims)
        if value in (0, 1):
            made = f"{'ones' if value else 'zeros'}({self.shape(dims)}"
        else:
            made = f"full({self.shape(dims)}, {format_fraction(value)[0]}"
        return f"torch.{made}, **{self._like})", ATOM

    def delta(self, dims: Dims) -> Text:
        text, level = super().delta(dims)
        return re.sub(r"np\.eye\(([^()]*)\)", rf"np.eye(\1, **{self._like})", text), level

    def indicator(self, node: Term) -> Text:
        if not node.order:
            return super().indicator(node)
        places = [self._places(k, node) for k in range(node.order)]
        conditions = [
            f"({format_condition(c, places.__getitem__, self._size)})" for c in node.constraints
        ]
        ones = f"torch.ones({self.shape(node.dims)}, **{self._like})"
        return " * ".join([ones, *conditions]), PRODUCT

    def selection(self, node: Term, places: Text) -> Text:
        chosen = self.chosen(node, places)
        return f"torch.ones({self.shape(node.dims)}, **{self._like}) * ({chosen})", PRODUCT

    def arange(self, size: str) -> str:
        return f'torch.arange({size}, device={self._like}["device"])'

    def argsort(self, operand: str, axis: int) -> str:
        return f'torch.argsort({operand}, dim={axis}, stable=True).to({self._like}["dtype"])'

    def _places(self, k: int, node: Term) -> str:
        """The indices of an axis, where broadcasting meets the others."""
        spread = ", ".join(":" if j == k else "None" for j in range(node.order))
        device = f'device={self._like}["device"]'
        if not self._names:
            device = ""
        made = f"torch.arange({', '.join(filter(None, [self._size(node.dims[k]), device]))})"
        return made if node.order == 1 else f"{made}[{spread}]"

    def _tensor(self, text: str) -> str:
        return f"torch.tensor({text}, **{self._like})"
