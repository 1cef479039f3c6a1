"""`python -m benchmarks` writes what was measured, where and when, and one failure costs no other result."""

from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as runner


@pytest.fixture
def two_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(corpora: Path | None) -> str:
        return f"| corpora |\n|---|\n| {corpora} |"

    def broken(corpora: Path | None) -> str:
        raise ValueError("no such corpus")

    modules = {"broken": broken, "measured": measured}

    def load(name: str) -> ModuleType:
        module = ModuleType(name)
        module.run = modules[name.removeprefix("benchmarks.")]  # type: ignore[attr-defined]
        return module

    monkeypatch.setattr(runner, "benchmark_names", lambda: sorted(modules))
    monkeypatch.setattr(runner.importlib, "import_module", load)


def test_a_result_names_its_command_and_its_machine(two_benchmarks: None, tmp_path: Path) -> None:
    assert runner.main(["measured", "--corpora", str(tmp_path), "--results", str(tmp_path / "out")]) == 0
    written = (tmp_path / "out" / "measured.md").read_text()
    assert "`python -m benchmarks --corpora DIR measured` on " in written
    assert runner.machine() in written
    assert f"| {tmp_path} |" in written


def test_a_failure_is_counted_and_costs_nothing_else(two_benchmarks: None, tmp_path: Path) -> None:
    (tmp_path / "broken.md").write_text("earlier")
    assert runner.main(["--results", str(tmp_path)]) == 1
    assert (tmp_path / "broken.md").read_text() == "earlier"
    assert (tmp_path / "measured.md").exists()


def test_a_name_that_is_no_benchmark_is_refused(two_benchmarks: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        runner.main(["speed"])
    assert "no benchmark named speed; there are: broken, measured" in capsys.readouterr().err


def test_what_takes_hours_is_run_only_when_asked_for(
    two_benchmarks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "ONLY_BY_NAME", frozenset({"broken"}))
    assert runner.main(["--results", str(tmp_path)]) == 0
    assert runner.main(["broken", "--results", str(tmp_path)]) == 1
