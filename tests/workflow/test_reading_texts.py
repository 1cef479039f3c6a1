"""Reading texts again: what was said about a file or a project when it was first read still holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taxocom.cli.reading_options import Reading
from taxocom.errors import InputError
from taxocom.jobs.quality_copies import prepare_copy
from taxocom.jobs.repair import repair
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, copy_project, create_project
from taxocom.store.projects.corpus_reading import CorpusReading, corpus_reading
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.workflow.reading_texts import other_texts, reading_wishes, same_texts

COLUMNS = {"text": ["body"], "id": "key"}
SETTINGS = {"min_count": 3, "stop_words": ["café"], "language": "en"}
"""Guessing would take the longer column, another encoding and a count of five."""


def write_texts(path: Path) -> Path:
    body = "a café near the court where one judge met another judge"
    rows = "".join(f"n{i},{body} on day {i},{'a summary that is longer than any body ' * 4}\n" for i in range(40))
    path.write_bytes(("key,body,text\n" + rows).encode("cp1252"))
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts.csv")


@pytest.fixture
def project(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    made = create_project("Courts", seed=Taxonomy.empty().with_topic(TopicNode("law", "court"), ROOT_ID))
    # As a command reads them: there is no job that could remember.
    index(made, parameters(source), SILENT)
    return made


def parameters(source: Path) -> Mapping[str, Any]:
    return {"source": str(source), "columns": COLUMNS, "encoding": "cp1252", "settings": SETTINGS}


def test_the_same_texts_are_read_as_they_were_with_what_was_wished_since(project: Project):
    before = project.corpus()
    assert same_texts(project).settings == {**SETTINGS, "kept_phrases": [], "dropped_phrases": []}
    reading_wishes(project).with_phrase("another judge").keep(project)
    index(project, same_texts(project).as_parameters(), SILENT)
    after = project.corpus()
    assert "another_judge" in after.vocabulary
    assert after.document_ids[0] == before.document_ids[0] == "n0"
    assert ("café" in after.vocabulary, "summary" in after.vocabulary) == (False, False)
    assert after.texts[0] == before.texts[0]


def test_an_older_reading_by_a_job_does_not_count(project: Project, source: Path):
    job = project.job_table.add("index", {"source": str(source)}, "Ada")
    project.job_table.end(job.job_id, job.attempt, "done", result={"artifact": "corpus-of-before"})
    assert same_texts(project).columns == COLUMNS


def test_a_copy_reads_an_upload_from_its_own_files(project: Project, source: Path):
    kept = project.put_bytes(source.read_bytes(), "upload", extension="csv")
    index(project, parameters(project.artifact_path(kept.name)), SILENT)
    with copy_project(project, "Copy") as copied:
        assert Path(same_texts(copied).source).parent == copied.path / "artifacts"


def test_a_repair_reads_a_damaged_corpus_as_it_was_read(project: Project):
    before = project.used_for("corpus")
    assert before is not None
    file = project.artifact_path(before.name) / "tokens.npy"
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1] + b"\xfe")
    assert [done.said for done in repair(project)] == ["read again from its source, the same byte for byte"]
    assert project.used_for("corpus") == before


def test_an_evaluation_reads_its_copy_with_the_settings_of_the_project(project: Project, tmp_path: Path):
    (tmp_path / "copy").mkdir()
    copy = prepare_copy(project, project.seed(), np.arange(40), tmp_path / "copy", SILENT)
    assert "café" not in copy.corpus.vocabulary


def test_other_texts_get_the_settings_of_the_project_but_no_columns_of_the_old_file(project: Project, tmp_path: Path):
    found = other_texts(project, CorpusReading(str(tmp_path / "b.txt"), settings={"language": "de"}))
    assert (found.columns, found.encoding) == (None, None)
    assert found.settings == {**SETTINGS, "language": "de", "kept_phrases": [], "dropped_phrases": []}


def test_the_command_reads_again_what_an_option_does_not_change(project: Project, source: Path, tmp_path: Path):
    reading = Reading(min_count=7)
    for again in (reading.again(project, None), reading.again(project, source)):
        assert (again.columns, again.encoding) == (COLUMNS, "cp1252")
        assert again.settings == {**SETTINGS, "min_count": 7, "kept_phrases": [], "dropped_phrases": []}
    other = write_texts(tmp_path / "other.csv")
    # Another file may be in another language.
    kept = {**(same_texts(project).settings or {}), "language": None}
    assert Reading(encoding="cp1252").again(project, other).settings == kept
    with create_project("Empty") as empty, pytest.raises(InputError, match="no texts yet"):
        reading.again(empty, None)
    assert corpus_reading(project) == CorpusReading(str(source), COLUMNS, "cp1252", SETTINGS)
