"""The last few entries of a kind, kept for who asks again."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The entries that were asked for last, by their keys; threads may share them.

    >>> recent = Recent[str, int](2)
    >>> for n, name in enumerate("abc"):
    ...     recent.put(name, n)
    >>> recent.get("a"), recent.get("c")
    (None, 2)
    """

    def __init__(self, most: int) -> None:
        """Keep so many."""
        self._most = most
        self._known: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """The entry of a key, None where there is none."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep an entry, instead of the one that nobody has asked for longest."""
        with self._lock:
            self._known[key] = value
            self._known.move_to_end(key)
            if len(self._known) > self._most:
                self._known.popitem(last=False)

    def clear(self) -> None:
        """Forget all entries."""
        with self._lock:
            self._known.clear()
