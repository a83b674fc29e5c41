"""Matrix notation, read: from text to expressions.

Others import `parser`. What writes it is `eggrad.frontend.printing.matrix`.
"""
