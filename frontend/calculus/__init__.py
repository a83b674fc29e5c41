"""Terms differentiated, simplified, thinned and compiled by the standard rules.

Others import `calculus`, `code`, which brings the compiler with it, and `budget_warning`.
"""
