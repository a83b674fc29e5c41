"""Whether terms are equal: proofs, their steps, and witnesses of a difference.

Others import `equivalence`, `explanation`, `steps` and `difference`.
"""
