"""Terms as text: index and matrix notation, LaTeX, Python, Graphviz."""
