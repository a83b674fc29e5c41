"""Terms as an e-graph in which no rule has run: every node is a class of its own."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar, cast

from eggrad.engine.cost import Model
from eggrad.engine.snapshot import ENode
from eggrad.engine.spec import Dims
from eggrad.engine.term import ELEMENTWISE, NUMERIC, Term, postorder

__all__ = ["TermGraph"]

T = TypeVar("T")


class TermGraph:
    """The nodes of some terms, numbered; what normal forms read of a snapshot.

    >>> from eggrad.engine.term import add, variable
    >>> x = variable("x")
    >>> TermGraph(add(x, x)).choice[1]
    ENode(constructor='add', data=(), children=(0, 0), retired=False, stable=False)
    """

    def __init__(self, *roots: Term) -> None:
        """Number the nodes, operands first."""
        self.number: dict[Term, int] = {}
        self.choice: dict[int, ENode] = {}
        self.dims: dict[int, Dims] = {}
        for k, t in enumerate(postorder(*roots)):
            children = tuple(self.number[a] for a in t.args)
            self.number[t] = k
            self.dims[k] = t.dims
            self.choice[k] = ENode(*_parts(t), children)

        self._roots = roots
        self._nodes = list(self.number)
        self._memory: dict[Hashable, Any] = {}

    @property
    def root_classes(self) -> list[int]:
        """The classes of the terms given."""
        return [self.number[t] for t in self._roots]

    def term(self, cls: int) -> Term:
        """The node of a number."""
        return self._nodes[cls]

    def at(self, _model: Model) -> "TermGraph":
        """The same: there is no choice that depends on a model."""
        return self

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, worked out once."""
        if key not in self._memory:
            self._memory[key] = make()
        return cast(T, self._memory[key])

    @property
    def members(self) -> Mapping[int, list[ENode]]:
        """The only member of each class."""
        return {k: [node] for k, node in self.choice.items()}

    def is_declared(self, cls: int, assumption: str) -> bool:
        """Whether a class is a variable of which something is assumed."""
        node = self.choice[cls]
        if node.constructor != "variable":
            return False
        return assumption in cast(tuple[object, object, tuple[str, ...]], node.data[0])[2]


def _parts(t: Term) -> tuple[str, tuple[object, ...]]:
    match t.op:
        case "variable":
            name, assume = cast(tuple[str, tuple[str, ...]], t.data)
            return "variable", ((name, t.dims, assume),)
        case "constant":
            return "constant", (t.data, t.dims)
        case "delta":
            return "delta", (t.dims[: t.order // 2],)
        case "einsum":
            return "ein" if len(t.args) == 2 else "ein1", (t.data,)
        case op if op in ELEMENTWISE:
            return "function", (op,)
        case op if op in NUMERIC:
            return "numeric" if len(t.args) == 1 else "numeric2", (op, t.data)
        case op:
            return op, () if t.data is None else (t.data,)
