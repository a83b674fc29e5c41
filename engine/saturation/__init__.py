"""The schedule: stages of rulesets run to saturation, within budgets.

Others import `schedule` (the stages of each purpose as data, budgets, reports) and `system` (what
derives, simplifies and explores by a strategy of rules).
"""
