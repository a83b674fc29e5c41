"""The tensor terms, the e-graph and everything that runs on them."""

if __name__ != "eggrad.engine":
    raise ImportError("import eggrad.engine, not engine: a second copy of every class would be made")
