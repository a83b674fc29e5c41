"""The language in which laws are written, and what their conditions and primitives compute."""
