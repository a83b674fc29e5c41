"""Terms as text: index and matrix notation, LaTeX, Python, Graphviz; and proofs.

Others import `formats`, which knows every language, and `verdict`.
"""
