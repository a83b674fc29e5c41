"""Names that the notation had before `n[0]`, `n + m` and `f.is_test` could be written.

They work until the next release, and say what to write instead.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import warnings
from collections.abc import Callable
from typing import Any

from eggrad.engine.indices.spec import TRANSPOSE
from eggrad.engine.laws.language import is_same
from eggrad.engine.laws.primitives import grouped, is_identity, result_dims


def _former(name: str, instead: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        said = f"{name} goes with the next release: write {instead}"
        warnings.warn(said, FutureWarning, stacklevel=2)
        return function(*args)

    return call


changes = _former("changes(s)", "~is_identity(s)", lambda s: ~is_identity(s))
first_size = _former("first_size(n)", "n[0]", lambda n: n[0])
is_even = _former("is_even(f)", 'f.parity == "even"', lambda f: f.parity == "even")
is_odd = _former("is_odd(f)", 'f.parity == "odd"', lambda f: f.parity == "odd")
is_positive = _former("is_positive(c)", "c > 0", lambda c: c > 0)
is_test = _former("is_test(f)", "f.is_test", lambda f: f.is_test)
is_transpose = _former("is_transpose(s)", "a.T", lambda s: is_same(s, TRANSPOSE))
join = _former("join(n, m)", "n + m", lambda n, m: n + m)
matrix_transpose = _former("matrix_transpose()", "a.T", lambda: TRANSPOSE)
not_one = _former("not_one(c)", "c != 1", lambda c: c != 1)
outer = _former("outer(n, m)", 'ein("A,B->AB", a, b)', lambda n, m: grouped("A,B->AB", n, m))
result_dims1 = _former("result_dims1(s, n)", "result_dims(s, n)", result_dims)
