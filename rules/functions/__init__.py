"""Element-wise functions, linear algebra, signs and properties."""
