"""NumPy's notation, read: `x.T @ A @ x`, `np.sum(np.exp(X @ w))`, lines of assignments.

Python's parser reads the text, and nothing in it is executed.
"""
