"""What the tagger would move: offered, let go or kept, and never offered to a person who has spoken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from taxocom.errors import InputError
from taxocom.store import Project, create_project
from taxocom.store.projects.document_places import ACCEPTED, PLACED, document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.moves import SuggestedMove, chosen_moves, suggested_moves
from taxocom.workflow.tags import project_tags
from tests.store.test_document_places import (
    BUSINESS,
    FOOTBALL,
    SPORT,
    decide,
    holds,
    mixed_documents,
    read_in,
    theme_of,
    where,
    write_texts,
)
from tests.ui.fabricate import THEMES, documents, seed_tree

FILM = TopicNode("film", "Film", keywords=tuple(THEMES["film"][1:4]))
WAR = TopicNode("war", "War", keywords=tuple(THEMES["war"][:4]))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with create_project("News", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", documents(210)))
        yield made


@pytest.fixture
def offered(project: Project) -> list[SuggestedMove]:
    """Two topics that were missing are added: their documents lie elsewhere so far."""
    decide(project, d.AddTopic(ROOT_ID, FILM), d.AddTopic(ROOT_ID, WAR))
    return suggested_moves(project)


def offers(project: Project) -> set[str]:
    return {i for move in suggested_moves(project) for i in move.documents}


def test_before_any_decision_nothing_is_offered(project: Project) -> None:
    assert suggested_moves(project) == []


def test_documents_that_surely_belong_to_another_topic_are_offered_to_it(
    project: Project, offered: list[SuggestedMove]
) -> None:
    found, tags = where(project), project_tags(project)
    row_of = {i: row for row, i in enumerate(project.corpus().document_ids)}
    assert {move.to_id for move in offered} == {"film", "war"}
    for move in offered:
        assert {found[i] for i in move.documents} == {move.from_id}
        assert {theme_of(i) for i in move.documents} == {move.to_id}
        assert all(tags.probability(move.to_id)[row_of[i]] >= 0.9 for i in move.documents)
    # All that is sure is offered, and each document once.
    listed = [i for move in offered for i in move.documents]
    assert len(listed) == len(set(listed))
    sure = {i for i, row in row_of.items() for to in ("film", "war") if tags.probability(to)[row] >= 0.9}
    assert sure == set(listed)


def test_documents_of_which_the_tagger_is_not_sure_are_not_offered(project: Project, tmp_path: Path) -> None:
    with create_project("Mixed", seed=seed_tree()) as mixed:
        read_in(mixed, write_texts(tmp_path / "mixed.jsonl", mixed_documents()))
        decide(mixed, d.AddTopic(ROOT_ID, FILM), d.AddTopic(ROOT_ID, WAR))
        tags, ids = project_tags(mixed), mixed.corpus().document_ids
        best = [tags.node_ids[number] for number in tags.best()]
        wanted = [row for row, to in enumerate(best) if to in ("film", "war")]
        sure = {ids[row] for row in wanted if tags.probability(best[row])[row] >= 0.9}
        assert 2 < len(sure) < len(wanted) - 2
        assert offers(mixed) == sure


def test_the_largest_move_comes_first_and_none_is_of_one_document(
    project: Project, offered: list[SuggestedMove]
) -> None:
    sizes = [len(move.documents) for move in offered]
    assert sizes == sorted(sizes, reverse=True)
    films = [i for move in offered if move.to_id == "film" for i in move.documents]
    decide(project, d.MoveDocuments(tuple(films[1:]), "film"))
    left = [move for move in suggested_moves(project) if move.to_id == "film"]
    assert left == []
    row = list(project.corpus().document_ids).index(films[0])
    assert project_tags(project).probability("film")[row] >= 0.9


def test_nothing_moves_by_being_offered(project: Project) -> None:
    before = where(project)
    decide(project, d.AddTopic(ROOT_ID, FILM))
    assert suggested_moves(project)
    assert where(project) == before


@pytest.mark.parametrize("verdict", ["let go", "keep"])
def test_what_is_let_go_or_kept_is_recorded_and_not_offered_again(
    project: Project, offered: list[SuggestedMove], verdict: str
) -> None:
    move = offered[0]
    others = {i for other in offered[1:] for i in other.documents}
    decision = move.let_go() if verdict == "let go" else move.keep()
    assert decision == d.MoveDocuments(move.documents, move.to_id if verdict == "let go" else move.from_id)
    before = where(project)
    decide(project, decision)
    expected = {**before, **dict.fromkeys(move.documents, decision.node_id)}
    assert where(project) == expected
    places = document_places(project)
    rows = [row for row, i in enumerate(project.corpus().document_ids) if i in move.documents]
    assert (places.reasons[rows] == PLACED).all()
    assert not offers(project) & set(move.documents)
    assert others <= offers(project) | {i for i in before if before[i] == "war"}
    # Nor later, whatever else is decided and however sure the tagger is.
    decide(project, d.EditKeywords("war", ("rebel", "siege")), d.RenameTopic("film", "Films"))
    assert not offers(project) & set(move.documents)
    project.undo(3, author="Ada")
    assert set(move.documents) <= offers(project)


def test_documents_that_a_person_placed_are_never_offered(project: Project) -> None:
    films = [i for i in where(project) if theme_of(i) == "film"]
    decide(project, d.MoveDocuments(tuple(films[:6]), BUSINESS), d.MoveDocument(films[6], ROOT_ID))
    decide(project, d.AddTopic(ROOT_ID, FILM))
    tags = project_tags(project)
    rows = [row for row, i in enumerate(project.corpus().document_ids) if i in films[:7]]
    # The tagger would have them elsewhere.
    assert (tags.best()[rows] == tags.node_ids.index("film")).mean() > 0.5
    assert set(films[7:]) & offers(project)
    assert not set(films[:7]) & offers(project)


def test_documents_of_an_accepted_cluster_may_be_offered(project: Project) -> None:
    """A person said what the cluster is, not what each of its documents is."""
    films = [i for i in where(project) if theme_of(i) == "film"]
    wars = [i for i in where(project) if theme_of(i) == "war"]
    decide(project, d.AcceptTopic(ROOT_ID, WAR, documents=(*wars, *films[:5])), d.AddTopic(ROOT_ID, FILM))
    assert (document_places(project).reasons == ACCEPTED).sum() == len(wars) + 5
    (move,) = [move for move in suggested_moves(project) if move.from_id == "war"]
    assert (move.to_id, set(move.documents)) == ("film", set(films[:5]))


def test_a_topic_and_its_sub_topic_do_not_contradict_each_other(project: Project) -> None:
    """Documents held by a topic are not offered to one below it, nor the other way round; those of no topic are."""
    sports = [i for i in where(project) if theme_of(i) == "sport"]
    golf = TopicNode("golf", "Golf", keywords=tuple(THEMES["sport"]))
    decide(project, d.AddTopic(SPORT, golf))
    tags = project_tags(project)
    rows = [row for row, i in enumerate(project.corpus().document_ids) if i in sports]
    assert (tags.best()[rows] == tags.node_ids.index("golf")).any()
    assert not any({move.from_id, move.to_id} == {SPORT, "golf"} for move in suggested_moves(project))
    before = holds(project, FOOTBALL)
    decide(project, d.RemoveTopic(SPORT), d.AddTopic(ROOT_ID, FILM), d.AddTopic(ROOT_ID, WAR))
    assert before <= holds(project, ROOT_ID)
    moves = [move for move in suggested_moves(project) if move.from_id == ROOT_ID]
    assert {move.to_id for move in moves} >= {"film", "war"}


def test_documents_whose_topic_is_gone_are_offered_again_though_a_person_put_them_there(project: Project) -> None:
    films = tuple(i for i in where(project) if theme_of(i) == "film")
    decide(project, d.AddTopic(ROOT_ID, TopicNode("stage", "Stage")), d.MoveDocuments(films[:8], "stage"))
    decide(project, d.RemoveTopic("stage"), d.AddTopic(ROOT_ID, FILM))
    assert {where(project)[i] for i in films[:8]} == {ROOT_ID}
    offered = {i for move in suggested_moves(project) if move.from_id == ROOT_ID for i in move.documents}
    assert set(films[:8]) <= offered


def test_moves_can_be_asked_for_to_and_from_one_topic_and_those_below_it(
    project: Project, offered: list[SuggestedMove]
) -> None:
    assert suggested_moves(project, ROOT_ID) == offered
    assert suggested_moves(project, "film") == [move for move in offered if "film" in (move.from_id, move.to_id)]
    below = suggested_moves(project, SPORT)
    assert below == [move for move in offered if {SPORT, FOOTBALL} & {move.from_id, move.to_id}]
    assert below


def test_moves_are_chosen_by_the_numbers_they_are_listed_with(offered: list[SuggestedMove]) -> None:
    assert chosen_moves(offered, []) == []
    assert chosen_moves(offered, [2, 1]) == [offered[1], offered[0]]
    for number in (0, -1, len(offered) + 1):
        with pytest.raises(InputError, match=f"There is no move {number}; {len(offered)} are offered"):
            chosen_moves(offered, [1, number])


def test_without_topics_nothing_is_offered(tmp_path: Path, project: Project) -> None:
    with create_project("Bare") as bare:
        read_in(bare, tmp_path / "texts.jsonl")
        assert suggested_moves(bare) == []
