"""NumPy's notation in: from Python's syntax tree to an expression.

Each part is computed on expressions by functions of one table (`names.py`); nothing is executed.
Parts wait on a stack for those they are made of, so that no text is too deep for Python's.
"""

import ast
import builtins
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from eggrad.engine.errors import EggradError, ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import Function
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    MergedAxes,
    SizeSymbol,
    applied,
    as_expression,
    unified,
    where,
)
from eggrad.frontend.expression.numpy_linalg import SVDResult
from eggrad.frontend.expression.refusals import no_method, refusal
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.numpy_text.inference import Unassigned, inferred_orders
from eggrad.frontend.numpy_text.names import (
    CALLED_MODULES,
    FOREIGN,
    METHODS,
    MODULES,
    OWN_METHODS,
    PARTS,
    PROPERTIES,
    Known,
    Module,
    bare_functions,
    checked,
    constants,
    exists,
    functions,
)
from eggrad.frontend.numpy_text.syntax import Source, read
from eggrad.frontend.numpy_text.values import (
    Frame,
    Method,
    Own,
    argument,
    both,
    bounded,
    check_comparison,
    check_guess,
    combined,
    compared,
    described,
    entries,
    is_array,
    is_number,
    is_scalar,
    listed,
    one_truth,
    opposite,
)
from eggrad.frontend.text.errors import TextShapeError, TextUnknownVariable, suggestion
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.sizes import UNKNOWN
from eggrad.frontend.text.words import MAXIMAL_ORDER

MOST_STEPS: Final = 20_000
"""Parts of a text that are computed, those of a function at each of its calls."""
_MOST_CALLS: Final = 50
_ONE_BY_ONE: Final = "arguments are written one by one"

# What a part asks for: another part, and the frame in which it is computed.
_Steps = Generator[tuple[ast.expr, Frame], Any, Any]
_Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a text in NumPy's notation says, with nothing to differentiate by.

    See `eggrad.parse_numpy`; `declared` are further functions.
    """
    source, body = read(text)
    steps = iter(range(MOST_STEPS))

    def reader(axes: Declared, *, guessing: bool) -> Reader:
        words = {n: w for n, w in assume.items() if n in axes or not guessing}
        sizes = completed_dims(axes, words, MAXIMAL_ORDER)
        variables = {n: language.variable(n, d, words.get(n, ())) for n, d in sizes.items()}
        return Reader(source, variables, declared, steps, guessing=guessing)

    if dims is None:
        dims = inferred_orders(text, lambda orders: reader(orders, guessing=True).result(body))
        steps = iter(range(MOST_STEPS))
    chosen = reader(dims, guessing=False)
    found = chosen.result(body)
    # Sizes that were not known and have not met any that was are called after their variable.
    pairs = [(d.removeprefix(UNKNOWN), d) for d in symbols(found.term) if d.startswith(UNKNOWN)]
    try:
        whole, *placed = unified([found, *chosen.variables.values()], pairs, "sizes")
    except ShapeError as error:
        raise TextShapeError(_said(error), text, source.start(body[-1])) from error
    return Problem(whole.term, None, tuple(v.term for v in placed))


class Reader:
    """Computes the parts of a text, each error at its place."""

    def __init__(
        self,
        source: Source,
        variables: Mapping[str, Expression],
        declared: Sequence[Function],
        steps: Iterator[int],
        *,
        guessing: bool,
    ) -> None:
        """`steps` are those that are left; where it is `guessing` not all variables are known."""
        self.source = source
        self.variables = variables
        self._own = {f.name: Known(f.name, _of_entries(f)) for f in declared}
        self._functions: Mapping[str, Known] = {}
        self._constants = constants()
        self._guessing = guessing
        self._steps = steps
        owners: dict[str, list[Expression]] = {}
        for v in variables.values():
            for d in v.shape:
                if isinstance(d, SizeSymbol):
                    owners.setdefault(str(d), []).append(v)
        self._sizes = {d: SizeSymbol(d, [v.term for v in vs]) for d, vs in owners.items()}

    def result(self, body: Sequence[ast.stmt]) -> Expression:
        """The expression that a text ends with, or that a function computes with which it ends."""
        nodes = [node for line in body for node in ast.walk(line)]
        has_all = any(isinstance(n, ast.alias) and n.name == "*" for n in nodes)
        writes_module = any(isinstance(n, ast.Name) and n.id in ("np", "numpy") for n in nodes)
        self._functions = {**bare_functions(has_all or not writes_module), **self._own}
        last = body[-1]
        value = self._run(last, self._lines(body, Frame()))
        while isinstance(value, Own):
            value = self._run(last, self._of_variables(value))
        if isinstance(value, Expression):
            return value
        if isinstance(value, Condition) or is_number(value):
            return as_expression(value)
        place = getattr(last, "value", None) or last
        reason = f"the result is {described(value)}, and not one array"
        raise self.source.fail(reason, self.source.start(place))

    def _run(self, place: ast.AST, steps: _Steps) -> Any:
        """What steps come to; a part that another asks for is computed first."""
        stack: list[tuple[ast.AST, _Steps]] = [(place, steps)]
        sent: Any = None
        while stack:
            place, steps = stack[-1]
            try:
                node, frame = steps.send(sent)
            except StopIteration as end:
                stack.pop()
                sent = end.value
            except ParseError:
                raise
            except ShapeError as error:
                offset = self.source.place(place)
                raise TextShapeError(_said(error), self.source.text, offset) from error
            except EggradError as error:
                raise self.source.fail(_said(error), place) from error
            else:
                if next(self._steps, None) is None:
                    raise self.source.fail("this text has more to compute than may be", node)
                stack.append((node, self._value(node, frame)))
                sent = None
        return sent

    # Lines ------------------------------------------------------------------------------------

    def _lines(self, lines: Sequence[ast.stmt], frame: Frame, *, called: bool = False) -> _Steps:
        """The value of some lines: what a function returns that is `called`, or the last one's."""
        value: Any = None
        for line in lines:
            match line:
                case ast.Import() | ast.ImportFrom():
                    self._import(line, frame)
                case ast.FunctionDef():
                    value = frame.names[line.name] = Own(line.name, line.args, line.body, frame)
                case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                    value = yield from self._assigned(line, frame)
                case ast.Return(value=ast.expr() as wanted):
                    if line is not lines[-1]:
                        raise self.source.fail("nothing is read after a return", lines[-1])
                    return (yield wanted, frame)
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.Expr() if line is lines[-1] and not called:
                    return (yield line.value, frame)
                case ast.Expr():
                    raise self.source.fail(
                        "this value is not used: it has a name, as in r = A @ x, or stands last",
                        self.source.start(line.value),
                    )
                case _:
                    raise self.source.fail("this is no part of a formula", line)
        if not called and isinstance(lines[-1], ast.FunctionDef | ast.Assign | ast.AnnAssign):
            return value
        reason = "a function ends with 'return ...'" if called else "the expression is missing"
        end = self.source.start(lines[-1]) if called else len(self.source.plain.rstrip())
        raise self.source.fail(reason, end, "an expression")

    def _import(self, line: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """What an import gives names to; nothing is loaded."""
        for alias in line.names:
            if isinstance(line, ast.Import):
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                frame.names[alias.asname or path] = Module(path)
            elif alias.name != "*":
                path = f"{line.module}.{alias.name}"
                found = functions().get(path) or self._constants.get(path, Module(path))
                frame.names[alias.asname or alias.name] = found

    def _assigned(self, line: _Assignment, frame: Frame) -> _Steps:
        targets = line.targets if isinstance(line, ast.Assign) else [line.target]
        names = [t.elts if isinstance(t, ast.Tuple | ast.List) else [t] for t in targets]
        for name in (n for several in names for n in several):
            if not isinstance(name, ast.Name):
                raise self.source.fail(
                    "left of '=' stands a name: entries are not assigned to, write "
                    "np.where(condition, a, b) or np.concatenate of parts",
                    name,
                )
        wanted = line.value
        if wanted is None:
            raise self.source.fail("this name has no value, as r has in r = A @ x", targets[0])
        if isinstance(line, ast.AugAssign):
            if cast(ast.Name, line.target).id not in frame.names:
                raise self.source.fail("no line before gives this name a value", line.target)
            left = ast.Name(cast(ast.Name, line.target).id, ast.Load())
            whole = ast.BinOp(ast.copy_location(left, line.target), line.op, line.value)
            wanted = ast.copy_location(whole, line)
        value = yield wanted, frame
        for target, several in zip(targets, names, strict=True):
            parts = [value] if target is several[0] else self._parts(value, several, target)
            frame.names.update(zip((cast(ast.Name, n).id for n in several), parts, strict=True))
        return value

    def _parts(self, value: Any, names: Sequence[ast.expr], target: ast.expr) -> Sequence[Any]:
        """The parts of a value that several names are given to."""
        several = listed(value)
        if isinstance(value, Expression) and value.ndim and value.shape[0] == len(names):
            return [*value]
        if several is None or len(several) != len(names):
            reason = f"{len(names)} names are given to {described(value)}"
            raise self.source.fail(reason, target)
        return several

    # Functions that the text defines ----------------------------------------------------------

    def _of_variables(self, own: Own) -> _Steps:
        """What a function computes of variables that are called as its arguments."""
        names, defaults = self._arguments(own)
        given = {n.arg: self._variable(n.arg, n) for n in names if self._is_variable(n, defaults)}
        return (yield from self._called(own, (), given, 0))

    def _is_variable(self, name: ast.arg, defaults: Mapping[str, ast.expr]) -> bool:
        return name.arg not in defaults or (not self._guessing and name.arg in self.variables)

    def _called(
        self, own: Own, args: Sequence[Any], options: Mapping[str, Any], depth: int
    ) -> _Steps:
        """What a function computes of some arguments, within so many other calls."""
        if depth > _MOST_CALLS:
            raise UnsupportedOperation(f"{own.name} calls itself, or too many functions in turn")
        frame = Frame(own.frame, depth + 1)
        arguments, defaults = self._arguments(own)
        names = [a.arg for a in arguments]
        if len(args) > len(names):
            raise UnsupportedOperation(f"{own.name} takes {len(names)} arguments, not {len(args)}")
        frame.names.update(zip(names, args, strict=False))
        for name, value in options.items():
            if name not in names or name in frame.names:
                what = "is given twice" if name in names else "is none of its arguments"
                raise UnsupportedOperation(f"{own.name}: {shown(name)} {what}")
            frame.names[name] = value
        for name in names:
            if name not in frame.names:
                if name not in defaults:
                    raise UnsupportedOperation(f"{own.name} needs the argument {shown(name)}")
                frame.names[name] = yield defaults[name], own.frame
        if isinstance(own.body, ast.expr):
            return (yield own.body, frame)
        return (yield from self._lines(own.body, frame, called=True))

    def _arguments(self, own: Own) -> tuple[list[ast.arg], dict[str, ast.expr]]:
        """The arguments of a function, and the defaults that some have."""
        given = own.arguments
        for several in (given.vararg, given.kwarg):
            if several is not None:
                raise self.source.fail(_ONE_BY_ONE, several)
        names = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(names) - len(given.defaults)) + [*given.defaults]
        names, defaults = [*names, *given.kwonlyargs], [*defaults, *given.kw_defaults]
        return names, {n.arg: d for n, d in zip(names, defaults, strict=True) if d is not None}

    # Parts ------------------------------------------------------------------------------------

    def _value(self, node: ast.expr, frame: Frame) -> _Steps:
        """The value of a part, after those of the parts that it asks for."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node, frame)
            case ast.Lambda():
                return Own("this function", node.args, node.body, frame)
            case ast.Tuple() | ast.List():
                found = yield from _values(node.elts, frame)
                return tuple(found) if isinstance(node, ast.Tuple) else found
            case ast.Slice():
                ends = (node.lower, node.upper, node.step)
                return slice(*(yield from _values(ends, frame)))
            case ast.UnaryOp():
                value = self._operand((yield node.operand, frame), node.operand)
                return _signed(node.op, value)
            case ast.BinOp():
                left = node.left
                if isinstance(node.op, ast.Pow) and isinstance(left, ast.Name) and left.id == "e":
                    a = self._name(left, frame, otherwise=self._constants["numpy.e"])
                else:
                    a = yield left, frame
                b = self._operand((yield node.right, frame), node.right)
                return self._operation(type(node.op), self._operand(a, left), b)
            case ast.Compare():
                check_comparison(node.ops)
                parts = (node.left, *node.comparators)
                values = yield from _values(parts, frame)
                values = [self._operand(v, p) for v, p in zip(values, parts, strict=True)]
                pairs = zip(node.ops, values, values[1:], strict=False)
                return _all([compared(type(op), a, b) for op, a, b in pairs])
            case ast.BoolOp():
                values = yield from _values(node.values, frame)
                if isinstance(node.op, ast.And):
                    return _all(values)
                return opposite(_all([*map(opposite, values)]))
            case ast.IfExp():
                test = yield node.test, frame
                if isinstance(test, bool):
                    return (yield node.body if test else node.orelse, frame)
                a, b = yield from _values((node.body, node.orelse), frame)
                return where(one_truth(test), argument(a), argument(b))
            case ast.Attribute():
                return self._attribute(node, (yield node.value, frame))
            case ast.Subscript():
                value, key = yield from _values((node.value, node.slice), frame)
                return entries(value, key)
            case ast.Call():
                return (yield from self._call(node, frame))
            case _:
                raise self.source.fail("this is no part of a formula", node)

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, complex):
            raise UnsupportedOperation("expressions are of real numbers")
        return exact(value) if isinstance(value, float) else bounded(value)

    def _name(self, node: ast.Name, frame: Frame, otherwise: Any = None) -> Any:
        """What a name means; where nothing has it, a variable or what it means `otherwise`."""
        name = node.id
        owner = frame.find(name)
        for names in (owner.names if owner else {}, self.variables, self._sizes, CALLED_MODULES):
            if name in names:
                return names[name]
        if name in FOREIGN:
            reason = f"NumPy's functions are read, not those of {name}: write np. before them"
            raise self.source.fail(reason, node)
        if otherwise is not None:
            return otherwise
        for known in (name, f"numpy.{name}"):
            # `e` may be what it is, or a vector of errors.
            if known in self._constants and (name != "e" or not self._guessing):
                return self._constants[known]
        return self._variable(name, node)

    def _variable(self, name: str, node: ast.AST) -> Expression:
        """A variable by its name."""
        if name in self.variables:
            return self.variables[name]
        if self._guessing:
            raise Unassigned(name)
        place = self.source.start(node)
        if name in self._functions:
            reason = f"{name} is a function; its arguments follow in brackets"
            raise self.source.fail(reason, place + len(name), "'('")
        reason = f"no variable is called {shown(name)}{suggestion(name, self.variables)}"
        known = tuple(self.variables)[:10]
        raise TextUnknownVariable(reason, self.source.text, place, known)

    def _operand(self, value: Any, node: ast.AST) -> Any:
        """A value that is computed with; functions and texts are none."""
        if is_array(value) or isinstance(value, list | tuple):
            return value
        reason = f"{described(value)} is nothing to compute with"
        raise self.source.fail(reason, self.source.start(node))

    def _operation(self, kind: type[ast.operator], a: Any, b: Any) -> Any:
        if self._guessing:
            check_guess(kind, a, b)
        if kind is ast.Pow and a is self._constants["numpy.e"]:
            return language.exp(as_expression(b))
        return combined(kind, a, b)

    # Attributes and calls ---------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, value: Any) -> Any:
        name = node.attr
        if isinstance(value, Module):
            return self._of_module(node, value)
        if isinstance(value, Known) and f"{value.path}.{name}" in functions():
            return functions()[f"{value.path}.{name}"]
        fields = ("U", "S", "Vh") if isinstance(value, SVDResult) else ()
        if name in (getattr(type(value), "_fields", ()) if isinstance(value, tuple) else fields):
            return getattr(value, name)
        if not isinstance(value, Expression | Condition | MergedAxes | SizeSymbol):
            raise self.source.fail(f"{described(value)} has no {shown(name)}", node)
        array = value.expression() if isinstance(value, SizeSymbol) else value
        if name in METHODS or (name in OWN_METHODS and hasattr(type(array), name)):
            return Method(array, name)
        if name in PROPERTIES and hasattr(type(array), name):
            return getattr(array, name)
        if name == "I":
            raise self.source.fail("the inverse of a matrix is written np.linalg.inv(A)", node)
        known = (*METHODS, *OWN_METHODS, *PROPERTIES)
        reason = f"arrays have no {name}" if name[:1] == "_" else no_method("arrays", name, known)
        raise self.source.fail(reason, node)

    def _of_module(self, node: ast.Attribute, module: Module) -> Any:
        path = f"{module.path}.{node.attr}"
        if path in self._constants:
            return self._constants[path]
        if path in functions():
            return functions()[path]
        if path in MODULES or path in PARTS:
            return Module(path)
        library, _, rest = path.partition(".")
        if module.path == "numpy.random":
            reason = "random numbers have no formula: a name stands for them, which is a variable"
            raise self.source.fail(reason, node)
        if library not in MODULES:
            reason = f"functions of NumPy and SciPy are read, not those of {module.path}"
            raise self.source.fail(reason, node)
        names = [p.rpartition(".")[2] for p in functions() if p.rpartition(".")[0] == module.path]
        # What NumPy has and expressions have not is refused where it is called, with the reason.
        is_there = library == "scipy" or exists(module.path, node.attr)
        near = "" if library == "numpy" and is_there else suggestion(node.attr, names)
        if near or not is_there or node.attr[:1] == "_":
            raise self.source.fail(f"{module.path} has no {shown(node.attr)} here{near}", node)
        if library == "scipy":
            library, _, rest = path.rpartition(".")
        return Known(path, _refused(rest, library))

    def _call(self, node: ast.Call, frame: Frame) -> _Steps:
        called = node.func
        if isinstance(called, ast.Name) and frame.find(called.id) is None:
            function: Any = self._function(called)
        else:
            function = yield called, frame
        if any(option.arg is None for option in node.keywords):
            raise self.source.fail(_ONE_BY_ONE, called)
        parts = [*node.args, *(option.value for option in node.keywords)]
        values = yield from _values(parts, frame)
        if getattr(function, "path", "") == "numpy.fromfunction" and len(values) == 2:
            return (yield from self._of_places(values[0], values[1], frame.depth))
        for part, value in zip(parts, values, strict=True):
            if isinstance(value, Known | Module | Own | Method):
                reason = f"{described(value)} is no argument"
                raise self.source.fail(reason, self.source.start(part))
        args = values[: len(node.args)]
        options = {str(o.arg): v for o, v in zip(node.keywords, values[len(args) :], strict=True)}
        if isinstance(function, Own):
            return (yield from self._called(function, args, options, frame.depth))
        args, options = [*map(argument, args)], {k: argument(v) for k, v in options.items()}
        if isinstance(function, Method) and function.name in METHODS:
            args.insert(0, function.of)
            function = functions()[f"numpy.{METHODS[function.name]}"]
        if isinstance(function, Method):
            return checked(function.name, getattr(function.of, function.name))(*args, **options)
        if function is float:
            function = self._functions["float"]
        if not isinstance(function, Known):
            product = "; a product is written with '*'" if is_array(function) else ""
            raise self.source.fail(f"{described(function)} is no function{product}", called)
        if self._guessing and any(map(is_scalar, args[: function.of_arrays])):
            raise ShapeError(f"{function.path} of a scalar, which has no axes")
        return function.call(*args, **options)

    def _of_places(self, own: Any, shape: Any, depth: int) -> _Steps:
        """`numpy.fromfunction`: what a function of the text computes of the indices of entries."""
        sizes = cast(tuple[Any, ...], shape) if isinstance(shape, tuple) else (shape,)
        if not isinstance(own, Own):
            raise UnsupportedOperation("fromfunction: the first argument is a function, a lambda")
        places = [functions()["numpy.arange"].call(size) for size in sizes]
        keys = [(..., *[None] * k) for k in reversed(range(len(sizes)))]
        indices = [place[key] for place, key in zip(places, keys, strict=True)]
        found = yield from self._called(own, indices, {}, depth)
        return functions()["numpy.broadcast_to"].call(as_expression(found), sizes)

    def _function(self, node: ast.Name) -> Known:
        """A function by its name alone."""
        name = node.id
        if name in self.variables and not (self._guessing and name in self._functions):
            reason = f"{shown(name)} is no function; a product is written {name} * ("
            raise self.source.fail(reason, node)
        if name in self._functions:
            return self._functions[name]
        if name in dir(builtins):
            reason = f"Python's {name} is not read; functions of numbers and of arrays are"
            raise self.source.fail(reason, node)
        near = suggestion(name, self._functions)
        raise self.source.fail(f"no function is called {shown(name)}{near}", node)


def _said(error: EggradError) -> str:
    """The message, in which sizes that are not known have no sign before them."""
    return re.sub(r"\?(?=\w)", "", str(error))


def _values(parts: Iterable[ast.expr | None], frame: Frame) -> Generator[Any, Any, list[Any]]:
    """The values of some parts; None for one that is not written."""
    found: list[Any] = []
    for part in parts:
        found.append(None if part is None else (yield part, frame))
    return found


def _all(conditions: Sequence[Any]) -> Any:
    """That all conditions hold; one alone may be an array of them."""
    found = conditions[0]
    for condition in conditions[1:]:
        found = both(found, condition)
    return found


def _signed(sign: ast.unaryop, value: Any) -> Any:
    if isinstance(sign, ast.Not):
        return opposite(value)
    if isinstance(sign, ast.Invert):
        if not isinstance(value, Condition):
            raise UnsupportedOperation("'~' is the opposite of a condition, as in ~(x > 0)")
        return ~value
    array = as_expression(value) if isinstance(value, list | tuple) else value
    return -array if isinstance(sign, ast.USub) else array


def _of_entries(function: Function) -> Callable[..., Expression]:
    """A declared function, which is of every entry."""

    def call(*args: Any) -> Expression:
        if len(args) != function.arity:
            reason = f"{function.name} takes {function.arity} arguments, not {len(args)}"
            raise UnsupportedOperation(reason)
        return applied(function, *args)

    return checked(function.name, call)


def _refused(name: str, library: str) -> Callable[..., NoReturn]:
    """A function of NumPy or SciPy that expressions do not have."""

    def call(*_: Any, **_options: Any) -> NoReturn:
        raise refusal(name, library)

    return call
