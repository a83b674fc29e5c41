"""Whole sums and products as bulk rules see them: linear forms, networks, exponentials.

Others import all of it: it is what bulk rules are written with. `networks` has the orders in which
factors are multiplied, `shared_work` what is computed once.
"""
