"""The literal evaluation that judges everything else; it shares no code with what it judges.

Others import `oracle` (values by NumPy), `exact_values` (by fractions) and `fingerprints`.
"""
