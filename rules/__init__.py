"""The laws, one ruleset a file."""

if __name__ != "eggrad.rules":
    raise ImportError("import eggrad.rules, not rules: a second copy of every class would be made")
