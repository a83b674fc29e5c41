"""Index arithmetic: specs of einsum, affine forms, conditions on indices, integer solutions."""
