"""Languages in, languages out, expressions, the public interface and the command line.

Each folder imports those after it alone: cli, workbench, interface, matrix, expression, printing,
elementwise, then calculus and text, which do not know each other.
"""

if __name__ != "eggrad.frontend":
    raise ImportError(
        "import eggrad.frontend: as frontend it would be a second copy of every class"
    )
