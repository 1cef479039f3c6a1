"""What the map and the cards show: the same numbers as the tree, before and after, and a colour that stays."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.proposals import accepting
from taxocom.expansion.proposals.colours import give_slots, kept_slots
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, MoveDocuments, judged_clusters
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, accepted_id, topic_id
from taxocom.workflow.node_picture import NOWHERE, node_picture
from taxocom.workflow.open_proposals import open_proposals
from tests.ui.fabricate import Fabricated, fabricate_project


@pytest.fixture
def made(tmp_path, monkeypatch) -> Iterator[Fabricated]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("picture")
    yield made
    made.project.close()


def picture_of(made: Fabricated):
    proposal = open_proposals(made.project).by_node[ROOT_ID]
    places = document_places(made.project)
    return node_picture(proposal.expansion, places, settled=judged_clusters(made.project.log()), names={}, slots={})


def by_label(picture):
    return {group.label: group for group in picture.groups}


def held(picture, label):
    numbers = [group.label for group in picture.groups]
    return int((picture.documents == numbers.index(label)).sum())


def test_a_card_says_before_what_the_tree_says_after(made):
    first = open_proposals(made.project).by_node[ROOT_ID].expansion.novel[0]
    before = by_label(picture_of(made))
    assert before[first.label].n_documents == first.n_documents == held(picture_of(made), first.label) > 0
    made.project.record_all([accepting.accept(first, ROOT_ID)], author="Ada")
    after = picture_of(made)
    places = document_places(made.project)
    topic = accepted_id(ROOT_ID, first.cluster_id)
    assert by_label(after)[first.label].n_documents == len(places.documents_of(topic)) == first.n_documents
    assert by_label(after)[first.label].kind == "known"
    assert {group.label: group.slot for group in after.groups} == {label: g.slot for label, g in before.items()}


def test_a_known_topic_says_how_many_would_leave_it(made):
    picture, places = picture_of(made), document_places(made.project)
    sport = topic_id("sport")
    waiting = {number for number, group in enumerate(picture.groups) if group.kind == "novel"}
    coming = made.expansion.documents.documents[np.isin(picture.documents, list(waiting))]
    assert picture.leaving()[sport] == np.isin(places.documents_of(sport), coming).sum()
    assert sum(picture.leaving().values()) > 0


def test_what_a_person_placed_does_not_go_along(made):
    first = open_proposals(made.project).by_node[ROOT_ID].expansion.novel[0]
    rows = made.expansion.documents
    number = [c.cluster_id for c in made.expansion.clusters].index(first.cluster_id)
    some = rows.documents[rows.cluster == number][:3]
    ids = tuple(made.project.corpus().document_ids[int(row)] for row in some)
    made.project.record_all([MoveDocuments(ids, topic_id("sport"))], author="Ada")
    again = open_proposals(made.project).by_node[ROOT_ID].expansion.novel[0]
    assert again.n_documents == first.n_documents - 3
    assert held(picture_of(made), again.label) == again.n_documents


def test_what_was_rejected_is_no_topic_any_more_and_what_was_added_is_one(made):
    first, second, *_ = open_proposals(made.project).by_node[ROOT_ID].expansion.novel
    added = TopicNode("mine", "Mine", origin="manual")
    ids = tuple(made.project.corpus().document_ids[:4])
    decisions = [accepting.reject(first, ROOT_ID), AcceptTopic(ROOT_ID, added, documents=ids)]
    made.project.record_all(decisions, author="Ada")
    found = picture_of(made)
    assert first.label not in by_label(found)
    assert by_label(found)["Mine"].n_documents == held(found, "Mine") == 4
    number = [c.cluster_id for c in made.expansion.clusters].index(first.cluster_id)
    assert (found.terms[made.expansion.terms.cluster == number] == NOWHERE).all()
    assert second.label in by_label(found)
    slots = [group.slot for group in found.groups]
    assert len(set(slots)) == len(slots)


def test_documents_of_a_topic_below_are_of_the_one_above_and_keep_its_name(made):
    places = document_places(made.project)
    tree = places.tree.with_topic(TopicNode("tennis", "Tennis"), topic_id("sport"))
    rows = places.documents_of(topic_id("sport"))
    numbers = places.numbers.copy()
    numbers[rows[:5]] = len(places.node_ids)
    below = replace(places, tree=tree, numbers=numbers, node_ids=(*places.node_ids, "tennis"))
    found = node_picture(made.expansion, below, settled=(), names={}, slots={})
    at_row = {int(row): place for place, row in enumerate(made.expansion.documents.documents)}
    waiting = {number for number, group in enumerate(found.groups) if group.kind == "novel"}
    for row in rows[:5]:
        place = at_row[int(row)]
        if found.documents[place] not in waiting:
            assert found.groups[found.documents[place]].label == "Sport"
            assert found.names_below[found.below[place]] == "Tennis"
    assert int((found.below != NOWHERE).sum()) == sum(
        found.documents[at_row[int(row)]] not in waiting for row in rows[:5]
    )


def test_a_place_in_the_palette_stays_and_a_new_one_is_the_first_that_is_free():
    kept = kept_slots("node", give_slots(["a", "b", "c"], {}))
    assert give_slots(["a", "c", "d"], kept) == {"a": 0, "c": 2, "d": 1}
    assert give_slots([accepted_id("node", "c"), "e", "f"], kept) == {accepted_id("node", "c"): 2, "e": 0, "f": 1}
    assert np.unique(list(give_slots("abcdefghij", {"j": 3}).values())).tolist() == list(range(10))
