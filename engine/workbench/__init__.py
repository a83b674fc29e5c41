"""Experiments with rules: soundness, inference, termination, counterexamples.

Others import `soundness`, `bulk_soundness`, `firing`, `termination`, `rule_inference`, `shrinking`
and `instances`.
"""
