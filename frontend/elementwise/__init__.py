"""Element-wise definitions with integer-linear indices: read, differentiated, written."""
