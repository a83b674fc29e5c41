"""The demonstration shows what it should, in plain text and on a terminal."""

import sys

import pytest

from eggrad.frontend.cli import demo


def test_plain(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    shown = capsys.readouterr().out
    for case in demo.CASES:
        assert case.title in shown
        assert case.text in shown
    for label in ("derivative", "size", "check", "time"):
        assert shown.count(f"  {label}") == len(demo.CASES)
    assert "\x1b" not in shown
    assert shown.count("largest error") == len(demo.CASES)


def test_formatted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(demo, "CASES", demo.CASES[2:])
    demo.main()
    shown = capsys.readouterr().out
    assert demo.CASES[0].title in shown
    assert "largest error" in shown
