"""Formulas in any notation, from phrases to expressions: names, sizes, shapes and values."""
