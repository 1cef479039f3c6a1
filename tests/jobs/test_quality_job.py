"""Measuring a project on a planted corpus: what was planted is found again, and the project stays as it was."""

from __future__ import annotations

import pytest

from taxocom.errors import CancelledError, JobError
from taxocom.expansion.pipeline import expand_node
from taxocom.expansion.proposals import accepting
from taxocom.jobs.expand_task import project_embedding
from taxocom.jobs.quality_tasks import evaluate, stability
from taxocom.progress import SILENT
from taxocom.settings import ExpansionSettings
from taxocom.store import copy_project, create_project
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.quality_runs import drop_run, find_run, load_results, quality_runs, save_gold
from taxocom.taxonomy.decisions import AddTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import plant, without
from tests.ui.fabricate import save

SMALL = {"settings": {"embedding": {"dim": 60}}, "threads": 1}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    planted = plant(n_documents=30)
    missing = planted.gold.children_of(ROOT_ID)[-1].label
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        project = create_project("planted", seed=without(planted.gold, (missing,)))
        documents = zip(planted.corpus.document_ids, planted.corpus.texts, planted.paths, strict=True)
        with project.working_place("corpus") as place:
            place.mkdir()
            build_corpus(
                (Document(each, text, labels=path) for each, text, path in documents),
                place,
                seed_phrases=[node.label for node in project.seed().walk()],
            )
            project.use("corpus", project.publish_directory(place, "corpus"))
        yield project, missing, planted


class StopAt:
    """Progress that is cancelled as soon as a stage mentions some words."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.stages: list[str] = []

    def report(self, stage: str, fraction: float) -> None:
        assert 0 <= fraction <= 1
        self.stages.append(stage)
        if self.words and self.words in stage:
            raise CancelledError("Cancelled.")


def test_a_planted_topic_is_found_by_every_random_state(labelled):
    project, _, planted = labelled
    before = (project.used_for("embedding"), len(project.proposals()), project.sequence)
    run = find_run(project, stability(project, {**SMALL, "n_states": 2}, SILENT)["run_id"])
    results = load_results(project, run)
    novel = [topic for topic in results["topics"] if not topic["known"]]
    assert [(topic["n_found"], topic["topic_id"]) for topic in novel] == [(2, "")]
    assert novel[0]["documents"] > 0.9
    assert results["by_documents"] == pytest.approx(novel[0]["documents"])
    assert sum(topic["known"] for topic in results["topics"]) == 3
    assert novel[0]["n_documents"] == pytest.approx(len(planted.paths) / 4, rel=0.1)
    assert (project.used_for("embedding"), len(project.proposals()), project.sequence) == before
    assert quality_runs(project, "stability") == [run]


def test_an_accepted_topic_is_taken_out_first_and_found_again_under_its_name(labelled):
    project, missing, planted = labelled
    settings = ExpansionSettings.from_dict(SMALL["settings"])
    embedding = project_embedding(project, settings, random_state=0, threads=1, progress=SILENT, keep=False)
    expansion = expand_node(project.corpus(), project.taxonomy(), ROOT_ID, embedding, settings=settings, draw_map=False)
    with copy_project(project, f"accepted {missing}") as copy:
        save(copy, expansion)
        found = max(expansion.proposal.novel, key=lambda cluster: cluster.n_documents)
        copy.record(accepting.accept(found, ROOT_ID, label="Found by Ada"), author="Ada")
        tree = copy.taxonomy()
        run = find_run(copy, stability(copy, {**SMALL, "n_states": 2}, SILENT)["run_id"])
        topics = {topic["label"]: topic for topic in load_results(copy, run)["topics"]}
        mine = topics["Found by Ada"]
        assert not mine["known"]
        assert mine["topic_id"] in tree
        assert mine["n_found"] == 2
        assert mine["documents"] > 0.9
        assert sum(topic["known"] for topic in topics.values()) == len(planted.gold.children_of(ROOT_ID)) - 1
        assert copy.taxonomy() == tree


def test_a_topic_that_was_taken_out_is_found_measured_and_kept(labelled):
    project, missing, _ = labelled
    before = (project.taxonomy(), project.purposes()["corpus"], len(project.proposals()))
    params = {**SMALL, "remove": [[missing]], "n_states": 2}
    result = evaluate(project, params, SILENT)
    run = find_run(project, result["run_id"])
    assert (run.n_planned, run.n_done, run.is_whole) == (2, 2, True)
    reports = load_results(project, run)["reports"]
    assert [report["random_state"] for report in reports] == [0, 1]
    for report in reports:
        assert report["detection"]["f1"] > 0.9
        assert report["removed"][0]["topic"] == missing
        assert report["removed"][0]["recovered"]
        assert report["quality"]["intrusion"] is not None
    assert (project.taxonomy(), project.purposes()["corpus"], len(project.proposals())) == before
    # The same question again goes on where it stopped: there is nothing left to do.
    watched = StopAt("random state")
    assert evaluate(project, params, watched)["run_id"] == run.run_id
    drop_run(project, run.run_id)
    assert find_run(project, run.run_id) is None


def test_a_cancelled_evaluation_keeps_what_it_has_and_goes_on_from_there(labelled):
    project, missing, _ = labelled
    params = {**SMALL, "remove": [[missing]], "n_states": 2, "max_depth": 1}
    with pytest.raises(CancelledError):
        evaluate(project, params, StopAt("random state 2 of 2"))
    (run,) = quality_runs(project, "evaluate")
    assert (run.n_done, run.n_planned, run.is_whole) == (1, 2, False)
    watched = StopAt("random state 1 of 2")
    evaluate(project, params, watched)
    (run,) = quality_runs(project, "evaluate")
    assert run.is_whole
    drop_run(project, run.run_id)


def test_a_hierarchy_from_a_file_is_measured_against(labelled):
    project, missing, planted = labelled
    name = save_gold(project, planted.gold, "gold.tsv")
    result = evaluate(project, {**SMALL, "gold": name, "remove": [[missing]], "n_states": 1, "max_depth": 1}, SILENT)
    report = load_results(project, find_run(project, result["run_id"]))["reports"][0]
    assert report["recovery"]["n_removed"] == 4
    other = plant(n_parents=2, n_children=1, n_documents=8, random_state=9).gold
    params = {"gold": save_gold(project, other, "other.tsv"), "remove": [[next(other.walk()).label]]}
    with pytest.raises(JobError, match="No document is labelled with a topic of the hierarchy"):
        evaluate(project, params, SILENT)


def test_a_lower_topic_is_measured_by_the_documents_that_it_holds(labelled):
    project, _, _ = labelled
    parent = project.taxonomy().children_of(ROOT_ID)[0]
    held = len(document_places(project).documents_of(parent.node_id))
    run = find_run(project, stability(project, {**SMALL, "node_id": parent.node_id, "n_states": 2}, SILENT)["run_id"])
    topics = load_results(project, run)["topics"]
    below = {node.label for node in project.taxonomy().children_of(parent.node_id)}
    assert {topic["label"] for topic in topics if topic["known"]} == below
    assert 0 < sum(topic["n_documents"] for topic in topics) <= held
    drop_run(project, run.run_id)


def test_a_topic_without_documents_says_what_to_do(labelled):
    project, _, _ = labelled
    with copy_project(project, "with an empty topic") as copy:
        copy.record(AddTopic(ROOT_ID, TopicNode("empty", "Empty")), author="Ada")
        with pytest.raises(JobError, match=r"No document belongs to 'Empty'.*keywords.*move documents"):
            stability(copy, {**SMALL, "node_id": "empty"}, SILENT)
        assert quality_runs(copy, "stability") == quality_runs(project, "stability")
