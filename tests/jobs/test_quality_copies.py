"""The copy that an evaluation works on: nothing in it tells of the topics that are hidden."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taxocom.jobs.quality_copies import prepare_copy, sample_rows
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document

HIDDEN = "grand slam"
TEXT = "the court heard a judge on day {0} while a grand piano and a slam door met in room {0}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Forty documents in which the hidden name stands together once: too seldom to be mined, enough if it is given."""
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    seed = Taxonomy.empty().with_topic(TopicNode("law", "court"), ROOT_ID)
    seed = seed.with_topic(TopicNode("tennis", HIDDEN), ROOT_ID)
    made = create_project("copied", seed=seed)
    texts = [TEXT.format(f"{chr(97 + i % 26)}{chr(97 + i // 26)}") for i in range(39)] + [f"a {HIDDEN} in court"]
    labels = [("court",)] * 20 + [(HIDDEN,)] * 15 + [("other",)] * 4 + [(HIDDEN,)]
    documents = [
        Document(f"d{i}", text, labels=label) for i, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    with made.working_place("corpus") as place:
        place.mkdir()
        build_corpus(documents, place, seed_phrases=["court", HIDDEN])
        made.use("corpus", made.publish_directory(place, "corpus"))
    return made


def test_only_labelled_documents_take_part_and_no_label_outweighs_the_others(project: Project):
    rows = sample_rows(project, project.seed(), 10)
    labels = [project.corpus().labels[int(row)] for row in rows]
    assert sorted(set(labels)) == [("court",), (HIDDEN,)]
    assert labels.count(("court",)) == labels.count((HIDDEN,)) == 10
    assert len(sample_rows(project, project.seed(), 1000)) == 36


def test_a_hidden_name_is_no_phrase_of_the_copy(project: Project, tmp_path: Path):
    assert "grand_slam" in project.corpus().vocabulary
    rows = np.arange(project.corpus().n_documents)
    for name, seed, is_there in (
        ("known", project.seed(), True),
        ("hidden", project.seed().without("tennis"), False),
    ):
        (tmp_path / name).mkdir()
        prepared = prepare_copy(project, seed, rows, tmp_path / name, SILENT)
        assert ("grand_slam" in prepared.corpus.vocabulary) is is_there


def test_a_tenth_of_the_documents_is_kept_from_the_engine(project: Project, tmp_path: Path):
    (tmp_path / "copy").mkdir()
    rows = np.arange(project.corpus().n_documents)
    prepared = prepare_copy(project, project.seed(), rows, tmp_path / "copy", SILENT)
    assert prepared.corpus.n_documents == 36
    assert prepared.measured.held_out is not None
    assert prepared.measured.held_out.shape[0] == 4
    assert list(prepared.measured.labels) == list(prepared.corpus.labels)


def test_a_corpus_that_came_segmented_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    folder = tmp_path / "research"
    folder.mkdir()
    (folder / "docs.txt").write_text("".join(f"neural_network training of layer {chr(97 + i)}x\n" for i in range(20)))
    (folder / "terms.txt").write_text("neural_network\ntraining\nlayer\n")
    (folder / "doc_labels.txt").write_text("learning\n" * 20)
    project = create_project("segmented", seed=Taxonomy.empty().with_topic(TopicNode("l", "learning"), ROOT_ID))
    index(project, {"source": str(folder)}, SILENT)
    (tmp_path / "copy").mkdir()
    prepared = prepare_copy(project, project.seed(), np.arange(20), tmp_path / "copy", SILENT)
    assert set(prepared.corpus.vocabulary.terms) == set(project.corpus().vocabulary.terms)
    assert "neural_network" in prepared.corpus.vocabulary
