"""Terms as functions of JAX's and PyTorch's arrays, which need nothing but these libraries."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.backends.dialect import WORDS as STANDARD
from eggrad.engine.compilation.dialect import ATOM, PRODUCT, as_tuple, asked_operands
from eggrad.engine.compilation.program import Instruction, Program, Source
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms.functions import FUNCTIONS, OwnFunction
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.programs import format_condition, written
from eggrad.frontend.printing.python import WORDS, PythonDialect, imported


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
    return written(_JaxDialect, root, scope)


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
    return written(_TorchDialect, root, scope)


class _LibraryDialect(PythonDialect):
    library = ""

    def origin(self, function: OwnFunction) -> str:
        found = imported(function, self.library)
        if not found:
            raise UnsupportedOperation(
                f"{function.name} is a function of your own: evaluate= has none of {self.language} "
                "arrays that can be imported"
            )
        return found


IN_JAX: Final[Mapping[str, str]] = {
    **WORDS,
    "softplus": "jax.nn.softplus({})",
    "sigmoid": "jax.nn.sigmoid({})",
    "argsort": "np.argsort({x}, axis={k}, stable=True)",
    "logsumexp": "jax.nn.logsumexp({x}, axis={k})",
    "softmax": "jax.nn.softmax({x}, axis={k})",
    "log_softmax": "jax.nn.log_softmax({x}, axis={k})",
    "norm": "np.maximum(np.max(np.abs({x}), axis={k}, keepdims=True), np.finfo({x}.dtype).tiny); "
    "np.sqrt(np.sum(({x} / {s}) ** 2, axis={k})) * np.squeeze({s}, axis={k})",
}
"""What operations are called in JAX, with NumPy's words where JAX has the same."""


class _JaxDialect(_LibraryDialect):
    language, library = "JAX", "jax"
    says = IN_JAX
    reserved = PythonDialect.reserved | {"jax", "jnp"}
    modules: Mapping[str, str] = {
        "jax.nn.": "import jax",
        "jax.scipy.": "import jax.scipy.linalg",
        "jnp.": "import jax.numpy as jnp",
    }

    def translated(self, template: str) -> str:
        return template.replace("np.", "jnp.").replace("scipy.linalg.", "jax.scipy.linalg.")

    def result(self, source: Source) -> str:
        text = super().result(source)
        return self.call("asarray", text)[0] if self.is_number(source) else text


IN_TORCH: Final[Mapping[str, str]] = {
    **{name: word for name, word in WORDS.items() if name in STANDARD},
    **{
        name: word.replace("xp.", "torch.")
        for name, word in STANDARD.items()
        if name in FUNCTIONS and not word.startswith("own.")
    },
    "relu": "torch.relu({})",
    # Beyond the threshold, where the difference is lost in rounding, it is its operand.
    "softplus": "torch.nn.functional.softplus({}, threshold=40)",
    "sigmoid": "torch.sigmoid({})",
    "argsort": "torch.argsort({x}, dim={k}, stable=True)",
    "logsumexp": "torch.logsumexp({x}, {k})",
    "softmax": "torch.exp({x} - torch.amax({x}, {k}, keepdim=True)); "
    "{s} / torch.sum({s}, {k}, keepdim=True)",
    "log_softmax": "{x} - torch.amax({x}, {k}, keepdim=True); "
    "{s} - torch.logsumexp({s}, {k}, keepdim=True)",
    "norm": "torch.clamp(torch.amax(torch.abs({x}), {k}, keepdim=True), "
    "min=torch.finfo({x}.dtype).tiny); "
    "torch.sqrt(torch.sum(({x} / {s}) ** 2, {k})) * torch.squeeze({s}, {k})",
    "logdet": "torch.logdet({x})",
}
"""What operations are called in PyTorch, with NumPy's words where `_TORCH` makes them PyTorch's."""
# What PyTorch calls what NumPy calls otherwise.
_TORCH: Final = {
    "scipy.linalg.expm": "torch.linalg.matrix_exp",
    "np.transpose(": "torch.permute(",
    "np.max(": "torch.amax(",
    "np.min(": "torch.amin(",
    "np.array(": "torch.tensor(",
    "np.": "torch.",
}


class _TorchDialect(_LibraryDialect):
    language, library = "PyTorch", "torch"
    says = IN_TORCH
    reserved = PythonDialect.reserved | {"torch"}
    reads_backwards = False
    modules: Mapping[str, str] = {"torch.": "import torch"}

    def __init__(self, program: Program, taken: set[str]) -> None:
        super().__init__(program, taken)
        self._like = self.fresh("like", taken)

    def translated(self, template: str) -> str:
        for word, replacement in _TORCH.items():
            template = template.replace(word, replacement)
        return template

    # Dtype and device of what is made are those of an argument.

    def finish(self, results: Sequence[Source], is_step: bool) -> None:
        super().finish(results, is_step)
        like = self.program.like
        kind = (
            f'"dtype": {like}.dtype, "device": {like}.device' if like else '"dtype": torch.float64'
        )
        if any(self._like in line for line in self.body):
            self.body.insert(0, f"{self._like} = {{{kind}}}")

    def made(self, name: str, *args: str) -> Text:
        return self.call(name, *args, f"**{self._like}")

    def _on_device(self) -> str:
        return f'device={self._like}["device"]' if self.program.like else ""

    def shape(self, dims: Dims) -> str:
        return as_tuple(map(self.bare, dims))

    def arange(self, size: Size) -> str:
        return self.call("arange", self.bare(size), self._on_device())[0]

    # Where tensors alone will do.

    def _tensor(self, source: Source) -> Text:
        text = self.source(source)
        if not self.is_number(source):
            return text
        return self.made("array", text[0])

    def result(self, source: Source) -> str:
        return self._tensor(source)[0]

    def broadcast_operands(self, instruction: Instruction) -> list[Text]:
        texts = super().broadcast_operands(instruction)
        is_root = instruction.kind == "power" and instruction.data == Fraction(1, 2)
        if instruction.kind != "function" and not is_root:
            return texts
        pairs = zip(instruction.operands, texts, strict=True)
        return [self._tensor(s) if self.is_number(s) else text for (s, _), text in pairs]

    def atoms(self, instruction: Instruction) -> list[str]:
        if instruction.kind != "loop":
            return super().atoms(instruction)
        return [self._tensor(source)[0] for source, _ in instruction.operands]

    # Truth values.

    def operands(self, instruction: Instruction, operands: Sequence[Text]) -> Sequence[Text]:
        function, asked = instruction.data
        return asked_operands(function, asked, operands)

    def _numbers(self, instruction: Instruction) -> Text:
        return f'{self.atom(instruction.operands[0])}.to({self._like}["dtype"])', ATOM

    def _zeros_and_ones(self, instruction: Instruction) -> Text:
        indicator: Term = instruction.data
        if not indicator.order:
            return super()._zeros_and_ones(instruction)
        places = [self._places(k, indicator.dims) for k in range(indicator.order)]
        conditions = [
            f"({format_condition(c, places.__getitem__, self.bare)})" for c in indicator.constraints
        ]
        return " * ".join([self.ones(indicator.dims)[0], *conditions]), PRODUCT

    def _places(self, k: int, dims: Dims) -> str:
        """The indices of an axis, where broadcasting meets the others."""
        spread = ", ".join(":" if j == k else "None" for j in range(len(dims)))
        made = self.arange(dims[k])
        return made if len(dims) == 1 else f"{made}[{spread}]"

    def _selection(self, instruction: Instruction) -> Text:
        dims = tuple(instruction.sizes[i] for i in instruction.labels)
        return f"{self.ones(dims)[0]} * ({self.chosen(instruction)})", PRODUCT

    def _call(self, instruction: Instruction) -> Text:
        text, level = super()._call(instruction)
        if instruction.data.op == "argsort" and instruction.data not in self.program.indices:
            return f'{text}.to({self._like}["dtype"])', ATOM
        return text, level
