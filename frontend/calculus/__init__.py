"""Derivatives and simplification of terms by the standard rules."""
