"""Contraction networks and linear forms of e-classes, and the orders they are computed in."""
