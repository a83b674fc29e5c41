"""Sessions of Python and of a shell in a document, as they run now."""

import code
import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

BLOCK = re.compile(r"(?<=^```)(python|console)\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)

FILE = re.compile(r"^```py\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_session(text: str, names: dict[str, object]) -> str:
    """The same session with what Python says now."""
    shown: list[str] = []
    console = code.InteractiveInterpreter(names)
    for example in doctest.DocTestParser().get_examples(text):
        prompts = example.source.rstrip("\n").split("\n")
        shown += [("... " if i else ">>> ") + line for i, line in enumerate(prompts)]
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            console.runsource(example.source, "<README>", "single")
        shown += output.getvalue().splitlines()
    return "".join(line + "\n" for line in shown)


def shell_session(text: str, environment: Mapping[str, str] = MappingProxyType({})) -> str:
    """The same session with what the commands say now."""
    shown: list[str] = []
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in text.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                ["bash", "-c", line.removeprefix("$ ")],
                env=os.environ | {"PATH": path} | {**environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=300,
            )
            shown += [line, *done.stdout.splitlines()]
    return "".join(line + "\n" for line in shown)


def refreshed(text: str, names: dict[str, object] | None = None) -> str:
    """The text with every session as it runs now, in one folder and one Python.

    The folder has the files that the text shows, each under its name in the first line. `names`
    takes what the sessions of Python name.
    """
    names = {} if names is None else names

    def session(match: re.Match[str]) -> str:
        language, body = match.groups()
        ran = python_session(body, names) if language == "python" else shell_session(body)
        return f"{language}\n{ran}"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, body in FILE.findall(text):
            Path(name).write_text(body, "utf-8")
        return BLOCK.sub(session, text)
