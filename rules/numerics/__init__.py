"""Stable and fast forms, for code alone."""
