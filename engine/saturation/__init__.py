"""The schedule: stages of rulesets run to saturation, within budgets."""
