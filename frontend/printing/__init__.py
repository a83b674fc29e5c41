"""Terms as text: index and matrix notation, LaTeX, programs in six languages; and proofs.

Others import `formats`, which knows every language, `verdict`, and of `latex` and `matrix`
what writes a part of a text.
"""
