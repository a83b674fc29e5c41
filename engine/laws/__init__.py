"""The notation of laws, and what their conditions and right-hand sides compute.

Others import `rule` (rules and rulesets), `language` (patterns), `primitives` and
`indicator_primitives` (functions that laws call), `properties`, `knowledge`, `nonzero_sums` (facts),
`matching` (laws on terms in Python), `differentiation` (the rules of derivatives, node by node).
"""
