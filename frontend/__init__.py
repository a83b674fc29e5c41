"""Languages in, languages out, the Python interface and the command line."""

if __name__ != "eggrad.frontend":
    raise ImportError("import eggrad.frontend, not frontend: a second copy of every class would be made")
