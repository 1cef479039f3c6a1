"""Texts that join a project later: nothing moves, all of them come or none, and they can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from taxocom.errors import CancelledError, InputError
from taxocom.jobs.repair import repair
from taxocom.jobs.tasks import index
from taxocom.jobs.text_jobs import append as append_job
from taxocom.progress import SILENT
from taxocom.settings import TextSettings
from taxocom.store import Project, create_project
from taxocom.store.projects.batches import (
    Batch,
    NewTexts,
    append_batch,
    batch_rows,
    list_batches,
    new_reading,
    read_again,
    take_batch_back,
    valid_date,
)
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import sniff
from tests.store.test_document_places import (
    N_DOCUMENTS,
    decide,
    mixed_documents,
    read_in,
    theme_of,
    where,
    write_texts,
)
from tests.ui.fabricate import THEMES, seed_tree

LATER = mixed_documents(70, random_state=5, first=N_DOCUMENTS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with create_project("News", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", mixed_documents()))
        yield made


def add(project: Project, documents: list[Document] = LATER, **said: str) -> Batch:
    return append_batch(project, NewTexts(documents, True), progress=SILENT, **said)


def accept_film(project: Project) -> None:
    films = tuple(each.document_id for each in mixed_documents() if theme_of(each.document_id) == "film")
    decide(project, d.AddTopic(ROOT_ID, TopicNode("film", "Film", keywords=tuple(THEMES["film"][:4]))))
    decide(project, d.MoveDocuments(films, "film"))


def settle(project: Project) -> None:
    """Decide something that moves no document: from now on tags stay."""
    decide(project, d.AddNote(next(iter(project.taxonomy().walk())).node_id, "looked at"))


def test_what_is_there_stays_and_what_is_new_is_tagged(project: Project) -> None:
    settle(project)
    before = where(project)
    batch = add(project, name="May", dated="2026-05-31", author="Ada")
    after = where(project)
    assert {each: after[each] for each in before} == before
    assert len(after) == N_DOCUMENTS + len(LATER)
    assert list_batches(project) == [batch]
    assert (batch.name, batch.date, batch.n_documents, batch.n_skipped) == ("May", "2026-05-31", len(LATER), 0)
    assert batch_rows(project)[1] == ("May", N_DOCUMENTS, len(LATER))


def test_before_the_first_decision_all_are_tagged_as_if_they_had_come_at_once(project: Project, tmp_path: Path) -> None:
    before = where(project)
    add(project)
    after = where(project)
    with create_project("All", seed=seed_tree()) as whole:
        read_in(whole, write_texts(tmp_path / "all.jsonl", [*mixed_documents(), *LATER]))
        at_once = where(whole)
    assert sum(after[each] == topic for each, topic in at_once.items()) >= 0.97 * len(at_once)
    take_batch_back(project, list_batches(project)[0].name, progress=SILENT)
    assert where(project) == before


def test_new_documents_go_to_topics_that_were_accepted_since(project: Project) -> None:
    accept_film(project)
    before = where(project)
    add(project)
    after = where(project)
    assert {each: after[each] for each in before} == before
    films = [each.document_id for each in LATER if theme_of(each.document_id) == "film"]
    assert sum(after[each] == "film" for each in films) > 0.7 * len(films)
    project.undo(2, author="Ada")
    assert {after_undo for each in films if (after_undo := where(project)[each]) == "film"} == set()


def test_known_ids_and_texts_are_left_out_and_counted(project: Project) -> None:
    first = mixed_documents()[0]
    texts = [
        Document(first.document_id, "something else altogether"),
        Document("same-text", f"  {first.text.upper()}"),
        Document("empty", " "),
        *LATER[:5],
    ]
    batch = add(project, texts)
    assert (batch.n_documents, batch.n_known, batch.n_repeated, batch.n_empty) == (5, 1, 1, 1)
    assert batch.said().startswith("5 added; left out: 1 with an id")
    assert project.corpus().texts[0] == first.text
    with pytest.raises(InputError, match="Nothing is new"):
        add(project, [Document("same-text", first.text)])
    assert len(list_batches(project)) == 1


def test_a_batch_that_is_taken_back_leaves_everything_as_it_was(project: Project) -> None:
    accept_film(project)
    places, ids = where(project), list(project.corpus().document_ids)
    add(project, LATER[:30], name="one")
    add(project, LATER[30:], name="two")
    take_batch_back(project, "one", progress=SILENT)
    left = where(project)
    assert {each: left[each] for each in places} == places
    assert batch_rows(project)[1] == ("two", N_DOCUMENTS, 40)
    assert set(left) == set(places) | {each.document_id for each in LATER[30:]}
    take_batch_back(project, "two", progress=SILENT)
    assert where(project) == places
    assert list(project.corpus().document_ids) == ids
    with pytest.raises(InputError, match="no batch 'two'"):
        take_batch_back(project, "two", progress=SILENT)


class _Cancels:
    def __init__(self, after: int) -> None:
        self.left = after

    def report(self, stage: str, fraction: float) -> None:
        self.left -= 1
        if self.left < 0:
            raise CancelledError("Enough.")


def test_a_batch_that_is_stopped_anywhere_comes_whole_or_not_at_all(project: Project) -> None:
    settle(project)
    before = where(project)
    stopped = 0
    while not list_batches(project):
        try:
            append_batch(project, NewTexts(LATER, True), name="late", progress=_Cancels(stopped))
        except CancelledError:
            assert where(project) == before
            assert project.corpus().n_documents == N_DOCUMENTS
            stopped += 1
    assert stopped > 3
    assert project.corpus().n_documents == N_DOCUMENTS + len(LATER)
    assert {each: where(project)[each] for each in before} == before


def test_a_process_that_died_before_the_new_texts_were_tagged_is_no_harm(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(project)
    before = where(project)
    with monkeypatch.context() as patch:
        # As a kill would have it: the texts are in place, and nothing more was done.
        patch.setattr("taxocom.store.projects.batches.lay_ground", lambda *_: None)
        add(project)
    after = where(project)
    assert {each: after[each] for each in before} == before
    assert len(after) == N_DOCUMENTS + len(LATER)


def test_files_are_read_as_the_texts_of_the_project_were(project: Project, tmp_path: Path) -> None:
    rows = [{"nr": each.document_id, "body": each.text, "text": "no"} for each in mixed_documents(80)]
    (tmp_path / "first.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = {"text": ["body"], "id": "nr"}
    settings = {"min_count": 3, "max_words": 1, "stop_words": ["people"]}
    index(project, {"source": str(tmp_path / "first.jsonl"), "columns": columns, "settings": settings}, SILENT)
    later = [{"nr": each.document_id, "body": each.text, "text": "no"} for each in LATER]
    file = tmp_path / "later.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in later))
    found = new_reading(project, sniff(file), encoding=None, remembered=True)
    assert found.columns is not None
    assert (found.columns.text, found.columns.id) == (("body",), "nr")
    made = append_job(project, {"sources": [str(file)], "columns": columns, "name": "later"}, SILENT)
    assert made["n_documents"] == len(LATER)
    corpus = project.corpus()
    assert corpus.texts[80] == LATER[0].text
    assert "people" not in corpus.vocabulary
    assert min(corpus.vocabulary.counts) >= 3


def test_rows_without_ids_get_them_from_the_name_of_the_batch(project: Project, tmp_path: Path) -> None:
    for number, part in enumerate((LATER[:20], LATER[20:40])):
        (tmp_path / f"{number}.txt").write_text("\n".join(each.text for each in part))
    files = [str(tmp_path / "0.txt"), str(tmp_path / "1.txt")]
    append_job(project, {"sources": files[:1], "name": "a"}, SILENT)
    append_job(project, {"sources": files, "name": "b"}, SILENT)
    ids = list(project.corpus().document_ids)[N_DOCUMENTS:]
    assert ids == [f"a-{n}" for n in range(1, 21)] + [f"b-2-{n}" for n in range(1, 21)]
    assert [batch.n_repeated for batch in list_batches(project)] == [0, 20]


def test_batches_stay_when_the_texts_are_read_again_by_other_settings(project: Project) -> None:
    batch = add(project, name="one")
    settle(project)
    before = where(project)
    read_again(project, settings=TextSettings(min_count=6, max_words=1), progress=SILENT)
    assert list_batches(project) == [batch]
    assert where(project) == before
    assert min(project.corpus().vocabulary.counts) >= 6


def test_names_and_dates_of_batches(project: Project) -> None:
    add(project, LATER[:2], dated="2026-01-31")
    add(project, LATER[2:4], dated="2026-01-31")
    assert [batch.name for batch in list_batches(project)] == ["2026-01-31", "2026-01-31 (2)"]
    with pytest.raises(InputError, match="There is a batch"):
        add(project, LATER[4:6], name="2026-01-31")
    assert valid_date(" 2026-02-01 ") == "2026-02-01"
    with pytest.raises(InputError, match="not a date"):
        valid_date("yesterday")


def test_a_project_without_texts_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    with create_project("Empty", seed=seed_tree()) as made, pytest.raises(InputError, match="taxocom index"):
        add(made)


def test_a_damaged_corpus_that_has_grown_is_not_replaced_by_its_first_texts(project: Project) -> None:
    add(project)
    artifact = project.used_for("corpus")
    assert artifact is not None
    texts = project.artifact_path(artifact.name) / "texts.utf8"
    texts.chmod(0o600)
    texts.write_bytes(b"x" + texts.read_bytes()[1:])
    (found,) = repair(project)
    assert not found.is_whole
    assert "give a backup" in found.said
    assert project.used_for("corpus") == artifact


def test_a_place_is_found_for_every_document(project: Project) -> None:
    add(project)
    places = document_places(project)
    assert len(places.numbers) == project.corpus().n_documents
    assert places.counts()
