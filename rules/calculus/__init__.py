"""Differentiation: forward, reverse, and the slopes of functions."""
