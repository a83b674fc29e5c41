"""The tensor terms, the e-graph and everything that runs on them."""

if __name__ != "eggrad.engine":
    raise ImportError("import eggrad.engine: as engine it would be a second copy of every class")
