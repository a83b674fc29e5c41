"""Experiments with the rules: what variants of them do, traces and pictures of e-graphs.

Others import `experiment`, `ablation`, `rule_report`, `graph` and `trace`; `rule_docs`
writes `docs/rules.md` and the pages in `docs/rules/`.
"""
