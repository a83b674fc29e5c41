"""Normal forms that decide einsum expressions with conditions on indices."""
