"""Experiments with rules, for users: checks, ablation, reports, pictures."""
