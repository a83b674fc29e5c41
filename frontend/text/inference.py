"""Orders and sizes: what a constant or a delta does not say follows from where it is used.

Works on a list of nodes, operands before their users, so that no walk is recursive. Orders first
(thesis 3.2.3), then sizes (3.2.4); both by unification.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from eggrad.engine.indices.constraints import mentioned_sizes
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.term import Payload
from eggrad.frontend.text.errors import TextShapeError, place_words
from eggrad.frontend.text.sizes import Clash, SizeClasses
from eggrad.frontend.text.words import format_product

_SYMBOLS = {"add": "+", "subtract": "-", "divide": "/", "power": "^"}


@dataclass(slots=True, eq=False)
class Node(Payload):
    """A node as `Term` has it, with operands as places in the list.

    `order` is known or to be found, so is `sizes`: pairs of a size and its offset in the text.
    """

    op: str
    data: object
    args: tuple[int, ...] = ()
    start: int = 0
    order: int | None = None
    sizes: tuple[tuple[Size, int], ...] | None = None


def infer(nodes: Sequence[Node], text: str) -> tuple[list[Dims], dict[Size, Size]]:
    """The axis sizes of every node, and what each size symbol was replaced by.

    Raises `TextShapeError` where orders or sizes contradict each other.

    >>> from eggrad.engine.indices.spec import parse_spec
    >>> a = Node("variable", ("A", ()), order=2, sizes=(("m", 0), ("n", 0)))
    >>> product = Node("einsum", parse_spec("ij,j->i"), (0, 1))
    >>> infer([a, Node("constant", 1), product], "")[0]
    [('m', 'n'), ('n',), ('m',)]
    """
    orders = _Orders(nodes, text)
    orders.settle()
    sizes = _Sizes(nodes, text, orders)
    for place in range(len(nodes)):
        sizes.settle(place)
    return sizes.dims(), sizes.classes.renamed()


class _Orders:
    """A union-find over the orders of nodes."""

    def __init__(self, nodes: Sequence[Node], text: str) -> None:
        self.nodes = nodes
        self.text = text
        self.parents = list(range(len(nodes)))
        self.values = [node.order for node in nodes]

    def __getitem__(self, place: int) -> int | None:
        return self.values[self.find(place)]

    def find(self, place: int) -> int:
        parents = self.parents
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    def unify(self, a: int, b: int) -> bool:
        first, second = self.find(a), self.find(b)
        one, other = self.values[first], self.values[second]
        if one is not None and other is not None and one != other:
            return False
        self.parents[second] = first
        self.values[first] = other if one is None else one
        return True

    def fix(self, place: int, order: int) -> bool:
        root = self.find(place)
        if self.values[root] is None:
            self.values[root] = order
        return self.values[root] == order

    def fail(self, node: Node, reason: str, start: int | None = None) -> TextShapeError:
        return TextShapeError(reason, self.text, node.start if start is None else start)

    def settle(self) -> None:
        """Find every order; what nothing fixes is a scalar."""
        quotients: list[int] = []
        for place, node in enumerate(self.nodes):
            if node.op == "divide":
                quotients.append(place)
            else:
                self._settle_node(place, node)
        # Operands first, so that only a quotient of two constants waits for a use that fixes it;
        # from the outermost inwards one round then serves a chain of them.
        while quotients:
            waiting = [place for place in quotients if not self._settle_quotient(place)]
            if len(waiting) == len(quotients):
                for place in waiting:
                    self.fix(place, 0)
            quotients = waiting[::-1]

    def _settle_node(self, place: int, node: Node) -> None:
        match node.op:
            case "variable" | "constant" | "array" | "delta" | "indicator" | "size":
                return
            case "einsum" | "max" | "min":
                self._settle_product(place, node)
                return
            case "add" | "subtract":
                left, right = node.args
                if not self.unify(left, right):
                    sign, one, other = _SYMBOLS[node.op], self[left], self[right]
                    raise self.fail(
                        node, f"{sign}: the left side has order {one}, the right side order {other}"
                    )
            case "power":
                if not self.fix(node.args[1], 0):
                    order = self[node.args[1]]
                    raise self.fail(node, f"^: the exponent must be a scalar, it has order {order}")
            case "selection":
                self._settle_selection(place, node)
                return
            case name if name in MATRIX_FUNCTIONS or name == "cofactors":
                if not self.fix(node.args[0], 2):
                    name = _name(node)
                    order = self[node.args[0]]
                    raise self.fail(
                        node, f"{name} needs a square matrix, its argument has order {order}"
                    )
                order = 2 * _pairs(node)
                self._settle_order(place, node, order)
                return
            case name if name in STACK_FUNCTIONS:
                function = STACK_FUNCTIONS[name]
                order = self[node.args[0]]
                if order is None or order < 2:
                    order = 2
                if not self.fix(node.args[0], order):
                    what = "a square matrix" if function.square else "a matrix"
                    order = self[node.args[0]]
                    raise self.fail(node, f"{name} needs {what}, its argument has order {order}")
                self._settle_order(place, node, order - 2 + len(function.axes))
                return
            case name:
                for other in node.args[1:]:
                    if not self.unify(node.args[0], other):
                        first, second = self[node.args[0]], self[other]
                        reason = f"{name}: one operand has order {first}, another order {second}"
                        raise self.fail(node, reason)
        if not self.unify(node.args[0], place):
            raise self.fail(node, self._contradiction(place, self[node.args[0]]))

    def _settle_product(self, place: int, node: Node) -> None:
        spec = node.spec
        sides = ("left operand", "right operand") if len(node.args) == 2 else ("operand",)
        for side, arg, part in zip(sides, node.args, spec, strict=False):
            if not self.fix(arg, len(part)):
                raise self.fail(
                    node,
                    f"product {format_product(spec)}: the {side} has order {self[arg]}, "
                    f"its index string has {len(part)} {'index' if len(part) == 1 else 'indices'}",
                )
        self._settle_order(place, node, len(spec[-1]))

    def _settle_selection(self, place: int, node: Node) -> None:
        """Beside the axes of the integers are those chosen from; of several the last one goes."""
        args, chosen = node.args, len(node.sizes or ())
        together = int(len(args) < chosen)
        alike = all(self.unify(args[0], arg) for arg in args[1:])
        if self[args[0]] is None:
            self.fix(args[0], together)
        order = self[args[0]] or 0
        if not alike or len(args) not in (1, chosen) or not chosen or order < together:
            raise self.fail(node, "selection: sizes to choose from, and an index for each of them")
        self._settle_order(place, node, order + chosen - together)

    def _settle_order(self, place: int, node: Node, order: int) -> None:
        if not self.fix(place, order):
            raise self.fail(node, self._contradiction(place, order))

    def _contradiction(self, place: int, order: int | None) -> str:
        return f"this has order {order}, its use needs order {self[place]}"

    def _settle_quotient(self, place: int) -> bool:
        node = self.nodes[place]
        left, right = node.args
        one, other, result = self[left], self[right], self[place]
        if self.find(left) == self.find(right):
            # Of one order they are both, whatever it is.
            fits = self.unify(left, place)
        elif one is None and other is None:
            if result is None:
                return False
            # The simplest of the possible readings: entries over one number.
            fits = self.fix(right, 0) and self.unify(left, place)
        elif other == 0 or (one and other is None):
            fits = self.fix(right, 0) and self.unify(left, place)
        elif one == 0 or (other and one is None):
            fits = self.fix(left, 0) and self.unify(right, place)
        else:
            if one != other:
                raise self.fail(
                    node, f"/: the left side has order {one}, the right side order {other}"
                )
            fits = self.unify(left, place)
        if not fits:
            order = max(one or 0, other or 0)
            raise self.fail(node, self._contradiction(place, order))
        return True


class _Sizes:
    """The axes of every node, as classes of sizes."""

    def __init__(self, nodes: Sequence[Node], text: str, orders: _Orders) -> None:
        self.nodes = nodes
        self.text = text
        self.orders = orders
        self.classes = SizeClasses()
        self.axes: list[tuple[int, ...]] = []

    def dims(self) -> list[Dims]:
        """The sizes found; those that nothing names get new names."""
        self.classes.name_free()
        size = self.classes.size
        return [tuple(cast(Size, size(number)) for number in axes) for axes in self.axes]

    def settle(self, place: int) -> None:
        """Find the axes of a node whose operands have theirs."""
        node = self.nodes[place]
        given = [self.axes[arg] for arg in node.args]
        match node.op:
            case "variable" | "constant" | "array" | "delta" | "indicator":
                axes = self._leaf(place, node)
            case "size":
                self.classes.named(node.symbol)
                axes = ()
            case "einsum" | "max" | "min":
                axes = self._product(node, given)
            case "divide" if given[0] and given[1]:
                axes = self._entrywise(node, given)
            case "divide":
                axes = given[0] or given[1]
            case "selection":
                axes = self._selection(node, given)
            case "argsort":
                if node.number >= len(given[0]):
                    raise TextShapeError(
                        f"argsort{node.number}: the argument has {len(given[0])} axes",
                        self.text,
                        node.start,
                    )
                axes = given[0]
            case name if name in MATRIX_FUNCTIONS or name == "cofactors":
                self._square(node, given[0], f"{_name(node)} needs a square matrix")
                axes = given[0] * _pairs(node)
            case name if name in STACK_FUNCTIONS:
                axes = self._of_each(node, given[0])
            case "power":
                axes = given[0]
            case _:
                axes = self._entrywise(node, given)
        self.axes.append(axes)

    def _leaf(self, place: int, node: Node) -> tuple[int, ...]:
        if node.sizes is not None:
            axes = tuple(self.classes.given(size, start) for size, start in node.sizes)
        else:
            order = self.orders[place] or 0
            axes = tuple(self.classes.fresh() for _ in range(order // (1 + (node.op == "delta"))))
        if node.op == "variable":
            name, assumptions = node.name, node.assumed
            for word in assumptions:
                needs = ASSUMPTIONS[word].axes if word in ASSUMPTIONS else "any"
                if needs == "some" and not axes:
                    reason = f"{name!r} is {word} and must have an axis"
                    raise TextShapeError(reason, self.text, node.start)
                if needs == "square":
                    if len(axes) != 2:
                        reason = (
                            f"{shown(name)} is {word} and must have order 2, it has {len(axes)}"
                        )
                        raise TextShapeError(reason, self.text, node.start)
                    self._square(node, axes, f"{shown(name)} is {word} and must be square")
        if node.op == "indicator":
            for symbol in sorted(mentioned_sizes(node.constraints)):
                self.classes.named(symbol)
        return axes * 2 if node.op == "delta" else axes

    def _product(self, node: Node, given: list[tuple[int, ...]]) -> tuple[int, ...]:
        spec = node.spec
        sides = ("left operand", "right operand") if len(node.args) == 2 else ("operand",)
        found: dict[int, tuple[int, int, str]] = {}
        for side, part, axes in zip(sides, spec, given, strict=False):
            for axis, (index, number) in enumerate(zip(part, axes, strict=True), 1):
                other, other_axis, other_side = found.setdefault(index, (number, axis, side))
                clash = self.classes.unify(other, number)
                if clash:
                    first, second = f"axis {other_axis} of the {other_side}", f"axis {axis}"
                    second = second if side == other_side else f"{second} of the {side}"
                    what = f"product {format_product(spec)}"
                    raise self._fail(node, what, first, second, clash)
        return tuple(found[index][0] for index in spec[-1])

    def _selection(self, node: Node, given: list[tuple[int, ...]]) -> tuple[int, ...]:
        chosen = tuple(self.classes.given(size, start) for size, start in node.sizes or ())
        if len(given) == len(chosen):
            return self._entrywise(node, given) + chosen
        places = given[0]
        clash = self.classes.unify(places[-1], self.classes.given(len(chosen), node.start))
        if clash:
            raise self._fail(node, "selection", "the last axis", "the sizes", clash)
        return places[:-1] + chosen

    def _entrywise(self, node: Node, given: list[tuple[int, ...]]) -> tuple[int, ...]:
        symbol = _SYMBOLS.get(node.op)
        sides = ("left side", "right side") if symbol else ("first operand", "other operand")
        for axes in given[1:]:
            for axis, (one, other) in enumerate(zip(given[0], axes, strict=True), 1):
                clash = self.classes.unify(one, other)
                if clash:
                    first, second = f"axis {axis} of the {sides[0]}", f"of the {sides[1]}"
                    raise self._fail(node, symbol or node.op, first, second, clash)
        return given[0]

    def _of_each(self, node: Node, axes: tuple[int, ...]) -> tuple[int, ...]:
        function, matrix = STACK_FUNCTIONS[node.op], axes[-2:]
        if function.square:
            self._square(node, matrix, f"{node.op} needs a square matrix")
        sizes = [self.classes.size(self.classes.find(k)) for k in matrix]
        if "k" in function.axes and not all(isinstance(d, int) for d in sizes):
            # As sizes with names have to be.
            self._square(node, matrix, f"{node.op} of sizes that are no integers")
            sizes = [0, 0]
        return axes[:-2] + tuple(matrix[k] for k in function.as_long_as(*sizes))

    def _square(self, node: Node, axes: tuple[int, ...], what: str) -> None:
        clash = self.classes.unify(*axes)
        if clash:
            raise self._fail(node, what, "axis 1", "axis 2", clash)

    def _fail(self, node: Node, what: str, first: str, second: str, clash: Clash) -> TextShapeError:
        (one, there), (other, here) = clash
        given, other_given = (
            "" if place is None else f" ({place_words(self.text, place)})"
            for place in (there, here)
        )
        reason = f"{what}: {first} has size {one}{given}, {second} size {other}{other_given}"
        return TextShapeError(reason, self.text, node.start)


def _pairs(node: Node) -> int:
    """How often the axes of a matrix occur in those of a function of it."""
    if node.op == "cofactors":
        return node.number
    return 0 if MATRIX_FUNCTIONS[node.op].is_scalar else 1


def _name(node: Node) -> str:
    return f"cofactors{node.data}" if node.op == "cofactors" else node.op
