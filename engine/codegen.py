"""Terms as straight-line Python over NumPy arrays."""

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, cast

import numpy as np

from eggrad.engine import spec as specs
from eggrad.engine.binding import Array, bind, concrete, name_of, symbols
from eggrad.engine.contraction import Value, product, wrapped
from eggrad.engine.spec import Size, Spec
from eggrad.engine.term import Term, postorder, variables

__all__ = ["Compiled", "compile_terms"]

_INFIX: Final = {"add": "+", "subtract": "-", "divide": "/"}
_MATRIX: Final = {
    "inv": "inverse({x})",
    "det": "np.linalg.det({x})",
    "adj": "adjugate({x})",
    "cofactors": "cofactors({k}, {x})",
}
_NUMERIC: Final = {
    "expm1": "np.expm1({x})",
    "log1p": "np.log1p({x})",
    "sinh": "np.sinh({x})",
    "cosh": "np.cosh({x})",
    "log_cosh": "stable.log_cosh({x})",
    "softplus": "stable.softplus({x})",
    "sigmoid": "stable.sigmoid({x})",
    "log1mexp": "stable.log1mexp({x})",
    "logaddexp": "np.logaddexp({x}, {y})",
    "exp_difference": "stable.exp_difference({x}, {y})",
    "hypot": "np.hypot({x}, {y})",
}
_WHOLE: Final = {
    "logsumexp": "stable.log_sum_exp({x}, {k})",
    "norm": "stable.norm({x}, {k})",
    "logdet": "stable.log_determinant({x}, {k})",
    "solve": "stable.solve({x}, {y})",
}
_POWERS: Final = {
    Fraction(1): "{x}",
    Fraction(2): "{x} * {x}",
    Fraction(3): "{x} * {x} * {x}",
    Fraction(-1): "1.0 / {x}",
    Fraction(-2): "1.0 / ({x} * {x})",
    Fraction(1, 2): "np.sqrt({x})",
    Fraction(-1, 2): "1.0 / np.sqrt({x})",
}
_RESERVED: Final = frozenset({"np", "compiled", "inverse", "adjugate", "cofactors", "stable"})
_HEADER: Final = (
    "import numpy as np\n"
    "from eggrad.engine import stable_functions as stable\n"
    "from eggrad.engine.matrix_functions import adjugate, cofactors, inverse\n\n\n"
)


class Compiled:
    """A function of keyword arrays that returns a list of arrays, one for each root.

    `source` is its Python text. Size symbols that no array fixes are further keywords; names that
    the terms do not contain are ignored. A call raises `UnknownVariable` for a missing value or
    size and `ShapeError` for a wrong shape. Floating-point warnings are off.
    """

    source: str

    def __init__(
        self, roots: Sequence[Term], scope: Iterable[Term], sizes: Mapping[str, int]
    ) -> None:
        """Generate and compile; `compile_terms` says what the arguments are."""
        self._variables = variables(*roots)
        self._scope = tuple(scope)
        self._defaults = dict(sizes)
        self._symbols = symbols(*roots, *self._scope)
        names = {name_of(v) for v in (*self._variables, *self._scope)}
        self._sizes = tuple(s for s in self._symbols if s not in names)
        writer = _Writer(self._variables, self._symbols)
        self.source, self._used = writer.source(writer.run(roots))
        namespace: dict[str, Any] = {}
        exec(compile(self.source, "<eggrad>", "exec"), namespace)
        self._function: Callable[..., list[Any]] = namespace["compiled"]

    def __call__(self, /, **values: Any) -> list[Array]:
        """The value of each root."""
        given = {s: values[s] for s in self._sizes if s in values}
        known = self._defaults.keys() | given.keys()
        # A variable that only fixes sizes need not have a value where the sizes are given.
        needed = [
            v for v in self._scope if name_of(v) in values or not known.issuperset(symbols(v))
        ]
        arrays, found = bind((*self._variables, *needed), values, given)
        sizes = self._defaults | found
        inputs = [arrays[name] for name in dict.fromkeys(map(name_of, self._variables))]
        with np.errstate(all="ignore"):
            results = self._function(*inputs, *concrete(self._used, sizes))
        return [_owned(np.asarray(r), inputs) for r in results]

    def __repr__(self) -> str:
        """Show the keywords."""
        return f"<compiled function of {', '.join(name_of(v) for v in self._variables)}>"


def compile_terms(
    roots: Sequence[Term], scope: Iterable[Term] = (), sizes: Mapping[str, int] | None = None
) -> Compiled:
    r"""A function that evaluates all roots and shares their work.

    `scope` has further variables, whose shapes fix sizes that the roots mention; `sizes` gives
    the sizes that are then still open.

    >>> from eggrad.engine.term import einsum, variable
    >>> f = compile_terms([einsum("ij,j->i", variable("A", ("m", "n")), variable("x", ("n",)))])
    >>> print(f.source.partition("\n\n\n")[2])
    def compiled(A, x):
        t1 = A @ x
        return [t1]
    <BLANKLINE>
    >>> f(A=[[1, 2], [3, 4]], x=[1, 0])
    [array([1., 3.])]
    """
    return Compiled(roots, scope, sizes or {})


class _Writer:
    """Collects one statement a node, then writes them out with a `del` after each last use."""

    def __init__(self, variables: Sequence[Term], sizes: Sequence[str]) -> None:
        taken: set[str] = set()
        self._variables = variables
        self._names = {n: _identifier(n, taken) for n in dict.fromkeys(map(name_of, variables))}
        self._sizes = {s: _identifier(s, taken) for s in sizes}
        self._used: set[str] = set()
        self._lines: list[tuple[str, str, set[str]]] = []
        self._temporaries: set[str] = set()

    def _emit(self, text: str, uses: Sequence[Value]) -> str:
        name = f"t{len(self._lines) + 1}"
        self._lines.append((name, text, {v.text for v in uses} & self._temporaries))
        self._temporaries.add(name)
        return name

    def _size(self, d: Size) -> str:
        if isinstance(d, int):
            return str(d)
        self._used.add(d)
        return self._sizes[d]

    def run(self, roots: Sequence[Term]) -> list[tuple[Term, Value]]:
        """Write the statements of every node; return the roots' values."""
        done: dict[Term, Value] = {}
        for node in postorder(*roots):
            done[node] = self._node(node, [done[a] for a in node.args])
        return [(r, done[r]) for r in roots]

    def _node(self, node: Term, args: list[Value]) -> Value:
        full = (True,) * node.order
        match node.op:
            case "variable":
                return Value(self._names[name_of(node)], full)
            case "constant":
                text = _literal(cast(Fraction, node.data))
                return Value(text, (False,) * node.order, literal=True)
            case "size":
                return Value(self._emit(f"np.float64({self._size(cast(str, node.data))})", []))
            case "delta" if not node.dims:
                return Value("1.0", literal=True)
            case "delta":
                return Value(self._emit(self._delta(node), []), full)
            case "einsum":
                spec = cast(Spec, node.data)
                lengths = specs.sizes(spec, *(a.dims for a in node.args))
                return product(spec, args, lambda i: self._size(lengths[i]), self._emit)
            case "power":
                return self._power(node.args[1], args)
            case "inv" | "det" | "adj" | "cofactors":
                matrix = self.result(node.args[0], args[0])
                call = _MATRIX[node.op].format(x=matrix, k=node.data)
                return Value(self._emit(call, args), full)
            case name if name in _WHOLE:
                arrays = [self.result(*pair) for pair in zip(node.args, args, strict=True)]
                call = _WHOLE[name].format(x=arrays[0], y=arrays[-1], k=_detail(node))
                return Value(self._emit(call, args), full)
            case name:
                return self._elementwise(name, args, full)

    def _delta(self, node: Term) -> str:
        half = [self._size(d) for d in node.dims[: node.order // 2]]
        identity = f"np.eye({' * '.join(half)})"
        return identity if len(half) == 1 else f"{identity}.reshape({', '.join(half * 2)})"

    def _elementwise(self, name: str, args: list[Value], axes: tuple[bool, ...]) -> Value:
        full = tuple(any(any(a.full) and a.full[k] for a in args) for k in range(len(axes)))
        if name in _INFIX:
            text = f" {_INFIX[name]} ".join(wrapped(args))
        elif name == "negate":
            text = f"-{wrapped(args)[0]}"
        elif name in _NUMERIC:
            first, *rest = wrapped(args)
            text = _NUMERIC[name].format(x=first, y=rest[0] if rest else "")
        elif name == "relu":
            text = f"np.maximum({args[0].text}, 0.0)"
        else:
            text = f"np.{name}({args[0].text})"
        return Value(self._emit(text, args), full)

    def _power(self, exponent: Term, args: list[Value]) -> Value:
        base = args[0]
        if exponent.op != "constant":
            return Value(self._emit(" ** ".join(wrapped(args)), args), base.full)
        number = cast(Fraction, exponent.data)
        if number == 0:
            return Value("1.0", (False,) * len(base.full), literal=True)
        if base.literal:
            base = Value(self._emit(wrapped([base])[0], []), base.full)
        if number == 1:
            return base
        pattern = _POWERS.get(number, f"{{x}} ** {args[1].text}")
        return Value(self._emit(pattern.format(x=base.text), [base]), base.full)

    def result(self, term: Term, value: Value) -> str:
        """The text of the value with all its axes at their full length."""
        if all(value.full):
            return wrapped([value])[0]
        shape = f"({', '.join(self._size(d) for d in term.dims)}{',' * (term.order == 1)})"
        if any(value.full):
            return f"np.broadcast_to({value.text}, {shape})"
        return f"np.full({shape}, {value.text})"

    def source(self, results: Sequence[tuple[Term, Value]]) -> tuple[str, tuple[str, ...]]:
        """The whole text, and the size symbols that are parameters after the variables."""
        returned = [self.result(*r) for r in results]
        origin = {
            d: f"{self._names[name_of(v)]}.shape[{axis}]"
            for v in reversed(self._variables)
            for axis, d in enumerate(v.dims)
        }
        parameters = tuple(sorted(self._used - origin.keys()))
        names = [*self._names.values(), *(self._sizes[s] for s in parameters)]
        lines = [f"def compiled({', '.join(names)}):"]
        lines += [f"    {self._sizes[s]} = {origin[s]}" for s in sorted(self._used & origin.keys())]
        last = {used: k for k, (_, _, uses) in enumerate(self._lines) for used in uses}
        for _, value in results:
            last.pop(value.text, None)
        dying: dict[int, list[str]] = {}
        for name, k in last.items():
            dying.setdefault(k, []).append(name)
        for k, (name, text, _) in enumerate(self._lines):
            lines.append(f"    {name} = {text}")
            if k in dying:
                own = sorted(dying[k], key=lambda t: int(t[1:]))
                lines.append(f"    del {', '.join(own)}")
        return _HEADER + "\n".join([*lines, f"    return [{', '.join(returned)}]", ""]), parameters


def _detail(node: Term) -> object:
    """What a call needs to know beside its arrays: the axes that go, or what a matrix is."""
    if node.op == "logdet":
        return node.data == "positive definite"
    source, kept = cast(Spec, node.data or ((), ()))
    return tuple(k for k, i in enumerate(source) if i not in kept)


def _owned(result: Array, inputs: Sequence[Array]) -> Array:
    """A result that its user may change: a copy where it is a view of an input, or spread out."""
    shared = any(np.may_share_memory(result, a) for a in inputs)
    return result.copy() if shared or not result.flags.writeable else result


def _identifier(name: str, taken: set[str]) -> str:
    """A Python name like `name` that nothing else has."""
    own = unicodedata.normalize("NFKC", name)
    if not own.isidentifier() or own.startswith("__"):
        own = "v_" + re.sub(r"\W", "_", own)
    while own in taken or own in _RESERVED or keyword.iskeyword(own) or re.match(r"t\d+$", own):
        own += "_"
    taken.add(own)
    return own


def _literal(number: Fraction) -> str:
    try:
        text = repr(float(number))
    except OverflowError:
        text = "np.inf" if number > 0 else "-np.inf"
    return f"({text})" if text.startswith("-") else text
