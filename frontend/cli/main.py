"""The command line: the commands of `eggrad`, each loaded when it is called.

What was asked for goes to standard output, everything else to standard error. A mistake in the
input ends with status 2 and a message; a derivative that fails its check ends with status 1.
"""

import click

from eggrad import __version__
from eggrad.frontend.cli.commands import Commands


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    later={
        "expressions": {
            "convex": "Say whether TEXT is convex, concave, affine or neither, and why.",
            "diff": "Print the derivative of TEXT, simplified.",
            "eval": "Evaluate TEXT, or its derivative, at given values.",
            "simplify": "Print an expression equal to TEXT that costs less.",
        },
        "equal": {
            "classes": "Group the expressions in FILE, one a line, into those that are equal.",
            "equal": "Say whether LEFT and RIGHT are equal, by which rules, or at which values "
            "they differ.",
        },
        "experiments": {"graph": "Draw the e-graph after each stage."},
        "calibrate": {"calibrate": "Measure how fast NumPy is on this machine."},
        "verify": {
            "verify": "Check the certificate in FILE: what it proves, what it assumes, and by "
            "which laws.",
        },
        "serve": {"serve": "Open a page to type formulas into."},
        "main": {"rules": "Show the laws that every step of a simplification follows."},
    },
)
@click.version_option(__version__, message="eggrad %(version)s")
def main() -> None:
    """Differentiate, simplify and evaluate tensor expressions.

    TEXT is in the language of the thesis, for example
    'declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x'; - reads it from standard input.
    """


@click.group(
    cls=Commands,
    later={
        "rules": {
            "check": "Check the rule or ruleset NAME, the rules of FILE, or all rules.",
            "infer": "Propose rules: small terms that have the same values, and that the rules do "
            "not prove equal.",
            "list": "List every ruleset with its laws.",
            "prove": "Prove or refute the rule or ruleset NAME, the rules of FILE, or all rules.",
            "show": "Show the law NAME, or every law of the ruleset NAME.",
        },
        "experiments": {
            "ablate": "Leave out each rule in turn.",
            "minimize": "Find a smallest set of rules with the same results.",
            "report": "Compare variants of the rules.",
        },
    },
)
def rules() -> None:
    """Show the laws that every step of a simplification follows."""
