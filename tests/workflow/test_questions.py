"""Questions worth a minute: those first on which most documents hang, and gone once they are answered."""

from __future__ import annotations

from taxocom.store import Project
from taxocom.store.projects.document_places import PLACED, document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.moves import suggested_moves
from taxocom.workflow.questions import questions
from tests.store.test_document_places import BUSINESS, SPORT, decide, holds


def test_questions_come_by_what_hangs_on_them(news: Project) -> None:
    found = questions(news)
    assert found
    sizes = [each.n_documents for each in found]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) >= 5
    assert len({each.key for each in found}) == len(found)
    assert questions(news, 2) == found[:2]
    known = set(news.corpus().document_ids)
    assert all(set(each.documents) <= known for each in found)


def test_topics_that_compete_are_asked_about_until_their_documents_are_placed(news: Project) -> None:
    rivals = next(each for each in questions(news) if each.kind == "rivals")
    places, ids = document_places(news), news.corpus().document_ids
    assert rivals.other_id is not None
    assert rivals.said.endswith("compete for the same documents. Which goes where?")
    decide(news, *(d.MoveDocuments((each,), places.node_of(row)) for row, each in enumerate(ids)))
    assert (document_places(news).reasons == PLACED).all()
    assert not [each for each in questions(news) if each.kind in ("rivals", "move")]


def test_documents_that_look_like_those_of_another_topic_are_asked_about_as_one(news: Project) -> None:
    own = tuple(sorted(holds(news, SPORT)))
    # Accepted with a topic that they have nothing to do with.
    decide(news, d.AcceptTopic(ROOT_ID, TopicNode("gardens", "Gardens"), documents=own))
    asked = [each for each in questions(news) if each.kind == "move"]
    offered = {(move.from_id, move.to_id): move.documents for move in suggested_moves(news)}
    assert {(each.other_id, each.node_id) for each in asked} <= set(offered)
    for each in asked:
        assert each.n_documents == len(offered[each.other_id or "", each.node_id])
    weak = [each for each in questions(news) if each.kind == "name"]
    assert [each.node_id for each in weak] == ["gardens"]
    assert BUSINESS not in {each.node_id for each in weak}
