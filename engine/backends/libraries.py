"""The array libraries that code is written for, and which of them some arrays are of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation, not_installed
from eggrad.engine.indices.texts import shown


@dataclass(frozen=True, kw_only=True)
class Library:
    """An array library: how its functions are imported, and what makes an array one of it.

    `namespace` is the module with the functions of the array API standard; where it is empty it is
    that of the arrays given. `einsum` is the call of a product of any arrays. `roots` are the
    first parts of the names of the modules in which its types of arrays are defined; `packages`
    are those to install. A library that `compiles` is given whole functions.
    """

    name: str
    namespace: str = ""
    einsum: str = "xp.einsum"
    roots: tuple[str, ...] = ()
    packages: tuple[str, ...] = ("array-api-compat",)
    compiles: bool = False

    @property
    def imports(self) -> str:
        """The lines with which generated code begins."""
        lines = [f"import {self.namespace} as xp"] if self.namespace else []
        lines.append("from eggrad.engine.backends import kernels_of")
        if self.namespace:
            lines += ["", f'own = kernels_of("{self.name}", xp)']
        return "\n".join(lines)

    def has(self, value: object) -> bool:
        """Whether a value is an array of the library."""
        return _is_array(self.roots, type(value))

    def module(self) -> Any:
        """The namespace, or what finds that of arrays.

        Raises `UnsupportedOperation` where the library is not installed.
        """
        try:
            return import_module(self.namespace or "array_api_compat")
        except ImportError as error:
            reason = f"{error}: backend {shown(self.name)} needs"
            raise UnsupportedOperation(not_installed(reason, *self.packages)) from error

    def namespace_of(self, values: Iterable[Any]) -> Any:
        """The namespace for the arrays among some values; that of NumPy where there are none."""
        if self.namespace:
            return self.module()
        kinds = (np.ndarray, np.generic)
        arrays = (v for v in values if hasattr(v, "__array_namespace__"))
        others = [v for v in arrays if not isinstance(v, kinds)]
        return self.module().array_namespace(*others or [np.empty(0)])


@lru_cache(maxsize=256)
def _is_array(roots: tuple[str, ...], kind: type) -> bool:
    root = kind.__module__.partition(".")[0]
    if not roots:
        return hasattr(kind, "__array_namespace__") and root != "numpy"
    return hasattr(kind, "ndim") and root in roots


_KNOWN: Final = (
    Library(
        name="jax",
        namespace="jax.numpy",
        roots=("jax", "jaxlib"),
        packages=("jax",),
        compiles=True,
    ),
    Library(
        name="torch",
        namespace="array_api_compat.torch",
        roots=("torch",),
        packages=("array-api-compat", "torch"),
    ),
    Library(
        name="cupy",
        namespace="array_api_compat.cupy",
        roots=("cupy",),
        packages=("array-api-compat", "cupy-cuda12x"),
    ),
    Library(
        name="dask",
        namespace="array_api_compat.dask.array",
        roots=("dask",),
        packages=("array-api-compat", "dask[array]", "distributed"),
    ),
    Library(name="array_api", einsum="own.einsum"),
)

LIBRARIES: Final[Mapping[str, Library]] = MappingProxyType(
    {library.name: library for library in _KNOWN}
)
"""The array libraries other than NumPy by their names."""


def library_of(values: Iterable[object]) -> str:
    """The library that the arrays among some values are of: "numpy" if there is no other.

    Raises `UnsupportedOperation` for arrays of two libraries beside NumPy.

    >>> library_of([1.0, np.ones(3)])
    'numpy'
    """
    found: set[str] = set()
    for value in values:
        root = type(value).__module__.partition(".")[0]
        name = next((k.name for k in _KNOWN if root in k.roots), None)
        if name is None and not isinstance(value, np.ndarray | np.generic):
            name = "array_api" if hasattr(value, "__array_namespace__") else None
        if name is not None:
            found.add(name)
    if len(found) > 1:
        raise UnsupportedOperation(f"arrays of one library, not of {' and '.join(sorted(found))}")
    return found.pop() if found else "numpy"
