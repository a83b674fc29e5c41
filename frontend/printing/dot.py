"""The DAG of a term as a text for Graphviz."""

from typing import Final

from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.text.constraints import format_constraints
from eggrad.frontend.text.words import format_number, format_product

__all__ = ["format_dot"]

_SIGNS: Final = {"add": "+", "subtract": "-", "negate": "-", "divide": "/", "power": "^"}


def format_dot(root: Term) -> str:
    r"""A node for each node of the DAG, with its axes; operands point to what needs them.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> print(format_dot(apply("sin", variable("x", ("n",)))))
    digraph {
      rankdir=BT
      node [shape=box]
      1 [label="x\nn", shape=ellipse]
      2 [label="sin\nn"]
      1 -> 2
    }
    """
    numbers: dict[Term, int] = {}
    lines = ["digraph {", "  rankdir=BT", "  node [shape=box]"]
    for number, node in enumerate(postorder(root), 1):
        numbers[node] = number
        axes = " x ".join(map(str, node.dims))
        label = "\\n".join(_escaped(part) for part in (_label(node), axes) if part)
        shape = "" if node.args else ", shape=ellipse"
        lines.append(f'  {number} [label="{label}"{shape}]')
        for place, a in enumerate(node.args, 1):
            told = f' [label="{place}"]' if len(node.args) > 1 else ""
            lines.append(f"  {numbers[a]} -> {number}{told}")
    return "\n".join([*lines, "}"])


def _escaped(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown.replace("\\", "\\\\").replace('"', "'")


def _label(node: Term) -> str:
    match node.op:
        case "variable":
            return node.name
        case "constant":
            return format_number(node.value)
        case "einsum":
            return format_product(node.spec)
        case "indicator":
            return format_constraints(node.constraints)
        case "size" | "cofactors":
            return f"{node.op}({node.data})"
        case name:
            return _SIGNS.get(name, name)
