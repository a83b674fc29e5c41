"""What a file of rules is written with: `from eggrad.rules.notation import *`.

>>> rules = Ruleset("mine", "what I know about logarithms", "the number of functions")
>>> rules.state("arithmetic", log_of_exp=log(exp(a)) >> a)
>>> rules.rules[0].text, rules.rules[0].law
('log(exp(a)) >> a', 'log exp a = a.')

A letter stands for one kind of value in all files of rules:

| letters | stand for |
|---|---|
| `a b d e g u v w z` | tensors; `g` is a cotangent |
| `c k p q` | numbers |
| `f h` | names of element-wise functions |
| `l m n` | axes |
| `s t r` | specs of products |
| `x y` | variables that are differentiated by |
| `X` | a variable as it is declared |
| `P Q` | conditions on indices |
| `E` | the numbers of an array |
| `i j` | a size; a count |
"""

# pyright: reportUnusedImport=false, reportGeneralTypeIssues=false
# pyright: reportConstantRedefinition=false

from typing import Any

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.spec import MATRIX_PRODUCT, TRANSPOSE, Dims, Spec, parse_spec
from eggrad.engine.laws.indicator_primitives import *
from eggrad.engine.laws.language import *
from eggrad.engine.laws.primitives import *
from eggrad.engine.laws.properties import (
    at_least_one,
    at_most_one,
    defined,
    definite,
    diagonal,
    distribution,
    invertible,
    invertible_almost,
    lower,
    negative,
    nonnegative,
    nonpositive,
    nonzero_almost,
    orthogonal,
    positive,
    positive_almost,
    semidefinite,
    skew,
    symmetric,
    total,
    upper,
    whole,
    within_one,
)
from eggrad.engine.laws.properties import nonzero as nowhere_zero
from eggrad.engine.laws.rule import Bulk, BulkRule, Rule, Ruleset
from eggrad.engine.laws.selection_primitives import *
from eggrad.engine.laws.structure_primitives import *
from eggrad.engine.terms.fixed_arrays import Entries
from eggrad.rules.notation.former import *

# The sources that laws of several files cite.
BLANCHARD = "Blanchard, Higham, Higham 2021, log-sum-exp and softmax"
BLUE = "Blue 1978, A portable Fortran program to find the Euclidean norm"
COOKBOOK = "Petersen, Pedersen 2012, The Matrix Cookbook"
DEFINITION = "definition of the function"
HANDBOOK = "Abramowitz, Stegun 1964, chapter 4"
HIGHAM = "Higham 2002, Accuracy and Stability of Numerical Algorithms"
LAUE = "Laue, Mitterreiter, Giesen 2020, A Simple and Efficient Tensor Calculus"
MAECHLER = "Maechler 2012, Accurately computing log(1 - exp(-|a|))"
ORDER = "ordered fields"
RING = "ring axioms"

HALF = Number(1, 2)

# What all laws of a table may have in common: no other rule sees their left sides again.
REPLACES = {"replaces": True}

a, b, d, e, g, u, v, w, z = tensors("a b d e g u v w z")
c, k, p, q = letters("c k p q", Number)
f, h = letters("f h", Name)
l, m, n = letters("l m n", Dims)
s, t, r = letters("s t r", Spec)
x, y = letters("x y", Wrt)
(X,) = letters("X", Variable)
P, Q = letters("P Q", Constraints)
(E,) = letters("E", Entries)
(i,) = letters("i", object)
(j,) = letters("j", int)


def nonzero(a: Any) -> Any:
    """No entry of `a` is 0; of a letter for a number, that it is another number than 0."""
    return a != 0 if isinstance(a, Parameter) and a.kind is Number else nowhere_zero(a)
