"""The Python text of compiled terms: a module with one function for each form of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.binding import name_of
from eggrad.engine.codegen import RUNTIME, Writer, parameter_names
from eggrad.engine.cost import CostModel
from eggrad.engine.spec import Size
from eggrad.engine.term import Term, postorder

__all__ = ["Form", "Module"]

# What may overflow at moderate arguments, and what keeps that.
OVERFLOWING: Final = frozenset({"exp", "expm1", "sinh", "cosh"})
KEEPING: Final = frozenset({"add", "subtract", "negate", "einsum", "power"})
# A `with` statement would take twice as long.
_IGNORED: Final = '@np.errstate(over="ignore", divide="ignore", invalid="ignore")'
_CALL: Final = re.compile(r"(?<![.\w])(\w+)\(")


@dataclass(frozen=True)
class Form:
    """One way to compute some values: a term for each, and sizes at which it is the fastest."""

    terms: tuple[Term, ...]
    sizes: tuple[Mapping[str, int], ...] = ()


class Module:
    """The functions of some forms of the same values, and what their parameters are.

    The parameters are those of `variables`, then the size symbols of `parameters`.
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
        taken: set[str] = set()
        self._names = parameter_names(dict.fromkeys(map(name_of, own)), taken)
        self._sizes = parameter_names(mentioned, taken)
        self._dtype = f"{self._names[name_of(own[0])]}.dtype" if own else ""
        self._origin = {
            d: f"{self._names[name_of(v)]}.shape[{axis}]"
            for v in reversed(own)
            for axis, d in enumerate(v.dims)
            if isinstance(d, str)
        }
        models = [_model(f.sizes[0] if f.sizes else sizes or {}) for f in forms]
        writers = [Writer(self._names, self._sizes, self._dtype, m, reuse) for m in models]
        returned = [w.results(f.terms) for w, f in zip(writers, forms, strict=True)]
        used = {s for w in writers for s in w.used}
        self.parameters = tuple(sorted(used - self._origin.keys()))
        self.functions = ["compiled"]
        if len(forms) > 1:
            self.functions = [f"form_{k}" for k in range(1, len(forms) + 1)]
        texts = [
            self._function(*parts, single)
            for parts in zip(self.functions, forms, writers, returned, strict=True)
        ]
        self.text = "\n\n".join([_imports(texts), *texts])

    def _function(
        self, name: str, form: Form, writer: Writer, returned: Sequence[str], single: bool
    ) -> str:
        parameters = [*self._names.values(), *(self._sizes[s] for s in self.parameters)]
        lines = [_IGNORED] if _overflows_to_zero(form.terms) else []
        lines.append(f"def {name}({', '.join(parameters)}):")
        if form.sizes:
            at = (", ".join(f"{s} = {n}" for s, n in sorted(sizes.items())) for sizes in form.sizes)
            lines.append(f"    # The fastest at {'; at '.join(at)}.")
        known = sorted(writer.used & self._origin.keys())
        lines += [f"    {self._sizes[s]} = {self._origin[s]}" for s in known]
        lines += [f"    {line}" for line in writer.block.lines(returned, single)]
        return "\n".join([*lines, ""])


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


def _imports(texts: Sequence[str]) -> str:
    called = {name for text in texts for name in _CALL.findall(text)} & RUNTIME.keys()
    names: dict[str, list[str]] = {}
    for name in sorted(called):
        names.setdefault(RUNTIME[name], []).append(name)
    lines = [f"from eggrad.engine.{m} import {', '.join(own)}" for m, own in sorted(names.items())]
    return "\n".join(["import numpy as np", *lines, ""])


def _model(sizes: Mapping[str, int]) -> CostModel:
    known: dict[Size, int] = {**sizes}
    return CostModel(known)
