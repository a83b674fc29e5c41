"""The passes that make a program's text of terms, in the order in which they run.

Terms come from extraction, where the model of time has chosen among forms. What follows is no
matter of e-classes: a schedule, layouts in memory, kernels that compute the same. Each of these is
a pass over a `Program` (`program.py`), and `PASSES` is the list of all of them, each with its name,
one sentence and the condition under which it changes something. Four kinds follow on each other:

- passes over terms rewrite them, or mark nodes that are computed together or in another way;
- passes over products of matrices are asked by lowering, one after the other, for the form of each;
- lowering walks the terms in postorder and writes at most one statement for a node;
- passes over statements choose kernels, and let results overwrite operands that are not read again.

The model of time (`engine/costs/time_model.py`) knows of lowering, but of none of the others.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from eggrad.engine.compilation import products
from eggrad.engine.compilation.lowering import asked_alone, lower
from eggrad.engine.compilation.numpy_dialect import NumpyDialect
from eggrad.engine.compilation.program import Contraction, Instruction, Program
from eggrad.engine.compilation.views import (
    stored_indicators,
    with_indicator_products,
    with_stepped_products,
)
from eggrad.engine.runtime.products import LARGE, ROW, WORTH_A_CALL, is_worth_rows
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, postorder

# What may overflow at moderate arguments, and what keeps that.
OVERFLOWING: Final = frozenset(f.name for f in FUNCTIONS.values() if f.grows)
KEEPING: Final = frozenset({"add", "subtract", "negate", "einsum", "power"})
# Entries from which on a division by NumPy's operator is faster than `np.reciprocal`.
LARGE_RECIPROCAL: Final = 1500


@dataclass(frozen=True)
class Pass:
    """A step on the way from terms to text: what it does, and where it changes something.

    Most know NumPy's kernels; the others are for `all` libraries, or those that are not "numpy".
    """

    name: str
    sentence: str
    condition: str
    run: Callable[[Program], None]
    libraries: Literal["numpy", "others", "all"] = "numpy"


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
        if step.libraries == "all" or (step.libraries == "numpy") == program.in_place:
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


def _multiply_by_indicators(program: Program) -> None:
    program.roots = with_indicator_products(program.roots)


def _join_stepped_products(program: Program) -> None:
    program.roots = with_stepped_products(program.roots, program.model)


def _stack_outer_products(program: Program) -> None:
    program.stacks, program.absorbed = products.find_stacks(program.roots, program.model)


def _batch_vectors(program: Program) -> None:
    program.batches = products.find_batches(program.roots, program.model)


def _solve_together(program: Program) -> None:
    found = products.find_systems(program.roots, program.batches)
    program.batches = {**program.batches, **found}


def _store_indicators(program: Program) -> None:
    program.stored = stored_indicators(program.roots)


def _keep_masks(program: Program) -> None:
    program.masks = asked_alone(program.roots)


# Passes over statements -------------------------------------------------------------------------


def _choose_kernel(
    kind: str, other: str, suits: Callable[[Instruction], bool]
) -> Callable[[Program], None]:
    """A pass that computes what suits another kernel by that one."""

    def choose(program: Program) -> None:
        for statement in program.block.statements:
            own = statement.instruction
            if own.kind == kind and suits(own):
                statement.instruction = replace(own, kind=other)

    return choose


def _scales_long_rows(own: Instruction) -> bool:
    """Whether an array has one number for each long row of a product, and none is transposed."""
    if not own.labels:
        return False
    parts = [labels for _, labels in own.operands]
    in_order = all(part == tuple(i for i in own.labels if i in part) for part in parts)
    rows = in_order and any(own.labels[-1] not in part for part in parts)
    return rows and is_worth_rows(own.entries, own.lengths[-1])


def _is_large_outer_product(own: Instruction) -> bool:
    return len(own.labels) == 2 and own.entries >= WORTH_A_CALL


def _is_large_reciprocal(own: Instruction) -> bool:
    return own.entries >= LARGE_RECIPROCAL


def _overwrite(program: Program) -> None:
    if not program.real:
        return
    block, dialect = program.block, NumpyDialect(program)
    for s, dying in zip(block.statements, block.dying(program.returned), strict=True):
        names = dialect.overwritable(s.instruction)
        s.over = next((n for n in names if n in dying and block.owns(n)), "")


def _delete(program: Program) -> None:
    block = program.block
    orders = {s.target: len(s.instruction.labels) for s in block.statements}
    dying = block.dying(program.returned)
    for s, own in zip(block.statements[:-1], dying, strict=False):
        gone = {d for d in own if d != s.over and orders[d] > 1 and block.owner(d) == d}
        s.deleted = tuple(sorted(gone))


# The list ---------------------------------------------------------------------------------------


def _for_products(turn: Callable[[Contraction], Contraction]) -> Callable[[Program], None]:
    """A pass that gives lowering a question to ask about each product of matrices."""
    return lambda program: program.turns.append(turn)


PASSES: Final = (
    Pass(
        "expected overflow",
        "NumPy's warnings are left out.",
        "an exponential divides, or there is a choice, of which both branches are computed",
        _expect_overflow,
    ),
    Pass(
        "indicator products",
        "A choice is read from and written to the places that are chosen.",
        "a condition on indices chooses, and the rest is 0",
        _multiply_by_indicators,
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
        f"{products.MANY_OUTER} products or more, or two with "
        f"{products.LARGE_SUM:,} entries or more, that nothing else uses",
        _stack_outer_products,
    ),
    Pass(
        "shared matrices",
        "Products of a matrix with several vectors become one product, so that it is read once.",
        f"{products.MANY_VECTORS} vectors or more that need none of the products, and a matrix "
        f"of {products.LARGE_MATRIX:,} entries or more",
        _batch_vectors,
    ),
    Pass(
        "shared systems",
        "Linear systems with one matrix are solved together: it is decomposed once.",
        "2 systems or more, of which none needs the solution of another",
        _solve_together,
    ),
    Pass(
        "stored indicators",
        "An indicator becomes an array of zeros and ones.",
        "it is a result, or in something else than a product with one other operand",
        _store_indicators,
        libraries="all",
    ),
    Pass(
        "masks",
        "A test stays an array of booleans.",
        "only choices and other tests use it",
        _keep_masks,
        libraries="all",
    ),
    Pass(
        "rows in order",
        "A product of matrices is the transposed one, so that its result lies as the term's axes.",
        "the term's axes are its columns, then its rows",
        _for_products(products.rows_in_order),
        libraries="all",
    ),
    Pass(
        "few rows first",
        "A product of matrices has few long rows rather than many short ones, which BLAS is "
        "faster at.",
        f"{products.FLAT} times fewer rows than columns and than summed entries, or columns "
        f"than rows; in products of at most {products.SMALL:,} multiplications many rows come "
        "first where the larger matrix is read by rows",
        _for_products(products.few_rows_first),
    ),
    Pass(
        "vectors as stored",
        "A matrix times a vector is the vector times the matrix, or the other way round.",
        "so the matrix is not transposed",
        _for_products(products.vectors_as_stored),
        libraries="all",
    ),
    Pass(
        "einsums",
        "A product of arrays is an einsum.",
        "they are no two matrices or vectors, and the library is not NumPy",
        _for_products(products.by_einsum),
        libraries="others",
    ),
    Pass(
        "stacks of matrices",
        "An array of more axes is a stack of matrices, each of which is multiplied.",
        "the summed axes lie between others, so that one matrix of all would be a copy; with "
        f"another matrix these have {products.STACKED} entries or more",
        _for_products(products.summed_between),
    ),
    Pass(
        "matmul",
        "A product of matrices is `@`, not `dot`, which fills its result with zeros first.",
        f"the result has {LARGE:,} entries or more",
        _for_products(products.large_by_matmul),
    ),
    Pass(
        "lowering",
        "Each node becomes a statement over labelled arrays, unless labels say it all.",
        "always",
        lower,
        libraries="all",
    ),
    Pass(
        "long rows",
        "A product with one number for each row reads its operands where they lie, without "
        "NumPy's buffers.",
        f"rows of {ROW} entries or more, {WORTH_A_CALL:,} in all, and no operand is transposed",
        _choose_kernel("multiply", "row_by_row", _scales_long_rows),
    ),
    Pass(
        "outer products",
        "An outer product of vectors is computed row by row, not by `dot`.",
        f"{WORTH_A_CALL:,} entries or more",
        _choose_kernel("outer", "outer_product", _is_large_outer_product),
    ),
    Pass(
        "reciprocals",
        "`1 / x` instead of `np.reciprocal`.",
        f"{LARGE_RECIPROCAL:,} entries or more",
        _choose_kernel("reciprocal", "one_over", _is_large_reciprocal),
    ),
    Pass(
        "overwriting",
        "A statement writes its result into an operand.",
        "nothing reads the operand again, and all arrays are real",
        _overwrite,
    ),
    Pass(
        "deletion",
        "An array is deleted before the next statement.",
        "nothing reads it again, and it has two axes or more",
        _delete,
    ),
)
