"""What the solutions of integer systems describe, against isl: for all sizes at once.

Needs islpy (`pip install 'eggrad[isl]'`); without it brute force is the only judge.
"""

from collections.abc import Iterable
from random import Random

import pytest

from eggrad.engine.indices.integer_conditions import Condition, Solutions
from eggrad.engine.indices.rational_affine import Affine
from tests.engine.indices.test_integer_solutions import SIZE_SYMBOLS, Map

isl = pytest.importorskip("islpy")


def whole(form: Affine) -> str:
    own = form.integral()
    return " + ".join([str(own.constant), *(f"{c} * {name}" for name, c in own.items())])


def written(condition: Condition) -> str:
    if condition.relation == "|":
        return f"({whole(condition.form)}) mod {condition.modulus} = 0"
    return f"{whole(condition.form)} {condition.relation} 0"


def relation(own: Map, conditions: Iterable[str], free: Iterable[str] = ()) -> str:
    inner = " and ".join([*conditions, *(written_known(f) for f in own.known)])
    names = [f"_{n}" for n in own.unknowns] if free else own.unknowns
    quantified = f"exists ({', '.join(free)} : {inner})" if free else inner
    return (
        f"[{', '.join(SIZE_SYMBOLS)}] -> "
        f"{{ [{', '.join(own.heads)}] -> [{', '.join(names)}] : {quantified or '1 = 1'} }}"
    )


def written_known(form: Affine) -> str:
    return f"{whole(form)} >= 0"


def asked(own: Map) -> str:
    images = [f"{whole(m)} = {h}" for m, h in zip(own.maps, own.heads, strict=True)]
    return relation(own, [*images, *map(written, own.domain)])


def answered(own: Map, found: Solutions) -> str:
    said = [written(c) for c in found.conditions]
    for name, bounds in found.ranges.items():
        for f in bounds.lower:
            said.append(f"{whole(f)} <= {f.denominator} * {name}")
        for f in bounds.upper:
            said.append(f"{f.denominator} * {name} <= {whole(f)}")
    for name in own.unknowns:
        f = found.values[name]
        said.append(f"{f.denominator} * _{name} = {whole(f)}")
    return relation(own, said, [*found.ranges, "unused"])


@pytest.mark.parametrize("seed", range(10))
def test_the_same_points_for_all_sizes(seed: int) -> None:
    random = Random(1000 + seed)
    for _ in range(50):
        own = Map(random)
        wanted = isl.Map(asked(own))
        found = own.solutions()
        if found is None:
            assert wanted.is_empty()
        else:
            assert wanted.is_equal(isl.Map(answered(own, found)))
