"""Printed MATLAB and Julia, parsed and evaluated with NumPy: a small part of both languages.

It shares no code with what prints. Shapes are those of the languages: in MATLAB all is an array of
two axes or more, in Julia a row is no vector, and no scalar is added to an array without a point.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

Env = dict[str, Any]
Run = Callable[[Env], Any]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z]\w*)"
    r"|(?P<sign>\.?[*/^]|\.[-+&|]|\.?[<>=!~]=|\.?[<>]|\.?!|[-+&|():,;=\[\]'])|(?P<dot>\.(?=\()))"
)
_LEVELS = {
    "matlab": [
        ("|",),
        ("&",),
        ("==", "~=", "<", "<=", ">", ">="),
        (":",),
        ("+", "-"),
        ("*", ".*", "/", "./"),
    ],
    "julia": [
        ("==", "!=", "<", "<=", ">", ">=", ".==", ".!=", ".<", ".<=", ".>", ".>="),
        (":",),
        ("+", "-", ".+", ".-", "|", ".|"),
        ("*", ".*", "/", "./", "&", ".&"),
    ],
}


@dataclass
class Row:
    """The adjoint of a vector, in Julia."""

    vector: np.ndarray[Any, Any]


class Wrong(AssertionError):
    """A text that is not of the part of the language that is known here."""


class Parser:
    """An expression as a function of its variables."""

    def __init__(self, text: str, language: str, semantics: Any) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.language = language
        self.own = semantics
        self.text = text

    def next(self) -> tuple[str, str]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def peek(self) -> str:
        return self.tokens[self.at][1]

    def take(self, text: str) -> None:
        kind, found = self.next()
        if found != text or kind == "string":
            raise Wrong(f"{text!r} expected, not {found!r}, in {self.text}")

    def whole(self) -> Run:
        found = self.binary(0)
        if self.peek():
            raise Wrong(f"{self.peek()!r} in {self.text}")
        return found

    def binary(self, level: int) -> Run:
        levels = _LEVELS[self.language]
        if level == len(levels):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in levels[level] and not (
            self.peek() == ":" and self.tokens[self.at + 1][1] in ",)]"
        ):
            sign = self.next()[1]
            right = self.binary(level + 1)
            if sign == ":" and self.peek() == ":":
                self.next()
                left = self._stepped(left, right, self.binary(level + 1))
            else:
                left = self._applied(sign, left, right)
        return left

    def _stepped(self, start: Run, step: Run, stop: Run) -> Run:
        return lambda env: self.own.stepped(start(env), step(env), stop(env))

    def _applied(self, sign: str, left: Run, right: Run) -> Run:
        return lambda env: self.own.binary(sign, left(env), right(env))

    def unary(self) -> Run:
        if self.peek() == "-":
            self.next()
            operand = self.unary()
            return lambda env: self.own.binary("*", -1.0, operand(env))
        if self.peek() in ("!", ".!"):
            return self._negated(self.next()[1], self.unary())
        return self.power()

    def _negated(self, sign: str, operand: Run) -> Run:
        """What is not so, of truth values alone."""

        def run(env: Env) -> Any:
            value = np.asarray(operand(env))
            assert value.dtype == bool
            assert value.ndim == 0 or sign == ".!"
            return ~value if value.ndim else not value

        return run

    def power(self) -> Run:
        base = self.postfix()
        while self.peek() in ("^", ".^"):
            sign = self.next()[1]
            exponent = self.unary() if self.peek() == "-" else self.postfix()
            base = self._applied(sign, base, exponent)
        return base

    def postfix(self) -> Run:
        found = self.atom()
        while self.peek() == "'" or (self.peek() == "[" and self.language == "julia"):
            found = self._transposed(found) if self.next()[1] == "'" else self._indexed(found)
        return found

    def _indexed(self, array: Run) -> Run:
        """Entries of what has no name, as in `logabsdet(A)[1]`."""
        args, _ = self.arguments("]")

        def run(env: Env) -> Any:
            whole = array(env)
            ends = self.own.ends(whole, len(args))
            places = [a({**env, "end": e}) for a, e in zip(args, ends, strict=True)]
            return self.own.read(whole, places)

        return run

    def _transposed(self, operand: Run) -> Run:
        return lambda env: self.own.transposed(operand(env))

    def atom(self) -> Run:
        kind, text = self.next()
        if kind == "number":
            value = float(text) if re.search("[.eE]", text) else int(text)
            if self.language == "julia" and self.peek() == "I":
                self.next()
                return lambda env: "I"
            return lambda env: value
        if kind == "string":
            return lambda env: text
        if text == "(":
            inner = self.binary(0)
            if self.peek() == "for":
                inner = self.generator(inner)
            items = [inner]
            while self.peek() == "," and self.language == "julia":
                self.next()
                items.append(self.binary(0))
            self.take(")")
            return inner if len(items) == 1 else lambda env: tuple(item(env) for item in items)
        if text == "[":
            return self.bracket()
        if kind != "name":
            raise Wrong(f"{text!r} in {self.text}")
        return self.named(text)

    def bracket(self) -> Run:
        if self.peek() == "]":
            self.next()
            return lambda env: []
        items = [self.binary(0)]
        if self.peek() == "for":
            made = self.comprehension(items[0])
            self.take("]")
            return made
        while self.peek() == ",":
            self.next()
            items.append(self.binary(0))
        self.take("]")
        return lambda env: self.own.listed([item(env) for item in items])

    def loops(self) -> list[tuple[str, Run]]:
        self.take("for")
        found: list[tuple[str, Run]] = []
        while True:
            name = self.next()[1]
            self.take("in")
            found.append((name, self.binary(1)))
            if self.peek() != ",":
                return found
            self.next()

    def generator(self, inner: Run) -> Run:
        loops = self.loops()
        names = [name for name, _ in loops]

        def run(env: Env) -> list[Any]:
            every = product(*(r(env) for _, r in loops))
            return [inner({**env, **dict(zip(names, at, strict=True))}) for at in every]

        return run

    def comprehension(self, inner: Run) -> Run:
        loops = self.loops()
        names = [name for name, _ in loops]

        def run(env: Env) -> Any:
            ranges = [list(r(env)) for _, r in loops]
            values = [
                inner({**env, **dict(zip(names, at, strict=True))}) for at in product(*ranges)
            ]
            assert all(np.ndim(v) == 0 for v in values)
            return np.array(values, float).reshape([len(r) for r in ranges])

        return run

    def named(self, name: str) -> Run:
        dotted = self.tokens[self.at][0] == "dot"
        if dotted:
            self.next()
        if self.peek() not in ("(", "[") or (self.peek() == "[" and self.language == "matlab"):
            return lambda env: self.own.value(name, env)
        closed = {"(": ")", "[": "]"}[self.next()[1]]
        args, keywords = self.arguments(closed)
        is_index = closed == "]"

        def run(env: Env) -> Any:
            # The last place along each axis of an array that is read.
            known = [env.get("end")] * len(args)
            ends = self.own.ends(env[name], len(args)) if name in env else known
            values = [a({**env, "end": end}) for a, end in zip(args, ends, strict=True)]
            named = {k: v(env) for k, v in keywords.items()}
            return self.own.applied(name, values, named, env, dotted=dotted, is_index=is_index)

        return run

    def arguments(self, closed: str) -> tuple[list[Run], dict[str, Run]]:
        """What stands in brackets, up to the closing one."""
        args: list[Run] = []
        keywords: dict[str, Run] = {}
        while self.peek() != closed:
            if self.peek() == ":":
                self.next()
                args.append(lambda env: slice(None))
            elif self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] == "=":
                key = self.next()[1]
                self.next()
                keywords[key] = self.binary(0)
            else:
                args.append(self.binary(0))
                if self.peek() == "for":
                    args[-1] = self.generator(args[-1])
            if self.peek() in (",", ";"):
                self.next()
        self.take(closed)
        return args, keywords


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, last = 0, ""
    while at < len(text.rstrip()):
        rest = text[at:]
        quote = re.match(r"\s*'(\w+)'", rest)
        if quote and not re.match(r"[\w)\]']", last):
            yield "string", quote[1]
            at, last = at + quote.end(), "'"
            continue
        found = _TOKEN.match(text, at)
        if not found or found.end() == at:
            raise Wrong(f"{rest!r} is no token")
        at = found.end()
        kind = found.lastgroup or ""
        last = found[kind]
        yield kind, last
    yield "end", ""


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        f: getattr(np, f)
        for f in (
            *("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "floor", "ceil", "abs", "sign"),
            *("sinh", "cosh", "expm1", "log1p", "hypot"),
        )
    },
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "mod": np.mod,
}
_SIGNS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": lambda a, b: np.asarray(a, float) ** b,
    "==": np.equal,
    "~=": np.not_equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "&": np.logical_and,
    "|": np.logical_or,
}


# MATLAB ------------------------------------------------------------------------------------


def _array(value: Any) -> Any:
    """An array of at least two axes, without axes of length 1 at the end."""
    found = np.asarray(value, float)
    while found.ndim < 2:
        found = found[..., None]
    while found.ndim > 2 and found.shape[-1] == 1:
        found = found[..., 0]
    return found


def _aligned(arrays: Sequence[Any]) -> list[Any]:
    """Arrays with as many axes, which are counted from the first one."""
    most = max(a.ndim for a in arrays)
    return [a.reshape((*a.shape, *[1] * (most - a.ndim))) for a in arrays]


class Matlab:
    """What MATLAB's operators and functions do."""

    def value(self, name: str, env: Env) -> Any:
        return env[name] if name in env else _array({"Inf": np.inf, "NaN": np.nan}[name])

    def listed(self, items: Sequence[Any]) -> Any:
        return np.concatenate([_array(i) for i in items], axis=1)

    def ends(self, array: Any, count: int) -> list[float]:
        return [array.size] if count == 1 else [*map(float, (*array.shape, 1, 1, 1)[:count])]

    def stepped(self, start: Any, step: Any, stop: Any) -> Any:
        first, by, last = (int(_array(a).item()) for a in (start, step, stop))
        return np.arange(first, last + (1 if by > 0 else -1), by, dtype=float)[None]

    def transposed(self, a: Any) -> Any:
        assert _array(a).ndim == 2
        return _array(a).T

    def binary(self, sign: str, left: Any, right: Any) -> Any:
        a, b = _array(left), _array(right)
        if sign == ":":
            return np.arange(int(a.item()), int(b.item()) + 1, dtype=float)[None]
        if sign == "*" and a.size != 1 != b.size:
            assert a.ndim == b.ndim == 2
            return _array(a @ b)
        if sign == "/":
            assert b.size == 1
        if sign == "^":
            assert b.size == 1
            if a.size != 1:
                return np.linalg.matrix_power(a, int(b.item()))
        return _array(_SIGNS[sign.removeprefix(".")](*_aligned([a, b])))

    def applied(
        self, name: str, args: list[Any], keywords: Env, env: Env, *, dotted: bool, is_index: bool
    ) -> Any:
        assert not keywords
        assert not dotted
        if name in env and len(args) == 1 and isinstance(args[0], slice):
            return _array(env[name].reshape(-1, 1, order="F"))
        if name in env:
            return _array(env[name][self.key(env[name], args)])
        if name in ("sum", "max", "min") and not (len(args) == 2 and name != "sum"):
            x = _array(args[0])
            axis = (
                int(_array(args[-1]).item()) - 1
                if len(args) > 1
                else next((k for k, n in enumerate(x.shape) if n != 1), 0)
            )
            if len(args) == 1 and x.shape == (0, 0):
                return _array(0.0)
            return _array(getattr(np, name)(x, axis=axis, keepdims=True))
        own = [a if isinstance(a, str) else _array(a) for a in args]
        sizes: list[int] = []
        if name in ("zeros", "ones", "Inf", "eye", "size"):
            sizes = [int(a.item()) for a in own if not isinstance(a, str) and a.size == 1]
        match name:
            case "zeros" | "ones" | "Inf" | "eye":
                assert len(sizes) == len(args)
                if name == "eye":
                    return np.eye(*sizes)
                sizes = sizes if len(sizes) > 1 else sizes * 2
                return _array(np.full(sizes, {"zeros": 0.0, "ones": 1.0, "Inf": np.inf}[name]))
            case "size":
                return _array(own[0].shape[sizes[-1] - 1] if sizes[-1] <= own[0].ndim else 1)
            case "double":
                return own[0]
            case "max" | "min":
                return _array((np.maximum if name == "max" else np.minimum)(*_aligned(own)))
            case "fix":
                return np.trunc(own[0])
            case "round":
                return np.sign(own[0]) * np.floor(np.abs(own[0]) + 0.5)
            case "diag":
                x = own[0]
                return (
                    np.diag(x.ravel())
                    if (1 in x.shape and x.size != 1) or x.shape == (0, 1)
                    else _array(np.diag(x))
                )
            case "trace":
                return _array(np.trace(own[0]))
            case "det" | "inv":
                return _array(getattr(np.linalg, name)(own[0]))
            case "norm":
                assert len(own) == 2 or 1 in own[0].shape
                return _array(np.hypot.reduce(own[0], axis=None))
            case "reshape":
                return _array(own[0].reshape([int(a.item()) for a in own[1:]], order="F"))
            case "permute":
                order = own[1].ravel().astype(int) - 1
                padded = own[0].reshape((*own[0].shape, *[1] * (len(order) - own[0].ndim)))
                return _array(padded.transpose(order))
            case "choose":
                condition, *rest = _aligned(own)
                return _array(np.where(condition != 0, *rest))
            case "lu":
                # What stands on the diagonal is all that anybody reads.
                return np.diag(np.linalg.qr(own[0]).R.diagonal())
            case _:
                return _array(FUNCTIONS[name](*_aligned(own)))

    def key(self, array: Any, args: list[Any]) -> Any:
        key = [a if isinstance(a, slice) else (_array(a).ravel().astype(int) - 1) for a in args]
        if len(key) == 1:
            assert 1 in array.shape
            key = [key[0], np.array([0])] if array.shape[1] == 1 else [np.array([0]), key[0]]
        while len(key) > array.ndim:
            assert int(key[-1][0]) == 0
            key.pop()
        full = [
            np.arange(array.shape[k])[a] if isinstance(a, slice) else a for k, a in enumerate(key)
        ]
        return np.ix_(*full)


def run_matlab(text: str, values: Sequence[Any]) -> Any:
    """The array that a printed function returns, as MATLAB has it."""
    lines = [line.strip() for line in text.split("\n")]
    head = re.fullmatch(r"function result = \w+\((.*)\)", lines[0])
    assert head
    names = [n for n in head[1].split(", ") if n]
    env: Env = dict(zip(names, map(_array, values), strict=True))
    last = lines.index("end", len(lines) - 2 - 6 * ("function r = choose(c, a, b)" in lines))
    _matlab_lines(lines[1:last], env)
    return env["result"]


def _matlab_lines(lines: Sequence[str], env: Env) -> None:
    own = Matlab()
    k = 0
    while k < len(lines):
        line = lines[k]
        if line.startswith("for "):
            depth, end = 1, k
            while depth:
                end += 1
                depth += lines[end].startswith("for ") - (lines[end] == "end")
            found = re.fullmatch(r"for (\w+) = (.*)", line)
            assert found
            for i in Parser(found[2], "matlab", own).whole()(env).ravel():
                env[found[1]] = _array(i)
                _matlab_lines(lines[k + 1 : end], env)
            k = end
        elif not line.startswith("%"):
            assert line.endswith(";"), line
            target, _, value = line[:-1].partition(" = ")
            result = Parser(value, "matlab", own).whole()(env)
            name, bracket, rest = target.partition("(")
            if rest == ":)":
                raise Wrong(line)
            if value == f"{target}(:)":
                result = env[target].reshape(-1, 1, order="F")
            if bracket:
                places = [int(env[i].item()) - 1 for i in rest[:-1].split(", ")]
                env[name][tuple([*places, 0, 0][: env[name].ndim])] = result.item()
            else:
                env[name] = np.array(_array(result))
        k += 1


# Julia -------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """What is broadcast: a row as a matrix."""
    return value.vector[None] if isinstance(value, Row) else value


def _julia_place(value: Any) -> Any:
    """A part of an index, which counts from 1, as NumPy counts."""
    if isinstance(value, slice):
        return value
    assert np.min(value, initial=1) >= 1
    return np.array(value, int) - 1 if isinstance(value, range) else int(value) - 1


class Julia:
    """What Julia's operators and functions do."""

    def value(self, name: str, env: Env) -> Any:
        return env[name] if name in env else {"Inf": np.inf, "NaN": np.nan}[name]

    def ends(self, array: Any, count: int) -> list[int]:
        assert count == np.ndim(array)
        return [*array.shape]

    def read(self, array: Any, args: Sequence[Any]) -> Any:
        key = tuple(
            np.array(a, int) - 1
            if isinstance(a, range)
            else a
            if isinstance(a, slice)
            else int(a) - 1
            for a in args
        )
        assert all(
            isinstance(k, slice) or np.ndim(k) or 0 <= k < n
            for k, n in zip(key, array.shape, strict=True)
        )
        ranges = [np.arange(n)[k] for k, n in zip(key, array.shape, strict=True)]
        assert all(np.min(k, initial=0) >= 0 for k in key if not isinstance(k, slice))
        found = array[np.ix_(*map(np.atleast_1d, ranges))]
        found = found.reshape([len(k) for k in ranges if np.ndim(k)])
        return found.item() if np.ndim(found) == 0 else found

    def stepped(self, start: Any, step: Any, stop: Any) -> Any:
        return range(int(start), int(stop) + (1 if step > 0 else -1), int(step))

    def listed(self, items: Sequence[Any]) -> Any:
        return np.array(items, float)

    def transposed(self, a: Any) -> Any:
        if isinstance(a, Row):
            return a.vector
        assert np.ndim(a) in (1, 2)
        return Row(a) if a.ndim == 1 else a.T

    def binary(self, sign: str, left: Any, right: Any) -> Any:
        if sign == ":":
            return range(int(left), int(right) + 1)
        if sign.startswith("."):
            a, b = _plain(left), _plain(right)
            if isinstance(a, range):
                a = np.array(a, float)
            # Axes are counted from the first one.
            most = max(np.ndim(a), np.ndim(b))
            a, b = (
                np.reshape(x, (*np.shape(x), *(1,) * (most - np.ndim(x)))) if np.ndim(x) else x
                for x in (a, b)
            )
            return _SIGNS[sign[1:]](a, b)
        scalars = np.ndim(_plain(left)) == 0, np.ndim(_plain(right)) == 0
        if all(scalars):
            found = _SIGNS[sign](left, right)
            return found.item() if isinstance(found, np.generic | np.ndarray) else found
        if sign == "*" and any(scalars):
            if isinstance(left, Row) or isinstance(right, Row):
                return Row(_plain(left) * right.vector if scalars[0] else left.vector * right)
            return left * right
        if sign == "/":
            assert scalars[1]
            return Row(left.vector / right) if isinstance(left, Row) else left / right
        if sign == "^":
            assert scalars[1]
            return np.linalg.matrix_power(left, int(right))
        assert sign == "*", sign
        if isinstance(left, Row):
            if isinstance(right, Row):
                raise Wrong("row * row")
            found = left.vector @ right
            return found.item() if right.ndim == 1 else Row(found)
        if isinstance(right, Row):
            column = left if left.ndim == 1 else left[:, 0]
            assert left.ndim == 1 or left.shape[1] == 1
            return np.outer(column, right.vector)
        if left.ndim == 1:
            assert right.shape[0] == 1
            return np.outer(left, right[0])
        return left @ right

    def applied(
        self, name: str, args: list[Any], keywords: Env, env: Env, *, dotted: bool, is_index: bool
    ) -> Any:
        if name in env:
            assert is_index
            return self.read(env[name], args)
        assert not is_index
        if dotted:
            own = [_plain(a) for a in args]
            match name:
                case "Float64":
                    return np.asarray(own[0], float)
                case "max" | "min":
                    return (np.maximum if name == "max" else np.minimum)(*own)
                case "ifelse":
                    return np.where(*own)
                case "round":
                    return np.rint(own[0])
                case "trunc":
                    return np.trunc(own[0])
                case _:
                    return FUNCTIONS[name](*own)
        match name:
            case "sum" | "maximum" | "minimum":
                kind = {"sum": np.sum, "maximum": np.max, "minimum": np.min}[name]
                if "dims" in keywords:
                    return kind(args[0], axis=keywords["dims"] - 1, keepdims=True)
                if isinstance(args[0], list):
                    values = [np.asarray(a).item() for a in args[0]]
                    return kind(
                        [*values, keywords["init"]] if "init" in keywords else values
                    ).item()
                assert np.ndim(_plain(args[0]))
                return kind(_plain(args[0])).item()
            case "size":
                return args[0].shape[args[1] - 1]
            case "Matrix":
                assert args[0] == "I"
                return np.eye(*args[1:])
            case "zeros" | "ones":
                return getattr(np, name)(args)
            case "fill":
                return np.full(args[1:], float(args[0]))
            case "vec":
                return _plain(args[0]).ravel(order="F")
            case "diagm":
                assert args[0].ndim == 1
                return np.diag(args[0])
            case "diag":
                assert args[0].ndim == 2
                return np.diag(args[0])
            case "tr":
                return np.trace(args[0]).item()
            case "dot":
                a, b = (_plain(x).ravel() for x in args)
                assert len(a) == len(b)
                return (a @ b).item()
            case "norm":
                return np.hypot.reduce(_plain(args[0]), axis=None).item()
            case "det":
                return np.linalg.det(args[0]).item()
            case "inv":
                return np.linalg.inv(args[0])
            case "logabsdet":
                sign, size = np.linalg.slogdet(args[0])
                return np.array([size, sign])
            case "reshape":
                return np.reshape(args[0], args[1:], order="F")
            case "permutedims":
                return np.transpose(args[0], [int(k) - 1 for k in args[1]])
            case "Int":
                assert args[0] == int(args[0])
                return int(args[0])
            case _:
                assert all(np.ndim(_plain(a)) == 0 for a in args), name
                return self.applied(name, args, keywords, env, dotted=True, is_index=False).item()


def run_julia(text: str, values: Sequence[Any]) -> Any:
    """What a printed function returns."""
    lines = text.split("\n")
    (place,) = (k for k, line in enumerate(lines) if line.startswith("function "))
    assert all(
        line.startswith("#") or line in ("using LinearAlgebra", "") for line in lines[:place]
    )
    head = re.fullmatch(r"function \w+\((.*)\)", lines[place])
    assert head
    assert lines[-2:] == ["end", ""]
    env: Env = dict(zip([n for n in head[1].split(", ") if n], values, strict=True))
    for line in lines[place + 1 : -2]:
        if line.strip().startswith("return "):
            return Parser(line.strip().removeprefix("return "), "julia", Julia()).whole()(env)
        name, _, value = line.strip().partition(" = ")
        env[name] = Parser(value, "julia", Julia()).whole()(env)
    raise Wrong("nothing is returned")
