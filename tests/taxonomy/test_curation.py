from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import DecisionError
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.curation import NamedCluster, RejectedCluster, derive_curation, kept_name, same_cluster
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, TopicNode, accepted_id
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


def test_a_cluster_accepted_under_a_sub_topic_is_judged_where_it_was_proposed():
    found = TopicNode(accepted_id(ROOT_ID, "c1"), "Film", "movie", anchors=FILM.anchors, origin="novel")
    before = (d.RejectTopic(ROOT_ID, "c1", "movie", ("movie", "actor")), d.Defer(ROOT_ID, "c1"))
    accepted = derive_curation(NEWS, logged(*before, d.AcceptTopic("sport", found, cluster_id="c1")))
    assert (accepted.rejected, accepted.deferred) == ({}, {})
    removed = (d.AcceptTopic("sport", found, cluster_id="c1"), d.RemoveTopic(found.node_id))
    assert list(derive_curation(NEWS, logged(*removed)).rejected) == [ROOT_ID]
    renamed = (d.AcceptTopic("sport", found, cluster_id="c1"), d.RenameTopic(found.node_id, "Cinema"))
    assert list(derive_curation(NEWS, logged(*renamed)).names) == [ROOT_ID]


def test_a_cluster_of_another_expansion_keeps_its_rejection():
    found = TopicNode(accepted_id("sport", "c2"), "Film", "movie", anchors=FILM.anchors, origin="novel")
    rejection = d.RejectTopic(ROOT_ID, "c1", "movie", ("movie", "actor"))
    curation = derive_curation(NEWS, logged(rejection, d.AcceptTopic("sport", found, cluster_id="c2")))
    assert list(curation.rejected) == [ROOT_ID]


def test_a_topic_added_by_hand_does_not_lift_the_rejection_of_a_cluster_with_a_keyword_of_it():
    rejection = d.RejectTopic(ROOT_ID, "c1", "movie", ("movie", "actor"))
    added = d.AddTopic(ROOT_ID, TopicNode("stage", "Stage", keywords=("actor",)))
    assert list(derive_curation(NEWS, logged(rejection, added)).rejected) == [ROOT_ID]


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


def test_two_clusters_are_the_same_by_center_term_or_by_half_of_the_terms_of_the_smaller():
    crime = NamedCluster("Crime", "man", ("man", "police", "court", "judge"))
    assert same_cluster("man", (), crime)
    assert same_cluster("", ("police", "court"), crime)
    assert same_cluster("law", ("police", "court", "law", "bill"), crime)
    assert not same_cluster("law", ("police", "bill", "law"), crime)
    assert not same_cluster("", (), NamedCluster("Nothing", "", ()))


def test_of_two_names_for_one_cluster_the_later_counts():
    names = (NamedCluster("Crime", "man", ("man",)), NamedCluster("Police", "man", ("man",)))
    assert kept_name(names, "man", ()) == "Police"
    assert kept_name(names, "law", ("bill",)) == ""


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
