"""The text of a module of generated code: a function for each form, and for each step of a loop."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import numpy as np

from eggrad.engine import runtime
from eggrad.engine.compilation.dialect import Dialect
from eggrad.engine.compilation.passes import run_passes
from eggrad.engine.compilation.program import Program, Steps
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import escaped, identifier
from eggrad.engine.terms.binding import Array, symbols
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.term import (
    LoopStep,
    Term,
    fixed_arrays,
    only_indices,
    own_functions,
    steps_of,
)

# A `with` statement would take twice as long.
_IGNORED: Final = '@np.errstate(over="ignore", divide="ignore", invalid="ignore")'
_RESERVED: Final = frozenset(
    {"np", "xp", "own", "float", "compiled", "kernels_of", *runtime.__all__}
)
# What the generated code calls its values.
_NUMBERED: Final = re.compile(r"(t|form_|step_)\d+\Z")


@dataclass(frozen=True)
class Form:
    """One way to compute some values: a term for each, and sizes at which it is the fastest."""

    terms: tuple[Term, ...]
    sizes: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True)
class Target:
    """What code is written for: its `dialect`, and what a program has to know of the library.

    `given` are parameters before all others.
    """

    dialect: Callable[[Program], Dialect]
    in_place: bool = True
    reads_backwards: bool = True
    given: tuple[str, ...] = ()


class Module:
    """The functions of some forms of the same values, and what their parameters are.

    The parameters are those given, the variables, then the size symbols of `parameters`. `arrays`
    are those of known numbers, by what the text calls them; `made` has the axes of the arrays that
    each function makes, `called` the names of what they call.
    """

    def __init__(
        self,
        target: Target,
        forms: Sequence[Form],
        variables: Sequence[Term],
        mentioned: Sequence[str],
        single: bool,
        *,
        sizes: Mapping[str, int] | None = None,
        indices: frozenset[str] = frozenset(),
    ) -> None:
        """Generate the text; `variables` are parameters, `mentioned` all size symbols.

        `sizes` are expected where a form has none. The variables `indices` are none
        that others have the dtype of.
        """
        roots = [t for form in forms for t in form.terms]
        taken = {v.name for v in variables} | {*mentioned} | _RESERVED
        unused = (name for k in count(1) if (name := f"array{k}") not in taken)
        fixed = {array: next(unused) for array in fixed_arrays(*roots)}
        of_places = {t.array for t in only_indices(*roots) if t.op == "array"}
        self.arrays = {
            name: as_places(array.values) if array in of_places else array.values
            for array, name in fixed.items()
        }
        self.texts, steps, called = _steps(target, roots, fixed)
        dtyped = [v for v in variables if v.name not in indices]
        written: list[_Function] = []
        for form in forms:
            expected: Mapping[str, int] = form.sizes[0] if form.sizes else sizes or {}
            known: dict[Size, int] = {**expected}
            written.append(
                _Function(
                    target,
                    form.terms,
                    variables,
                    mentioned,
                    model=CostModel(known),
                    dtyped=dtyped,
                    fixed=fixed,
                    steps=steps,
                    single=single,
                )
            )
        self.parameters = tuple(sorted({s for f in written for s in f.open}))
        self.made = [f.made for f in written]
        self.called = called.union(*(f.called for f in written))
        self.functions = ["compiled"]
        if len(forms) > 1:
            self.functions = [f"form_{k}" for k in range(1, len(forms) + 1)]
        for name, form, function in zip(self.functions, forms, written, strict=True):
            self.texts.append(function.text(name, self.parameters, _comment_on(form)))

    def text(self, imports: str) -> str:
        """The module, with these lines before all others."""
        return "\n\n".join([imports + "\n", *self.texts])


def _steps(
    target: Target, roots: Iterable[Term], fixed: Mapping[FixedArray, str]
) -> tuple[list[str], Steps, set[str]]:
    """The texts of the functions of the steps of loops, their names, and those that they call."""
    texts: list[str] = []
    called: set[str] = set()
    known: dict[LoopStep, tuple[str, tuple[str, ...]]] = {}
    for k, step in enumerate(steps_of(*roots), 1):
        variables = (*step.carries, *step.slices, *step.constants)
        function = _Function(
            target,
            step.results,
            variables,
            symbols(*variables, *step.results),
            model=CostModel({step.steps: 1}),
            dtyped=variables,
            fixed=fixed,
            steps=known,
        )
        sizes = tuple(sorted(function.open))
        texts.append(function.text(f"step_{k}", sizes))
        called |= function.called
        given = ", ".join(target.given)
        known[step] = f"(lambda *a: step_{k}({given}, *a))" if given else f"step_{k}", sizes
    return texts, known, called


class _Function:
    """The text of a function of some variables and sizes; `open` are sizes that no variable has."""

    def __init__(
        self,
        target: Target,
        terms: Sequence[Term],
        variables: Sequence[Term],
        mentioned: Sequence[str],
        *,
        model: CostModel,
        dtyped: Sequence[Term],
        fixed: Mapping[FixedArray, str],
        steps: Steps,
        single: bool = False,
    ) -> None:
        taken = {*(f.name for f in own_functions(*terms)), *fixed.values()}
        names = _parameter_names(dict.fromkeys(v.name for v in variables), taken)
        self._sizes = _parameter_names(mentioned, taken)
        origin = _size_origins(variables, names)
        # An array with axes has the dtype, rather than a number.
        arrays = [names[v.name] for v in sorted(dtyped, key=lambda v: not v.dims)]
        program = Program(
            tuple(terms), model, names, self._sizes, fixed, arrays[0] if arrays else "", steps=steps
        )
        program.in_place = target.in_place
        program.reads_backwards = target.reads_backwards
        program.indices = only_indices(*terms)
        dialect = target.dialect(run_passes(program))
        self._lines, self.called = dialect.lines(single), dialect.called
        self._head = [_IGNORED] if program.silent else []
        self._parameters = [*target.given, *names.values()]
        self._known = [f"{self._sizes[s]} = {origin[s]}" for s in sorted(program.used & {*origin})]
        self.open = program.used - {*origin}
        self.made = frozenset(program.made)

    def text(self, name: str, sizes: Sequence[str], comment: str = "") -> str:
        """The definition, with some size symbols as further parameters."""
        parameters = ", ".join([*self._parameters, *(self._sizes[s] for s in sizes)])
        body = [*[comment] * bool(comment), *self._known, *self._lines]
        head = [*self._head, f"def {name}({parameters}):"]
        return "\n".join([*head, *(f"    {line}" for line in body), ""])


def _size_origins(variables: Sequence[Term], names: Mapping[str, str]) -> dict[str, str]:
    """Where each size symbol that is an axis's size by itself is read off a variable."""
    return {
        d: f"{names[v.name]}.shape[{axis}]"
        for v in reversed(variables)
        for axis, d in enumerate(v.dims)
        if isinstance(d, str)
    }


def _parameter_names(wanted: Iterable[str], taken: set[str]) -> dict[str, str]:
    """A Python name like each wanted one, that nothing else has."""
    return {name: _identifier(name, taken) for name in wanted}


def _identifier(name: str, taken: set[str]) -> str:
    candidate = identifier(name, taken | _RESERVED)
    if _NUMBERED.match(candidate):
        candidate = identifier(f"{candidate}_", taken | _RESERVED)
    taken.add(candidate)
    return candidate


def _comment_on(form: Form) -> str:
    """A comment that says where a form is the one to take."""
    at = (
        ", ".join(f"{escaped(s)} = {n}" for s, n in sorted(sizes.items())) for sizes in form.sizes
    )
    return f"# The fastest at {'; at '.join(at)}." if form.sizes else ""


def as_places(values: Array) -> Array:
    """The same numbers as integers, where they are such.

    >>> as_places(np.array([2.0, 0.0])), as_places(np.array([0.5]))
    (array([2, 0]), array([0.5]))
    """
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.intp)
    return whole if (whole == values).all() else values
