"""The first page: what an empty home says, and the sample in one click."""

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom import jobs
from taxocom.store import create_project, list_projects, open_project
from taxocom.store.homes import sample
from tests.ui.fabricate import documents

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    corpus = tmp_path / "articles.csv"
    with corpus.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "title", "text"])
        writer.writerows([d.document_id, d.title, d.text] for d in documents(70))
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sample, "sample_corpus", lambda: corpus)
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    return AppTest.from_file(APP, default_timeout=120)


def test_an_empty_home_tells_what_it_is_for_and_how_to_begin(app: AppTest):
    app.run()
    assert app.title[0].value == "Complete your taxonomy"
    assert [app.button(key=key).label for key in ("sample", "new")] == ["Try the sample", "New project"]
    assert any("news articles" in caption.value for caption in app.caption)


def test_the_sample_is_one_click_away(app: AppTest):
    app.run()
    app.button(key="sample").click().run()
    assert not app.exception
    (summary,) = list_projects()
    project = open_project(summary.path.name)
    (job,) = jobs.list_jobs(project)
    assert (summary.name, job.kind) == (sample.SAMPLE_PROJECT, "index")
    assert jobs.wait_for(project, job.job_id, timeout=60).state == "done"
    assert [node.label for node in project.seed().children_of("root")][:2] == ["politics", "sport"]
    project.close()


def test_a_damaged_project_leaves_the_others_on_the_page(app: AppTest):
    for name in ("Broken", "Sound", "Unreadable"):
        create_project(name).close()
    broken, _, unreadable = list_projects()
    with closing(sqlite3.connect(broken.path / "project.db")) as connection:
        connection.execute("INSERT INTO decisions VALUES (1, 'rename_topic', '{\"oops', '', '2026-01-01', '', '')")
        connection.commit()
    (unreadable.path / "project.db").write_bytes(b"noise" * 1000)
    app.run()
    assert not app.exception
    assert any(button.key == f"open-{summary.path.name}" for summary in list_projects() for button in app.button)
    assert sum("sound" in str(button.key) for button in app.button) == 1
    app.button(key=f"trash-{unreadable.path.name}").click().run()
    assert [summary.name for summary in list_projects()] == ["Broken", "Sound"]
