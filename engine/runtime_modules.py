"""Where the functions come from that generated code calls beside NumPy's."""

from typing import Final

__all__ = ["RUNTIME"]

RUNTIME: Final = {
    "adjugate": "matrix_functions",
    "by_blocks": "blocks",
    "cholesky": "cholesky",
    "cofactors": "matrix_functions",
    "indicator_product": "indicators",
    "inverse": "matrix_functions",
    "inverse_from_cholesky": "cholesky",
    "log1mexp": "stable_functions",
    "log_cosh": "stable_functions",
    "log_determinant": "stable_functions",
    "log_determinant_from_cholesky": "cholesky",
    "log_sum_exp": "stable_functions",
    "log_sum_exp_and_softmax": "stable_functions",
    "norm": "stable_functions",
    "outer_product": "sparse_products",
    "product_of_pairs": "symmetric_products",
    "row_by_row": "row_by_row",
    "sigmoid": "stable_functions",
    "softmax": "stable_functions",
    "softplus": "stable_functions",
    "softplus_and_sigmoid": "stable_functions",
    "solve": "stable_functions",
    "stepped_product": "stepped_products",
    "symmetric_product": "symmetric_products",
    "zeros_and_ones": "indicators",
}
