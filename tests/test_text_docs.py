"""Every example of docs/language.md reads."""

import re
from pathlib import Path

import pytest

from eggrad.frontend.text_parser import parse
from eggrad.frontend.text_printer import format_problem

PAGE = Path(__file__).parent.parent / "docs" / "language.md"
EXAMPLES = [
    line
    for block in re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_example_reads(line: str) -> None:
    declared = "" if line.startswith("declare") else "declare A 2 B 2 x 1 y 1 c 0 expression "
    term = parse(declared + line).term
    assert parse(format_problem(term)).term is term
