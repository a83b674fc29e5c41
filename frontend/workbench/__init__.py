"""Experiments with rules: variants, traces, pictures.

Others import `experiment`, `ablation`, `rule_report`, `graph` and `trace`; `rule_docs`
writes `docs/rules.md` and the pages in `docs/rules/`.
"""
