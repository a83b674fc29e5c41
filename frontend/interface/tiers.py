"""How much search a function's calls are worth: it runs at once, and is explored when that pays.

A function begins with its terms as laws leave them, in their stable form. Exploring makes calls
cheaper and takes a while: it waits until the calls so far have taken as long as it is predicted to
take, so that both together take at most twice as long as the better of them. What is predicted
depends on terms, sizes and the rates that ship with the package, never on a clock: which tier
answers which call is the same in every run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Literal

from eggrad.engine.errors import EggradError

Optimize = Literal["auto", "now", "never"]

FIRST: Final = "first"
EXPLORED: Final = "explored"


@dataclass
class Tier:
    """Where a function is: `name` is "first" or "explored", `calls` counts.

    At call `changes_at` it is explored; None where it stays as it is. Calls are counted for each
    function and shape; the tier of a function of arrays is that of its last call.
    """

    name: str = FIRST
    calls: int = 0
    changes_at: int | None = None


class TieredFunction:
    """A compiled function, and what makes a better one when it has been called often enough."""

    def __init__(
        self,
        function: Callable[..., Any],
        better: Callable[[], Callable[..., Any]] | None = None,
        *,
        tier: Tier,
    ) -> None:
        """Begin with a function; `better` makes the next one at call `tier.changes_at`."""
        self._function = function
        self._better = better
        self._changing = Lock()
        self.tier = tier

    @property
    def function(self) -> Callable[..., Any]:
        """The function of the tier."""
        return self._function

    def __call__(self, /, *args: Any, **values: Any) -> Any:
        """What the function of the tier computes."""
        tier = self.tier
        tier.calls += 1
        if tier.changes_at is not None and tier.calls >= tier.changes_at:
            self._change()
        return self._function(*args, **values)

    def _change(self) -> None:
        """Take the better function, unless another thread is about to."""
        if not self._changing.acquire(blocking=False):
            return
        try:
            if self._better is not None:
                self._function = self._better()
                self.tier.name = EXPLORED
        except EggradError:
            # What the first tier computes is right.
            pass
        finally:
            self._better, self.tier.changes_at = None, None
            self._changing.release()

    @property
    def source(self) -> str:
        """The text of the function of the tier."""
        return getattr(self._function, "source", "")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return getattr(self._function, "parameters", ())

    def __repr__(self) -> str:
        """Show the function of the tier."""
        return repr(self._function)
