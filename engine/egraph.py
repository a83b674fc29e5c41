"""The only file that talks to egglog: rules in, terms in, one iteration at a time, classes out."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import cloudpickle  # pyright: ignore[reportMissingTypeStubs]
from egglog import bindings

from eggrad.engine.encoding import Encoded, decode, encode
from eggrad.engine.errors import EggradError
from eggrad.engine.language import (
    CONSTRUCTORS,
    Call,
    Law,
    Literal,
    Node,
    Parameter,
    Tensor,
)
from eggrad.engine.mirror import Same, mirrored
from eggrad.engine.rule import Ruleset
from eggrad.engine.spec import Dims, output_dims
from eggrad.engine.term import ELEMENTWISE, Term, postorder

__all__ = ["EGraph", "Iteration", "Row"]

# parse_program is quadratic in the length of its text.
CHUNK = 20

def _own(d: Dims) -> Dims:
    return d


def _twice(d: Dims) -> Dims:
    return d + d


def _scalar(_: object) -> Dims:
    return ()


def _quotient(a: Dims, b: Dims) -> Dims:
    return a or b


def _cofactors(k: int, a: Dims) -> Dims:
    return a * k


# How the dims of each constructor's terms follow from its arguments (their places).
SHAPES: dict[str, tuple[Callable[..., object], tuple[int, ...]]] = {
    "constant": (_own, (1,)),
    "delta": (_twice, (0,)),
    "size": (_scalar, (0,)),
    "ein": (output_dims, (0, 1, 2)),
    "ein1": (output_dims, (0, 1)),
    "scale": (_own, (1,)),
    "add": (_own, (0,)),
    "subtract": (_own, (0,)),
    "negate": (_own, (0,)),
    "divide": (_quotient, (0, 1)),
    "power": (_own, (0,)),
    "function": (_own, (1,)),
    "slope": (_own, (1,)),
    "inv": (_own, (0,)),
    "det": (_scalar, (0,)),
    "adj": (_own, (0,)),
    "cofactors": (_cofactors, (0, 1)),
}
PLACED = tuple(name for name in CONSTRUCTORS if "Tensor" in CONSTRUCTORS[name])


@dataclass(frozen=True)
class Row:
    """An e-node as egglog holds it: constructor, decoded arguments, class of the result."""

    constructor: str
    data: tuple[object, ...]
    children: tuple[int, ...]
    output: int
    retired: bool


@dataclass(frozen=True)
class Iteration:
    """What one iteration did: whether anything changed, and the matches of each rule."""

    changed: bool
    matches: dict[str, int]


class EGraph:
    """An e-graph with rules loaded; `push` and `pop` bracket each use of it."""

    def __init__(self, rulesets: Iterable[Ruleset]) -> None:
        """Declare the sorts and load the rules."""
        self._egraph = bindings.EGraph()
        self._names: dict[Term, str] = {}
        self._literals: dict[object, str] = {}
        commands = ["(sort Tensor)", "(function dims (Tensor) PyObject :no-merge)"]
        for name, sorts in CONSTRUCTORS.items():
            arguments = " ".join(_egglog_sort(s) for s in sorts)
            commands.append(f"(constructor {name} ({arguments}) Tensor)")
            if name in PLACED:
                commands.append(f"(relation at_{name} (i64 {arguments}))")
        commands.append("(ruleset shapes)")
        commands += [self._shape_rule(name, *shape) for name, shape in SHAPES.items()]
        commands.append("(ruleset settle)")
        commands += [_settle_rule(name) for name in SHAPES if name != "constant"]
        for ruleset in rulesets:
            own = f"rules_{ruleset.name}"
            commands.append(f"(ruleset {own})")
            for rule in ruleset.rules:
                label = f"{ruleset.name}.{rule.name}"
                for k, law in enumerate(mirrored(rule.statement)):
                    head = f'{label}" :ruleset {own}'.replace('"', f'/{k}"', 1)
                    commands.append(self._rule(law, rule.replaces, head))
        self._run(commands)

    # Rules -----------------------------------------------------------------------------------

    def _rule(self, law: Law, replaces: bool, label: str) -> str:
        body = _Body(self)
        left = body.match_root(law.left)
        for c in law.conditions:
            body.emit(c)
        right = body.emit(law.right)
        head = f"(union root {right})" + (f" (subsume {left})" if replaces else "")
        return f'(rule ({body.text}) ({head}) :name "{label})'

    def _shape_rule(self, name: str, function: Callable[..., object], places: tuple[int, ...]) -> str:
        """The rule that gives every term of a constructor its dims."""
        sorts = CONSTRUCTORS[name]
        args = [f"a{i}" for i in range(len(sorts))]
        inner = [f"(dims a{i})" if sorts[i] == "Tensor" else f"a{i}" for i in places]
        call = f"(py-call {self.literal(function)} {' '.join(inner)})"
        body = f"(= root ({name} {' '.join(args)})) (= d {call})"
        return f'(rule ({body}) ((set (dims root) d)) :ruleset shapes :name "shapes.{name}")'

    def combine(self, name: str, rulesets: Iterable[str]) -> None:
        """Let several rulesets, and the shape analysis, run as one."""
        self._run([f"(unstable-combined-ruleset {name} shapes settle {' '.join(f'rules_{r}' for r in rulesets)})"])

    def literal(self, value: object) -> str:
        """A Python value, or a function on values, as egglog text."""
        found = self._literals.get((type(value), value))
        if found is None:
            plain = Encoded(value) if callable(value) else encode(value)
            pickled = cast(bytes, cloudpickle.dumps(plain))  # pyright: ignore[reportUnknownMemberType]
            found = f'(py-object "{b64encode(pickled).decode()}")'
            self._literals[type(value), value] = found
        return found

    # Terms in --------------------------------------------------------------------------------

    def push(self) -> None:
        """Remember the e-graph as it is now."""
        self._run(["(push)"])

    def pop(self) -> None:
        """Go back to the last `push`."""
        self._run(["(pop)"])
        self._names.clear()

    def load(self, *terms: Term) -> None:
        """Add the terms node by node, so that sharing is kept."""
        commands: list[str] = []
        for t in postorder(*terms):
            if t not in self._names:
                name = f"$t{len(self._names)}"
                commands.append(f"(let {name} {self._text(t)})")
                commands.append(f"(set (dims {name}) {self.literal(t.dims)})")
                self._names[t] = name
        self._run(commands)

    def unite(self, pairs: Iterable[tuple[Term, Term]]) -> None:
        """Load and unite two terms of each pair."""
        known = list(pairs)
        self.load(*(t for pair in known for t in pair))
        self._run([f"(union {self._names[a]} {self._names[b]})" for a, b in known])

    def add_derivative(self, term: Term, x: Term) -> str:
        """Ask for a derivative; return the name of its class."""
        wrt = (cast(tuple[str], x.data)[0], x.dims)
        self._run([f"(let $derivative (derivative {self._names[term]} {self.literal(wrt)}))"])
        return "$derivative"

    def add_adjoints(self, root: Term, x: Term, cotangent: Term) -> str:
        """Number the nodes between `root` and `x`; assert the chain rule at each of them.

        The adjoint of a node is the sum of the contributions of its uses (thesis, equation 4.1).
        Adjoints are keyed by node number, never by class: they belong to a place, not a value.
        """
        nodes = list(postorder(root))
        reaches = {x}
        for t in nodes:
            if any(a in reaches for a in t.args):
                reaches.add(t)
        number = {t: i for i, t in enumerate(t for t in nodes if t in reaches)}
        self.load(cotangent)
        uses: dict[Term, list[str]] = {t: [] for t in number}
        commands: list[str] = []
        for t in reversed(number):
            mine = f"(adjoint {number[t]})"
            total = self._names[cotangent] if t is root else _sum(uses[t])
            commands.append(f"(union {mine} {total})")
            commands.append(f"(set (dims {mine}) {self.literal(cotangent_dims(root, t))})")
            for place, a in enumerate(t.args):
                if a in number:
                    uses[a].append(f"(contribution {number[t]} {place})")
            if t.args:
                constructor, arguments = self._parts(t)
                commands.append(f"(at_{constructor} {number[t]} {arguments})")
        self._run(commands)
        self._run([f"(let $adjoint (adjoint {number[x]}))"])
        return "$adjoint"

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
        constructor, arguments = self._parts(t)
        return f"({constructor} {arguments})"

    def _parts(self, t: Term) -> tuple[str, str]:
        a = " ".join(self._names[x] for x in t.args)
        match t.op:
            case "variable":
                name, assume = cast(tuple[str, tuple[str, ...]], t.data)
                return "variable", self.literal((name, t.dims, assume))
            case "constant":
                return "constant", f"{self.literal(t.data)} {self.literal(t.dims)}"
            case "delta":
                return "delta", self.literal(t.dims[: t.order // 2])
            case "size":
                return "size", self.literal(t.data)
            case "einsum":
                return "ein" if len(t.args) == 2 else "ein1", f"{self.literal(t.data)} {a}"
            case "cofactors":
                return "cofactors", f"{self.literal(t.data)} {a}"
            case op if op in ELEMENTWISE:
                return "function", f"{self.literal(op)} {a}"
            case op:
                return op, a

    # Running ---------------------------------------------------------------------------------

    def iterate(self, ruleset: str) -> Iteration:
        """Run one iteration of a ruleset; a run cannot be interrupted, so runs are kept short."""
        (output,) = self._run([f"(run {ruleset} 1)"])
        report = output.report
        matches: dict[str, int] = {}
        for label, n in report.num_matches_per_rule.items():
            if n:
                name = label.partition("/")[0]
                matches[name] = matches.get(name, 0) + n
        return Iteration(report.updated, matches)

    def complete_shapes(self) -> None:
        """Give the newest terms their dims."""
        while self.iterate("shapes").changed:
            pass

    def size(self) -> int:
        """The number of e-nodes."""
        (output,) = self._run(["(print-size)"])
        return sum(n for name, n in output.sizes if name in CONSTRUCTORS)

    def rows(self) -> tuple[list[Row], dict[int, tuple[object, ...]], dict[Any, int]]:
        """Every e-node, the dims of every class, and the class of every `let` name."""
        frozen = self._egraph.freeze()
        number: dict[Any, int] = {}
        objects: dict[Any, object] = {}

        def class_of(v: Any) -> int:
            return number.setdefault(v, len(number))

        def decode(sort: str, v: Any) -> object:
            # Values of different sorts may look equal.
            if (sort, v) not in objects:
                objects[sort, v] = _DECODERS[sort](self._egraph, v)
            return objects[sort, v]

        rows: list[Row] = []
        dims: dict[int, tuple[object, ...]] = {}
        names: dict[Any, int] = {}
        for name, sorts in CONSTRUCTORS.items():
            tensor = tuple(s == "Tensor" for s in sorts)
            for row in frozen.functions[name].rows:
                data, children = [], []
                for is_tensor, sort, v in zip(tensor, sorts, row.inputs, strict=True):
                    if is_tensor:
                        children.append(class_of(v))
                    else:
                        data.append(decode(sort, v))
                output = class_of(row.output)
                rows.append(Row(name, tuple(data), tuple(children), output, row.subsumed))
        for row in frozen.functions["dims"].rows:
            dims[class_of(row.inputs[0])] = cast(tuple[object, ...], decode("Object", row.output))
        for name, function in frozen.functions.items():
            if function.is_let_binding:
                names[name] = class_of(function.rows[0].output)
        return rows, dims, names

    def _run(self, commands: Sequence[str]) -> list[Any]:
        outputs: list[Any] = []
        for i in range(0, len(commands), CHUNK):
            program = self._egraph.parse_program("\n".join(commands[i : i + CHUNK]))
            outputs += self._egraph.run_program(*program)
        return outputs


def cotangent_dims(root: Term, node: Term) -> tuple[object, ...]:
    """The axes of an adjoint: those of the root, then those of the node."""
    return root.dims + node.dims


def _sum(terms: Sequence[str]) -> str:
    total = terms[0]
    for t in terms[1:]:
        total = f"(add {total} {t})"
    return total


def _settle_rule(name: str) -> str:
    """A class that has a constant needs no other member matched: it would feed loops like 2·0."""
    call = f"({name} {' '.join(f'a{i}' for i in range(len(CONSTRUCTORS[name])))})"
    return (
        f"(rule ((= e (constant c n)) (= e {call})) ((subsume {call})) "
        f':ruleset settle :name "settle.{name}")'
    )


def _egglog_sort(sort: str) -> str:
    return "PyObject" if sort == "Object" else sort


_DECODERS: dict[str, Callable[[Any, Any], object]] = {
    "Object": lambda e, v: decode(e.value_to_pyobject(v)),
    "i64": lambda e, v: e.value_to_i64(v),
}


class _Body:
    """The body of one egglog rule: patterns matched, conditions and computed values bound."""

    def __init__(self, egraph: EGraph) -> None:
        self.egraph = egraph
        self.facts: list[str] = []
        self.bound: dict[str, str] = {}
        self.matching = False

    @property
    def text(self) -> str:
        return " ".join(self.facts)

    def match_root(self, left: Tensor) -> str:
        """Match the left side; return its text."""
        if not isinstance(left, Node):
            raise EggradError("the left side of a rule must be a term, not a bare variable")
        self.matching = True
        if left.constructor == "pullback":
            node, place, cotangent = left.args
            inner = cast(Node, node)
            arguments = " ".join(self.emit(a) for a in inner.args)
            text = f"(contribution number {place})"
            self.facts.append(f"(at_{inner.constructor} number {arguments})")
            self.facts.append(f"(= {cast(Parameter, cotangent).name} (adjoint number))")
        else:
            text = self.emit(left)
        self.facts.append(f"(= root {text})")
        self.matching = False
        return text

    def emit(self, pattern: object) -> str:
        """Text of a pattern; what is computed is bound in the body, where failing is allowed."""
        match pattern:
            case Parameter(name=name):
                return name
            case Same(parameter=parameter, value=value):
                self.facts.append(f"(= {parameter.name} {self.emit(value)})")
                return ""
            case Literal(value=value):
                return self.emit(value)
            case Node(constructor=name, args=args):
                return f"({name} {' '.join(self._arguments(args))})"
            case Call(function=None, args=args):
                return self._bind(f"(dims {self.emit(args[0])})")
            case Call(function=function, args=args):
                inner = " ".join(self.emit(a) for a in args)
                return self._bind(f"(py-call {self.egraph.literal(function)} {inner})", partial=True)
            case _:
                return self.egraph.literal(pattern)

    def _arguments(self, args: tuple[object, ...]) -> list[str]:
        """The arguments of a node; a parameter's second occurrence is matched by comparison.

        egglog 13 reads deleted rows when one pattern row repeats a variable.
        """
        found = [self.emit(a) for a in args]
        if self.matching:
            for k, name in enumerate(found):
                if isinstance(args[k], Parameter) and name in found[:k]:
                    found[k] = twin = f"{name}_twin{len(self.facts)}"
                    self.facts.append(f"(= {name} (ordering-min {name} {twin}))")
                    self.facts.append(f"(= {name} (ordering-max {name} {twin}))")
        return found

    def _bind(self, call: str, partial: bool = False) -> str:
        name = self.bound.get(call)
        if name is None:
            name = self.bound[call] = f"v{len(self.bound)}"
            self.facts.append(f"(= {name} {call})")
            if partial:
                self.facts.append(f"(!= {name} {self.egraph.literal(None)})")
        return name
