"""LaTeX, read: formulas in matrix notation as papers write them, with sums over indices.

Others import `parser`.
"""
