"""Random constraints for the tests of rules about indicators."""

import numpy as np

from eggrad.engine.indices.affine import Form, Key, form
from eggrad.engine.indices.constraints import Constraint, Constraints, canonical as canonical_constraints
from eggrad.engine.indices.spec import Dims

__all__ = ["random_constraints"]

# Mostly coefficients with which rules can do something.
_COEFFICIENTS = (1, 1, 1, -1, -1, 2, -2, 3)


def random_constraints(dims: Dims, rng: np.random.Generator) -> Constraints:
    """Up to three constraints on some indices, in canonical form.

    Equalities between two indices, and of one index with a number, are frequent; so are triangles.

    >>> random_constraints((), np.random.default_rng(0))
    ()
    """
    drawn = [_constraint(dims, rng) for _ in range(rng.integers(0, 4))] if dims else []
    return canonical_constraints(dims, drawn)


def _constraint(dims: Dims, rng: np.random.Generator) -> Constraint:
    relation = ("=", "=", "=", ">=", ">=", 2, 3)[rng.integers(7)]
    return relation, _form(dims, rng)


def _form(dims: Dims, rng: np.random.Generator) -> Form:
    count = min(len(dims), int(rng.choice([1, 2, 2, 2, 3])))
    places = [int(k) for k in rng.permutation(len(dims))[:count]]
    flavour = rng.random()
    if flavour < 0.4:
        # As in i = j + 1, and in j <= i.
        signs = [1, -1, -1] if flavour < 0.3 else [1, 1, -1]
        own: list[tuple[Key, int]] = list(zip(places, signs, strict=False))
    else:
        own = [(k, int(rng.choice(_COEFFICIENTS))) for k in places]
    own.append(("", int(rng.choice([0, 0, 0, 1, -1, 2, -2]))))
    symbols = [d for d in dims if isinstance(d, str)]
    if symbols and rng.random() < 0.3:
        own.append((symbols[0], int(rng.choice([1, -1]))))
    return form(own)
