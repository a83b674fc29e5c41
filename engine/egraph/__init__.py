"""The e-graph over egglog: rules compiled, terms loaded, classes read back."""
