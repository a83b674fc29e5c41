"""What compiled functions show of themselves: what they take and give, and their source."""

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

from eggrad.engine.costs.cost import count
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term, variables


class ShownFunction:
    """A function with a `source`; notebooks show it, and editors complete its keywords.

    >>> from eggrad.engine.compilation.compiled import compile_terms
    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> f = compile_terms([einsum("ij,j->i", A, x)], sizes={"m": 2, "n": 10}, single=True)
    >>> f
    <numpy function (A[m,n], x[n]) -> [m], 38 operations at m=2, n=10>
    >>> import inspect
    >>> inspect.signature(f)
    <Signature (A, x, **others)>
    """

    source: str
    parameters: tuple[str, ...]
    _shown: str
    _counted: tuple[Sequence[Term], Mapping[str, int]]

    def _describe(
        self, kind: str, roots: Sequence[Term], sizes: Mapping[str, int], form: Sequence[Term] = ()
    ) -> None:
        """Say what the function computes: `roots`, as `form` at `sizes`."""
        dims = {v.name: v.dims for v in variables(*roots)}
        self.__signature__ = signature(self.parameters, sizes)
        taken = ", ".join(f"{n}{_axes(dims.get(n, ()))}" for n in self.parameters)
        given = ", ".join(_axes(r.dims) or "scalar" for r in roots)
        self._shown = f"{kind} function ({taken}) -> {given}"
        self._counted = tuple(form), {s: n for s, n in sizes.items() if s in symbols(*form)}

    @property
    def form(self) -> Sequence[Term]:
        """The terms whose values are computed, at the sizes that were given or of 100."""
        return self._counted[0]

    def __repr__(self) -> str:
        """Show the arguments, the axes of results, and operations where sizes are known."""
        form, sizes = self._counted
        if not form or len(sizes) < len(symbols(*form)):
            return f"<{self._shown}>"
        at = ", ".join(f"{s}={n}" for s, n in sizes.items())
        operations = f"{count(form, sizes):,} operations"
        return f"<{self._shown}, {operations}{f' at {at}' if at else ''}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What notebooks show: the source."""
        return {"text/plain": repr(self), "text/markdown": fenced(self.source)}


def signature(parameters: Sequence[str], defaults: Mapping[str, int]) -> Signature:
    """The signature of a function of these parameters; names that Python has not are left out.

    >>> signature(("A", "lambda", "n"), {"n": 3})
    <Signature (*, A, n=3, **others)>
    """
    kind = Parameter.POSITIONAL_OR_KEYWORD
    if not all(map(_is_name, parameters)):
        kind = Parameter.KEYWORD_ONLY
    named = [
        Parameter(n, kind, default=defaults.get(n, Parameter.empty))
        for n in sorted(filter(_is_name, parameters), key=lambda n: n in defaults)
    ]
    others = next(n for n in ("others", "_others", "__others") if n not in parameters)
    return Signature([*named, Parameter(others, Parameter.VAR_KEYWORD)])


def fenced(source: str) -> str:
    """Python as Markdown shows it; no text in it ends the fence.

    >>> print(fenced("x = '```'"))
    ````python
    x = '```'
    ````
    """
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", source)), 0)
    return f"{fence}python\n{source.rstrip()}\n{fence}"


def _is_name(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _axes(dims: Dims) -> str:
    return f"[{','.join(map(str, dims))}]" if dims else ""
