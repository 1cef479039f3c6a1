"""Measurements kept in a project: named by their question, replaced, forgotten, and no part of a fresh start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from taxocom.errors import StoreError
from taxocom.store import Project, copy_project, create_project
from taxocom.store.projects.quality_runs import (
    QualityRun,
    drop_run,
    find_run,
    kept_gold,
    load_gold,
    load_results,
    quality_runs,
    run_name,
    save_gold,
    save_run,
)
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

RUN = QualityRun("r1", "evaluate", "", 3, "fingerprint", {"remove": [["law"]]}, n_planned=2, n_done=1)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    return create_project("Measured")


def test_the_same_question_has_the_same_name_and_any_other_another():
    asked = run_name("evaluate", {"n": 3, "remove": [["law"]]}, "corpus", "tree")
    assert run_name("evaluate", {"remove": [["law"]], "n": 3}, "corpus", "tree") == asked
    others = [
        run_name("stability", {"n": 3, "remove": [["law"]]}, "corpus", "tree"),
        run_name("evaluate", {"n": 4, "remove": [["law"]]}, "corpus", "tree"),
        run_name("evaluate", {"n": 3, "remove": [["law"]]}, "corpus", "other"),
    ]
    assert asked not in others
    assert len(set(others)) == 3


def test_a_run_is_replaced_as_it_grows_and_forgotten_when_dropped(project: Project):
    save_run(project, RUN, {"reports": [1]})
    half = find_run(project, "r1")
    assert half is not None
    assert not half.is_whole
    save_run(project, replace(RUN, n_done=2), {"reports": [1, 2]})
    (whole,) = quality_runs(project, "evaluate")
    assert whole.is_whole
    assert load_results(project, whole) == {"reports": [1, 2]}
    assert whole.at > half.at
    assert quality_runs(project, "stability") == []
    drop_run(project, "r1")
    assert quality_runs(project, "evaluate") == []
    assert find_run(project, "r1") is None
    project.drop_unused(older_than_seconds=-1)
    with pytest.raises(StoreError, match="missing"):
        load_results(project, whole)


def test_runs_are_listed_newest_first(project: Project):
    for name in ("old", "new"):
        save_run(project, replace(RUN, run_id=name), {})
    assert [run.run_id for run in quality_runs(project, "evaluate")] == ["new", "old"]


def test_a_copy_without_decisions_starts_without_measurements(project: Project):
    save_run(project, RUN, {})
    with copy_project(project, "Whole") as whole, copy_project(project, "Fresh", with_decisions=False) as fresh:
        assert len(quality_runs(whole, "evaluate")) == 1
        assert quality_runs(fresh, "evaluate") == []


def test_a_hierarchy_is_kept_beside_the_tree_and_not_in_it(project: Project):
    assert kept_gold(project) is None
    gold = Taxonomy.empty("Gold").with_topic(TopicNode("law", "Law", keywords=("court",)), ROOT_ID)
    name = save_gold(project, gold, "gold.tsv")
    kept = kept_gold(project)
    assert kept is not None
    assert (kept.artifact, kept.file_name) == (name, "gold.tsv")
    assert load_gold(project, name) == gold
    assert len(project.taxonomy()) == 0
