"""Sums, products, powers, deltas and indicators."""
