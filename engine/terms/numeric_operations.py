"""Operations of their own data: extremes along axes, and what only lowered terms have.

Those are forms that lose no digits or time in generated code.
"""

from typing import Final, cast

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Spec, output_dims
from eggrad.engine.terms.functions import EXTREMES, LOWERED

__all__ = ["FOR_CODE", "NUMERIC", "result_dims"]

NUMERIC: Final = (
    *EXTREMES, *LOWERED, "logsumexp", "norm", "logdet", "solve", "symmetric_product",
    "product_of_pairs", "cholesky", "inverse_from_cholesky", "logdet_from_cholesky",
)  # fmt: skip
# Ways to compute that are chosen when code is written.
FOR_CODE: Final = ("stepped_product",)


def result_dims(name: str, data: object, *args: Dims) -> Dims:
    """The axes of an operation's result.

    `data` is the unary spec of `max`, `min`, `logsumexp` and `norm`, what the matrix of `logdet`
    is known to be, and the order of a `symmetric_product`.

    >>> result_dims("symmetric_product", 2, ("m", "n"), ("m", "k"))
    ('k', 'n', 'n')
    """
    first, last = args[0], args[-1]
    match name:
        case "logdet" | "logdet_from_cholesky" | "solve" | "cholesky" | "inverse_from_cholesky":
            if len(first) != 2 or first[0] != first[1]:
                raise ShapeError(f"{name} needs a square matrix, its argument has axes {first}")
            return () if name.startswith("logdet") else last
        case "symmetric_product":
            if len(first) != 2 or last[:1] != first[:1]:
                raise ShapeError(f"{name}: a matrix {first} cannot have weights {last}")
            return last[1:] + first[1:] * cast(int, data)
        case "product_of_pairs":
            if len(first) != 2 or last[-1:] != first[:1]:
                raise ShapeError(f"{name}: a matrix {first} cannot have weights {last}")
            return last[:-1] + first[1:] * 2
        case _ if name in (*EXTREMES, "logsumexp", "norm"):
            return output_dims(cast(Spec, data), first)
        case _ if first != last:
            raise ShapeError(f"{name}: one operand has axes {first}, the other {last}")
        case _:
            return first
