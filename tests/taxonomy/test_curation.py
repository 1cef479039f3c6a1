from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import DecisionError
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.curation import NamedCluster, RejectedCluster, derive_curation
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, TopicNode
from tests.taxonomy.samples import NEWS, logged
from tests.taxonomy.strategies import any_decisions, trees

FILM = TopicNode(
    "film", "Cinema", "movie", anchors=(AnchorTerm("movie", 1.0), AnchorTerm("actor", 0.5)), origin="novel"
)


def test_a_later_pin_overrides_and_an_undone_one_is_forgotten():
    log = logged(
        d.MoveTerms(ROOT_ID, ("goal", "judge"), "novel"),
        d.MoveTerms(ROOT_ID, ("judge",), "law"),
        d.MoveTerms(ROOT_ID, ("goal",), "general"),
        d.Undo(),
    )
    assert derive_curation(NEWS, log).pins == {ROOT_ID: {"goal": "novel", "judge": "law"}}


def test_a_pin_follows_its_topic_through_a_merge_and_goes_with_a_removed_one():
    pinned = (d.MoveTerms("sport", ("goal",), "soccer"), d.MoveTerms("sport", ("racket",), "tennis"))
    merged = derive_curation(NEWS, logged(*pinned, d.MergeTopics("tennis", ("soccer",))))
    assert merged.pins == {"sport": {"goal": "tennis", "racket": "tennis"}}
    removed = derive_curation(NEWS, logged(*pinned, d.RemoveTopic("soccer")))
    assert removed.pins == {"sport": {"racket": "tennis"}}


def test_accepting_takes_a_rejection_and_a_deferral_back():
    rejection = d.RejectTopic(ROOT_ID, "c1", "movie", ("movie", "actor"), "too broad")
    later = d.Defer(ROOT_ID, "c2")
    curation = derive_curation(NEWS, logged(rejection, later))
    assert curation.rejected == {ROOT_ID: (RejectedCluster("c1", "movie", ("movie", "actor"), "too broad"),)}
    assert curation.deferred == {ROOT_ID: ("c2",)}
    accepted = derive_curation(NEWS, logged(rejection, later, d.AcceptTopic(ROOT_ID, FILM, cluster_id="c2")))
    assert (accepted.rejected, accepted.deferred) == ({}, {})


def test_a_removed_novel_topic_is_not_proposed_again():
    curation = derive_curation(NEWS, logged(d.AcceptTopic(ROOT_ID, FILM), d.RemoveTopic("film")))
    assert [cluster.terms for cluster in curation.rejected[ROOT_ID]] == [("movie", "actor")]
    assert derive_curation(NEWS, logged(d.RemoveTopic("law"))).rejected == {}


def test_a_document_is_where_it_was_moved_last_alone_or_with_others():
    moves = (d.MoveDocument("d1", "law"), d.MoveDocument("d2", "law"), d.MoveDocuments(("d1", "d3"), "soccer"))
    assert derive_curation(NEWS, logged(*moves)).documents == {"d1": "soccer", "d2": "law", "d3": "soccer"}
    assert derive_curation(NEWS, logged(*moves, d.Undo())).documents == {"d1": "law", "d2": "law"}


def test_names_given_by_a_person_are_kept_for_the_next_run():
    log = logged(
        d.NameCluster(ROOT_ID, "c1", "man", ("man", "police"), "Crime"),
        d.AcceptTopic(ROOT_ID, FILM),
        d.RenameTopic("film", "Film"),
    )
    assert derive_curation(NEWS, log).names == {
        ROOT_ID: (NamedCluster("Crime", "man", ("man", "police")), NamedCluster("Film", "movie", ("movie", "actor")))
    }


@given(trees(), st.lists(any_decisions, max_size=25))
def test_a_curation_names_only_topics_of_the_tree(seed, decided):
    timeline, log = d.Timeline(seed), []
    for entry in logged(*decided):
        try:
            timeline.record(entry)
        except DecisionError:
            continue
        log.append(entry)
    curation, tree = derive_curation(seed, log), timeline.tree
    nodes = {*curation.pins, *curation.rejected, *curation.names, *curation.deferred, *curation.documents.values()}
    nodes |= {to for pins in curation.pins.values() for to in pins.values()} - {"known", "novel", "general"}
    assert nodes <= set(tree.nodes)
