"""The line of progress: where somebody sees it, gone when done, and nowhere else."""

import io
import sys

import pytest

import eggrad as eg
from eggrad.frontend.calculus import progress

BLANK = "\r"


class Terminal(io.StringIO):
    """Standard error that somebody sees."""

    def isatty(self) -> bool:
        return True


def shown(text: str) -> str:
    """What a line of a terminal holds after some text was written to it."""
    cells: list[str] = []
    place = 0
    for c in text:
        if c == BLANK:
            place = 0
        else:
            cells[place : place + 1] = [c]
            place += 1
    return "".join(cells).rstrip()


def derive(number: int) -> None:
    # A budget of its own, so that no answer is remembered.
    x = eg.variable("x", ("n",))
    eg.gradient(eg.sum(eg.exp(x * x)), x, budget=eg.Budget(nodes=10_000 + number))


def watched(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> io.StringIO:
    """Standard error as `stream`, which is written to at once."""
    monkeypatch.setattr(progress, "_FIRST", 0.0)
    monkeypatch.setattr(progress, "_NEXT", 0.0)
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_a_terminal_shows_the_stage_and_then_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch, Terminal())
    derive(1)
    text = terminal.getvalue()
    assert "differentiating: simplify" in text
    assert "e-nodes" in text
    assert shown(text) == ""


def test_nothing_is_written_before_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch, Terminal())
    monkeypatch.setattr(progress, "_FIRST", 3600.0)
    derive(2)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("asked", ["0", "1"])
def test_a_variable_decides(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch, Terminal())
    monkeypatch.setenv(progress.VARIABLE, asked)
    derive(3 + int(asked))
    assert bool(terminal.getvalue()) is (asked == "1")


def test_a_pipe_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = watched(monkeypatch, io.StringIO())
    derive(5)
    assert pipe.getvalue() == ""


def test_the_line_is_gone_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch, Terminal())

    @progress.shows_progress("failing")
    def fail() -> None:
        derive(6)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert "failing: simplify" in terminal.getvalue()
    assert shown(terminal.getvalue()) == ""
    derive(7)
    assert "differentiating: simplify" in terminal.getvalue()
