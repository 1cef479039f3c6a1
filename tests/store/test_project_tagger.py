"""A tagger made of a project: what it says of new texts, in a file and out of it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from taxocom import Tagger
from taxocom.errors import ExportError, InputError
from taxocom.interchange.base.cells import parted
from taxocom.interchange.base.zip_files import pack
from taxocom.jobs.text_jobs import TAGGED
from taxocom.jobs.text_jobs import tag as tag_job
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.project_tagger import project_tagger
from taxocom.store.projects.tagged_files import TaggingWishes, tag_file
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.text.input.loading import sniff
from taxocom.workflow.tags import project_tags
from tests.store.test_document_places import BUSINESS, mixed_documents, read_in, write_texts
from tests.ui.fabricate import seed_tree

NEW = mixed_documents(60, random_state=7, first=1000)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("tagger")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(folder / "home"))
        patch.setenv("TAXOCOM_LEXICON", "off")
        with create_project("News", seed=seed_tree()) as made:
            read_in(made, write_texts(folder / "texts.jsonl", mixed_documents()))
            yield made


@pytest.fixture(scope="module")
def tagger(project: Project) -> Tagger:
    return project_tagger(project)


@pytest.fixture
def kept(tagger: Tagger, tmp_path: Path) -> Path:
    (tmp_path / "tagger.zip").write_bytes(tagger.to_bytes())
    return tmp_path / "tagger.zip"


def members_of(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_tagger_in_a_file_says_what_the_project_says(tagger: Tagger, kept: Path) -> None:
    loaded = Tagger.load(kept)
    assert loaded.tag(NEW, n_terms=3) == tagger.tag(NEW, n_terms=3)
    assert loaded.to_bytes() == kept.read_bytes()
    assert (loaded.origin.project, loaded.origin.n_documents) == ("News", 210)


def test_the_texts_of_the_corpus_get_the_topics_that_the_project_sees(project: Project, tagger: Tagger) -> None:
    corpus, tags = project.corpus(), project_tags(project)
    best = [tags.node_ids[number] for number in tags.best().tolist()]
    found = [each.primary.node_id for each in tagger.tag(list(corpus.texts))]
    assert np.mean([a == b for a, b in zip(best, found, strict=True)]) > 0.95


def test_what_a_person_says_of_documents_is_heard(project: Project, tmp_path: Path) -> None:
    with create_project("Told", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", mixed_documents()))
        film = TopicNode("film", "Pictures")
        rows = [each.document_id for each in mixed_documents() if "cinema" in each.text or "actor" in each.text]
        made.record(d.AddTopic(ROOT_ID, film), author="Ada")
        made.record(d.MoveDocuments(tuple(rows), "film"), author="Ada")
        told, before = project_tagger(made), project_tagger(project)
    text = "The actor and the director of the cinema drama, a studio script for the festival premiere."
    assert told.tag([text])[0].primary.node_id == "film"
    assert before.tag([text])[0].primary.node_id != "film"


def test_topics_add_up_and_the_deepest_that_is_sure_enough_is_named(tagger: Tagger) -> None:
    for text in tagger.tag(NEW, least=0.2):
        named = {topic.node_id for topic in text.topics}
        assert all(topic.probability >= 0.2 for topic in text.topics)
        assert [topic.probability for topic in text.topics] == sorted(
            (t.probability for t in text.topics), reverse=True
        )
        assert not named & {above for topic in text.topics for above in _above(tagger, topic.node_id)}


def _above(tagger: Tagger, node_id: str) -> set[str]:
    path = tagger.topics[node_id]
    return {other for other, names in tagger.topics.items() if len(names) < len(path) and path[: len(names)] == names}


def test_a_text_without_a_known_word_fits_nowhere_and_terms_are_those_of_the_text(tagger: Tagger) -> None:
    strange, known = tagger.tag(["xyzzy plugh", "bank shares and profit trade, bank inflation"], n_terms=3)
    assert strange.fits_nowhere
    assert not strange.primary.terms
    assert known.primary.node_id == BUSINESS
    assert set(known.primary.terms) <= {"bank", "shares", "profit", "trade", "inflation"}
    assert tagger.tag([]) == []


def test_a_tagger_needs_neither_project_nor_pages(kept: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from taxocom import Tagger; t = Tagger.load(sys.argv[1]);"
        "print(t.tag(['the bank and its shares'])[0].primary.path);"
        "assert not {'streamlit', 'plotly', 'taxocom.ui', 'taxocom.jobs'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, kept], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "('Business',)", done.stderr


def test_the_same_rows_leave_in_every_format(tagger: Tagger, tmp_path: Path) -> None:
    source = sniff(write_texts(tmp_path / "new.jsonl", NEW))
    wishes = TaggingWishes(n_terms=2)
    for name in ("out.csv", "out.jsonl.gz", "out.parquet", "out.csv.xz"):
        assert tag_file(tagger, source, tmp_path / name, wishes).n_texts == len(NEW)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()]
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["id"] for row in rows] == [each.document_id for each in NEW]
    for row, line, record in zip(rows, lines, table, strict=True):
        assert row["id"] == line["id"] == record["id"]
        assert list(parted(row["topic_ids"])) == [t["id"] for t in line["topics"]] == record["topic_ids"]
        assert bool(int(row["fits_nowhere"])) == line["fits_nowhere"] == record["fits_nowhere"]
    assert not list(tmp_path.glob("*.part"))


def test_the_job_of_the_page_makes_the_file_that_the_command_makes(
    project: Project, tagger: Tagger, tmp_path: Path
) -> None:
    file = write_texts(tmp_path / "new.jsonl", NEW)
    asked = {"source": str(file), "name": "tagged.jsonl", "least": 0.4, "n_terms": 1}
    made = tag_job(project, asked, SILENT)
    tag_file(tagger, sniff(file), tmp_path / "out.jsonl", TaggingWishes(0.4, n_terms=1))
    kept = project.used_for(TAGGED)
    assert kept is not None
    assert project.artifact_path(kept.name).read_bytes() == (tmp_path / "out.jsonl").read_bytes()
    assert (made["n_texts"], kept.details["name"]) == (len(NEW), "tagged.jsonl")


def test_every_row_leaves_the_empty_and_the_repeated_too(tagger: Tagger, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("id,text\na,bank shares\na,bank shares\nb,\n=c,goal\n")
    tag_file(tagger, sniff(tmp_path / "new.csv"), tmp_path / "out.csv", TaggingWishes(primary=True))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    assert [row["id"] for row in rows] == ["a", "a", "b", "'=c"]
    assert all(row["topic_ids"] for row in rows)
    assert [row["fits_nowhere"] for row in rows if row["id"] == "b"] == ["1"]


def test_what_is_not_finished_leaves_no_file(tagger: Tagger, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    lines = ['{"id": "1", "text": "bank"}'] * 60
    (tmp_path / "good.jsonl").write_text("\n".join([*lines, "broken"]))
    with pytest.raises(InputError, match="line 61"):
        tag_file(tagger, sniff(tmp_path / "good.jsonl"), out, TaggingWishes())
    assert out.read_text() == "before"
    assert not list(tmp_path.glob("*.part"))
    with pytest.raises(ExportError, match=r"\.csv, \.jsonl or \.parquet"):
        tag_file(tagger, sniff(tmp_path / "good.jsonl"), tmp_path / "out.txt", TaggingWishes())


def spoilt(file: Path, **changes: object) -> bytes:
    members = members_of(file)
    about = json.loads(members["tagger.json"])
    return pack({**members, "tagger.json": json.dumps({**about, **changes}).encode()})


def test_a_tagger_of_another_version_or_of_none_is_refused_in_words(kept: Path, tmp_path: Path) -> None:
    arrays = members_of(kept)
    cases = {
        b"no zip at all": "not a zip file",
        pack({"other.txt": b"x"}): "is not a tagger",
        spoilt(kept, format="else"): "is not a tagger",
        spoilt(kept, version=99): "reads format 1",
        spoilt(kept, topics=[["a", "a", "A"]]): "is damaged",
        spoilt(kept, classes=[["nobody", 0]]): "is damaged",
        spoilt(kept, classes=[]): "is damaged",
        spoilt(kept, lexicon_weight="NaN"): "is damaged",
        spoilt(kept, lexicon="0123"): "is damaged",
        pack({name: data for name, data in arrays.items() if name != "ridge.npy"}): "ridge.npy is missing",
        pack({**arrays, "ridge.npy": arrays["ridge.npy"][:-4]}): "cut short",
        pack({**arrays, "mention_terms.npy": arrays["mention_topics.npy"] + b"\0"}): "is damaged",
        pack({**arrays, "terms.txt": arrays["terms.txt"] + b"\nmore"}): "is damaged",
    }
    for number, (data, said) in enumerate(cases.items()):
        file = tmp_path / f"{number}.zip"
        file.write_bytes(data)
        with pytest.raises(InputError if "zip file" not in said else Exception, match=said):
            Tagger.load(file)
    with pytest.raises(InputError, match="cannot be read"):
        Tagger.load(tmp_path / "missing.zip")


def test_a_tagger_that_needs_the_lexicon_says_so(
    tagger: Tagger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    parts = members_of_bytes(tagger.to_bytes())
    about = json.loads(parts["tagger.json"])
    n_classes = len(about["classes"])
    vectors = np.zeros((n_classes, 4), dtype="<f4")
    with_lexicon = pack(
        {
            **parts,
            "tagger.json": json.dumps({**about, "lexicon": "0123"}).encode(),
            "name_vectors.npy": npy(vectors),
            "lexicon_center.npy": npy(vectors[0]),
        }
    )
    (tmp_path / "t.zip").write_bytes(with_lexicon)
    with pytest.raises(InputError, match="taxocom lexicon"):
        Tagger.load(tmp_path / "t.zip")


def members_of_bytes(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()
