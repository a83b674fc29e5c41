"""The sources that laws of several files cite."""

__all__ = [
    "BLANCHARD", "BLUE", "COOKBOOK", "DEFINITION", "HANDBOOK", "HIGHAM", "LAUE", "ORDER", "RING",
]  # fmt: skip

BLANCHARD = "Blanchard, Higham, Higham 2021, log-sum-exp and softmax"
BLUE = "Blue 1978, A portable Fortran program to find the Euclidean norm"
COOKBOOK = "Petersen, Pedersen 2012, The Matrix Cookbook"
DEFINITION = "definition of the function"
HANDBOOK = "Abramowitz, Stegun 1964, chapter 4"
HIGHAM = "Higham 2002, Accuracy and Stability of Numerical Algorithms"
LAUE = "Laue, Mitterreiter, Giesen 2020, A Simple and Efficient Tensor Calculus"
ORDER = "ordered fields"
RING = "ring axioms"
