"""The Python text of compiled terms: a module with one function for each form of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Final

from eggrad.engine import runtime
from eggrad.engine.compilation.codegen import Writer
from eggrad.engine.compilation.stepped_nodes import with_stepped_products
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import escaped, identifier
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, fixed_arrays, own_functions, postorder

__all__ = ["Form", "Module"]

# What may overflow at moderate arguments, and what keeps that.
OVERFLOWING: Final = frozenset(f.name for f in FUNCTIONS.values() if f.grows)
KEEPING: Final = frozenset({"add", "subtract", "negate", "einsum", "power"})
# A `with` statement would take twice as long.
_IGNORED: Final = '@np.errstate(over="ignore", divide="ignore", invalid="ignore")'
_RESERVED: Final = frozenset({"np", "float", "compiled", *runtime.__all__})
# What the generated code calls its own values.
_NUMBERED: Final = re.compile(r"(t|form_)\d+\Z")
_CALL: Final = re.compile(r"(?<![.\w])(\w+)\(")


@dataclass(frozen=True)
class Form:
    """One way to compute some values: a term for each, and sizes at which it is the fastest."""

    terms: tuple[Term, ...]
    sizes: tuple[Mapping[str, int], ...] = ()


class Module:
    """The functions of some forms of the same values, and what their parameters are.

    The parameters are those of `variables`, then the size symbols of `parameters`. `arrays` are
    those of known numbers, by what the text calls them; `made` has the axes of the arrays that
    each function makes.
    """

    def __init__(
        self,
        forms: Sequence[Form],
        own: Sequence[Term],
        mentioned: Sequence[str],
        single: bool,
        reuse: bool = True,
        *,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        """Generate the text; `own` are the variables, `mentioned` all size symbols.

        `sizes` are expected where a form does not have its own.
        """
        texts: list[str] = []
        written: list[_Function] = []
        taken = {v.name for v in own} | {*mentioned} | _RESERVED
        every = fixed_arrays(*(t for form in forms for t in form.terms))
        unused = (name for k in count(1) if (name := f"array{k}") not in taken)
        fixed = {array: next(unused) for array in every}
        self.arrays = {name: array.values for array, name in fixed.items()}
        for form in forms:
            expected: Mapping[str, int] = form.sizes[0] if form.sizes else sizes or {}
            known: dict[Size, int] = {**expected}
            model = CostModel(known)
            terms = with_stepped_products(form.terms, model)
            written.append(_Function(terms, own, mentioned, model, reuse=reuse, fixed=fixed))
        self.parameters = tuple(sorted({s for f in written for s in f.open}))
        self.made = [f.made for f in written]
        self.functions = ["compiled"]
        if len(forms) > 1:
            self.functions = [f"form_{k}" for k in range(1, len(forms) + 1)]
        for name, form, function in zip(self.functions, forms, written, strict=True):
            text = function.text(name, self.parameters, single, _fastest(form))
            ignored = _overflows_to_zero(form.terms) or _chooses(form.terms)
            texts.append(f"{_IGNORED}\n{text}" if ignored else text)
        self.text = "\n\n".join([_imports(texts), *texts])


class _Function:
    """The text of a function of some variables and sizes; `open` are sizes that no variable has."""

    def __init__(
        self,
        terms: Sequence[Term],
        own: Sequence[Term],
        mentioned: Sequence[str],
        model: CostModel,
        *,
        reuse: bool,
        fixed: Mapping[FixedArray, str],
    ) -> None:
        taken = {*(f.name for f in own_functions(*terms)), *fixed.values()}
        self._names = _parameter_names(dict.fromkeys(v.name for v in own), taken)
        self._sizes = _parameter_names(mentioned, taken)
        origin = {
            d: f"{self._names[v.name]}.shape[{axis}]"
            for v in reversed(own)
            for axis, d in enumerate(v.dims)
            if isinstance(d, str)
        }
        arrays = [self._names[v.name] for v in sorted(own, key=lambda v: not v.dims)]
        dtype = f"{arrays[0]}.dtype" if arrays else ""
        writer = Writer(self._names, self._sizes, dtype, model, reuse=reuse, fixed=fixed)
        self._returned = writer.results(terms)
        self._block = writer.block
        self._known = [(self._sizes[s], origin[s]) for s in sorted(writer.used & origin.keys())]
        self.open = writer.used - origin.keys()
        self.made = frozenset(writer.made)

    def text(self, name: str, sizes: Sequence[str], single: bool, comment: str = "") -> str:
        """The definition, with some size symbols as further parameters."""
        parameters = [*self._names.values(), *(self._sizes[s] for s in sizes)]
        body = [comment] if comment else []
        body += [f"{size} = {origin}" for size, origin in self._known]
        body += self._block.lines(self._returned, single)
        head = f"def {name}({', '.join(parameters)}):"
        return "\n".join([head, *(f"    {line}" for line in body), ""])


def _parameter_names(wanted: Iterable[str], taken: set[str]) -> dict[str, str]:
    """A Python name like each wanted one, that nothing else has."""
    return {name: _identifier(name, taken) for name in wanted}


def _identifier(name: str, taken: set[str]) -> str:
    own = identifier(name, taken | _RESERVED)
    if _NUMBERED.match(own):
        own = identifier(f"{own}_", taken | _RESERVED)
    taken.add(own)
    return own


def _fastest(form: Form) -> str:
    """A comment that says where a form is the one to take."""
    at = (
        ", ".join(f"{escaped(s)} = {n}" for s, n in sorted(sizes.items())) for sizes in form.sizes
    )
    return f"# The fastest at {'; at '.join(at)}." if form.sizes else ""


def _overflows_to_zero(roots: Sequence[Term]) -> bool:
    """Whether an exponential divides: where it overflows the quotient is 0, as it should be."""
    overflowing: set[Term] = set()
    for node in postorder(*roots):
        divisor = node.args[-1:] if node.op == "divide" else ()
        if node.op == "power":
            exponent = node.args[1].data
            divisor = node.args[:1] if isinstance(exponent, Fraction) and exponent < 0 else ()
        if not overflowing.isdisjoint(divisor):
            return True
        if node.op in OVERFLOWING or (node.op in KEEPING and not overflowing.isdisjoint(node.args)):
            overflowing.add(node)
    return False


def _chooses(roots: Sequence[Term]) -> bool:
    """Whether there are branches, which are computed where they are not chosen as well."""
    return any(node.op == "where" for node in postorder(*roots))


def _imports(texts: Sequence[str]) -> str:
    called = {name for text in texts for name in _CALL.findall(text)}.intersection(runtime.__all__)
    lines = [f"from eggrad.engine.runtime import {', '.join(sorted(called))}"] if called else []
    return "\n".join(["import numpy as np", *lines, ""])
