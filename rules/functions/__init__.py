"""Element-wise functions, choices, linear algebra, and the facts that laws ask for.

Others import rulesets, as `standard` does to say when they run.
"""
