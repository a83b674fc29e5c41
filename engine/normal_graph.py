"""What normal forms read of an e-graph: a snapshot has it, and so have terms alone."""

from collections.abc import Mapping
from typing import Protocol

from eggrad.engine.snapshot import ENode
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term

__all__ = ["Graph"]


class Graph(Protocol):
    """Numbered classes with their members."""

    @property
    def choice(self) -> Mapping[int, ENode]:
        """The member by which a class is read."""
        ...

    @property
    def members(self) -> Mapping[int, list[ENode]]:
        """All members of a class."""
        ...

    @property
    def dims(self) -> Mapping[int, Dims]:
        """The sizes of a class's axes."""
        ...

    @property
    def root_classes(self) -> list[int]:
        """The classes that are asked about."""
        ...

    def is_declared(self, cls: int, assumption: str) -> bool:
        """Whether a class is a variable of which something is assumed."""
        ...

    def term(self, cls: int) -> Term:
        """A term of a class."""
        ...
