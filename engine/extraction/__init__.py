"""Which e-nodes make up the answer: the cheapest, the exact, the stable ones.

Others import `snapshot` (the e-classes at one moment), `extract` and `exact`.
"""
