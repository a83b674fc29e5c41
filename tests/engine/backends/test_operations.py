"""Every operation in every library: its value, and the table of those that a library lacks.

`python -m tests.engine.backends.test_operations` writes the table in docs/backends.md anew.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.backends import LIBRARIES, ArrayFunction
from eggrad.engine.backends.dialect import WORDS
from eggrad.engine.backends.function import lacks
from eggrad.engine.compilation.compiled import Form
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.functions import FUNCTIONS, OwnFunction
from eggrad.engine.terms.loops import recurrence
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES, NUMERIC, OPERATIONS
from eggrad.engine.terms.term import Term
from tests.support.array_libraries import converter, each
from tests.support.places import DOCS
from tests.support.values import evaluated

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Increasing number of chunks"),
]

PAGE = DOCS / "backends.md"
TABLE = re.compile(r"(?<=<!-- lacking -->\n).*?(?=<!-- end -->)", re.DOTALL)

a, b = (t.variable(name, ("n",)) for name in "ab")
P = t.variable("P", ("n", "n"), ["positive definite"])
M = t.variable("M", ("m", "n"))
SUM = ((0,), ())
CHOLESKY = t.numeric("cholesky", P)
STEP = t.apply("tanh", t.einsum("ki,i->ki", t.variable("h", ("k", "n")), b))
OF_ARRAYS: dict[str, Term] = {
    "scan": recurrence([STEP], "k", {STEP.args[0].args[0]: a}, {}, {b: b}, length=3).states(
        0, "after"
    ),
    "cofactors": t.cofactors(2, P),
    "selection": t.numeric("selection", t.apply("sign", a), data=(4,)),
    "selection_from_pairs": t.numeric(
        "selection", t.apply("sign", a), t.apply("sign", b), data=(4, "n")
    ),
    "argsort": t.numeric("argsort", M, data=1),
    "logsumexp": t.numeric("logsumexp", a, data=SUM),
    "softmax": t.numeric("softmax", M, data=((0, 1), (1,))),
    "log_softmax": t.numeric("log_softmax", M, data=((0, 1), (1,))),
    "norm": t.numeric("norm", a, data=SUM),
    "logdet": t.numeric("logdet", P, data="positive definite"),
    "solve": t.numeric("solve", P, P),
    "symmetric_product": t.numeric("symmetric_product", M, t.variable("w", ("m", 2)), data=3),
    "product_of_pairs": t.numeric("product_of_pairs", M, t.variable("w", (2, "m"))),
    "inverse_from_cholesky": t.numeric("inverse_from_cholesky", CHOLESKY),
    "logdet_from_cholesky": t.numeric("logdet_from_cholesky", CHOLESKY),
}


def operations() -> Iterator[tuple[str, Term]]:
    """One small term for every operation that is no product, sum or leaf."""
    for f in FUNCTIONS.values():
        args = [a, b, t.apply("exp", a)][: f.arity]
        yield f.name, (t.numeric(f.name, *args) if f.found_in == "code" else t.apply(f.name, *args))
    for name in MATRIX_FUNCTIONS:
        yield name, t.apply(name, P)
    for name in EXTREMES:
        yield name, t.numeric(name, M, data=((0, 1), (1,)))
    for name in STACK_FUNCTIONS:
        yield name, t.numeric(name, P)
    yield from OF_ARRAYS.items()


def special_functions() -> dict[str, OwnFunction]:
    """The declared functions of the library of special functions, those of slopes included."""
    found: dict[str, OwnFunction] = {}
    for name in eg.special.__all__:
        own = getattr(eg.special, name)
        record = getattr(own, "record", None)
        if record is None:
            continue
        x = [eg.variable(k) for k in "xyz"[: record.arity]]
        derivative: Any = own(*x)
        for _ in range(3):
            found |= {f.name: f for f in t.own_functions(derivative.term)}
            derivative = eg.gradient(derivative, x[-1])
    return found


def table() -> str:
    """The special functions that some library lacks."""
    libraries = ("numpy", *LIBRARIES)
    rows = [f"| | {' | '.join(libraries)} |", f"|---|{'---|' * len(libraries)}"]
    for name, own in sorted(special_functions().items()):
        missing = [lacks(own, library) for library in libraries]
        if any(missing):
            cells = " | ".join("lacks it" if m else "" for m in missing)
            rows.append(f"| `{name}` | {cells} |")
    return "\n".join([*rows, ""])


def test_every_operation_has_a_term() -> None:
    names = {name for name, _ in operations()}
    assert names >= {*FUNCTIONS, *MATRIX_FUNCTIONS, *EXTREMES, *NUMERIC}


@each()
@pytest.mark.parametrize("name", [name for name, _ in operations()])
def test_operations_have_the_values_of_the_oracle(library: str, name: str) -> None:
    if library == "array_api" and name in ("matrix_exponential", "eigenvector_signs"):
        pytest.skip("the array API standard has none")
    term = dict(operations())[name]
    rng = np.random.default_rng(3)
    values = oracle.random_values(t.variables(term), {"m": 4, "n": 3}, rng)
    for flipped in (1, -1):
        own = {k: v if k in ("P", "w") else np.abs(v) * 0.4 * flipped for k, v in values.items()}
        want = oracle.value(term, own)
        convert = converter(library)
        given = {k: convert(v) for k, v in own.items()}
        if term.op not in WORDS and OPERATIONS[term.op].code:
            with pytest.raises(eg.UnsupportedOperation, match=f"{name} has no function in"):
                ArrayFunction(library, [Form((term,))], single=True, jit=False)(**given)
            continue
        f = ArrayFunction(library, [Form((term,))], single=True, jit=False)
        got = np.asarray(f(**given))
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-11)


@each()
@pytest.mark.parametrize("name", eg.special.__all__)
def test_special_functions_have_the_values_of_scipy(library: str, name: str) -> None:
    own = getattr(eg.special, name)
    record = getattr(own, "record", None)
    if record is None:
        pytest.skip("made of others")
    x = [eg.variable(k, ("n",)) for k in "xyz"[: record.arity]]
    given = [np.array([1.2, 0.5, 0.8]), np.array([0.7, 0.3, 0.4]), np.array([0.2, 0.6, 0.9])]
    if record.domain[1] <= 1:
        given[0] = given[0] / 2
    if name == "arccosh":
        given[0] = given[0] + 1
    if name == "polygamma":
        given = [np.array([0.0, 1.0, 3.0]), given[0]]
    values = dict(zip("xyz", given, strict=False))
    f = own(*x)
    convert = converter(library)
    for e in (f, eg.gradient(eg.sum(f), x[-1])):
        if any(lacks(inner, library) for inner in t.own_functions(e.term)):
            with pytest.raises(eg.UnsupportedOperation, match="has no function of"):
                eg.compile(e, backend=library)
            continue
        known = {v.name: convert(values[v.name]) for v in e.variables}
        got = np.asarray(eg.compile(e, backend=library, jit=False)(**known))
        np.testing.assert_allclose(got, evaluated(e, values), rtol=1e-8)


def test_the_page_names_what_libraries_lack() -> None:
    found = TABLE.search(PAGE.read_text("utf-8"))
    assert found
    assert found.group() == table()


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text("utf-8")), "utf-8")
