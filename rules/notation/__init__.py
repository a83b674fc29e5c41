"""What a file of rules is written with: `from eggrad.rules.notation import *`.

>>> rules = Ruleset("mine", "what I know about logarithms", "the number of functions")
>>> rules.state("arithmetic", log_of_exp=log(exp(a)) >> a)
>>> rules.rules[0].text, rules.rules[0].law
('log(exp(a)) >> a', 'log exp a = a.')

| written | means |
|---|---|
| `l >> r`, `l == r` | what matches `l` is equal to `r`; either is rewritten into the other |
| `positive(a)` | in place of a law: a fact, that an e-class has a property |
| `.when(c, ...)` | where conditions hold, and where properties are known of e-classes |
| `a * b`, `c * a`, `a / b`, `a**b` | entry by entry; `c` is a number, the exponent `b` a scalar |
| `a @ b`, `a.T` | of matrices |
| `ein(s, a, b)` | a product, by its spec or einsum text; capitals stand for any number of axes |
| `ein1(s, a)` | a transpose, diagonal or sum of one tensor, likewise |
| `const(c, n)`, `delta(n)` | `c` at all entries, of axes `n`; δ, of axes `n + n` |
| `indicator(n, P)` | [P], of axes `n`: 1 where the conditions hold, else 0 |
| `extreme(f, s, a)`, `of_each(f, a)` | a maximum or minimum; a function of each matrix of a stack |
| `D(a, x)` | a derivative |
| `pullback(l, 0, g)` | what `l` passes on of its cotangent `g` to its first operand |
| `x[0]`, `x[1]` | the name of a variable, its axes |

Products and sums commute: a law holds with their operands exchanged. What is called on the right
side computes with specs, axes and numbers, in `eggrad.engine.laws`; where it has no value, the law
does not match. `state` names the source of all rows of a table, then options that they share:

| option | says |
|---|---|
| `cite` | another source |
| `domain` | where the left side is defined, if not everywhere; nothing checks it |
| `exceptions` | values without interior at which one side alone is defined |
| `widens` | the right side has more values: an e-class only where conditions are known, see below |
| `replaces` | no other rule sees the left side again |
| `stable` | the right side loses no digits: code is made of it rather than of others |
| `thin` | true on a set without interior, such as the symmetric matrices: never differentiated |
| `sizeless` | a `Bulk` law, which is a function of the e-graph, asks for no sizes |
| `of_terms` | a `Bulk` law sees terms before they are loaded |

Where the conditions of a law that `widens` are known both sides are one e-class; elsewhere the
right side takes the place of the left one in results alone.

A `Ruleset` has a name, a purpose, and a measure: what every rule of it shrinks, so that it ends, or
"none" and what ends it. In sentences ' is a transpose, of a function its derivative; δ is the
identity. "Thesis" is Lippmann's, on which this package is based.

A letter stands for one kind of value in all files of rules:

| letters | stand for |
|---|---|
| `a b d e g u v w z` | tensors; `g` is a cotangent: the axes of the root, then its node's |
| `c k p q` | numbers |
| `f h` | names of functions |
| `l m n` | axes |
| `s t r` | specs of products, of two operands or one |
| `x y` | variables that are differentiated by |
| `X` | a variable as it is declared |
| `P Q` | conditions on indices |
| `E` | the numbers of an array |
| `i j` | a size; a whole number |
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
    affine,
    at_least_one,
    at_most_one,
    concave,
    constant,
    convex,
    defined,
    definite,
    diagonal,
    integer,
    invertible,
    invertible_almost,
    log_concave,
    log_convex,
    lower,
    negative,
    nonnegative,
    nonpositive,
    nonzero_almost,
    of_signs,
    orthogonal,
    positive,
    positive_almost,
    probability,
    root_convex,
    semidefinite,
    skew,
    symmetric,
    total,
    upper,
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
LAUE_2018 = "Laue, Mitterreiter, Giesen 2018, section 4"
MAECHLER = "Maechler 2012, Accurately computing log(1 - exp(-|a|))"
ORDER = "ordered fields"
RING = "ring axioms"

HALF = Number(1, 2)

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
