"""Where a project stands: what waits, what is out of date, what to do next."""

from collections.abc import Iterator

import pytest

from taxocom.expansion.proposals.accepting import accepted_topic
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.settings import TextSettings
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, AddTopic, MoveDocuments, RejectTopic, RenameTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from taxocom.text.indexing import build_corpus
from taxocom.ui.review.queue import decisions_for, key_of, queue_data, waiting_clusters
from taxocom.ui.shared.overview import Overview, look_at, progress_line
from tests.ui.fabricate import Fabricated, documents, fabricate_project


@pytest.fixture
def made(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fabricated]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
    fabricated = fabricate_project("overview")
    yield fabricated
    fabricated.project.close()


def load(project: Project, proposal_id: int) -> NodeExpansion:
    stored = project.load_proposal(proposal_id)
    return NodeExpansion.from_parts(stored.metadata, stored.arrays)


def looked(made: Fabricated) -> Overview:
    return look_at(made.project, load)


def judge_all(made: Fabricated) -> None:
    for number, cluster in enumerate(made.expansion.novel):
        node = accepted_topic(cluster, ROOT_ID, cluster.label)
        decision = (
            AcceptTopic(ROOT_ID, node, cluster_id=cluster.cluster_id)
            if number % 2
            else RejectTopic(ROOT_ID, cluster.cluster_id, cluster.center_term)
        )
        made.project.record(decision, author="Ada")


def test_a_fresh_proposal_waits_whole(made: Fabricated):
    overview = looked(made)
    assert overview.n_waiting == 4
    assert overview.state_of(overview.tree.root) == "proposed"
    assert progress_line(overview) == "0 of 4 proposed topics reviewed"
    suggestion = overview.suggestion()
    assert suggestion is not None
    assert (suggestion.node_id, suggestion.why) == (ROOT_ID, "4 clusters to judge")


def test_verdicts_settle_clusters_and_undo_brings_them_back(made: Fabricated):
    judge_all(made)
    assert looked(made).n_waiting == 0
    assert progress_line(looked(made)) == "4 of 4 proposed topics reviewed"
    made.project.undo(2, author="Ada")
    assert looked(made).n_waiting == 2


def test_its_own_verdicts_do_not_make_a_proposal_stale(made: Fabricated):
    judge_all(made)
    made.project.record(RenameTopic(topic_id("sport"), "Sports"), author="Ada")
    assert not looked(made).proposals[ROOT_ID].is_stale


def test_a_topic_added_by_hand_makes_it_stale(made: Fabricated):
    judge_all(made)
    made.project.record(AddTopic(ROOT_ID, TopicNode("weather", "Weather")), author="Ada")
    overview = looked(made)
    assert overview.state_of(overview.tree.root) == "stale"
    assert overview.state_of(overview.tree["weather"]) == "manual"


def test_the_next_node_has_children_and_was_not_expanded(made: Fabricated):
    judge_all(made)
    made.project.mark_proposal(made.proposal_id, "done")
    suggestion = looked(made).suggestion()
    assert suggestion is not None
    assert suggestion.node_id == topic_id("sport")


def test_nothing_below_a_topic_that_is_being_expanded_is_suggested(made: Fabricated):
    made.project.mark_proposal(made.proposal_id, "done")
    assert look_at(made.project, load, [ROOT_ID]).suggestion() is None


def test_a_proposal_for_other_texts_is_out_of_date_until_they_are_back(made: Fabricated):
    project = made.project
    first = project.used_for("corpus")
    assert first is not None
    with project.working_place("corpus") as place:
        place.mkdir()
        build_corpus(documents(140), place, settings=TextSettings(min_count=3, max_words=1))
        project.use("corpus", project.publish_directory(place, "corpus"))
    overview = looked(made)
    assert overview.n_waiting == 0
    assert overview.outdated == {ROOT_ID}
    assert overview.state_of(overview.tree.root) == "stale"
    suggestion = overview.suggestion()
    assert suggestion is not None
    assert (suggestion.node_id, suggestion.why) == (ROOT_ID, "changed since it was expanded")
    project.use("corpus", first)
    assert looked(made).n_waiting == 4


def test_a_withdrawn_proposal_leaves_its_topic_out_of_date(made: Fabricated):
    made.project.mark_proposal(made.proposal_id, "superseded")
    assert looked(made).outdated == {ROOT_ID}


def test_the_queue_puts_off_what_was_put_off(made: Fabricated):
    waiting = waiting_clusters(made.project, looked(made))
    first = waiting[0]
    made.project.record_all(decisions_for(first, {"type": "later"}), author="Ada")
    made.project.record_all(decisions_for(first, {"type": "rename", "label": "Cinema"}), author="Ada")
    after = waiting_clusters(made.project, looked(made))
    assert key_of(after[-1]) == key_of(first)
    assert (after[-1].label, after[-1].was_deferred) == ("Cinema", True)
    assert [card["id"] for card in queue_data(after, looked(made))["clusters"]] == [key_of(item) for item in after]


def test_a_cluster_that_went_into_a_topic_is_reviewed_and_moves_of_documents_are_not(made: Fabricated):
    made.project.record(MoveDocuments((), topic_id("sport"), made.expansion.novel[0].cluster_id), author="Ada")
    made.project.record(MoveDocuments(("doc-0001", "doc-0002"), topic_id("sport")), author="Ada")
    assert progress_line(looked(made)) == "1 of 4 proposed topics reviewed"


@pytest.mark.parametrize("action", [{"type": "accept"}, {"type": "reject"}, {"type": "merge", "to": topic_id("sport")}])
def test_every_verdict_of_the_queue_settles_its_cluster(made: Fabricated, action: dict):
    first = waiting_clusters(made.project, looked(made))[0]
    made.project.record_all(decisions_for(first, action), author="Ada")
    assert key_of(first) not in [key_of(item) for item in waiting_clusters(made.project, looked(made))]


def test_a_cluster_merged_in_the_queue_gives_the_topic_its_documents_by_one_decision(made: Fabricated):
    first = waiting_clusters(made.project, looked(made))[0]
    before = set(document_places(made.project).documents_of(topic_id("politics")).tolist())
    scores, index = made.expansion.documents, made.expansion.clusters.index(first.cluster)
    its = set(scores.documents[scores.cluster == index].tolist())
    made.project.record_all(decisions_for(first, {"type": "merge", "to": topic_id("politics")}), author="Ada")
    assert its
    assert set(document_places(made.project).documents_of(topic_id("politics")).tolist()) == before | its
    made.project.undo(author="Ada")
    assert set(document_places(made.project).documents_of(topic_id("politics")).tolist()) == before
    assert key_of(first) in [key_of(item) for item in waiting_clusters(made.project, looked(made))]
