"""Stable and fast forms, for code alone.

Others import rulesets, as `standard` does to say when they run.
"""
