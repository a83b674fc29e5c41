"""The e-graph over egglog: rules compiled, terms loaded, e-classes read back.

Others import `egraph` (the only file that talks to egglog), `reading` (an e-graph in the middle of
a run, and terms alone, as e-classes), and of `compile_rules` which rules can match.
"""
