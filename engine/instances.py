"""Random closed instances of a law: what its tests judge it by.

The left side is built bottom-up from variables of small sizes; specs are drawn to fit. Under `D`,
a tensor parameter is an affine function of the variable, so that its derivative is known.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import numpy as np

from eggrad.engine import oracle
from eggrad.engine import term as terms
from eggrad.engine.errors import ShapeError
from eggrad.engine.language import Call, Condition, Differ, Literal, Name, Node, Number, Parameter, Tensor, Wrt
from eggrad.engine.rule import Rule
from eggrad.engine.spec import Dims, Size, Spec, canonical, output_dims, scaling
from eggrad.engine.term import ELEMENTWISE, Term

__all__ = ["Instance", "Reject", "random_instance"]

SIZES = (1, 2, 2, 3)
NUMBERS = tuple(Fraction(n) for n in (0, 1, -1, 2, 3, -2)) + (Fraction(1, 2), Fraction(-1, 2))
X_DIMS: Dims = (2,)

Array = np.ndarray[Any, np.dtype[Any]]


class Reject(Exception):  # noqa: N818 - not an error: the draw does not fit the law
    """The draw is no instance of the law's left side."""


@dataclass
class Instance:
    """Values for a law's parameters, and both sides evaluated on random numbers."""

    rng: np.random.Generator
    bound: dict[str, Any] = field(default_factory=dict[str, Any])
    values: dict[str, Array] = field(default_factory=dict[str, Array])
    slopes: dict[str, Term] = field(default_factory=dict[str, Term])
    wrt: Term | None = None
    left: Term | None = None

    # Drawing the left side ---------------------------------------------------------------------

    def draw(self, pattern: object, kind: object = None, want: Dims | None = None) -> Any:
        """Draw what is not bound yet, and build the term of a pattern."""
        match pattern:
            case Parameter(name=name, kind=own):
                if name not in self.bound:
                    self.bound[name] = self._fresh(name, own, want)
                found = self.bound[name]
                if isinstance(found, Term) and want is not None and found.dims != want:
                    raise Reject
                return found
            case Node(constructor="ein" | "ein1"):
                return self._draw_product(pattern, want)
            case Node(constructor="constant" | "delta", args=args):
                dims = want
                if pattern.constructor == "delta" and want is not None:
                    half = len(want) // 2
                    if want[:half] != want[half:]:
                        raise Reject
                    dims = want[:half]
                shape = self.draw(args[-1], Dims, dims)
                if pattern.constructor == "delta":
                    return terms.delta(shape)
                return terms.constant(self.draw(args[0], Number), shape)
            case Node(constructor=name, args=args):
                return self._draw_node(name, args, want)
            case Literal(value=value):
                return value
            case _:
                return pattern

    def _fresh(self, name: str, kind: object, want: Dims | None) -> Any:
        if kind is Tensor:
            dims = self._dims() if want is None else want
            self.bound[name] = own = terms.variable(name, dims)
            if self.wrt is None:
                return own
            inner = terms.variable(f"{name}_x", dims + X_DIMS)
            n = len(dims)
            spec = canonical([tuple(range(n + 1)), (n,)], tuple(range(n)))
            return terms.add(terms.einsum(spec, inner, self.wrt), own)
        if kind == Dims:
            return self._dims(2) if want is None else want
        if kind == Number:
            return NUMBERS[self.rng.integers(len(NUMBERS))]
        if kind == Name:
            return ELEMENTWISE[self.rng.integers(len(ELEMENTWISE))]
        if kind is int:
            return int(self.rng.integers(1, 3))
        if kind == Wrt:
            return ("x", X_DIMS, ()) if self.rng.random() < 0.5 else ("y", self._dims(2), ())
        return int(self.rng.choice(SIZES))

    def _dims(self, most: int = 3) -> Dims:
        order = int(self.rng.integers(0, most + 1))
        if order == 2 and self.rng.random() < 0.5:
            return (int(self.rng.choice(SIZES)),) * 2
        return tuple(int(d) for d in self.rng.choice(SIZES, size=order))

    def _draw_node(self, name: str, args: tuple[object, ...], want: Dims | None) -> Any:
        rest = [a for a in args if not _is_tensor(a)]
        tensors = [a for a in args if _is_tensor(a)]
        if name in ("inv", "adj", "det", "cofactors"):
            inner = want if name in ("inv", "adj") else None
            n = int(self.rng.choice(SIZES))
            operand = self.draw(tensors[0], want=inner or (n, n))
            if name == "cofactors":
                return terms.cofactors(self.draw(rest[0], int), operand)
            return terms.apply(name, operand)
        if name == "size":
            return terms.size(self.draw(rest[0], object))
        if name == "variable":
            label, dims, _ = self.draw(rest[0], Wrt)
            return terms.variable(label, dims)
        if name == "power":
            base = self.draw(tensors[0], want=want)
            return terms.power(base, self.draw(tensors[1], want=()))
        if name == "divide" and want is None and self.rng.random() < 0.4:
            pair = [self.draw(tensors[0]), self.draw(tensors[1], want=())]
            return terms.divide(*pair)
        built: list[Term] = []
        for a in tensors:
            dims = want if want is not None else (built[0].dims if built else None)
            built.append(self.draw(a, want=dims))
        data = [self.draw(a) for a in rest]
        return build(name, tuple(data) + tuple(built))

    def _draw_product(self, node: Node, want: Dims | None) -> Term:
        spec, *operands = node.args
        known = self.bound.get(spec.name) if isinstance(spec, Parameter) else spec
        if not isinstance(spec, Parameter) or known is not None:
            own = cast(Spec, known)
            sizes: dict[int, Size] = dict(zip(own[-1], want or (), strict=False))
            built: list[Term] = []
            for part, a in zip(own, operands, strict=False):
                dims = tuple(sizes.setdefault(i, int(self.rng.choice(SIZES))) for i in part)
                bound = isinstance(a, Parameter) and a.name in self.bound
                found = cast(Term, self.draw(a, want=None if bound else dims))
                sizes.update(zip(part, found.dims, strict=False))
                built.append(found)
            return terms.einsum(own, *built)
        built = [cast(Term, self.draw(a)) for a in operands]
        drawn = self._spec([b.dims for b in built], want)
        self.bound[spec.name] = drawn
        return terms.einsum(drawn, *built)

    def _spec(self, dims: list[Dims], want: Dims | None) -> Spec:
        flavour = self.rng.random()
        if flavour < 0.3 and len(dims) == 2 and dims[0] == dims[1] and want in (None, dims[0]):
            axes = tuple(range(len(dims[0])))
            return (axes, axes, axes)
        if flavour < 0.5 and all(len(d) == 2 for d in dims) and want is None:
            product = ((0, 1), (1, 2), (0, 2)) if len(dims) == 2 else ((0, 1), (1, 0))
            with suppress(ShapeError):
                output_dims(product, *dims)
                return product
        if flavour < 0.6 and len(dims) == 2 and not dims[0] and want in (None, dims[1]):
            return scaling(len(dims[1]))
        size_of: list[Size] = []
        parts: list[list[int]] = []
        for own in dims:
            part: list[int] = []
            for d in own:
                same = [i for i, e in enumerate(size_of) if e == d]
                if same and self.rng.random() < 0.5:
                    part.append(int(self.rng.choice(same)))
                else:
                    part.append(len(size_of))
                    size_of.append(d)
            parts.append(part)
        indices = list(self.rng.permutation(len(size_of)))
        if want is None:
            out = [int(i) for i in indices if self.rng.random() < 0.7]
        else:
            out = []
            for d in want:
                fit = [int(i) for i in indices if size_of[i] == d and int(i) not in out]
                if not fit:
                    raise Reject
                out.append(fit[0])
        return canonical(parts, out)

    # Building the right side -------------------------------------------------------------------

    def build(self, pattern: object) -> Any:
        """The term or value of a pattern whose parameters are all bound."""
        match pattern:
            case Parameter(name=name):
                return self.bound[name]
            case Literal(value=value):
                return value
            case Differ(first=first, second=second):
                return self.build(first) is not self.build(second)
            case Node(constructor="derivative", args=(Parameter(name=name), _)):
                dims = cast(Term, self.bound[name]).dims
                return terms.variable(f"{name}_x", dims + X_DIMS)
            case Node(constructor="slope", args=(f, a)):
                return self._slope(self.build(f), self.build(a))
            case Node(constructor=name, args=args):
                return build(name, tuple(self.build(a) for a in args))
            case Call(function=None, args=args):
                return cast(Term, self.build(args[0])).dims
            case Call(function=function, args=args):
                test = function.function if isinstance(function, Condition) else function
                found = cast(Any, test)(*(self.build(a) for a in args))
                if found is None:
                    raise Reject
                return found
            case _:
                return pattern

    def _slope(self, f: str, a: Term) -> Term:
        name = f"slope{len(self.slopes)}"
        self.slopes[name] = terms.apply(f, a)
        return terms.variable(name, a.dims)


def build(name: str, args: tuple[Any, ...]) -> Term:
    """The term of an e-graph constructor."""
    match name:
        case "ein" | "ein1":
            return terms.einsum(args[0], *args[1:])
        case "constant":
            return terms.constant(*args)
        case "scale":
            return terms.einsum(scaling(args[1].order), terms.constant(args[0]), args[1])
        case "function":
            return terms.apply(*args)
        case "inv" | "det" | "adj":
            return terms.apply(name, *args)
        case "variable":
            return terms.variable(args[0][0], args[0][1])
        case _:
            return getattr(terms, name)(*args)


def _is_tensor(a: object) -> bool:
    return isinstance(a, Node) or (isinstance(a, Parameter) and a.kind is Tensor)


def random_instance(rule: Rule, rng: np.random.Generator, back: bool = False) -> Instance:
    """A random instance of a law's left side (or, for a law both ways, of its right side)."""
    law = rule.statement
    left = law.right if back else law.left
    instance = Instance(rng)
    node = cast(Node, left)
    try:
        if node.constructor == "derivative":
            instance.wrt = terms.variable("x", X_DIMS)
            for a in node.args:
                if isinstance(a, Parameter) and a.kind == Wrt:
                    instance.bound[a.name] = ("x", X_DIMS)
            instance.left = instance.draw(node.args[0])
        elif node.constructor in ("pullback", "slope"):
            instance.left = instance.draw(node.args[0] if node.constructor == "pullback" else node.args[1])
            if node.constructor == "pullback":
                lead = instance._dims(1)
                g = cast(Parameter, node.args[2])
                instance.bound[g.name] = terms.variable("g", lead + instance.left.dims)
        else:
            instance.left = instance.draw(left)
        for c in law.conditions:
            if instance.build(c) is False:
                raise Reject
    except ShapeError as e:
        raise Reject from e
    return instance


def sides(rule: Rule, instance: Instance, back: bool = False) -> tuple[Array, Array]:
    """Both sides of a law on random numbers: the oracle's word, not the rule's."""
    law = rule.statement
    node = cast(Node, law.right if back else law.left)
    right = cast(Term, instance.build(law.left if back else law.right))
    left = cast(Term, instance.left)
    known = [t for t in terms.variables(left, right) if not str(t.data[0]).startswith("slope")]  # type: ignore[index]
    if instance.wrt is not None:
        known.append(instance.wrt)
    values = oracle.random_values(tuple(dict.fromkeys(known)), {}, instance.rng, kind="normal")
    if instance.rng.random() < 0.5:
        values = {k: np.abs(v) % 0.9 + 0.05 for k, v in values.items()}
    for name, function in instance.slopes.items():
        values[name] = slope_value(function.op, oracle.value(function.args[0], values))
    if node.constructor == "derivative":
        return oracle.numeric_derivative(left, cast(Term, instance.wrt), values), oracle.value(right, values)
    if node.constructor == "slope":
        f = cast(str, node.args[0])
        return slope_value(f, oracle.value(left, values)), oracle.value(right, values)
    if node.constructor == "pullback":
        place = cast(int, node.args[1])
        return pulled(left, place, values), oracle.value(right, values)
    return oracle.value(left, values), oracle.value(right, values)


def slope_value(f: str, a: Array) -> Array:
    """The derivative of an element-wise function by central differences, entry by entry."""
    probe = terms.variable("probe", tuple(a.shape))
    jacobian = oracle.numeric_derivative(terms.apply(f, probe), probe, {"probe": a})
    n = a.size
    return jacobian.reshape(n, n)[np.arange(n), np.arange(n)].reshape(a.shape)


def pulled(node: Term, place: int, values: Mapping[str, Array]) -> Array:
    """The cotangent `g` of a node, contracted with the node's Jacobian in one operand."""
    probes = [terms.variable(f"operand{k}", a.dims) for k, a in enumerate(node.args)]
    inner = {f"operand{k}": oracle.value(a, values) for k, a in enumerate(node.args)}
    again = terms.rebuild(node, tuple(probes))
    jacobian = oracle.numeric_derivative(again, probes[place], inner)
    return np.tensordot(values["g"], jacobian, axes=node.order) if node.order else np.multiply.outer(values["g"], jacobian)
