"""What a row states: checked, and with letters for what operators have left open."""

from collections.abc import Callable, Iterator
from inspect import signature
from itertools import count
from typing import Any, Final, cast, get_type_hints

from eggrad.engine.errors import RuleError
from eggrad.engine.indices.spec import Dims, Spec
from eggrad.engine.laws.language import (
    SLOPE_NODES,
    Call,
    Differ,
    Grouped,
    Known,
    Law,
    Like,
    Literal,
    Node,
    Parameter,
    Row,
    Tensor,
    as_condition,
    dims,
    joined,
)
from eggrad.engine.laws.primitives import (
    elementwise,
    grouped,
    grouped_dims,
    is_elementwise,
    result_dims,
)
from eggrad.engine.laws.spelling import spelled
from eggrad.engine.terms.term import FUNCTION_NODES

OPTIONS: Final = ("cite", "domain", "exceptions", "replaces", "stable", "widens", "thin")

# Nodes whose first tensor has the axes that the whole has, and those that are scalars.
_KEEP_AXES: Final = frozenset(
    {"add", "subtract", "negate", "scale", "divide", "power", "inv", "adj"}
    | {*FUNCTION_NODES.values(), *SLOPE_NODES.values()}
)
_SCALARS: Final = frozenset({"det", "logabsdet", "signdet", "size"})


def row_of(function: Callable[..., Any], sentence: str) -> Row:
    """What a function states of letters that have its parameters' names and types."""
    hints = get_type_hints(function)
    stated = function(**{p: Parameter(p, hints[p]) for p in signature(function).parameters})
    first, *conditions = stated if isinstance(stated, tuple) else (stated,)
    return Row(first, tuple(conditions), sentence)


def check_row(name: str, row: Row) -> None:
    """Raise `RuleError` where a row states nothing, or asks for what is no condition."""
    if not isinstance(row.statement, Law | Known):
        raise RuleError(
            f"row {name!r} states a law, as a + b >> b + a, or a property, as positive(exp(a)), "
            f"not {spelled(row.statement)}"
        )
    for c in row.conditions:
        if isinstance(c, Node | Parameter | Law):
            raise RuleError(
                f"row {name!r}: a condition is a comparison of numbers, a property or a test, "
                f"not {spelled(c)}"
            )
    for option in row.options:
        if option not in OPTIONS:
            raise RuleError(f"row {name!r}: options are {', '.join(OPTIONS)}, not {option}")


def completed(row: Row) -> tuple[Any, tuple[Any, ...]]:
    """A law or a claim and its conditions, with axes and specs for what was left open.

    On the left side each is a letter; the right side has the same, or computes them.
    """
    statement = row.statement
    left = statement.left if isinstance(statement, Law) else statement.tensor
    taken = {p.name for p in parameters_of(left)}
    open_ = dict.fromkeys(a for node in nodes_of(left) for a in node.args if isinstance(a, Like))
    products = [a for a in open_ if a.of == "ein"]
    specs = (letter for k in count() if (letter := f"s{k or ''}") not in taken)
    own_specs = {a: Parameter(next(specs), Spec) for a in products}
    own_axes = Parameter(next(n for n in ("n", "l", "n_") if n not in taken), Dims)
    has_axes = len(products) < len(open_)

    def build(pattern: Any) -> Any:
        match pattern:
            case Like(operand=operand, of="ein"):
                known = own_specs.get(pattern) or next(iter(own_specs.values()), None)
                return known or elementwise(cast(Dims, build(_axes_of(operand))))
            case Like(operand=operand):
                return own_axes if has_axes else build(_axes_of(operand))
            case Grouped(text=text, operands=operands):
                return grouped(text, *(build(_axes_of(a)) for a in operands))
            case Node(name, args):
                return Node(name, tuple(map(build, args)))
            case Call(function, args):
                return Call(function, tuple(map(build, args)))
            case Known(p, tensor):
                return Known(build(p), build(tensor))
            case Differ(first, second):
                return Differ(build(first), build(second))
            case Law(first, second, both):
                return Law(build(first), build(second), both)
            case _:
                return pattern

    asked = map(as_condition, row.conditions)
    conditions = [build(c) if isinstance(c, Tensor) else Literal(c) for c in asked]
    return build(statement), (
        *conditions,
        *(is_elementwise(cast(Spec, p)) for p in own_specs.values()),
    )


def _axes_of(pattern: Any) -> Any:
    """The axes of a pattern, by its first letter that has them."""
    match pattern:
        case Node("derivative", (a, x)):
            return joined(_axes_of(a), x[1])
        case Node(name) if name in _SCALARS:
            return ()
        case Node("constant", (_, axes)) if not isinstance(axes, Like):
            return axes
        case Node("ein", (Grouped(text, operands), *_)):
            return grouped_dims(text, *map(_axes_of, operands))
        case Node("ein1", (Grouped(text), a)):
            return grouped_dims(text, _axes_of(a))
        case Node("ein1", (tuple() as spec, a)):
            return result_dims(spec, _axes_of(a))
        case Node(name, (first, *_) as args) if name in _KEEP_AXES or isinstance(first, Like):
            # A scalar meets every entry of what it is divided by.
            operands = [a for a in args if isinstance(a, Node) or _is_tensor(a)]
            return _axes_of(next(a for a in operands if not _is_constant(a)))
        case _:
            return dims(pattern)


def _is_constant(pattern: object) -> bool:
    return isinstance(pattern, Node) and pattern.constructor == "constant"


def _is_tensor(pattern: object) -> bool:
    return isinstance(pattern, Parameter) and pattern.kind is Tensor


def parameters_of(pattern: object) -> Iterator[Parameter]:
    """The pattern variables that occur, with repetitions."""
    if isinstance(pattern, Parameter):
        yield pattern
    elif isinstance(pattern, Node | Call):
        for a in pattern.args:
            yield from parameters_of(a)
    elif isinstance(pattern, Differ):
        yield from parameters_of(pattern.first)
        yield from parameters_of(pattern.second)
    elif isinstance(pattern, Known):
        yield from parameters_of(pattern.property)
        yield from parameters_of(pattern.tensor)


def nodes_of(pattern: object) -> Iterator[Node]:
    """The constructors that a pattern applies, each node before those in it."""
    match pattern:
        case Node(args=args):
            yield pattern
            for a in args:
                yield from nodes_of(a)
        case Call(args=args):
            for a in args:
                yield from nodes_of(a)
        case Literal(value=value):
            yield from nodes_of(value)
        case Known(tensor=tensor):
            yield from nodes_of(tensor)
        case Differ(first=first, second=second):
            yield from (*nodes_of(first), *nodes_of(second))
        case _:
            return
