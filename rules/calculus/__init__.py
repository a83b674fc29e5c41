"""Differentiation: forward, reverse, and the slopes of functions.

Others import rulesets, as `standard` does to say when they run.
"""
