"""The thesis's language out: from a term to text that reads back as the very same term.

Parts that are long and occur more than once are named; brackets stand where they must.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.constraints import mentioned_sizes
from eggrad.engine.indices.precedence import levels
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.assumptions import ASSUMPTIONS, stated
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.text.constraints import format_constraints
from eggrad.frontend.text.inference import Node, infer
from eggrad.frontend.text.words import (
    MAXIMAL_ORDER,
    format_array,
    format_name,
    format_number,
    format_product,
    format_sizes,
    quoted,
)

_SUM, _PRODUCT, _POWER, _SIGNED, _ATOM = levels("einsum")
_LONGEST_REPEATED: Final = 16

Piece = str | tuple[int, int]
"""Text, or the number of an operand and how tightly it must bind to stand without brackets."""


def pieces(term: Term) -> tuple[Piece, ...]:
    """What a term that has operands is written as.

    >>> from eggrad.engine.terms.term import add, constant
    >>> pieces(add(constant(1), constant(2)))
    ((0, 0), ' + ', (1, 1))
    """
    operands = term.args
    match term.op:
        case "add":
            return ((0, _SUM), " + ", (1, _PRODUCT))
        case "subtract":
            return ((0, _SUM), " - ", (1, _PRODUCT))
        case "divide":
            return ((0, _PRODUCT), " / ", (1, _POWER))
        case "einsum" if len(operands) == 2:
            return ((0, _PRODUCT), f" {format_product(term.spec)} ", (1, _POWER))
        case "einsum":
            return (format_product(term.spec) + " ", (0, _ATOM))
        case name if name in EXTREMES:
            return (f"{name}{format_product(term.spec)[1:]} ", (0, _ATOM))
        case "power":
            # Chains of '^' and signs are read differently elsewhere, so they get brackets.
            return ((0, _ATOM), " ^ ", (1, _SIGNED if operands[1].op == "constant" else _ATOM))
        case "negate" if operands[0].op == "constant":
            return ("-(", (0, _SUM), ")")
        case "negate":
            return ("-", (0, _ATOM))
        case name:
            others = (part for k in range(1, len(operands)) for part in (", ", (k, _SUM)))
            data = term.data if name in ("cofactors", "argsort") else ""
            sizes = format_sizes(term.chosen) if name == "selection" else ""
            return (f"{name}{data}{sizes}(", (0, _SUM), *others, ")")


def _binding(term: Term) -> int:
    """How tightly the text of a term binds."""
    match term.op:
        case "add" | "subtract":
            return _SUM
        case "divide":
            return _PRODUCT
        case "einsum":
            # A product of one reads as a prefix, so it gets brackets wherever a sign does.
            return _PRODUCT if len(term.args) == 2 else _SIGNED
        case "power":
            return _POWER
        case "negate" | "max" | "min":
            return _SIGNED
        case "constant" if term.value < 0:
            return _SIGNED
        case _:
            return _ATOM


class Layout:
    """A term as nodes that mirror its text: one for each place where it is written out.

    `nodes` begins with the variables `declared`; `names` holds what the named parts are called,
    by their place in `nodes`, in the order of their definition; `root` is the place of the term.
    A long part that occurs more than once is named, a short one is written out again.
    """

    def __init__(self, term: Term, declared: Sequence[Term]) -> None:
        """Lay a term out; `declared` has all its variables and perhaps more."""
        self.terms: list[Term] = []
        self.nodes: list[Node] = []
        self.names: dict[int, str] = {}
        self._places: dict[Term, int] = {}
        for variable in declared:
            self._places[variable] = self._append(variable, ())
        for part, name in _named_parts(term, declared).items():
            place = self._places[part] = self._lay_out(part)
            self.names[place] = name
        self.root = self._lay_out(term)

    def _append(self, term: Term, args: tuple[int, ...]) -> int:
        leaf = term.op in ("variable", "array", "delta", "indicator", "size")
        order = len(term.dims) if leaf else None
        self.terms.append(term)
        sizes = tuple((d, 0) for d in term.chosen) if term.op == "selection" else None
        self.nodes.append(Node(term.op, term.data, args, 0, order, sizes))
        return len(self.nodes) - 1

    def _lay_out(self, root: Term) -> int:
        found: list[int] = []
        stack = [(root, False)]
        while stack:
            term, ready = stack.pop()
            if term in self._places:
                found.append(self._places[term])
            elif not ready and term.args:
                stack.append((term, True))
                stack.extend((arg, False) for arg in reversed(term.args))
            else:
                first = len(found) - len(term.args)
                args = tuple(found[first:])
                del found[first:]
                found.append(self._append(term, args))
        return found.pop()

    def text(
        self, root: int, annotated: Collection[int], names: Mapping[int, str]
    ) -> Iterator[str]:
        """The text of a node, bit by bit; the leaves in `annotated` say their sizes."""
        stack: list[str | int] = [root]
        while stack:
            top = stack.pop()
            if isinstance(top, str):
                yield top
                continue
            term = self.terms[top]
            if top in names and top != root:
                yield names[top]
            elif term.args:
                args = self.nodes[top].args
                for piece in reversed(pieces(term)):
                    if isinstance(piece, str):
                        stack.append(piece)
                    elif args[piece[0]] in names or _binding(term.args[piece[0]]) >= piece[1]:
                        stack.append(args[piece[0]])
                    else:
                        stack.extend((")", args[piece[0]], "("))
            else:
                yield _leaf(term, top in annotated)


def _named_parts(root: Term, declared: Sequence[Term]) -> dict[Term, str]:
    """The parts that get names, operands first, each with its name."""
    taken = {variable.name for variable in declared}
    unused = (name for i in count(1) if (name := f"t{i}") not in taken)
    order = list(postorder(root))
    uses = Counter(arg for term in order for arg in term.args)
    widths: dict[Term, int] = {}
    found: dict[Term, str] = {}
    for term in order:
        width = 0 if term.args else len(_leaf(term, annotated=False))
        for piece in pieces(term) if term.args else ():
            if isinstance(piece, str):
                width += len(piece)
            else:
                arg = term.args[piece[0]]
                width += widths[arg] + 2 * (arg not in found and _binding(arg) < piece[1])
        if term.args and uses[term] > 1 and width > _LONGEST_REPEATED:
            found[term] = next(unused)
            width = len(found[term])
        widths[term] = width
    return found


def _leaf(term: Term, annotated: bool) -> str:
    match term.op:
        case "variable":
            return format_name(term.name)
        case "array":
            return format_array(term.array)
        case "size":
            return f"size({format_name(term.symbol)})"
        case "indicator":
            return format_constraints(term.constraints) + format_sizes(term.dims)
        case "delta" if annotated or term.order > 2 * MAXIMAL_ORDER:
            return "delta" + format_sizes(term.dims[: term.order // 2])
        case "delta":
            return f"delta({term.order // 2})"
        case _:
            sizes = format_sizes(term.dims) if annotated else ""
            return format_number(term.value) + sizes


# Whole texts -------------------------------------------------------------------------------


def format_term(term: Term, limit: int = 10_000) -> str:
    """The expression alone, every part written out; after `limit` characters an ellipsis.

    Sizes of constants are written where their use does not show them.

    >>> from eggrad.engine.terms.term import apply, negate, power, constant, variable
    >>> format_term(negate(power(apply("sin", variable("x", ("n",))), constant(2))))
    '-(sin(x) ^ 2)'
    """
    layout = Layout(term, variables(term))
    annotated = _annotated(layout)
    bits: list[str] = []
    length = 0
    for bit in layout.text(layout.root, annotated, {}):
        bits.append(bit)
        length += len(bit)
        if length > limit:
            return "".join(bits)[:limit] + "…"
    return "".join(bits)


def format_problem(term: Term, scope: Sequence[Term] = (), wrt: Sequence[Term] = ()) -> str:
    """A whole text that `parse` reads back as this very term.

    The variables of `scope` are declared first, in that order, whether they occur or not; `wrt`
    are those of `derivative wrt`. Long parts that occur more than once are named with `let`.
    Raises `ShapeError` where two different variables have the same name.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> a, x = variable("A", ("A_1", "A_2")), variable("x", ("A_2",))
    >>> format_problem(einsum("ij,j->i", a, x))
    'declare A 2 x 1 expression A *(ij,j->i) x'
    """
    declared = _declared(term, (*scope, *wrt))
    layout = Layout(term, declared)
    annotated = _annotated(layout)
    parts = ["declare"]
    for place, variable in enumerate(declared):
        name, assumptions = variable.name, variable.assumed
        shape = format_sizes(variable.dims) if place in annotated else f" {variable.order}"
        parts.append(f" {format_name(name)}{shape}{_assumed(assumptions)}")
    separator = "\n" if layout.names else " "
    for place, name in layout.names.items():
        parts.append(f"{separator}let {name} = ")
        parts.extend(layout.text(place, annotated, layout.names))
    parts.append(f"{separator}expression ")
    parts.extend(layout.text(layout.root, annotated, layout.names))
    if wrt:
        parts.append(f"{separator}derivative")
        parts.extend(f" wrt {format_name(_name(variable))}" for variable in wrt)
    return "".join(parts)


def _assumed(assumptions: Sequence[str]) -> str:
    words = (word if word in ASSUMPTIONS else quoted(word) for word in stated(assumptions))
    return "{" + ", ".join(words) + "}" if assumptions else ""


def _declared(term: Term, scope: Sequence[Term]) -> list[Term]:
    """Every variable once: those of `scope`, then the others.

    A variable whose axes have another's sizes comes after that one, so that its plain
    declaration means the same sizes.
    """
    found = dict.fromkeys(scope)
    names = {_name(variable): variable for variable in variables(term)}
    owners = {
        f"{name}_{i + 1}": variable
        for name, variable in names.items()
        for i in range(variable.order)
    }
    stack = [(variable, False) for variable in reversed(variables(term))]
    begun = set(found)
    while stack:
        variable, ready = stack.pop()
        if ready:
            found[variable] = None
        elif variable not in begun:
            begun.add(variable)
            stack.append((variable, True))
            stack.extend((owners[size], False) for size in variable.dims if size in owners)
    if len({_name(variable) for variable in found}) < len(found):
        names = [_name(variable) for variable in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"two different variables are called {twice!r}")
    return list(found)


def _annotated(layout: Layout) -> set[int]:
    """The leaves whose sizes must be written, because reading would infer others."""
    terms = layout.terms
    leaves = [place for place, term in enumerate(terms) if not term.args]
    annotated = {place for place in leaves if terms[place].order > MAXIMAL_ORDER}
    if any(term.op == "selection" for term in terms):
        # The axes of a constant that chooses follow from nothing else.
        annotated |= {p for p in leaves if terms[p].op == "constant" and terms[p].dims}
    for _ in range(2):
        nodes = [
            node if term.args else _given(term, place in annotated)
            for place, (node, term) in enumerate(zip(layout.nodes, terms, strict=True))
        ]
        dims, renamed = infer(nodes, "")
        wrong = {
            place
            for place in leaves
            if dims[place] != terms[place].dims or not _mentioned(terms[place]).isdisjoint(renamed)
        }
        if not wrong:
            return annotated
        annotated |= wrong
    return annotated.union(place for place in leaves if terms[place].dims)


def _mentioned(leaf: Term) -> frozenset[object]:
    """The size symbols that a leaf's text has beside its axes."""
    if leaf.op == "indicator":
        return frozenset[object](mentioned_sizes(leaf.constraints))
    return frozenset([leaf.data] if leaf.op == "size" else [])


def _given(term: Term, annotated: bool) -> Node:
    """What the text of a leaf tells the inference."""
    order = term.order if annotated or term.op != "constant" else None
    sizes: Dims | None = None
    if annotated or term.op in ("array", "indicator"):
        sizes = term.dims[: term.order // 2] if term.op == "delta" else term.dims
    elif term.op == "variable":
        sizes = tuple(f"{_name(term)}_{axis}" for axis in range(1, term.order + 1))
    placed = None if sizes is None else tuple((size, 0) for size in sizes)
    return Node(term.op, term.data, (), 0, order, placed)


def _name(variable: Term) -> str:
    return variable.name
