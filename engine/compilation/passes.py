"""The passes that make a program's text of terms, in the order in which they run.

Terms come from extraction, where the model of time has chosen among forms. What follows is no
matter of e-classes: a schedule, and what is stored. Each of these is a pass over a `Program`
(`program.py`), and `PASSES` is the list of all of them, each with its name, one sentence and the
condition under which it changes something. Three kinds follow on each other:

- passes over terms rewrite them, or mark nodes that are computed in another way;
- lowering walks the terms in postorder and writes at most one statement for a node;
- passes over statements let results overwrite operands that are not read again.

The model of time (`engine/costs/time_model.py`) knows of lowering, but of none of the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.lowering import asked_alone, lower
from eggrad.engine.compilation.numpy_dialect import NumpyDialect
from eggrad.engine.compilation.products import MANY_OUTER, find_stacks
from eggrad.engine.compilation.program import Program
from eggrad.engine.compilation.views import stored_indicators, with_stepped_products
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, postorder

# What may overflow at moderate arguments, and what keeps that.
OVERFLOWING: Final = frozenset(f.name for f in FUNCTIONS.values() if f.grows)
KEEPING: Final = frozenset({"add", "subtract", "negate", "einsum", "power"})


@dataclass(frozen=True)
class Pass:
    """A step on the way from terms to text: what it does, and where it changes something.

    Most are for NumPy alone; the others are `for_all` libraries.
    """

    name: str
    sentence: str
    condition: str
    run: Callable[[Program], None]
    for_all: bool = False


def run_passes(program: Program) -> Program:
    r"""Run all passes; the program then has its statements.

    >>> from eggrad.engine.costs.cost import CostModel
    >>> from eggrad.engine.terms.term import apply, variable
    >>> root = apply("exp", apply("sin", variable("x", ("n",))))
    >>> program = Program((root,), CostModel(), {"x": "x"}, {}, {}, "x")
    >>> print(*NumpyDialect(run_passes(program)).lines(), sep="\n")
    t1 = np.sin(x)
    np.exp(t1, out=t1)
    return [t1]
    """
    for step in PASSES:
        if step.for_all or program.in_place:
            step.run(program)
    return program


# Passes over terms ------------------------------------------------------------------------------


def _expect_overflow(program: Program) -> None:
    chooses = any(node.op == "where" for node in postorder(*program.roots))
    program.silent = chooses or _overflows_to_zero(program.roots)


def _overflows_to_zero(roots: tuple[Term, ...]) -> bool:
    """Whether an exponential divides: where it overflows the quotient is 0, as it should be."""
    overflowing: set[Term] = set()
    for node in postorder(*roots):
        divisor = node.args[-1:] if node.op == "divide" else ()
        if node.op == "power":
            exponent = node.args[1].data
            divisor = node.args[:1] if isinstance(exponent, Fraction) and exponent < 0 else ()
        if not overflowing.isdisjoint(divisor):
            return True
        if node.op in OVERFLOWING or (node.op in KEEPING and not overflowing.isdisjoint(node.args)):
            overflowing.add(node)
    return False


def _join_stepped_products(program: Program) -> None:
    program.roots = with_stepped_products(program.roots, program.model)


def _stack_outer_products(program: Program) -> None:
    program.stacks = find_stacks(program.roots)


def _store_indicators(program: Program) -> None:
    program.stored = stored_indicators(program.roots)


def _keep_masks(program: Program) -> None:
    program.masks = asked_alone(program.roots)


def _see_to_what_masks_hide(program: Program) -> None:
    nodes = list(postorder(*program.roots))
    # People's programs are as they are written.
    if not program.alone and any(node.op == "where" for node in nodes):
        # Who calls compiled functions alone loads no e-graph.
        from eggrad.engine.egraph.reading import TermRows
        from eggrad.engine.extraction.snapshot import Snapshot
        from eggrad.engine.saturation.exposure import hiding_products

        rows = TermRows(nodes, program.roots)
        found = hiding_products(Snapshot(rows, program.model, rows.roots))
        term_of = {number: term for term, number in rows.numbers.items()}
        program.hiding = {term_of[cls]: place for cls, place in found.items()}


# Passes over statements -------------------------------------------------------------------------


def _overwrite(program: Program) -> None:
    block, dialect = program.block, NumpyDialect(program)
    for s, dying in zip(block.statements, block.dying(program.returned), strict=True):
        names = dialect.overwritable(s.instruction)
        s.over = next((n for n in names if n in dying and block.owns(n)), "")


def _delete(program: Program) -> None:
    block = program.block
    orders = {s.target: len(s.instruction.labels) for s in block.statements}
    dying = block.dying(program.returned)
    for s, names in zip(block.statements[:-1], dying, strict=False):
        gone = {d for d in names if d != s.over and orders[d] and block.owner(d) == d}
        s.deleted = tuple(sorted(gone))


# The list ---------------------------------------------------------------------------------------


PASSES: Final = (
    Pass(
        "expected overflow",
        "NumPy's warnings are left out.",
        "an exponential divides, or there is a choice, of which both branches are computed",
        _expect_overflow,
    ),
    Pass(
        "stepped products",
        "Two products in a row with indicators become one, computed shift by shift through views.",
        "two arrays and any number of indicators; the steps take no longer than with an "
        "intermediate result, or that would be large",
        _join_stepped_products,
    ),
    Pass(
        "stacked sums",
        "A sum of outer products becomes one product of matrices, whose summed axis counts them.",
        f"{MANY_OUTER} products or more of two vectors, which nothing else uses",
        _stack_outer_products,
    ),
    Pass(
        "stored indicators",
        "An indicator becomes an array of zeros and ones.",
        "it is a result, or in something else than a product with one other operand",
        _store_indicators,
        for_all=True,
    ),
    Pass(
        "masks",
        "A test stays an array of booleans.",
        "only choices and other tests use it",
        _keep_masks,
        for_all=True,
    ),
    Pass(
        "hidden values",
        "What a mask hides has no part in a product, even if it is infinite or no number.",
        "a choice with 0 is multiplied with what may be undefined or has further axes",
        _see_to_what_masks_hide,
        for_all=True,
    ),
    Pass(
        "lowering",
        "Each node becomes a statement over labelled arrays, unless labels say it all.",
        "always",
        lower,
        for_all=True,
    ),
    Pass(
        "overwriting",
        "A statement writes its result into an operand.",
        "nothing reads the operand again",
        _overwrite,
    ),
    Pass(
        "deletion",
        "An array is deleted before the next statement.",
        "nothing reads it again, and it has axes",
        _delete,
    ),
)
