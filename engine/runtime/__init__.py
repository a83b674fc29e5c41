"""What generated code calls: kernels of products, functions of matrices or that lose no digits.

Generated code imports the names below from here. Others import `factored`, the tensors that are
kept as sums of products of cores and deltas.
"""

from eggrad.engine.runtime.indicators import indicator_product, zeros_and_ones
from eggrad.engine.runtime.loops import run_loop
from eggrad.engine.runtime.masks import without_hidden
from eggrad.engine.runtime.matrix_functions import (
    adjugate,
    cholesky,
    cofactors,
    eigen_decomposition,
    eigenvalues,
    eigenvector_signs,
    inverse,
    inverse_from_cholesky,
    log_determinant_from_cholesky,
    matrix_exponential,
    orthonormal_factor,
    pseudoinverse,
    singular_value_decomposition,
    singular_values,
)
from eggrad.engine.runtime.products import product_of_pairs, symmetric_product
from eggrad.engine.runtime.selections import selected, selected_product, selection
from eggrad.engine.runtime.stable_functions import (
    log1mexp,
    log1mexp_exp,
    log_cosh,
    log_determinant,
    log_softmax,
    log_sum_exp,
    norm,
    sigmoid,
    softmax,
    softmax_and_log_sum_exp,
    softplus,
    solve,
)
from eggrad.engine.runtime.stepped_products import stepped_product

__all__ = [
    "adjugate",
    "cholesky",
    "cofactors",
    "eigen_decomposition",
    "eigenvalues",
    "eigenvector_signs",
    "indicator_product",
    "inverse",
    "inverse_from_cholesky",
    "log1mexp",
    "log1mexp_exp",
    "log_cosh",
    "log_determinant",
    "log_determinant_from_cholesky",
    "log_softmax",
    "log_sum_exp",
    "matrix_exponential",
    "norm",
    "orthonormal_factor",
    "product_of_pairs",
    "pseudoinverse",
    "run_loop",
    "selected",
    "selected_product",
    "selection",
    "sigmoid",
    "singular_value_decomposition",
    "singular_values",
    "softmax",
    "softmax_and_log_sum_exp",
    "softplus",
    "solve",
    "stepped_product",
    "symmetric_product",
    "without_hidden",
    "zeros_and_ones",
]
