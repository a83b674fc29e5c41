"""What generated code calls: kernels, functions that lose no digits, factored tensors."""

from eggrad.engine.runtime.blocks import by_blocks
from eggrad.engine.runtime.cholesky_factor import (
    cholesky,
    inverse_from_cholesky,
    log_determinant_from_cholesky,
)
from eggrad.engine.runtime.indicators import indicator_product, zeros_and_ones
from eggrad.engine.runtime.matrix_functions import adjugate, cofactors, inverse
from eggrad.engine.runtime.row_functions import row_by_row
from eggrad.engine.runtime.sparse_products import outer_product
from eggrad.engine.runtime.stable_functions import (
    log1mexp,
    log_cosh,
    log_determinant,
    log_sum_exp,
    norm,
    sigmoid,
    softplus,
    solve,
)
from eggrad.engine.runtime.stepped_products import stepped_product
from eggrad.engine.runtime.symmetric_products import product_of_pairs, symmetric_product

__all__ = [
    "adjugate",
    "by_blocks",
    "cholesky",
    "cofactors",
    "indicator_product",
    "inverse",
    "inverse_from_cholesky",
    "log1mexp",
    "log_cosh",
    "log_determinant",
    "log_determinant_from_cholesky",
    "log_sum_exp",
    "norm",
    "outer_product",
    "product_of_pairs",
    "row_by_row",
    "sigmoid",
    "softplus",
    "solve",
    "stepped_product",
    "symmetric_product",
    "zeros_and_ones",
]
