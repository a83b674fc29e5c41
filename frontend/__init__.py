"""Languages in, languages out, the Python interface and the command line."""

if __name__ != "eggrad.frontend":
    raise ImportError(
        "import eggrad.frontend: as frontend it would be a second copy of every class"
    )
