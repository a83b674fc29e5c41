"""The only file that talks to egglog: rules and terms in, an iteration at a time, e-classes out."""

from collections import ChainMap
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, cast

from eggrad.engine.egraph.bindings import bindings
from eggrad.engine.egraph.compile_rules import (
    DELETION,
    KNOWN,
    SHAPES,
    SORTS,
    STABLE,
    Relevance,
    combined,
    declarations,
    decode,
    fact_rule,
    law_rules,
    literal,
    property_text,
    settling_of,
    shape_of,
    symbols_made,
    symbols_of,
    symbols_of_parts,
    table,
    table_of,
    tables_of,
    widening_rules,
)
from eggrad.engine.errors import EngineFailure
from eggrad.engine.extraction.snapshot import Contents, Row
from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.language import CONSTRUCTORS
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.terms.term import Parts, Term, is_multiple, parts, parts_as_written, postorder

# What one iteration of an e-graph did.


@dataclass(frozen=True)
class Iteration:
    """Whether anything changed, the matches of each rule, and if asked for its seconds."""

    changed: bool
    matches: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict[str, float])


def read_iteration(report: Any, timed: bool = False) -> Iteration:
    """What egglog tells of a run, in which a rule's name ends with the number of its variant.

    egglog 13 reports no seconds below a millisecond.
    """
    matches: dict[str, int] = {}
    for label, n in report.num_matches_per_rule.items():
        if n:
            name = label.partition("/")[0]
            matches[name] = matches.get(name, 0) + n
    seconds: dict[str, float] = {}
    if timed:
        # What egglog 13 calls a microsecond is a thousand of them.
        unit = 1000 if version("egglog").startswith("13.") else 1
        for label, time in report.search_and_apply_time_per_rule.items():
            name = label.partition("/")[0]
            seconds[name] = seconds.get(name, 0.0) + time.total_seconds() * unit
    return Iteration(report.updated, matches, seconds)


# No names.
NOTHING: Final = MappingProxyType[Term, str]({})

# Where the exceptions come from that panics of Rust are; they are no `Exception`.
PANICS = "pyo3_runtime"

# parse_program is quadratic in the length of its text.
CHUNK = 20

# Stages of our own: dims, and e-classes that are defined at more values.
SHAPING = "shape"
WIDENING = "widen"
# The stage that rules of functions declared by a user join.
DIFFERENTIATING = "differentiate"
# What is loaded of a law: that it unites e-classes or concludes, or that one e-class is wider.
LAW, WIDER = "law", "wider"


class _Known(Container[tuple[str, int]]):
    """Properties of e-classes, read when the first is asked for."""

    def __init__(self, read: Callable[[], frozenset[tuple[str, int]]]) -> None:
        self._read = read

    @cached_property
    def _facts(self) -> frozenset[tuple[str, int]]:
        return self._read()

    def __contains__(self, key: object) -> bool:
        return key in self._facts


class EGraph:
    """An e-graph and the rules that can match in it; `push` and `pop` bracket each use of it."""

    def __init__(self, relevance: Relevance) -> None:
        """Declare the sorts; rules are loaded as soon as what they match may occur."""
        self._egraph = bindings.EGraph()
        self._relevance = relevance
        self._symbols = frozenset[str]()
        # What is loaded: tables and laws, each with its commands; laws have rulesets of their own,
        # of which stages are combined.
        self._parts: dict[str, tuple[str, ...]] = {}
        self._kept: list[tuple[int, frozenset[str], dict[str, tuple[str, str]]]] = []
        self._rulesets: dict[str, str] = {}
        self._stages: dict[str, tuple[str, str]] = {}
        # What the last `pop` took away, to be there again at the next `push`.
        self._lost: list[str] = []
        self._versions = 0
        # Commands that are run before the next ones.
        self._waiting: list[str] = []
        # Rulesets of this use alone, and stages that are over in it.
        self._declared: list[str] = []
        self._over: set[str] = set()
        self.abandoned = False
        self._names: dict[Term, str] = {}
        self._bound = 0
        self._classes: dict[Any, int] = {}
        self._objects: dict[Any, object] = {}
        commands = list(declarations())
        self._add_tables(["constant"], commands)
        self._run(commands)

    # Rules in --------------------------------------------------------------------------------

    def occur(self, symbols: Iterable[str]) -> None:
        """Let the rules run that can match where some symbols occur."""
        if self._symbols.issuperset(symbols):
            return
        self._symbols = self._symbols.union(symbols)
        commands: list[str] = []
        for name, rulesets in self._rulesets_for(self._symbols).items():
            text = " ".join(rulesets)
            if name not in self._over and self._stages.get(name, ("", None))[1] != text:
                self._versions += 1
                self._stages[name] = f"{name}_{self._versions}", text
                commands.append(combined(*self._stages[name]))
        self._run(commands)

    def _rulesets_for(self, symbols: frozenset[str]) -> dict[str, list[str]]:
        """The names in egglog of what can match in each stage, all of it loaded."""
        found = self._relevance.select(symbols)
        constructors = [c for c in SHAPES if c in symbols]
        commands: list[str] = []
        self._add_tables(constructors, commands)
        self._run(commands)
        shapes = [shape_of(c) for c in constructors]
        shared = [*shapes, *map(settling_of, constructors)]
        # Nothing is a constant there but what is so at once, and declared functions have slopes.
        around = {DIFFERENTIATING: [*shapes, *self._declared]}
        stages = {
            n: [*around.get(n, shared), *self._loaded(LAW, laws)]
            for n, laws in found.stages.items()
        }
        return {**stages, SHAPING: shapes, WIDENING: self._loaded(WIDER, found.widening)}

    def _loaded(self, kind: str, laws: Iterable[Rule | Fact]) -> list[str]:
        """The names in egglog of some laws, which are loaded if they are not there."""
        commands: list[str] = []
        found: list[str] = []
        for law in laws:
            name = f"{kind} {law.ruleset}.{law.name}"
            if name not in self._parts:
                self._add_tables(tables_of(law), commands)
                self._rulesets[name] = ruleset = f"{kind}_{len(self._parts)}"
                self._add(name, self._rules_of(kind, law, ruleset), commands)
            found.append(self._rulesets[name])
        self._run(commands)
        return found

    def _rules_of(self, kind: str, law: Rule | Fact, ruleset: str) -> Iterator[str]:
        if isinstance(law, Fact):
            return fact_rule(law, self._relevance.facts, ruleset)
        return (law_rules if kind == LAW else widening_rules)(law, ruleset)

    def _add_tables(self, names: Iterable[str], commands: list[str]) -> None:
        for name in names:
            if name not in self._parts:
                self._add(name, table(name), commands)

    def _add(self, name: str, lines: Iterable[str], commands: list[str]) -> None:
        """Add a table, or the rules of a law, by a name that they do not have twice."""
        self._parts[name] = tuple(lines)
        commands += self._parts[name]

    # Terms in --------------------------------------------------------------------------------

    def push(self, symbols: Iterable[str] = (), relevance: Relevance | None = None) -> None:
        """Remember the e-graph as it is now; what is loaded next is made of some symbols.

        `relevance` may be another one from here on: of the same facts, and of other laws.
        """
        self._relevance = relevance or self._relevance
        self._run(self._lost)
        self._lost.clear()
        # What is loaded before outlasts `pop`.
        self._rulesets_for(self._symbols.union(symbols))
        self._run(["(push)"])
        self._kept.append((len(self._parts), self._symbols, dict(self._stages)))
        self.occur(symbols)

    def declare(self, rules: Sequence[Rule]) -> None:
        """Add rules of differentiation until the next `pop`."""
        for rule in rules:
            commands: list[str] = []
            self._add_tables(tables_of(rule), commands)
            self._declared.append(f"declared_{len(self._declared)}")
            self._run([*commands, *law_rules(rule, self._declared[-1])])
        self.occur({s for rule in rules for s in symbols_made(rule)})

    def abandon(self) -> None:
        """Say that an error was met, after which it may lack matches: it is not used again."""
        self.abandoned = True

    def drop(self) -> None:
        """Let egglog's part go: only the thread that made it may, and errors keep the rest."""
        del self._egraph

    def pop(self) -> None:
        """Go back to the last `push`; the rules that were loaded since then are there to stay."""
        self._run(["(pop)"])
        known, self._symbols, self._stages = self._kept.pop()
        added = islice(self._parts.values(), known, None)
        self._lost += [command for part in added for command in part]
        if self._kept:
            self._run(self._lost)
            self._lost.clear()
        self._names.clear()
        self._declared.clear()
        self._over.clear()
        self._classes.clear()
        self._objects.clear()

    def restart(self, *terms: Term) -> Mapping[Term, str]:
        """Go back to the last `push`, with other terms; what is over stays so."""
        over = set(self._over)
        self.pop()
        self._over = over
        self.push(symbols_of(*terms))
        return self.load(*terms)

    def load(
        self, *terms: Term, as_written: bool = True, given: Mapping[Term, str] = NOTHING
    ) -> Mapping[Term, str]:
        """Add the terms node by node, so that sharing is kept; return the names of all nodes.

        A product with a number is a product at first, as rules make them; or a multiple at once.
        What is `given` has a name already, that of another e-class than its own.
        """
        commands: list[str] = []
        symbols: set[str] = set()
        local = dict(given)
        names = ChainMap(local, self._names)
        for t in postorder(*terms, operands=lambda t: () if t in given else t.args):
            # What is made of something given has another e-class here than elsewhere.
            kept = local if any(a in local for a in t.args) and t not in given else self._names
            if t not in kept and t not in given:
                known = parts_as_written(t) if as_written else parts(t)
                symbols.update(symbols_of_parts(known, t.dims))
                self._add_tables(known[:1], commands)
                kept[t] = self._bind(self._text(known, names), commands, t.dims)
        self._run(commands)
        self.occur(symbols)
        return names

    def add(self, constructor: str, arguments: Iterable[object], dims: Dims) -> str:
        """Add an e-node whose operands are names, all else data; return its name."""
        self.occur({constructor})
        self._add_tables([constructor], self._waiting)
        pairs = zip(SORTS[constructor], arguments, strict=True)
        text = " ".join(str(a) if sort == "Tensor" else literal(a) for sort, a in pairs)
        return self._bind(f"({table_of(constructor)} {text})", self._waiting, dims)

    def add_seed(self, dims: Dims) -> str:
        """The name of a new leaf of which no law knows anything."""
        return self.add("seed", (self._bound,), dims)

    def _bind(self, text: str, commands: list[str], dims: Dims) -> str:
        """Give the e-class of a text a name, and its dims."""
        name = f"(named {self._bound})"
        self._bound += 1
        commands += [f"(set {name} {text})", f"(set (dims {name}) {literal(dims)})"]
        return name

    def unite(self, pairs: Iterable[tuple[Term, Term]], as_written: bool = True) -> None:
        """Load and unite two terms of each pair."""
        known = list(pairs)
        self.load(*(t for pair in known for t in pair), as_written=as_written)
        self._run([f"(union {self._names[a]} {self._names[b]})" for a, b in known])

    def mark_stable(self, terms: Iterable[Term]) -> None:
        """Say of loaded terms that they lose no digits, and of those that they are multiples of."""
        commands: list[str] = []
        every = [*terms]
        for t in every:
            if is_multiple(t):
                every.append(t.args[1])
            known = parts(t)
            self._add_tables([f"{STABLE}_{known[0]}"], commands)
            commands.append(f"({STABLE}_{' '.join(self._written(known, self._names))})")
        self._run(commands)

    def rules_of(self, stage: str) -> str:
        """The names in egglog of a stage's rules, as far as they can match."""
        return self._stages[stage][1]

    def name(self, term: Term) -> str:
        """The name of a loaded term."""
        return self._names[term]

    def unite_names(self, a: str, b: str) -> None:
        """Unite two named e-classes."""
        self._waiting.append(f"(union {a} {b})")

    def _text(self, known: Parts, names: Mapping[Term, str]) -> str:
        return f"({' '.join(self._written(known, names))})"

    @staticmethod
    def _written(known: Parts, names: Mapping[Term, str]) -> tuple[str, str]:
        """The constructor and its arguments."""
        constructor, data, operands = known
        return table_of(constructor), " ".join([*map(literal, data), *(names[a] for a in operands)])

    # Running ---------------------------------------------------------------------------------

    def iterate(self, *stages: str, timed: bool = False) -> list[Iteration]:
        """Run one iteration of each stage; a run cannot be interrupted, so runs are kept short.

        `timed` asks for each rule's seconds as well. Facts, which make no e-nodes, are not counted.
        """
        outputs = self._run([f"(run-schedule (run {self._stages[s][0]}))" for s in stages])
        found = [read_iteration(output.report, timed) for output in outputs]
        self.occur(self._relevance.made_by(name for one in found for name in one.matches))
        for one in found:
            for name in self._relevance.fact_names & one.matches.keys():
                del one.matches[name]
        return found

    def are_equal(self, a: str, b: str) -> bool:
        """Whether two names are those of one e-class."""
        frozen = self._frozen()
        rows = frozen.functions["named"].rows
        found = {f"(named {self._egraph.value_to_i64(r.inputs[0])})": r.output for r in rows}
        return found[a] == found[b]

    def end_differentiating(self) -> None:
        """Delete derivatives, slopes and what is passed on: what laws made of them stays."""
        self._over.add(DIFFERENTIATING)
        self._run([f"(run-schedule (run {DELETION}))"])

    def loaded(self) -> Mapping[Term, str]:
        """The terms that are loaded, with their names."""
        return MappingProxyType(self._names)

    def delete(self, terms: Collection[Term]) -> None:
        """Delete the e-nodes of some loaded terms, each the only one of its e-class."""
        nodes = [self._text(parts_as_written(t), self._names) for t in terms]
        nodes += [f"(dims {self._names[t]})" for t in terms]
        self._run([f"(delete {node})" for node in nodes])
        for t in terms:
            del self._names[t]

    def complete_shapes(self) -> None:
        """Give the newest terms their dims."""
        while self.iterate(SHAPING)[0].changed:
            pass

    def size(self) -> int:
        """The number of e-nodes."""
        (output,) = self._run(["(print-size)"])
        tables = set(map(table_of, CONSTRUCTORS))
        return sum(n for name, n in output.sizes if name in tables)

    def class_count(self) -> int:
        """The number of e-classes whose shape is known: of the newest ones it is not yet."""
        (output,) = self._run(["(print-size dims)"])
        return int(output.size)

    def widen(self) -> Iteration:
        """Find the e-classes that have a wider one."""
        (found,) = self.iterate(WIDENING)
        return found

    def assume(self, facts: Iterable[tuple[str, Term]]) -> None:
        """Take a property of each of some loaded terms for known."""
        known = [(p, self._names[t]) for p, t in facts]
        self._run([f"(known {property_text(p)} {name})" for p, name in known])
        self.occur({KNOWN + p for p, _ in known})

    def rows(
        self,
        numbers: dict[Any, int] | None = None,
        constructors: Mapping[str, tuple[str, ...]] = CONSTRUCTORS,
    ) -> Contents:
        """What the e-graph holds, made by some constructors.

        An e-class keeps its number until it is united with another, whose number it may get. Who
        looks on brings `numbers` of its own, so that nothing depends on its having looked.
        """
        functions = self._frozen().functions
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
        for name, sorts in constructors.items():
            if table_of(name) not in functions:
                continue
            tensor = tuple(s == "Tensor" for s in sorts)
            marked_rows = functions.get(f"{STABLE}_{table_of(name)}")
            stable = {tuple(row.inputs) for row in marked_rows.rows} if marked_rows else ()
            for row in functions[table_of(name)].rows:
                data, children = [], []
                for is_tensor, sort, v in zip(tensor, sorts, row.inputs, strict=True):
                    if is_tensor:
                        children.append(class_of(v))
                    else:
                        data.append(value(sort, v))
                output = class_of(row.output)
                marked = tuple(row.inputs) in stable
                rows.append(Row(name, tuple(data), tuple(children), output, row.subsumed, marked))
        for row in functions["dims"].rows:
            dims[class_of(row.inputs[0])] = cast(tuple[object, ...], value("Object", row.output))
        for row in functions["named"].rows:
            k = self._egraph.value_to_i64(row.inputs[0])
            names[f"(named {k})"] = class_of(row.output)
        facts = _Known(
            lambda: frozenset(
                (str(value("String", row.inputs[0])), class_of(row.inputs[1]))
                for row in functions["known"].rows
            )
        )
        wider = sorted(
            (class_of(a), class_of(b), bool(self._egraph.value_to_i64(for_code)))
            for a, b, for_code in (row.inputs for row in functions["wider"].rows)
        )
        return Contents(
            rows, dims, names, facts, [widening for widening in wider if widening[0] != widening[1]]
        )

    def _frozen(self) -> Any:
        """What egglog holds now."""
        self._run(())
        return self._egraph.freeze()

    def _run(self, commands: Sequence[str]) -> list[Any]:
        if self._waiting:
            commands = [*self._waiting, *commands]
            self._waiting.clear()
        outputs: list[Any] = []
        for i in range(0, len(commands), CHUNK):
            program = self._egraph.parse_program("\n".join(commands[i : i + CHUNK]))
            try:
                outputs += self._egraph.run_program(*program)
            except BaseException as error:
                if type(error).__module__ == PANICS:
                    raise EngineFailure(f"egglog failed; please report this: {error}") from error
                raise
        return outputs


_DECODERS: dict[str, Callable[[Any, Any], object]] = {
    "Object": lambda e, v: decode(e.value_to_pyobject(v)),
    "String": lambda e, v: decode(e.value_to_string(v)),
    "i64": lambda e, v: e.value_to_i64(v),
}
