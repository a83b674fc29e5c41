"""Which members of e-classes make up the answer: the cheapest, the exact, the stable ones."""
