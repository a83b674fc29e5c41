"""Hash-consed tensor terms, the record of every function, and how values meet variables."""
