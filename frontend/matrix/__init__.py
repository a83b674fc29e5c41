"""Matrix notation, read."""
