"""Certificates: proofs as texts, and the short program that checks them."""
