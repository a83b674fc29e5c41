"""How a page of an experiment was made, so that it can be made again."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from eggrad import __version__
from eggrad.frontend.interface.own_rules import INSTANCES
from eggrad.frontend.printing.display import markup
from eggrad.frontend.workbench.pages import table

_PACKAGES = ("egglog", "numpy")


@dataclass(frozen=True)
class Origin:
    """The command that was given, and the texts that it read, by the names that it has for them."""

    command: str
    texts: Mapping[str, str]


def versions() -> Sequence[tuple[str, str]]:
    """What the figures of an experiment may depend on."""
    packages = [(name, version(name)) for name in _PACKAGES]
    return [("eggrad", __version__), *packages, ("Python", platform.python_version()),
            ("machine", f"{platform.system()} {platform.machine()}")]  # fmt: skip


def section(origin: Origin, results: Mapping[str, Any]) -> str:
    """The part of a page that says how to make it again, with all results as JSON."""
    parts = [
        "<h2>To run it again</h2>",
        f'<p><code id="command">{markup(origin.command)}</code></p>',
        '<p class="note">Save the files below by their names, then give the command. All but the '
        "times is the same then, with the same versions: nothing is drawn at random but "
        f"instances on which rules of your own are checked, {INSTANCES} each with seed 0. A limit "
        "in seconds that ended something depends on the machine.</p>",
        table(("what", "version"), versions()),
    ]
    parts += [_unfolding(name, text) for name, text in origin.texts.items()]
    listed = json.dumps(results, ensure_ascii=False, indent=1)
    return "\n".join([*parts, _unfolding("results.json", listed)])


def _unfolding(name: str, text: str) -> str:
    digest = sha256(text.encode()).hexdigest()
    return (
        f"<details><summary>{markup(name)} (SHA-256 {digest[:16]}…)</summary>"
        # A parser of HTML drops one line end at the beginning.
        f'<div class="wide"><pre data-name="{markup(name)}">\n{markup(text)}</pre></div></details>'
    )
