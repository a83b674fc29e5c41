"""Experiments with rules: soundness checks, inference, termination, minimal counterexamples.

Others import `soundness`, `bulk_soundness`, `firing`, `termination`, `rule_inference`, `shrinking`
and `instances`.
"""
