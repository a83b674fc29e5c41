"""Index notation, read: `x_i A_ij x_j`, with sums that are written or understood.

Others import `parser`, and `entries`, which computes with indexed tensors.
"""
