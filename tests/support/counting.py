"""Counting the calls of a function of a module."""

from types import ModuleType
from typing import Any

import pytest


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[int]:
    """An entry for each call of a function, from now on."""
    found: list[int] = []
    own = getattr(module, name)

    def counting(*args: Any, **options: Any) -> Any:
        found.append(1)
        return own(*args, **options)

    monkeypatch.setattr(module, name, counting)
    return found
