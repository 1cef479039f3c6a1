"""What a commit says is what it records, and the tree can carry it out."""

from dataclasses import replace

import pytest

from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.store import Project, copy_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, MoveDocuments, MoveTerms, RejectTopic, apply, judged_clusters
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, topic_id
from taxocom.ui.expand.plan import plan_commit
from taxocom.ui.shared.proposal_draft import Draft, Judgement, Part
from tests.ui.fabricate import Fabricated, fabricate_project

SPORT, POLITICS, BUSINESS = (topic_id(label) for label in ("sport", "politics", "business"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Fabricated:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        return fabricate_project("plan")


@pytest.fixture
def expansion(made: Fabricated) -> NodeExpansion:
    return made.expansion


@pytest.fixture
def tree(made: Fabricated) -> Taxonomy:
    return made.project.seed()


def carried_out(tree: Taxonomy, decisions: tuple) -> Taxonomy:
    for decision in decisions:
        tree = apply(tree, decision)
    return tree


def test_an_empty_draft_plans_nothing(expansion: NodeExpansion, tree: Taxonomy):
    plan = plan_commit(expansion, Draft(1, 0), tree)
    assert plan.decisions == ()
    assert plan.summary == "nothing yet"
    assert plan.n_left == len(expansion.novel)


def test_an_accepted_cluster_becomes_a_topic_with_its_evidence(expansion: NodeExpansion, tree: Taxonomy):
    film = expansion.novel[0]
    draft = Draft(1, 0).named(film.cluster_id, "Cinema", film.label).judged(film.cluster_id, Judgement("accept"))
    plan = plan_commit(expansion, draft, tree)
    grown = carried_out(tree, plan.decisions)
    added = grown.find(["Cinema"])
    assert added is not None
    assert (added.origin, added.status, added.center_term) == ("novel", "approved", film.center_term)
    assert added.anchors == film.anchors
    assert plan.summary == "+1 topic"
    assert plan.n_left == len(expansion.novel) - 1


def test_everything_at_once_is_said_and_done(expansion: NodeExpansion, tree: Taxonomy):
    first, second, third, fourth = (cluster.cluster_id for cluster in expansion.novel)
    draft = (
        Draft(7, 0)
        .judged(first, Judgement("accept"))
        .moved_under(first, SPORT)
        .judged(second, Judgement("reject", "too narrow"))
        .judged(third, Judgement("later"))
        .named(fourth, "Medicine", "x")
        .named(POLITICS, "Government", "Politics")
        .joining(BUSINESS, POLITICS)
        .pinned(("goal", "coach"), first)
        .pinned(("week",), "general")
    )
    plan = plan_commit(expansion, draft, tree)
    grown = carried_out(tree, plan.decisions)
    assert plan.summary == "+1 topic, 1 rejected, 1 for later, 2 renamed, 1 merged, 3 terms moved"
    assert grown.find(["Government"]) is not None
    assert grown.find(["Business"]) is None
    accepted = next(d for d in plan.decisions if isinstance(d, AcceptTopic))
    assert grown.parent_of(accepted.node.node_id) == SPORT
    assert next(d for d in plan.decisions if isinstance(d, RejectTopic)).reason == "too narrow"
    pins = {d.to: d.terms for d in plan.decisions if isinstance(d, MoveTerms)}
    assert pins == {accepted.node.node_id: ("goal", "coach"), "general": ("week",)}


def test_a_cluster_that_joins_a_topic_takes_its_documents_there_and_waits_no_more(
    made: Fabricated, expansion: NodeExpansion, tree: Taxonomy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TAXOCOM_HOME", str(made.project.path.parents[1]))
    film = expansion.novel[0]
    draft = Draft(made.proposal_id, 0).joining(film.cluster_id, SPORT)
    plan = plan_commit(expansion, draft, tree)
    assert plan.decisions == (MoveDocuments((), SPORT, film.cluster_id),)
    assert plan.summary == "1 merged"
    assert plan.n_left == len(expansion.novel) - 1
    with copy_project(made.project, "joined") as project:
        before = set(document_places(project).documents_of(SPORT).tolist())
        project.record_all(plan.decisions, author="Test")
        index = expansion.clusters.index(film)
        its = expansion.documents.documents[expansion.documents.cluster == index].tolist()
        assert len(its) == film.n_documents > 0
        assert set(document_places(project).documents_of(SPORT).tolist()) == before | set(its)
        assert film.cluster_id in judged_clusters(project.log())


def test_what_goes_into_a_topic_that_goes_into_another_ends_there(expansion: NodeExpansion, tree: Taxonomy):
    first, second, *_ = (cluster.cluster_id for cluster in expansion.novel)
    draft = (
        Draft(1, 0)
        .joining(BUSINESS, POLITICS)
        .joining(first, BUSINESS)
        .judged(second, Judgement("accept"))
        .moved_under(second, BUSINESS)
        .pinned(("goal",), first)
        .pinned(("coach",), BUSINESS)
    )
    plan = plan_commit(expansion, draft, tree)
    assert MoveDocuments((), POLITICS, first) in plan.decisions
    (accepted,) = (d for d in plan.decisions if isinstance(d, AcceptTopic))
    assert accepted.parent_id == POLITICS
    assert MoveTerms(ROOT_ID, ("goal", "coach"), POLITICS) in plan.decisions
    whole = [replace(d, documents=("doc-0001",)) if isinstance(d, MoveDocuments) else d for d in plan.decisions]
    assert BUSINESS not in carried_out(tree, tuple(whole))


def test_terms_pinned_to_a_cluster_that_is_no_topic_yet_are_novel(expansion: NodeExpansion, tree: Taxonomy):
    draft = Draft(1, 0).pinned(("goal",), expansion.novel[0].cluster_id)
    assert plan_commit(expansion, draft, tree).decisions == (MoveTerms(ROOT_ID, ("goal",), "novel"),)


def test_what_was_judged_before_is_not_judged_again(made: Fabricated, expansion: NodeExpansion, tree: Taxonomy):
    film = expansion.novel[0].cluster_id
    draft = Draft(made.proposal_id, 0).judged(film, Judgement("accept"))
    assert plan_commit(expansion, draft, tree, settled=[film]).decisions == ()


def test_the_store_takes_a_whole_commit(made: Fabricated, expansion: NodeExpansion, tree: Taxonomy):
    project: Project = made.project
    draft = Draft(made.proposal_id, 0)
    for cluster in expansion.novel:
        draft = draft.judged(cluster.cluster_id, Judgement("accept"))
    plan = plan_commit(expansion, draft, tree)
    project.record_all(plan.decisions, author="Test", expected=0)
    assert len(project.taxonomy()) == len(tree) + len(expansion.novel)
    assert plan.n_left == 0


def test_a_split_leaves_the_topic_its_id_its_children_and_what_does_not_leave(expansion: NodeExpansion, tree: Taxonomy):
    leaving = ("league", "match", "golf")
    draft = Draft(1, 0).named(SPORT, "Sports", "Sport").parting(SPORT, Part("Golf", leaving))
    (sport,) = (cluster for cluster in expansion.clusters if cluster.cluster_id == SPORT)
    tree = tree.with_changed(replace(tree[SPORT], anchors=sport.anchors))
    plan = plan_commit(expansion, draft, tree)
    grown = carried_out(tree, plan.decisions)
    assert plan.summary == "1 renamed, 1 split"
    assert [node.label for node in grown.children_of(ROOT_ID)] == ["Politics", "Sports", "Golf", "Business"]
    assert (grown[SPORT].label, grown[SPORT].alt_labels) == ("Sports", ("Sport",))
    assert grown[SPORT].keywords == tuple(word for word in tree[SPORT].keywords if word not in leaving)
    assert [a.term for a in grown[SPORT].anchors] == [a.term for a in sport.anchors if a.term not in leaving]
    assert [child.label for child in grown.children_of(SPORT)] == ["Football"]
    golf = grown.find(["Golf"])
    assert golf is not None
    assert {anchor.term for anchor in golf.anchors} == set(golf.keywords) == set(leaving)
    assert golf.origin == "manual"


def test_a_cluster_of_which_nothing_is_left_needs_no_verdict(expansion: NodeExpansion, tree: Taxonomy):
    emptied = replace(expansion.novel[0], n_terms=0, n_documents=0)
    others = tuple(cluster for cluster in expansion.clusters if cluster.cluster_id != emptied.cluster_id)
    changed = replace(expansion, clusters=(*others, emptied))
    assert plan_commit(changed, Draft(1, 0), tree).n_left == len(expansion.novel) - 1


def test_a_cluster_goes_where_it_fits_unless_it_was_moved_or_that_topic_is_gone(
    expansion: NodeExpansion, tree: Taxonomy
):
    fitting = replace(expansion.novel[0], fits_under=SPORT)
    others = tuple(cluster for cluster in expansion.clusters if cluster.cluster_id != fitting.cluster_id)
    changed = replace(expansion, clusters=(*others, fitting))
    draft = Draft(1, 0).judged(fitting.cluster_id, Judgement("accept"))

    def parent(draft: Draft, tree: Taxonomy) -> str:
        (decision,) = plan_commit(changed, draft, tree).decisions
        assert isinstance(decision, AcceptTopic)
        return decision.parent_id

    assert parent(draft, tree) == SPORT
    assert parent(draft.moved_under(fitting.cluster_id, POLITICS), tree) == POLITICS
    assert parent(draft, tree.without(SPORT)) == ROOT_ID
