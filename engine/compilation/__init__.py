"""From extracted terms to the text of NumPy functions."""
