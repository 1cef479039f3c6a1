"""Which documents go with the parts of a topic that is split."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from taxocom.store import Project, create_project
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode
from taxocom.text.input.documents import Document
from taxocom.workflow.parts import with_documents_of_parts
from tests.store.test_document_places import decide, holds, read_in, where, write_texts

FILLER = ("people", "week", "city", "group", "world")
TEXTS = {
    "goal": "sport goal goal striker",
    "net": "sport racket net racket",
    "both": "sport goal striker racket",
    "even": "sport striker net",
    "none": "sport stadium",
    "law": "law judge court",
}


def id_of(kind: str, number: int) -> str:
    return f"{kind}-{number}"


def of(kind: str) -> set[str]:
    return {id_of(kind, number) for number in range(6)}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A topic with documents on two games, on both, and on neither of them."""
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    seed = Taxonomy.empty("News")
    for label in ("sport", "law"):
        seed = seed.with_topic(TopicNode(label, label.title(), label), ROOT_ID)
    texts = [
        Document(id_of(kind, number), f"{text} {FILLER[number % 5]} number{number}{kind}")
        for number in range(6)
        for kind, text in TEXTS.items()
    ]
    with create_project("News", seed=seed) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", texts), min_count=2)
        assert holds(made, "sport") == set(where(made)) - of("law")
        yield made


SOCCER = TopicNode("soccer", "Soccer", center_term="striker", keywords=("Goals", "goal"))
TENNIS = TopicNode("tennis", "Tennis", anchors=(AnchorTerm("racket", 1.0), AnchorTerm("net", 0.5)))


def split(project: Project, *decisions: d.Decision) -> list[d.Decision]:
    made = with_documents_of_parts(project, decisions)
    decide(project, *made)
    return made


def test_documents_go_to_the_part_whose_terms_they_use_most(project: Project) -> None:
    made = split(project, d.SplitTopic("sport", (SOCCER, TENNIS)))
    assert [decision.kind for decision in made] == ["split_topic", "move_documents", "move_documents"]
    found = where(project)
    assert {found[i] for i in of("goal") | of("both")} == {"soccer"}
    assert {found[i] for i in of("net")} == {"tennis"}
    assert {found[i] for i in of("law")} == {"law"}


def test_documents_that_use_no_parts_terms_stay_with_what_stands_for_the_topic(project: Project) -> None:
    (_, *moves) = with_documents_of_parts(project, [d.SplitTopic("sport", (SOCCER, TENNIS))])
    named = {i for move in moves if isinstance(move, d.MoveDocuments) for i in move.documents}
    assert not named & of("none")
    split(project, d.SplitTopic("sport", (SOCCER, TENNIS)))
    # The first part stands for the topic.
    assert {where(project)[i] for i in of("none")} == {"soccer"}


def test_the_part_that_keeps_the_topics_id_keeps_its_documents_unasked(project: Project) -> None:
    kept = TopicNode("sport", "Soccer", center_term="striker", keywords=("goal",))
    made = split(project, d.SplitTopic("sport", (kept, TENNIS)))
    (move,) = [decision for decision in made if isinstance(decision, d.MoveDocuments)]
    assert (move.node_id, set(move.documents)) == ("tennis", of("net"))
    assert holds(project, "sport") == of("goal") | of("both") | of("even") | of("none")


def test_where_two_parts_are_used_as_much_the_first_has_the_document(project: Project) -> None:
    split(project, d.SplitTopic("sport", (TENNIS, SOCCER)))
    assert {where(project)[i] for i in of("even")} == {"tennis"}


def test_documents_of_sub_topics_stay_in_them(project: Project) -> None:
    """A part takes its sub-topics along, and these keep what they hold."""
    decide(project, d.AddTopic("sport", TopicNode("cup", "Cup")), d.MoveDocuments(tuple(sorted(of("net"))), "cup"))
    split(project, d.SplitTopic("sport", (SOCCER, TENNIS), placed=(("cup", "soccer"),)))
    assert holds(project, "cup") == of("net")
    assert of("net") <= holds(project, "soccer")


def test_other_decisions_pass_as_they_are_and_in_order(project: Project) -> None:
    before, after = d.RenameTopic("law", "Justice"), d.AddNote("law", "Looked at.")
    made = with_documents_of_parts(project, [before, d.SplitTopic("sport", (SOCCER, TENNIS)), after])
    assert (made[0], made[-1]) == (before, after)
    assert [type(each) for each in made[1:4]] == [d.SplitTopic, d.MoveDocuments, d.MoveDocuments]
    assert with_documents_of_parts(project, [before, after]) == [before, after]
    assert with_documents_of_parts(project, []) == []


def test_undoing_a_split_gives_the_documents_back(project: Project) -> None:
    before = where(project)
    made = split(project, d.SplitTopic("sport", (SOCCER, TENNIS)))
    assert where(project) != before
    project.undo(len(made), author="Ada")
    assert where(project) == before


def test_without_texts_a_split_is_just_a_split(project: Project) -> None:
    with create_project("Bare", seed=project.seed()) as bare:
        decision = d.SplitTopic("sport", (SOCCER, TENNIS))
        assert with_documents_of_parts(bare, [decision]) == [decision]


def test_parts_with_terms_that_nobody_uses_take_nothing(project: Project) -> None:
    parts = (TopicNode("a", "Xylophone"), TopicNode("b", "Glockenspiel"))
    made = split(project, d.SplitTopic("sport", parts))
    assert len(made) == 1
    assert holds(project, "a") == set(where(project)) - of("law")
