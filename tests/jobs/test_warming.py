"""Compiling ahead happens once for each state of the code, and never stands in anyone's way."""

import subprocess
from pathlib import Path

import pytest

from taxocom.jobs import warming


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    return commands


def test_what_was_compiled_is_not_compiled_again(started: list, monkeypatch: pytest.MonkeyPatch):
    assert warming.warm_in_background()
    assert started[0][-1] == "taxocom.jobs.warming"
    monkeypatch.setattr(warming, "compile_ahead", lambda: None)
    monkeypatch.setattr("os.nice", lambda _: 0)
    warming.main()
    assert not warming.warm_in_background()
    assert len(started) == 1


def test_another_cache_is_compiled_for_anew(started: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(warming, "compile_ahead", lambda: None)
    monkeypatch.setattr("os.nice", lambda _: 0)
    warming.main()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "other"))
    assert warming.warm_in_background()
    assert len(started) == 1


def test_a_compilation_that_fails_leaves_no_mark(started: list, monkeypatch: pytest.MonkeyPatch):
    def fails() -> None:
        raise RuntimeError("no compiler here")

    monkeypatch.setattr(warming, "compile_ahead", fails)
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(RuntimeError):
        warming.main()
    assert warming.warm_in_background()
    assert len(started) == 1


@pytest.mark.slow
def test_the_toy_has_everything_that_an_expansion_needs():
    warming.compile_ahead()
