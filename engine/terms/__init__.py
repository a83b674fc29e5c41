"""Hash-consed tensor terms, the record of every function, and how values meet variables.

Others import all of it: `term` (nodes and their constructors), `functions` (a record for every
operation by name), `fixed_arrays`, `binding` (sizes and arrays given by callers), `term_patterns`.
"""
