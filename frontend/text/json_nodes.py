"""Terms as JSON, and back: the nodes of a DAG in order, without loss; nothing in it is run."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import isfinite, prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from eggrad.engine.errors import EggradError, ParseError, UnsupportedOperation
from eggrad.engine.indices.affine import checked_dims
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.spec import Size, Spec, canonical, check
from eggrad.engine.indices.texts import as_float, fraction_of, fraction_text, integer
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS, OwnFunction
from eggrad.engine.terms.loops import AFTER, BEFORE, LAST, recurrence, unused_size
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES, OF_CODE
from eggrad.engine.terms.term import Term, own_functions, postorder, substitute_sizes
from eggrad.frontend.text.words import MAXIMAL_ORDER

FORMAT: Final = "eggrad expression 1"
"""What the texts call themselves; another number would say that they mean something else."""

_SPECIAL: Final = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
# Where something is in a JSON text: keys of objects, and places in lists.
Path = tuple[str | int, ...]


def format_json(root: Term, scope: Sequence[Term] = ()) -> str:
    """The nodes, operands first: each with its operation, data, operands by number, and sizes.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_json(einsum("ij,j->i", A, x)))
    {"format": "eggrad expression 1",
     "nodes": [
      {"op": "variable", "data": {"name": "A", "assume": []}, "args": [], "dims": ["m", "n"]},
      {"op": "variable", "data": {"name": "x", "assume": []}, "args": [], "dims": ["n"]},
      {"op": "einsum", "data": [[0, 1], [1], [0]], "args": [0, 1], "dims": ["m"]}],
     "root": 2,
     "scope": []}
    """
    own_functions(root)
    for node in postorder(root):
        if node.op in OF_CODE:
            raise UnsupportedOperation(f"{node.op} is for generated code, and has no JSON")
    written, numbers = described(root, *scope)
    nodes = ",\n".join(f"  {json.dumps(d, allow_nan=False)}" for d in written)
    places = [numbers[v] for v in scope]
    return (
        f'{{"format": "{FORMAT}",\n "nodes": [\n{nodes}],\n "root": {numbers[root]},\n'
        f' "scope": {places}}}'
    )


def format_terms(groups: Sequence[tuple[Sequence[Term], object]]) -> str:
    """Some terms, of code as well, and what is said of each group of them, for this version.

    >>> from eggrad.engine.terms.term import numeric, variable
    >>> print(format_terms([([numeric("expm1", variable("x"))], "a note")]))
    {"nodes": [{"op": "variable", "data": {"name": "x", "assume": []}, "args": [], "dims": []}, ...
    """
    nodes, numbers = described(*(t for group, _ in groups for t in group))
    found = [{"terms": [numbers[t] for t in group], "said": said} for group, said in groups]
    return json.dumps({"nodes": nodes, "groups": found}, allow_nan=False)


def described(*roots: Term) -> tuple[list[dict[str, Any]], dict[Term, int]]:
    """What is written of each node, and their numbers."""
    numbers: dict[Term, int] = {}
    found: list[dict[str, Any]] = []
    for node in postorder(*roots):
        numbers[node] = len(numbers)
        found.append(
            {
                "op": "function" if isinstance(node.data, OwnFunction) else node.op,
                "data": _data(node),
                "args": [numbers[a] for a in node.args],
                "dims": list(node.dims),
            }
        )
    return found, numbers


def _data(node: Term) -> Any:
    match node.op:
        case "variable":
            return {"name": node.name, "assume": list(node.assumed)}
        case "constant":
            return fraction_text(node.value)
        case "array":
            return [_number(x) for x in node.array.values.ravel().tolist()]
        case "indicator":
            return [[relation, [[*term] for term in f]] for relation, f in node.constraints]
        case "size" | "cofactors" | "argsort":
            return node.data
        case "selection":
            return list(node.chosen)
        case "scan":
            loop, step = node.loop, node.loop.step
            parts = {name: getattr(step, name) for name in _PARTS}
            nodes, numbers = described(*(t for ts in parts.values() for t in ts))
            places = {name: [numbers[t] for t in ts] for name, ts in parts.items()}
            body = {"steps": step.steps, "sizes": list(step.sizes), "nodes": nodes, **places}
            return {**loop._asdict(), "step": body, "sizes": list(loop.sizes)}
        case op if op == "einsum" or op in EXTREMES:
            return [[*part] for part in node.spec]
        case _ if isinstance(node.data, OwnFunction):
            return node.data.name
        case op if op in _WITHOUT_DATA:
            return None
        case _:
            return node.data


_PARTS: Final = ("carries", "slices", "constants", "results")
"""The terms that a step of a loop is made of."""


def _number(x: float) -> float | str:
    return x if isfinite(x) else str(x)


_ARITHMETIC: Final[Mapping[str, Callable[..., Term]]] = {
    "add": terms.add,
    "subtract": terms.subtract,
    "divide": terms.divide,
    "negate": terms.negate,
    "power": terms.power,
}
_WITHOUT_DATA: Final = frozenset(
    {"delta", *_ARITHMETIC, *FUNCTIONS, *MATRIX_FUNCTIONS, *STACK_FUNCTIONS}
)


# Reading -----------------------------------------------------------------------------------


class _WrongError(Exception):
    """What is wrong, and where."""

    def __init__(self, reason: str, *path: str | int) -> None:
        super().__init__(reason)
        self.path = path


def read_json(text: str, functions: Iterable[OwnFunction] = ()) -> tuple[Term, tuple[Term, ...]]:
    """The term and the scope of a text that `format_json` wrote; `functions` are those declared.

    Raises `ParseError`, which shows the place, for all else.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> term = apply("sin", variable("x", ("n",)))
    >>> read_json(format_json(term))[0] is term
    True
    """
    try:
        known = {f.name: f for f in functions}
        return _read(cast(object, json.loads(text, **_HOOKS)), known)
    except json.JSONDecodeError as error:
        raise ParseError(f"this is no JSON: {error.msg}", text, error.pos) from error
    except RecursionError as error:
        raise ParseError("this is no expression: it is nested too deep", text, 0) from error
    except _WrongError as error:
        raise ParseError(str(error), text, _offset(text, error.path)) from error


def read_terms(text: str) -> list[tuple[list[Term], Any]]:
    """The groups of terms of a text that `format_terms` wrote; `ParseError` for all else.

    >>> from eggrad.engine.terms.term import numeric, variable
    >>> term = numeric("logsumexp", variable("x", ("n",)), data=((0,), ()))
    >>> read_terms(format_terms([([term], ["so"])])) == [([term], ["so"])]
    True
    """
    try:
        top = _object(json.loads(text), ("nodes", "groups"))
        made = _nodes(_list(top["nodes"], "nodes"), {}, ("nodes",), _EVERY)
        groups = [_object(group, ("terms", "said")) for group in _list(top["groups"], "groups")]
        return [([_operand(t, made) for t in _list(g["terms"])], g["said"]) for g in groups]
    except (ValueError, TypeError, IndexError, RecursionError, _WrongError) as error:
        raise ParseError(f"these are no terms: {error}", text[:1], 0) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _WrongError(f"the key {twice!r} is there twice")
    return found


def _whole(text: str) -> int:
    value = integer(text.removeprefix("-"))
    return -value if text.startswith("-") else value


def _not_finite(text: str) -> float:
    raise _WrongError(f'JSON has no number {text}; in an array it is "{text.lower()[:4]}"')


_HOOKS: Final[dict[str, Any]] = {
    "object_pairs_hook": _unique,
    "parse_int": _whole,
    "parse_constant": _not_finite,
}


def _read(whole: object, functions: Mapping[str, OwnFunction]) -> tuple[Term, tuple[Term, ...]]:
    top = _object(whole, ("format", "nodes", "root", "scope"))
    if top["format"] != FORMAT:
        raise _WrongError(f"the format is {FORMAT!r}, not {top['format']!r}", "format")
    nodes = _list(top["nodes"], "nodes")
    made = _nodes(nodes, functions, ("nodes",))
    root = _operand(top["root"], made, "root")
    places = _list(top["scope"], "scope")
    scope = tuple(_operand(place, made, "scope", k) for k, place in enumerate(places))
    for k, v in enumerate(scope):
        if v.op != "variable":
            raise _WrongError("the scope has variables only", "scope", k)
    return root, scope


def _nodes(
    nodes: list[Any],
    functions: Mapping[str, OwnFunction],
    path: Path,
    builders: "Mapping[str, Builder] | None" = None,
) -> list[Term]:
    made: list[Term] = []
    for k, described in enumerate(nodes):
        made.append(_node(described, made, functions, builders or _BUILDERS, (*path, k)))
    names: dict[str, Term] = {}
    for k, t in enumerate(made):
        if t.op == "variable" and names.setdefault(t.name, t) is not t:
            raise _WrongError(f"there are two variables {t.name!r}", *path, k)
    return made


def _object(value: object, keys: Sequence[str], *path: str | int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _WrongError(f"an object with the keys {', '.join(keys)} is expected here", *path)
    found = cast(dict[str, Any], value)
    for key in keys:
        if key not in found:
            raise _WrongError(f"the key {key!r} is missing", *path)
    for key in found:
        if key not in keys:
            raise _WrongError(f"the keys are {', '.join(keys)}, not {key!r}", *path, key)
    return found


def _list(value: object, *path: str | int) -> list[Any]:
    if not isinstance(value, list):
        raise _WrongError("a list is expected here", *path)
    return cast(list[Any], value)


def _integer(value: object, *path: str | int) -> int:
    if type(value) is not int:
        raise _WrongError("an integer is expected here", *path)
    return value


def _text(value: object, *path: str | int) -> str:
    if not isinstance(value, str):
        raise _WrongError("a text is expected here", *path)
    return value


def _operand(value: object, made: Sequence[Term], *path: str | int) -> Term:
    place = _integer(value, *path)
    if not 0 <= place < len(made):
        most = f"from 0 to {len(made) - 1}" if made else "of a node before this one"
        raise _WrongError(f"the number of a node is {most}, not {place}", *path)
    return made[place]


def _node(
    described: object,
    made: Sequence[Term],
    functions: Mapping[str, OwnFunction],
    builders: "Mapping[str, Builder]",
    path: Path,
) -> Term:
    fields = _object(described, ("op", "data", "args", "dims"), *path)
    op = _text(fields["op"], *path, "op")
    places = _list(fields["args"], *path, "args")
    args = tuple(_operand(a, made, *path, "args", k) for k, a in enumerate(places))
    dims = _list(fields["dims"], *path, "dims")
    for k, d in enumerate(dims):
        if type(d) is not int and not isinstance(d, str):
            raise _WrongError("a size is a name or an integer", *path, "dims", k)
    if op not in builders:
        raise _WrongError(f"there is no operation {op!r}", *path, "op")
    if op in _WITHOUT_DATA and fields["data"] is not None:
        raise _WrongError(f"{op} has no data, but null", *path, "data")
    wanted = _ARITIES.get(op)
    if wanted is not None and len(args) != wanted:
        raise _WrongError(f"{op} has {wanted} operands, not {len(args)}", *path, "args")
    given = _Given(fields["data"], args, dims, functions, builders, (*path, "data"))
    try:
        found = builders[op](given)
    except EggradError as error:
        raise _WrongError(f"node {path[-1]}: {error}", *path) from error
    if [*found.dims] != dims:
        shown = json.dumps([*found.dims])
        raise _WrongError(f"node {path[-1]}: {op} has the dims {shown} here", *path, "dims")
    return found


class _Given(NamedTuple):
    """What a node is made of; `path` leads to its data."""

    data: Any
    args: tuple[Term, ...]
    dims: list[Any]
    functions: Mapping[str, OwnFunction]
    builders: "Mapping[str, Builder]"
    path: Path


def _variable(given: _Given) -> Term:
    described = _object(given.data, ("name", "assume"), *given.path)
    words = _list(described["assume"], *given.path, "assume")
    for k, word in enumerate(words):
        _text(word, *given.path, "assume", k)
    return terms.variable(_text(described["name"], *given.path, "name"), given.dims, words)


def _constant(given: _Given) -> Term:
    text = _text(given.data, *given.path)
    if not _FRACTION.fullmatch(text):
        raise _WrongError('a constant is a fraction, as "-1/2" or "3"', *given.path)
    return terms.constant(fraction_of(text), given.dims)


_FRACTION: Final = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")


def _array(given: _Given) -> Term:
    numbers: list[float] = []
    for k, x in enumerate(_list(given.data, *given.path)):
        known = _SPECIAL.get(x) if isinstance(x, str) else x
        if isinstance(known, bool) or not isinstance(known, int | float):
            raise _WrongError('a number is expected here, or "nan", "inf", "-inf"', *given.path, k)
        numbers.append(as_float(known) if isinstance(known, int) else known)
    shape = [_integer(d, *given.path[:-1], "dims", k) for k, d in enumerate(given.dims)]
    if any(d < 0 for d in shape) or prod(shape) != len(numbers):
        raise _WrongError(f"{len(numbers)} numbers do not fill an array of its dims", *given.path)
    return terms.array(fixed_array(np.array(numbers, dtype=float).reshape(shape)))


def _delta(given: _Given) -> Term:
    if len(given.dims) % 2:
        raise _WrongError("a delta has its axes twice", *given.path[:-1], "dims")
    return terms.delta(given.dims[: len(given.dims) // 2])


def _indicator(given: _Given) -> Term:
    found: list[Constraint] = []
    for k, constraint in enumerate(_list(given.data, *given.path)):
        parts = _list(constraint, *given.path, k)
        if len(parts) != 2:
            raise _WrongError("a condition is a relation and a form", *given.path, k)
        relation = parts[0]
        if relation not in ("=", ">=") and not (type(relation) is int and relation > 1):
            raise _WrongError('a relation is "=", ">=" or an integer from 2 up', *given.path, k, 0)
        summands = _list(parts[1], *given.path, k, 1)
        form = tuple(
            _summand(t, len(given.dims), (*given.path, k, 1, j)) for j, t in enumerate(summands)
        )
        found.append((relation, form))
    return terms.indicator(given.dims, found)


def _summand(value: object, axes: int, path: Path) -> tuple[int | str, int]:
    pair = _list(value, *path)
    if len(pair) != 2:
        raise _WrongError("a summand is what is multiplied, and a number", *path)
    key = pair[0]
    if not isinstance(key, str) and not (type(key) is int and 0 <= key < axes):
        raise _WrongError("a number multiplies an axis, a size or the empty text", *path, 0)
    return key, _integer(pair[1], *path, 1)


def _size(given: _Given) -> Term:
    return terms.size(_text(given.data, *given.path))


def _spec(given: _Given) -> Spec:
    parts = _list(given.data, *given.path)
    if len(parts) != len(given.args) + 1:
        raise _WrongError("a spec has the indices of the operands and of the result", *given.path)
    for k, part in enumerate(parts):
        for j, i in enumerate(_list(part, *given.path, k)):
            _integer(i, *given.path, k, j)
    return canonical(parts[:-1], parts[-1])


def _einsum(given: _Given) -> Term:
    return terms.einsum(_spec(given), *given.args)


def _extreme(name: str) -> "Builder":
    def build(given: _Given) -> Term:
        spec = _spec(given)
        check(spec)
        if len({*spec[0]}) < len(spec[0]):
            raise _WrongError(
                f"{name} is taken along axes, of which none is there twice", *given.path
            )
        return terms.numeric(name, *given.args, data=spec)

    return build


def _cofactors(given: _Given) -> Term:
    if not 1 <= _integer(given.data, *given.path) <= MAXIMAL_ORDER:
        raise _WrongError(f"the order of a derivative is from 1 to {MAXIMAL_ORDER}", *given.path)
    return terms.cofactors(given.data, *given.args)


def _selection(given: _Given) -> Term:
    sizes = _list(given.data, *given.path)
    for k, d in enumerate(sizes):
        if not isinstance(d, int | str) or isinstance(d, bool):
            raise _WrongError("a size is a text or an integer", *given.path, k)
    if not sizes:
        raise _WrongError("a selection is from one axis at least", *given.path)
    if not given.args:
        raise _WrongError("selection has operands", *given.path[:-1], "args")
    return terms.selection(checked_dims(sizes), *given.args)


def _argsort(given: _Given) -> Term:
    return terms.numeric("argsort", *given.args, data=_integer(given.data, *given.path))


def _scan(given: _Given) -> Term:
    keys = ("step", "sizes", "carry", "part", "backwards", "length")
    data = _object(given.data, keys, *given.path)
    path = (*given.path, "step")
    step = _object(data["step"], ("steps", "sizes", "nodes", *_PARTS), *path)
    inside = _list(step["sizes"], *path, "sizes")
    outside = _list(data["sizes"], *given.path, "sizes")
    symbols = [_text(s, *path, "sizes", k) for k, s in enumerate(inside)]
    if len(symbols) != len(outside):
        raise _WrongError("each size of a step stands for one of the loop", *given.path, "sizes")
    nodes = _list(step["nodes"], *path, "nodes")
    made = _nodes(nodes, given.functions, (*path, "nodes"), given.builders)
    outer_sizes = checked_dims(outside)
    sizes: dict[Size, Size] = dict(zip(symbols, outer_sizes, strict=True))
    # The sizes of the loop may have the name that the number of steps has in the step.
    steps: Size = step["steps"]
    if type(steps) is not int:
        steps = sizes[_text(steps, *path, "steps")] = unused_size((), outer_sizes)
    made = substitute_sizes(made, sizes)
    carries, slices, constants, results = (
        [
            _operand(place, made, *path, name, k)
            for k, place in enumerate(_list(step[name], *path, name))
        ]
        for name in _PARTS
    )
    variables = (*carries, *slices, *constants)
    if any(v.op != "variable" for v in variables) or len({*variables}) < len(variables):
        raise _WrongError("carries, slices and constants are different variables", *path)
    if len(carries) != len(results) or len(variables) != len(given.args):
        raise _WrongError("each carry has a result, and each variable an operand", *path)
    carry, part, backwards = data["carry"], data["part"], data["backwards"]
    if not 0 <= _integer(carry, *given.path, "carry") < len(carries):
        raise _WrongError("carry is the place of one of the carries", *given.path, "carry")
    if part not in (BEFORE, AFTER, LAST):
        raise _WrongError("part is before, after or last", *given.path, "part")
    if not isinstance(backwards, bool):
        raise _WrongError("backwards is true or false", *given.path, "backwards")
    args = iter(given.args)
    places = (
        dict(zip(vs, islice(args, len(vs)), strict=True)) for vs in (carries, slices, constants)
    )
    (length,) = checked_dims([data["length"]])
    found = recurrence(results, steps, *places, length=length, backwards=backwards)
    return found.states(carry, part)


def _function(given: _Given) -> Term:
    name = _text(given.data, *given.path)
    if name not in given.functions:
        raise _WrongError(f"no function is called {name!r}: functions=", *given.path)
    return terms.apply(given.functions[name], *given.args)


def _operation(build: Callable[..., Term], *first: str) -> "Builder":
    return lambda given: build(*first, *given.args)


def _of_code(op: str) -> "Builder":
    return lambda given: terms.numeric(op, *given.args, data=_tuples(given.data))


def _tuples(data: object) -> object:
    return tuple(map(_tuples, cast("list[object]", data))) if isinstance(data, list) else data


Builder = Callable[[_Given], Term]

_BUILDERS: Final[Mapping[str, Builder]] = {
    "variable": _variable,
    "constant": _constant,
    "array": _array,
    "delta": _delta,
    "indicator": _indicator,
    "size": _size,
    "einsum": _einsum,
    "cofactors": _cofactors,
    "selection": _selection,
    "argsort": _argsort,
    "scan": _scan,
    "function": _function,
    **{op: _operation(build) for op, build in _ARITHMETIC.items()},
    **{op: _operation(terms.apply, op) for op in (*ELEMENTWISE, *MATRIX_FUNCTIONS)},
    **{op: _extreme(op) for op in EXTREMES},
    **{op: _operation(terms.numeric, op) for op in STACK_FUNCTIONS},
}
_EVERY: Final[Mapping[str, Builder]] = {**_BUILDERS, **{op: _of_code(op) for op in OF_CODE}}
"""The same, with the operations of code."""
_ARITIES: Final = {
    **dict.fromkeys(("variable", "constant", "array", "delta", "indicator", "size"), 0),
    **dict.fromkeys(_ARITHMETIC, 2),
    **dict.fromkeys(("negate", "cofactors", "argsort"), 1),
    **dict.fromkeys((*MATRIX_FUNCTIONS, *EXTREMES, *STACK_FUNCTIONS), 1),
}


# Places ------------------------------------------------------------------------------------


def _offset(text: str, path: Path) -> int:
    """Where in a text of JSON a path leads; as far as it leads somewhere.

    >>> _offset('{"a": [1, {"b": 2}]}', ("a", 1, "b"))
    16
    """
    decoder = json.JSONDecoder()
    place = _blank(text, 0)
    for step in path:
        closed = "}" if text[place] == "{" else "]"
        at, k = _blank(text, place + 1), 0
        while text[at] != closed:
            key: str | int = k
            if closed == "}":
                key, at = decoder.raw_decode(text, at)
                at = _blank(text, _blank(text, at) + 1)
            if key == step:
                place = at
                break
            _, at = decoder.raw_decode(text, at)
            at = _blank(text, at)
            at, k = _blank(text, at + 1) if text[at] == "," else at, k + 1
        else:
            return place
    return place


def _blank(text: str, at: int) -> int:
    """The next place that is no white space."""
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at
