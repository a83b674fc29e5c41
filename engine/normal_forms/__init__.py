"""Normal forms that decide einsum expressions with conditions on indices.

Others import `reading`, the e-classes of a snapshot by their normal forms, and `index_ranges`.
"""
