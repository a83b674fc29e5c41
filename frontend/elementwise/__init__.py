"""Definitions of tensors by their entries, on terms: read, differentiated, written.

Others import `parser`, from text to `syntax`; `as_term`, from there to terms; `printer`, back from
terms and to text; `adjoint` and `paths`.
"""
