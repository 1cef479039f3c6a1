"""Texts that come later, on the pages: tagged, added, taken back, replaced after a backup, and followed over time.

The jobs that the pages start are carried out by their own tasks, in this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.jobs.registry import find_task
from taxocom.jobs.text_jobs import TAGGED
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.homes.schedule import BackupPlan, kept_backups
from taxocom.store.projects.batches import NewTexts, append_batch, list_batches
from taxocom.ui.corpus.corpus_page import reading_wishes
from taxocom.ui.shared import jobs_view
from tests.store.test_batches import LATER, N_DOCUMENTS
from tests.store.test_document_places import mixed_documents, read_in, write_texts
from tests.ui.driving import opened
from tests.ui.fabricate import seed_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)

    def at_once(of: Project, kind: str, params: dict[str, Any]) -> None:
        find_task(kind)(of, params, SILENT)

    monkeypatch.setattr(jobs_view, "submit", at_once)
    with create_project("news", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", mixed_documents()))
        yield made


@pytest.fixture
def later(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "later.jsonl", LATER)


def said(app: AppTest) -> str:
    return " ".join(str(each.value) for each in (*app.markdown, *app.caption, *app.subheader, *app.warning))


def test_a_file_is_tagged_on_the_export_page(project: Project, later: Path) -> None:
    app = opened("export", project="news")
    app.text_input(key="tag-path").set_value(str(later)).run()
    assert "The first 20 texts." in said(app)
    app.toggle(key="tag-primary").set_value(True).run()
    app.button(key="tag-all").click().run()
    kept = project.used_for(TAGGED)
    assert kept is not None
    assert (kept.details["n_texts"], kept.details["n_without_topic"]) == (len(LATER), 0)
    assert f"{len(LATER)} texts" in said(app)


def test_texts_are_added_and_taken_back_on_the_corpus_page(project: Project, later: Path) -> None:
    app = opened("corpus", project="news")
    app.text_input(key="add-path").set_value(str(later)).run()
    app.text_input(key="add-name").set_value("May").run()
    app.text_input(key="add-date").set_value("in May").run()
    app.button(key="add").click().run()
    assert "is not a date" in said(app)
    assert not list_batches(project)
    app.text_input(key="add-date").set_value("2026-05-31").run()
    app.button(key="add").click().run()
    (batch,) = list_batches(project)
    assert (batch.name, batch.date, batch.author, batch.source) == ("May", "2026-05-31", "Ada", "later.jsonl")
    assert f"{len(LATER)} added" in said(app)
    assert "May, compared with everything before" in said(opened("timeline", project="news"))
    app.button(key="take-back-0").click().run()
    assert not list_batches(project)
    assert project.corpus().n_documents == N_DOCUMENTS


def test_a_corpus_that_has_grown_is_read_again_with_its_batches(project: Project) -> None:
    append_batch(project, NewTexts(LATER, True), name="May", progress=SILENT)
    app = opened("corpus", project="news")
    reading_wishes(project).with_phrase("oil market").keep(project)
    app.run()
    app.button(key="read-again").click().run()
    assert [batch.name for batch in list_batches(project)] == ["May"]
    assert project.corpus().n_documents == N_DOCUMENTS + len(LATER)
    assert reading_wishes(project).kept == ("oil market",)
    assert "read-again" not in [button.key for button in app.button]


def test_texts_are_replaced_only_after_a_backup(project: Project, later: Path) -> None:
    app = opened("corpus", project="news")
    app.text_input(key="replace-path").set_value(str(later)).run()
    assert f"The {N_DOCUMENTS} documents of the project will be removed" in said(app)
    assert project.corpus().n_documents == N_DOCUMENTS
    app.button(key="read").click().run()
    assert project.corpus().n_documents == len(LATER)
    assert len(kept_backups(project.path, BackupPlan.from_environment()).backups) == 1
