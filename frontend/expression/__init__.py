"""Expressions: the class, and the functions of it and of NumPy that make them.

Others import `expression`, `functions`, `own_functions`, `special`, `axes`, `numpy_functions`,
`numpy_linalg`, `numpy_order` and `numpy_ufuncs`. Whatever is imported from here, NumPy's
functions know expressions then.
"""

from eggrad.frontend.expression import (
    entries,
    numpy_arrays,
    numpy_functions,
    numpy_linalg,
    numpy_order,
    numpy_reductions,
    numpy_statistics,
    numpy_ufuncs,
)

__all__ = [
    "entries",
    "numpy_arrays",
    "numpy_functions",
    "numpy_linalg",
    "numpy_order",
    "numpy_reductions",
    "numpy_statistics",
    "numpy_ufuncs",
]
