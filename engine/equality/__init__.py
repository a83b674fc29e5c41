"""Whether terms are equal: proofs, their steps, replayed, and witnesses of a difference.

Others import `equivalence`, `explanation`, `replay` and `difference`.
"""
