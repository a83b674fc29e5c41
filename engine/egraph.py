"""The only file that talks to egglog: rules in, terms in, one iteration at a time, classes out."""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

from egglog import bindings

from eggrad.engine import compile_rules
from eggrad.engine.constructors import Parts, parts, product_parts
from eggrad.engine.encoding import decode, literal
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.functions import OwnFunction
from eggrad.engine.iteration import Iteration, read_iteration
from eggrad.engine.language import CONSTRUCTORS
from eggrad.engine.own_functions import RULESET, slope_rules, slope_terms
from eggrad.engine.rule import Ruleset
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term, own_functions, postorder

__all__ = ["Contents", "EGraph", "Row"]

# parse_program is quadratic in the length of its text.
CHUNK = 20


class Row(NamedTuple):
    """An e-node as egglog holds it: constructor, decoded arguments, class of the result."""

    constructor: str
    data: tuple[object, ...]
    children: tuple[int, ...]
    output: int
    retired: bool
    stable: bool


class Contents(NamedTuple):
    """An e-graph at one moment: e-nodes, the dims of every class, the class of every name.

    `known` are properties of classes, `wider` pairs of classes of which the second is defined at
    more values than the first, and equal to it where that one is defined.
    """

    rows: list[Row]
    dims: dict[int, tuple[object, ...]]
    names: dict[str, int]
    known: Container[tuple[str, int]] = frozenset()
    wider: tuple[tuple[int, int], ...] = ()


class _Known(Container[tuple[str, int]]):
    """Properties of classes, read when the first is asked for."""

    def __init__(self, read: Callable[[], frozenset[tuple[str, int]]]) -> None:
        self._read = read

    @cached_property
    def _facts(self) -> frozenset[tuple[str, int]]:
        return self._read()

    def __contains__(self, key: object) -> bool:
        return key in self._facts


class EGraph:
    """An e-graph with rules loaded; `push` and `pop` bracket each use of it."""

    def __init__(self, rulesets: Iterable[Ruleset]) -> None:
        """Declare the sorts and load the rules."""
        self._egraph = bindings.EGraph()
        self._names: dict[Term, str] = {}
        self._bound = 0
        self._classes: dict[Any, int] = {}
        self._objects: dict[Any, object] = {}
        # Declared functions by their names.
        self._functions: dict[str, OwnFunction] = {}
        self._differentiates = False
        commands = list(compile_rules.declarations())
        for ruleset in rulesets:
            commands += compile_rules.rules(ruleset)
            self._differentiates |= ruleset.name == RULESET
        self._run(commands)

    def combine(self, name: str, rulesets: Iterable[str]) -> None:
        """Let several rulesets, and the shape analysis, run as one."""
        self._run([compile_rules.combined(name, rulesets)])

    def combine_facts(self, rulesets: Iterable[str]) -> None:
        """Let the facts of several rulesets be looked for together."""
        self._run([compile_rules.combined_facts(rulesets)])

    def conclude(self) -> bool:
        """Look for facts until there are no more, for a class has each once; whether any is new."""
        (output,) = self._run([f"(run-schedule (saturate {compile_rules.FACTS}))"])
        return bool(output.report.updated)

    def literal(self, value: object) -> str:
        """A Python value, or a function on values, as egglog text."""
        return literal(value)

    # Terms in --------------------------------------------------------------------------------

    def push(self) -> None:
        """Remember the e-graph as it is now."""
        self._run(["(push)"])

    def pop(self) -> None:
        """Go back to the last `push`."""
        self._run(["(pop)"])
        self._names.clear()
        self._classes.clear()
        self._objects.clear()
        self._functions.clear()

    def load(self, *terms: Term, differentiable: bool = True) -> None:
        """Add the terms node by node, so that sharing is kept.

        Only a product has a derivative; what is never differentiated has multiples at once.
        """
        commands: list[str] = []
        for t in postorder(*terms):
            if t not in self._names:
                text = self._text(t) if differentiable else self._text_of_multiple(t)
                name = self._bind(text, commands)
                commands.append(f"(set (dims {name}) {literal(t.dims)})")
                self._names[t] = name
                if isinstance(t.data, OwnFunction):
                    self._declare(t.data)
        self._run(commands)

    def _declare(self, function: OwnFunction) -> None:
        """Load the slopes of a declared function, and of those that they mention."""
        if not self._differentiates:
            return
        waiting = [function]
        while waiting:
            own = waiting.pop()
            if own.name in self._functions:
                if self._functions[own.name] is not own:
                    raise UnsupportedOperation(f"two different functions are called {own.name!r}")
                continue
            self._functions[own.name] = own
            self._run([c for rule in slope_rules(own) for c in compile_rules.laws(rule, RULESET)])
            waiting += own_functions(*(t for t in slope_terms(own) if t is not None))

    def _bind(self, text: str, commands: list[str]) -> str:
        """Give the class of a text a name."""
        name = f"(named {self._bound})"
        self._bound += 1
        commands.append(f"(set {name} {text})")
        return name

    def unite(self, pairs: Iterable[tuple[Term, Term]], differentiable: bool = True) -> None:
        """Load and unite two terms of each pair."""
        known = list(pairs)
        self.load(*(t for pair in known for t in pair), differentiable=differentiable)
        self._run([f"(union {self._names[a]} {self._names[b]})" for a, b in known])

    def mark_stable(self, terms: Iterable[Term]) -> None:
        """Say of loaded terms that they lose no digits."""
        self._run([f"(stable_{self._text_of_multiple(t)[1:]}" for t in terms])

    def add_derivative(self, term: Term, x: Term) -> str:
        """Ask for a derivative; return the name of its class."""
        wrt = (x.name, x.dims)
        commands: list[str] = []
        name = self._bind(f"(derivative {self._names[term]} {literal(wrt)})", commands)
        self._run(commands)
        return name

    def add_adjoints(self, root: Term, x: Term, cotangent: Term) -> str:
        """Number the nodes between `root` and `x`; assert the chain rule at each of them.

        `cotangent` is the root's own adjoint: any axes, then those of the root.
        The adjoint of a node is the sum of the contributions of its uses (thesis, equation 4.1).
        Adjoints are keyed by node number, never by class: they belong to a place, not a value.
        """
        self.load(cotangent)
        lead = cotangent.dims[: cotangent.order - root.order]
        return self.add_adjoints_below(root, (x,), self._names[cotangent], lead)[0]

    def add_adjoints_below(
        self, root: Term, wrt: Sequence[Term], adjoint: str, lead: Dims = (), first: int = 0
    ) -> list[str]:
        """The names of the adjoints of some nodes, given the name of the root's own.

        `first` is a number that no node has yet; there are as many more as the root has nodes.
        """
        nodes = list(postorder(root))
        reaches = set(wrt)
        for t in nodes:
            if any(a in reaches for a in t.args):
                reaches.add(t)
        number = {t: i for i, t in enumerate((t for t in nodes if t in reaches), first)}
        uses: dict[Term, list[str]] = {t: [] for t in number}
        commands: list[str] = []
        for t in reversed(number):
            mine = f"(adjoint {number[t]})"
            total = adjoint if t is root else self._total(uses[t], commands)
            commands.append(f"(union {mine} {total})")
            commands.append(f"(set (dims {mine}) {literal(lead + t.dims)})")
            for place, a in enumerate(t.args):
                if a in number:
                    uses[a].append(f"(contribution {number[t]} {place})")
            if t.args:
                constructor, arguments = self._written(t)
                commands.append(f"(at_{constructor} {number[t]} {arguments})")
        names = [self._bind(f"(adjoint {number[x]})", commands) for x in wrt]
        self._run(commands)
        return names

    def _total(self, summands: Sequence[str], commands: list[str]) -> str:
        """A sum, bound step by step: nested text would be as deep as a node has uses."""
        total = summands[0]
        for other in summands[1:]:
            total = self._bind(f"(add {total} {other})", commands)
        return total

    def name(self, term: Term) -> str:
        """The name of a loaded term."""
        return self._names[term]

    def known_name(self, term: Term) -> str | None:
        """The name of a term, if it is loaded."""
        return self._names.get(term)

    def unite_names(self, a: str, b: str) -> None:
        """Unite two named classes."""
        self._run([f"(union {a} {b})"])

    def _text(self, t: Term) -> str:
        return f"({' '.join(self._written(t))})"

    def _text_of_multiple(self, t: Term) -> str:
        return f"({' '.join(self._written(t, parts(t)))})"

    def _written(self, t: Term, known: Parts | None = None) -> tuple[str, str]:
        """The constructor and its arguments; a product as it stands, where nothing else is said."""
        constructor, data, operands = known or (product_parts(t) if t.op == "einsum" else parts(t))
        return constructor, " ".join([*map(literal, data), *(self._names[a] for a in operands)])

    # Running ---------------------------------------------------------------------------------

    def iterate(self, ruleset: str, timed: bool = False) -> Iteration:
        """Run one iteration of a ruleset; a run cannot be interrupted, so runs are kept short.

        `timed` asks for each rule's seconds as well.
        """
        (output,) = self._run([f"(run {ruleset} 1)"])
        return read_iteration(output.report, timed)

    def are_equal(self, a: str, b: str) -> bool:
        """Whether two names are those of one class."""
        frozen = self._egraph.freeze()
        rows = frozen.functions["named"].rows
        found = {f"(named {self._egraph.value_to_i64(r.inputs[0])})": r.output for r in rows}
        return found[a] == found[b]

    def complete_shapes(self) -> None:
        """Give the newest terms their dims."""
        while self.iterate("shapes").changed:
            pass

    def size(self) -> int:
        """The number of e-nodes."""
        (output,) = self._run(["(print-size)"])
        return sum(n for name, n in output.sizes if name in CONSTRUCTORS)

    def class_count(self) -> int:
        """The number of classes whose shape is known: of the newest ones it is not yet."""
        (output,) = self._run(["(print-size dims)"])
        return int(output.size)

    def widen(self) -> Iteration:
        """Find the classes that have a wider one."""
        return self.iterate(compile_rules.WIDENING)

    def assume(self, facts: Iterable[tuple[str, Term]]) -> None:
        """Take a property of each of some loaded terms for known."""
        self._run([f"(known {literal(p)} {self._names[t]})" for p, t in facts])

    def rows(self, numbers: dict[Any, int] | None = None) -> Contents:
        """What the e-graph holds.

        A class keeps its number until it is united with another, whose number it may get. Who
        looks on brings `numbers` of its own, so that nothing depends on its having looked.
        """
        frozen = self._egraph.freeze()
        known = self._classes if numbers is None else numbers

        def class_of(v: Any) -> int:
            return known.setdefault(v, len(known))

        def value(sort: str, v: Any) -> object:
            # Values of different sorts may look equal.
            if (sort, v) not in self._objects:
                self._objects[sort, v] = _DECODERS[sort](self._egraph, v)
            return self._objects[sort, v]

        rows: list[Row] = []
        dims: dict[int, tuple[object, ...]] = {}
        names: dict[str, int] = {}
        for name, sorts in CONSTRUCTORS.items():
            tensor = tuple(s == "Tensor" for s in sorts)
            stable = {tuple(row.inputs) for row in frozen.functions[f"stable_{name}"].rows}
            for row in frozen.functions[name].rows:
                data, children = [], []
                for is_tensor, sort, v in zip(tensor, sorts, row.inputs, strict=True):
                    if is_tensor:
                        children.append(class_of(v))
                    else:
                        data.append(value(sort, v))
                output = class_of(row.output)
                marked = tuple(row.inputs) in stable
                rows.append(Row(name, tuple(data), tuple(children), output, row.subsumed, marked))
        for row in frozen.functions["dims"].rows:
            dims[class_of(row.inputs[0])] = cast(tuple[object, ...], value("Object", row.output))
        for row in frozen.functions["named"].rows:
            k = self._egraph.value_to_i64(row.inputs[0])
            names[f"(named {k})"] = class_of(row.output)
        facts = _Known(
            lambda: frozenset(
                (cast(str, value("Object", row.inputs[0])), class_of(row.inputs[1]))
                for row in frozen.functions["known"].rows
            )
        )
        pairs = (map(class_of, row.inputs) for row in frozen.functions["wider"].rows)
        wider = tuple(sorted((a, b) for a, b in pairs if a != b))
        return Contents(rows, dims, names, facts, wider)

    def _run(self, commands: Sequence[str]) -> list[Any]:
        outputs: list[Any] = []
        for i in range(0, len(commands), CHUNK):
            program = self._egraph.parse_program("\n".join(commands[i : i + CHUNK]))
            outputs += self._egraph.run_program(*program)
        return outputs


_DECODERS: dict[str, Callable[[Any, Any], object]] = {
    "Object": lambda e, v: decode(e.value_to_pyobject(v)),
    "i64": lambda e, v: e.value_to_i64(v),
}
