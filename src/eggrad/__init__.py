"""Tensor derivatives by equality saturation."""
