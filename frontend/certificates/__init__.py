"""Proofs as texts, and the short program that checks them."""
