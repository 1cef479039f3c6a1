"""The engine's tables: parts measured one at a time stand side by side, and stages add up to the whole."""

import json
from pathlib import Path

import pytest

from benchmarks import engine


def facts(scale: float) -> dict[str, object]:
    node = {"seconds": dict.fromkeys(engine.NODE_STAGES, scale)}
    whole = 2 + 3 + 2 * len(engine.NODE_STAGES) + 1
    return {
        "seconds": {"indexing": 2 * scale, "pre-training": 3 * scale, "all": whole * scale},
        "processor_seconds": {"all": 9 * scale},
        "nodes": [node, node],
        "peak_gib": 1.5,
        "corpus": {"n_terms": 1234},
        "load": 0.5,
    }


def test_stages_add_up_to_the_whole() -> None:
    stages = engine.stage_seconds(facts(1.0))
    assert stages["root: topicality"] == stages["below: topicality"] == 1.0
    assert stages["rest"] == 1.0
    whole = stages.pop("**all**")
    assert sum(value for stage, value in stages.items() if stage not in ("processor seconds", "peak GiB")) == whole


def test_growth_is_the_power_between_the_first_and_the_last_size() -> None:
    shown = engine.tables({"1000": facts(1.0), "4000": facts(16.0)})
    assert "| indexing | 2.00 | 32.0 | n^2.0 |" in shown
    assert "| peak GiB | 1.50 | 1.50 | n^0.0 |" in shown


def test_a_part_measured_later_joins_those_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "KEPT", tmp_path / "engine.json")
    monkeypatch.setattr(engine, "_complete", lambda _, size: facts(size / 1000))
    engine.run(tmp_path, ["1000"])
    shown = engine.run(tmp_path, ["2000"])
    assert set(json.loads((tmp_path / "engine.json").read_text())) == {"1000", "2000"}
    assert "| seconds | 1,000 | 2,000 | grows as |" in shown
