"""What `eggrad` offers beside building expressions: derivatives, comparisons, compiled functions.

Others import `derivatives`, `reading`, `definition`, `equivalence`, `compile`, `check` and
`own_rules`; users get them from `eggrad` itself.
"""
