"""Compiling ahead happens once for each state of the code, and never stands in anyone's way."""

import subprocess
from pathlib import Path

import pytest

from taxocom.jobs import warming
from taxocom.store.disk.locks import try_lock


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("os.nice", lambda _: 0)
    parts: list[str] = []
    start = subprocess.Popen

    def starts(command: list[str], **_: object) -> subprocess.Popen[bytes]:
        parts.append(command[-1])
        return start(["true"])

    monkeypatch.setattr(subprocess, "Popen", starts)
    return parts


def nothing() -> None:
    """Stand in for a compiler."""


def test_what_was_compiled_is_not_compiled_again(started: list[str], monkeypatch: pytest.MonkeyPatch):
    assert warming.warm_in_background() == ["kernels", "map"] == started
    monkeypatch.setattr(warming, "PARTS", {"kernels": nothing, "map": nothing})
    warming.main("kernels")
    assert warming.warm_in_background() == ["map"]
    warming.main("map")
    assert warming.warm_in_background() == []


def test_another_cache_is_compiled_for_anew(started: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(warming, "PARTS", {"kernels": nothing})
    warming.main("kernels")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "other"))
    assert warming.warm_in_background() == ["kernels"] == started


def test_a_compilation_that_fails_leaves_no_mark_and_nobody_waits_for_it(
    started: list[str], monkeypatch: pytest.MonkeyPatch
):
    def fails() -> None:
        raise RuntimeError("no compiler here")

    monkeypatch.setattr(warming, "PARTS", {"map": fails})
    with pytest.raises(RuntimeError):
        warming.main("map")
    warming.wait_until_compiled("map")
    assert warming.warm_in_background() == ["map"] == started


class WaitedError(Exception):
    """Ends a wait that would go on."""


def test_a_job_waits_for_what_another_process_compiles(started: list[str], monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []

    class Impatient:
        def report(self, stage: str, fraction: float) -> None:
            told.append(stage)
            if len(told) == 3:
                raise WaitedError

    def compiled_beside() -> None:
        with pytest.raises(WaitedError):
            warming.wait_until_compiled("map", Impatient())

    monkeypatch.setattr(warming, "PARTS", {"map": compiled_beside})
    warming.wait_until_compiled("map", Impatient())
    assert not told
    warming.main("map")
    assert told == ["Compiling, once on this machine"] * 3
    warming.wait_until_compiled("map", Impatient())
    assert len(told) == 3
    assert not started


def test_two_never_compile_the_same(started: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    ran: list[str] = []
    monkeypatch.setattr(warming, "PARTS", {"map": lambda: ran.append("map")})
    (tmp_path / "taxocom").mkdir()
    held = try_lock(warming._lock("map"))
    assert held
    with held:
        warming.main("map")
    assert not ran
    assert not started


def test_nobody_waits_for_ever(started: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(warming, "PATIENCE_SECONDS", 0.3)
    (tmp_path / "taxocom").mkdir()
    held = try_lock(warming._lock("kernels"))
    assert held
    with held:
        warming.wait_until_compiled("kernels")
    assert not started


@pytest.mark.slow
def test_the_toy_has_everything_that_an_expansion_needs():
    warming.compile_kernels()
    warming.compile_map()
