"""What the cards of a split are told beside the clusters: the groups that were left out, and which were asked for."""

from dataclasses import replace

from taxocom.expansion.proposals.proposal import Overrides
from taxocom.jobs.expand_task import resplit
from taxocom.store.projects.document_places import document_places
from taxocom.ui.shared.cards import bench_cards, card_data
from taxocom.ui.shared.overview import look_at
from taxocom.ui.shared.proposal_draft import Draft
from taxocom.workflow.node_picture import node_picture
from tests.ui.fabricate import fabricate_project


def test_what_was_left_out_is_listed_unless_it_was_judged_and_what_was_asked_for_is_marked(tmp_path, monkeypatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("news")
    one = resplit(made.project, made.proposal_id, Overrides(n_novel=1))
    first, second, third = (group.cluster_id for group in one.left_out)
    overview = look_at(made.project, lambda _project, _proposal_id: made.expansion, ())
    proposal = next(iter(overview.proposals.values()))
    settled = replace(proposal, settled=frozenset([second]))
    shown = resplit(made.project, made.proposal_id, Overrides(n_novel=1, included=(first,)))
    picture = node_picture(shown, document_places(made.project), settled=(), names={}, slots={})
    cards = bench_cards(shown, Draft(made.proposal_id, 0).including(first), settled, overview.tree, picture)
    assert [group["id"] for group in cards["leftOut"]] == [third]
    assert all(group["terms"] and group["nDocuments"] and group["reason"] for group in cards["leftOut"])
    marked = [card["id"] for card in cards["clusters"] if card.get("included")]
    assert marked == [first]


def test_a_card_tells_which_names_come_by_meaning(tmp_path, monkeypatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("news")
    cluster = replace(made.expansion.novel[0], name_suggestions=("ball", "sport"), names_by_meaning=("sport",))
    assert card_data(cluster, 0)["suggestions"] == ["ball", "sport"]
    assert card_data(cluster, 0)["namesByMeaning"] == ["sport"]
