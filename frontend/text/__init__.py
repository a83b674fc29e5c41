"""The text language: read, checked, inferred and written."""
