"""The notation of laws, and what their conditions and right-hand sides compute.

Others import `rule` (rules and rulesets), `language` (patterns), `primitives` and
`indicator_primitives` (what laws call), `properties`, `knowledge` and `nonzero_sums` (facts),
`matching` (laws on terms in Python), `declared_slopes` (slopes of functions that users declare).
"""
