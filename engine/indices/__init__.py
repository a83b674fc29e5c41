"""Index arithmetic: specs of einsum, sizes as affine forms, indicators, systems over integers.

Others import all of it. It knows no terms: tuples of indices, sizes and conditions alone.
"""
