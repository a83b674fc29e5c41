"""Experiments with rules: soundness checks, inference, growth, minimal examples."""
