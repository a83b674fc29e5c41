"""Sums, products, powers, deltas and indicators.

Others import rulesets, as `standard` does to say when they run.
"""
