"""Random bindings of a law's parameters that give well-typed instances of its left side.

The left side is drawn from its leaves: tensor parameters become variables of small sizes, specs
are drawn to fit them. Under `D`, a tensor parameter is an affine function of the variable.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, cast

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.affine import AffineForm, Key, form
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.constraints import canonical as canonical_constraints
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec, canonical, output_dims, scaling
from eggrad.engine.laws.language import (
    SLOPE_NODES,
    Call,
    Condition,
    Literal,
    Name,
    Node,
    Number,
    Parameter,
    Tensor,
    Variable,
    Wrt,
)
from eggrad.engine.laws.matching import Closing, Reject, node_term
from eggrad.engine.laws.primitives import is_empty
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.engine.terms.fixed_arrays import Entries, FixedArray, fixed_array
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS, UNARY
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import FUNCTION_NODES, Term

# Random constraints for the tests of rules about indicators.


# Mostly coefficients with which rules can do something.
_COEFFICIENTS = (1, 1, 1, -1, -1, 2, -2, 3)


def random_constraints(dims: Dims, rng: np.random.Generator) -> Constraints:
    """Up to three constraints on some indices, in canonical form.

    Equalities between two indices, and of one index with a number, are frequent; so are triangles.

    >>> random_constraints((), np.random.default_rng(0))
    ()
    """
    drawn = [_constraint(dims, rng) for _ in range(rng.integers(0, 4))] if dims else []
    return canonical_constraints(dims, drawn)


def _constraint(dims: Dims, rng: np.random.Generator) -> Constraint:
    relation = ("=", "=", "=", ">=", ">=", 2, 3)[rng.integers(7)]
    return relation, _form(dims, rng)


def _form(dims: Dims, rng: np.random.Generator) -> AffineForm:
    count = min(len(dims), int(rng.choice([1, 2, 2, 2, 3])))
    places = [int(k) for k in rng.permutation(len(dims))[:count]]
    flavour = rng.random()
    if flavour < 0.4:
        # As in i = j + 1, and in j <= i.
        signs = [1, -1, -1] if flavour < 0.3 else [1, 1, -1]
        coefficients: list[tuple[Key, int]] = list(zip(places, signs, strict=False))
    else:
        coefficients = [(k, int(rng.choice(_COEFFICIENTS))) for k in places]
    coefficients.append(("", int(rng.choice([0, 0, 0, 1, -1, 2, -2]))))
    symbols = [d for d in dims if isinstance(d, str)]
    if symbols and rng.random() < 0.3:
        coefficients.append((symbols[0], int(rng.choice([1, -1]))))
    return form(coefficients)


# Some size twice and one of them a symbol, so that equal and unequal ones both come up.
SIZES: tuple[Size, ...] = (1, 2, 2, 3, "n")
# Sizes made of others, not negative at the numbers that stand for symbols.
MADE: tuple[Size, ...] = ("n + 1", "n - 1", "2*n", "2*n - 3")
NUMBERS = tuple(Number(n) for n in ("0", "1", "-1", "2", "3", "-2", "1/2", "-1/2"))
# What may be declared of a square matrix, and of any tensor.
MATRIX_WORDS = (*((w,) for w, a in ASSUMPTIONS.items() if a.of_matrices), ())
ENTRY_WORDS = (*((w,) for w, a in ASSUMPTIONS.items() if a.axes == "any"), ())
AXIS_WORDS = (*((w,) for w, a in ASSUMPTIONS.items() if a.axes == "some"), *ENTRY_WORDS)
# How often all numbers of an array are infinite.
INFINITE = 0.2
X_DIMS: tuple[Dims, ...] = ((), (1,), (2,), (2, 1))


@dataclass(frozen=True)
class Scope:
    """What is drawn from: sizes, and how many axes a tensor may have."""

    sizes: tuple[Size, ...]
    axes: int


EVERYTHING = Scope(SIZES, 3)
LARGER = Scope((3, 4, 5, 5, "n"), 3)


def with_empty(scope: Scope, conditions: Iterable[Tensor]) -> Scope:
    """A scope, with axes of length 0 where a condition asks for one."""
    tests = (c.function for c in conditions if isinstance(c, Call))
    asked = any(isinstance(t, Condition) and t.function is is_empty for t in tests)
    return replace(scope, sizes=(*scope.sizes, 0, 0)) if asked else scope


# How often a spec is drawn for its conditions.
SPECS = 25


def _is_about_specs(c: Tensor) -> TypeGuard[Call]:
    """Whether a condition is about nothing but specs."""
    return (
        isinstance(c, Call)
        and isinstance(c.function, Condition)
        and all(isinstance(a, Parameter) and a.kind == Spec for a in c.args)
    )


# Operations whose spec says along which axes they are taken.
_ALONG_AXES = (*EXTREMES, "logsumexp", "softmax", "log_softmax", "norm")


class Drawing:
    """The parameters bound so far."""

    def __init__(
        self,
        rng: np.random.Generator,
        scope: Scope = EVERYTHING,
        conditions: Iterable[Tensor] = (),
    ) -> None:
        """Bind nothing yet; specs are drawn to meet `conditions` that are about specs alone."""
        self.rng = rng
        self._about_specs = [c for c in conditions if _is_about_specs(c)]
        self.scope = scope
        self.bound: dict[str, Any] = {}
        # Kept, for nothing else refers to them.
        self.arrays: list[FixedArray] = []
        self.wrt: Wrt | None = None

    def draw_left(self, left: Node) -> None:
        """Bind every parameter of a law's left side."""
        match left:
            case Node(constructor="derivative", args=(inner, x)):
                fit = [
                    d for d in X_DIMS if len(d) <= self.scope.axes and {*d} <= {*self.scope.sizes}
                ]
                dims = fit[self.rng.integers(len(fit))]
                self.wrt = self.bound[x.name] = ("x", dims)
                self.draw(inner)
            case Node(constructor=made, args=(name, _, *operands)) if made in SLOPE_NODES.values():
                self._node(FUNCTION_NODES[len(operands)], (name, *operands), None)
            case Node(constructor="pullback", args=(inner, _, cotangent)):
                node = self.draw(inner)
                lead = self._dims(most=1)
                self.bound[cotangent.name] = terms.variable("g", lead + node.dims)
            case _:
                self.draw(left)

    def draw(self, pattern: object, kind: object = None, want: Dims | None = None) -> Any:
        """Bind what is not bound yet; the term or value of the pattern.

        `want` are the axes that the term must have; `kind` is what a plain value is drawn as.
        """
        match pattern:
            case Parameter(name=name):
                if name not in self.bound:
                    self.bound[name] = self._fresh(name, pattern.kind, want)
                found = self.bound[name]
                if isinstance(found, Term) and want is not None and found.dims != want:
                    raise Reject
                return found
            case Literal(value=value):
                return value
            case Call(function=None):
                # Dims of a tensor that may not be drawn yet; where they differ, nothing closes.
                return self._dims() if want is None else want
            case Node(constructor="ein" | "ein1", args=(spec, *operands)):
                return self._product(spec, operands, want)
            case Node(constructor=name, args=args):
                return self._node(name, args, want)
            case _:
                return pattern

    def _node(self, name: str, args: tuple[Any, ...], want: Dims | None) -> Term:
        match name:
            case "constant":
                dims = self.draw(args[1], want=want)
                return terms.constant(self.draw(args[0]), dims)
            case "delta":
                half = None if want is None else want[: len(want) // 2]
                if half is not None and half + half != want:
                    raise Reject
                return terms.delta(self.draw(args[0], want=half))
            case "indicator":
                known = isinstance(args[0], Parameter) and args[0].name in self.bound
                dims = self.draw(args[0], want=want if known or want is not None else self._dims())
                given = args[1]
                if isinstance(given, Parameter) and given.name not in self.bound:
                    self.bound[given.name] = random_constraints(dims, self.rng)
                return terms.indicator(dims, self.draw(given))
            case "size" | "variable" | "array":
                return node_term(name, (self.draw(args[0], want=want),))
            case "inv" | "adj":
                return terms.apply(name, self.draw(args[0], want=want or self._square()))
            case "det" | "logabsdet" | "signdet":
                return terms.apply(name, self.draw(args[0], want=self._square()))
            case "cofactors":
                return terms.cofactors(self.draw(args[0]), self.draw(args[1], want=self._square()))
            case "power":
                base = self.draw(args[0], want=want)
                return terms.power(base, self.draw(args[1], want=()))
            case "divide" if want is None and self.rng.random() < 0.4:
                scalar_first = self.rng.random() < 0.5
                a = self.draw(args[0], want=() if scalar_first else None)
                return terms.divide(a, self.draw(args[1], want=None if scalar_first else ()))
            case "numeric" if args[1] is None and (
                isinstance(args[0], Parameter) or args[0] in STACK_FUNCTIONS
            ):
                return self._of_each(args)
            case "numeric" if isinstance(args[0], Parameter) or args[0] in _ALONG_AXES:
                return self._along_axes(args, want)
            case "numeric" if args[0] in ("selection", "argsort"):
                return self._places(args, want)
            case "numeric" | "numeric2":
                first, *rest = args[2:]
                one = self.draw(first, want=want)
                others = (self.draw(a, want=one.dims) for a in rest)
                return node_term(name, (self.draw(args[0]), self.draw(args[1]), one, *others))
            case "scale":
                return node_term(name, (self.draw(args[0]), self.draw(args[1], want=want)))
            case _ if name in FUNCTION_NODES.values():
                function = args[0]
                if isinstance(function, Parameter) and function.name not in self.bound:
                    every = [f for f in ELEMENTWISE if FUNCTIONS[f].arity == len(args) - 1]
                    self.bound[function.name] = every[self.rng.integers(len(every))]
                one = self.draw(args[1], want=want)
                others = (self.draw(a, want=one.dims) for a in args[2:])
                return node_term(name, (self.draw(function), one, *others))
            case _:
                first = self.draw(args[0], want=want)
                rest = (self.draw(a, want=first.dims) for a in args[1:])
                return node_term(name, (first, *rest))

    def _of_each(self, args: tuple[Any, ...]) -> Term:
        """A function of each matrix of a stack, which often has one matrix alone."""
        name, _, inner = args
        if isinstance(name, Parameter):
            names = [*STACK_FUNCTIONS]
            name = self.bound.setdefault(name.name, names[self.rng.integers(len(names))])
        function = STACK_FUNCTIONS[name]
        stack = self._dims(most=1) if self.scope.axes > 2 else ()
        matrix = self._square()
        if not function.square and self.rng.random() < 0.5:
            # The lesser of two sizes has to be known.
            shorter, longer = sorted(int(k) for k in self.rng.integers(1, 4, 2))
            matrix = (longer, shorter)
            if not function.tall and self.rng.random() < 0.5:
                matrix = (shorter, longer)
        return terms.numeric(name, self.draw(inner, want=stack + matrix))

    def _along_axes(self, args: tuple[Any, ...], want: Dims | None) -> Term:
        """What is taken along some axes, as a maximum is; the spec is drawn for the operand."""
        function, spec, inner = args
        if isinstance(function, Parameter) and function.name not in self.bound:
            self.bound[function.name] = [*EXTREMES][self.rng.integers(len(EXTREMES))]
        operand: Term = self.draw(inner)
        if isinstance(spec, Parameter) and spec.name not in self.bound:
            axes = tuple(range(operand.order))
            kept = tuple(k for k in axes if self.rng.random() < 0.5)
            if kept == axes:
                raise Reject
            self.bound[spec.name] = (axes, kept)
        found = node_term("numeric", (self.draw(function), self.draw(spec), operand))
        if want is not None and found.dims != want:
            raise Reject
        return found

    def _places(self, args: tuple[Any, ...], want: Dims | None) -> Term:
        """A selection by integers, or an order along an axis."""
        name, data, inner = args
        if name == "selection":
            if isinstance(data, Parameter) and data.name not in self.bound:
                self.bound[data.name] = tuple(self._size() for _ in range(self.rng.integers(1, 3)))
            chosen = self.draw(data)
            if isinstance(inner, Parameter) and inner.name not in self.bound:
                dims = self._dims(most=2) + ((len(chosen),) if len(chosen) > 1 else ())
                self.bound[inner.name] = self._tensor(inner.name, dims)
        operand: Term = self.draw(inner)
        if name == "argsort":
            if not operand.order:
                raise Reject
            if isinstance(data, Parameter) and data.name not in self.bound:
                self.bound[data.name] = int(self.rng.integers(operand.order))
        found = node_term("numeric", (name, self.draw(data), operand))
        if want is not None and found.dims != want:
            raise Reject
        return found

    def _fresh(self, name: str, kind: object, want: Dims | None) -> Any:
        if kind is Tensor:
            return self._tensor(name, self._dims() if want is None else want)
        if kind == Dims:
            return self._dims(most=2) if want is None else want
        if kind == Number:
            return NUMBERS[self.rng.integers(len(NUMBERS))]
        if kind == Name:
            return UNARY[self.rng.integers(len(UNARY))]
        if kind is int:
            return int(self.rng.integers(1, 3))
        if kind == Wrt:
            other = self.wrt is None or self.rng.random() < 0.5
            return ("y", self._dims(most=2)) if other else self.wrt
        if kind == Entries:
            return self._array(self._dims(most=2) if want is None else want).entries
        if kind == Variable:
            dims = self._dims(most=2) if want is None else want
            square = len(dims) == 2 and dims[0] == dims[1]
            words = AXIS_WORDS if dims else ENTRY_WORDS
            if square and self.rng.random() < 0.7:
                words = MATRIX_WORDS
            made = terms.variable("y", dims, words[self.rng.integers(len(words))])
            return ("y", dims, made.assumed)
        if "n" in self.scope.sizes and self.rng.random() < 0.5:
            return MADE[self.rng.integers(len(MADE))]
        return self._size()

    def _array(self, dims: Dims) -> FixedArray:
        shape = [d for d in dims if isinstance(d, int)]
        if len(shape) < len(dims):
            raise Reject
        lowest = int(self.rng.integers(-2, 2))
        numbers = self.rng.integers(lowest, 4, shape)
        # Some laws are about infinities alone.
        infinite = np.full(shape, np.inf if lowest > 0 else -np.inf)
        made = infinite if self.rng.random() < INFINITE else numbers
        self.arrays.append(fixed_array(made))
        return self.arrays[-1]

    def _tensor(self, name: str, dims: Dims) -> Term:
        base = terms.variable(name, dims)
        if self.wrt is None:
            return base
        n, m = len(dims), len(self.wrt[1])
        jacobian = terms.variable(f"{name}_x", dims + self.wrt[1])
        spec = canonical([range(n + m), range(n, n + m)], range(n))
        return terms.add(terms.einsum(spec, jacobian, terms.variable(*self.wrt)), base)

    # Axes and specs ----------------------------------------------------------------------------

    def _size(self) -> Size:
        return self.scope.sizes[self.rng.integers(len(self.scope.sizes))]

    def _square(self) -> Dims:
        return (self._size(),) * 2

    def _dims(self, most: int = 3) -> Dims:
        order = int(self.rng.integers(0, min(most, self.scope.axes) + 1))
        if order == 2 and self.rng.random() < 0.5:
            return self._square()
        return tuple(self._size() for _ in range(order))

    def _product(self, spec: Any, operands: list[Any], want: Dims | None) -> Term:
        if isinstance(spec, Parameter) and spec.name not in self.bound:
            built = self._operands(operands, want)
            sizes_of = [b.dims for b in built]
            self.bound[spec.name] = drawn = self._spec(sizes_of, want)
            for _ in range(SPECS if self._about_specs else 0):
                if self._meets():
                    break
                self.bound[spec.name] = drawn = self._spec(sizes_of, want)
            return terms.einsum(drawn, *built)
        if isinstance(spec, Call):
            # What is computed is compared once the operands are matched.
            built = [self.draw(a) for a in operands]
            return terms.einsum(Closing(self.bound).build(spec), *built)
        known = self.bound[spec.name] if isinstance(spec, Parameter) else spec
        sizes: dict[int, Size] = dict(zip(known[-1], want or (), strict=False))
        built = []
        for part, a in zip(known, operands, strict=False):
            dims = tuple(sizes.setdefault(i, self._size()) for i in part)
            bound = isinstance(a, Parameter) and a.name in self.bound
            found = self.draw(a, want=None if bound else dims)
            sizes.update(zip(part, found.dims, strict=False))
            built.append(found)
        return terms.einsum(known, *built)

    def _meets(self) -> bool:
        """Whether all conditions on specs that are bound hold."""
        for c in self._about_specs:
            names = [cast(Parameter, a).name for a in c.args]
            if all(name in self.bound for name in names):
                holds = cast(Condition, c.function).function
                if not holds(*(self.bound[name] for name in names)):
                    return False
        return True

    def _operands(self, operands: list[Any], want: Dims | None) -> list[Term]:
        """Operands of any axes, often all of those wanted: many laws are about such alone."""
        built: list[Term] = []
        alike = self.rng.random() < 0.4
        for a in operands:
            bound = isinstance(a, Parameter) and a.name in self.bound
            like = built[0].dims if built else want
            built.append(self.draw(a, want=like if alike and not bound else None))
        return built

    def _spec(self, dims: list[Dims], want: Dims | None) -> Spec:
        """A spec for operands of some axes: often one that rules ask for, else any that fits."""
        flavour = self.rng.random()
        if len(dims) == 2:
            first, second = dims
            if flavour < 0.3 and first == second and want in (None, first):
                axes = tuple(range(len(first)))
                whole = flavour < 0.2 or want is not None
                return (axes, axes, tuple(i for i in axes if whole or self.rng.random() < 0.5))
            if 0.5 < flavour < 0.6 and not first and want in (None, second):
                return scaling(len(second))
        if 0.3 < flavour < 0.5 and all(len(d) == 2 for d in dims):
            product = ((0, 1), (1, 2), (0, 2)) if len(dims) == 2 else ((0, 1), (1, 0))
            with suppress(ShapeError):
                found = output_dims(product, *dims)
                if want in (None, found):
                    return product
        return self._any_spec(dims, want)

    def _any_spec(self, dims: list[Dims], want: Dims | None) -> Spec:
        size_of: list[Size] = []
        parts: list[Indices] = []
        for shape in dims:
            part: list[int] = []
            for d in shape:
                same = [i for i, e in enumerate(size_of) if e == d]
                if not same or self.rng.random() < 0.5:
                    same = [len(size_of)]
                    size_of.append(d)
                part.append(int(self.rng.choice(same)))
            parts.append(tuple(part))
        order = [int(i) for i in self.rng.permutation(len(size_of))]
        if want is None:
            return canonical(parts, [i for i in order if self.rng.random() < 0.7])
        out: list[int] = []
        for d in want:
            fit = [i for i in order if size_of[i] == d and i not in out]
            if not fit:
                raise Reject
            out.append(fit[0])
        return canonical(parts, out)
