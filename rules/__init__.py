"""The laws, one ruleset a file."""

if __name__ != "eggrad.rules":
    raise ImportError("import eggrad.rules: as rules it would be a second copy of every class")
