"""Expressions: variables, operators, NumPy's functions and indexing on them."""
