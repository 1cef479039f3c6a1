"""From a corpus file to a project with a corpus, through a real worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.errors import CancelledError, InputError, JobError, StoreError
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project, list_projects, open_project
from taxocom.store.projects.document_places import GROUND, document_places
from taxocom.taxonomy.decisions import AddTopic
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

SENTENCES = ("The ball crossed the goal line", "Voters chose the labour party", "The central bank raised its rate")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "news.csv"
    rows = "".join(f"{n},{SENTENCES[n % 3]} on day {n}\n" for n in range(60))
    file.write_text("id,text\n" + rows)
    return file


@pytest.fixture
def seed() -> Taxonomy:
    return Taxonomy.empty("News").with_topic(TopicNode("vote", "Labour parties", keywords=("voter",)), ROOT_ID)


def test_init_gives_a_project_with_a_corpus_that_knows_the_seeds_names(
    home: Path, source: Path, seed: Taxonomy
) -> None:
    started = jobs.initialise("News", source, seed=seed, author="Ada")
    with started.project as project:
        job = jobs.wait_for(project, started.job.job_id, timeout=120)
        assert (job.state, job.message) == ("done", "")
        assert job.result is not None
        assert job.result["loading"]["n_kept"] == 60
        corpus = project.corpus()
        assert corpus.n_documents == 60
        assert "labour_parties" in corpus.vocabulary
        artifact = project.used_for("corpus")
        assert artifact is not None
        assert (artifact.made_from, artifact.details["source"]) == (corpus.fingerprint, str(source))
        assert project.corpus() is corpus, "it is opened once"
        assert list_projects()[0].has_corpus
    with pytest.raises(StoreError, match="already a project 'News'"):
        jobs.initialise("news", source, seed=seed)


def test_a_missing_corpus_makes_no_project(home: Path, tmp_path: Path, seed: Taxonomy) -> None:
    with pytest.raises(InputError, match=r"no file .*nowhere\.csv"):
        jobs.initialise("News", tmp_path / "nowhere.csv", seed=seed)
    assert list_projects() == []


def test_an_interrupted_init_goes_on_with_the_seed_given_last(home: Path, seed: Taxonomy) -> None:
    jobs.begin_project("News", seed=seed).close()
    other = seed.titled("Other")
    with jobs.begin_project(" news ", seed=other) as project:
        assert project.seed() == other
        project.record(AddTopic(ROOT_ID, TopicNode("a", "A")), author="Ada")
    with pytest.raises(StoreError, match="already a project 'News'"):
        jobs.begin_project("News", seed=seed)
    assert len(list_projects()) == 1


def test_a_failed_job_leaves_the_corpus_that_was_there(project: Project, source: Path, tmp_path: Path) -> None:
    index(project, {"source": str(source)}, SILENT)
    before = project.used_for("corpus")
    pdf = tmp_path / "paper.csv"
    pdf.write_bytes(b"%PDF-1.7\n" + bytes(1000))
    job = jobs.wait_for(project, jobs.submit(project, "index", {"source": str(pdf)}).job_id, timeout=120)
    assert job.state == "failed"
    assert "paper.csv" in job.message
    assert "PDF" in job.message
    assert project.used_for("corpus") == before
    assert project.corpus().n_documents == 60


class CancelledAfter:
    """Progress that is cancelled from a fraction on."""

    def __init__(self, fraction: float) -> None:
        self.fraction = fraction

    def report(self, stage: str, fraction: float) -> None:
        if fraction > self.fraction:
            raise CancelledError("Cancelled.")


def test_a_cancelled_index_leaves_nothing(project: Project, source: Path) -> None:
    with pytest.raises(CancelledError):
        index(project, {"source": str(source)}, CancelledAfter(0.5))
    assert not project.has_corpus
    assert project.artifacts() == []
    assert list((project.path / "work").iterdir()) == []


@pytest.mark.parametrize("fraction", [0.3, 0.79, 0.9])
def test_a_cancelled_index_leaves_the_texts_that_were_there_and_their_topics(
    home: Path, source: Path, seed: Taxonomy, tmp_path: Path, fraction: float
) -> None:
    """Also while the documents are given to the topics, which comes last."""
    other = tmp_path / "other.csv"
    other.write_text(source.read_text().replace("labour party", "green party").replace("day", "night"))
    with create_project("News", seed=seed) as project:
        index(project, {"source": str(source)}, SILENT)
        before = (project.used_for("corpus"), project.used_for(GROUND), document_places(project).counts())
        with pytest.raises(CancelledError):
            index(project, {"source": str(other)}, CancelledAfter(fraction))
        assert (project.used_for("corpus"), project.used_for(GROUND), document_places(project).counts()) == before


def test_the_same_corpus_indexed_twice_is_kept_once(home: Path, source: Path, seed: Taxonomy) -> None:
    with create_project("Twice", seed=seed) as project:
        first = index(project, {"source": str(source)}, SILENT)
        kept = project.artifacts()
        second = index(project, {"source": str(source)}, SILENT)
        assert first["artifact"] == second["artifact"]
        assert [artifact.kind for artifact in kept].count("corpus") == 1
        assert project.artifacts() == kept, "what was made from the texts is there already, too"


def test_reading_the_texts_gives_the_seeds_topics_their_documents(home: Path, source: Path, seed: Taxonomy) -> None:
    seed = seed.with_topic(TopicNode("bank", "Central bank"), ROOT_ID)
    with create_project("Tagged", seed=seed) as project:
        index(project, {"source": str(source)}, SILENT)
        assert project.used_for(GROUND) is not None
        places = document_places(project)
        voters = {d for d, text in enumerate(project.corpus().texts) if "Voters" in text}
        banks = {d for d, text in enumerate(project.corpus().texts) if "bank" in text}
        assert voters <= set(places.documents_of("vote").tolist())
        assert banks <= set(places.documents_of("bank").tolist())
        assert places.fit[[*voters, *banks]].min() > places.fit[[*set(range(60)) - voters - banks]].max()


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"source": "news.csv"}, JobError, "the whole path"),
        ({"columns": {"text": ["body"]}}, InputError, "no column 'body'"),
        ({"columns": {"txt": "text"}}, InputError, "unknown field 'txt'"),
        ({"settings": {"min_count": "five"}}, InputError, "settings.min_count: expected int"),
    ],
)
def test_wrong_parameters_are_named(project: Project, source: Path, params, error, match: str) -> None:
    with pytest.raises(error, match=match):
        index(project, {"source": str(source), **params}, SILENT)
    assert not project.has_corpus


def test_columns_and_settings_are_as_asked(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "table.tsv"
    file.write_text("a\tb\n" + "".join(f"castle garden {n}\triver mountain {n}\n" for n in range(20)))
    params = {"source": str(file), "columns": {"text": ["b"]}, "settings": {"min_count": 2, "max_words": 1}}
    index(project, params, SILENT)
    with open_project("News") as elsewhere:
        assert set(elsewhere.corpus().vocabulary.terms) == {"river", "mountain"}
