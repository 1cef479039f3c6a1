"""Documents through the command line: what a topic holds, what would move, and which names are weak."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taxocom.store import create_project, open_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.moves import suggested_moves
from tests.store.test_document_places import BUSINESS, FOOTBALL, read_in, theme_of, where, write_texts
from tests.ui.fabricate import THEMES, documents, seed_tree


@pytest.fixture
def news(tmp_path: Path) -> str:
    """A project whose tree lacks topics, to which a person added two without moving a document."""
    with create_project("news", seed=seed_tree()) as project:
        read_in(project, write_texts(tmp_path / "news.jsonl", documents(140)))
        for theme in ("film", "war"):
            topic = TopicNode(theme, theme.title(), keywords=tuple(THEMES[theme][:4]))
            project.record(d.AddTopic(ROOT_ID, topic), author="Ada")
    return "news"


def held(name: str) -> dict[str, str]:
    with open_project(name) as project:
        return where(project)


def test_the_documents_of_a_topic_are_those_that_the_project_holds(run, project: str) -> None:
    plain = json.loads(run("documents", project, "football", "--json").stdout)
    with open_project(project) as opened:
        node = opened.taxonomy().find(("football",))
        assert node is not None
        rows = document_places(opened).documents_of(node.node_id)
        ids = {opened.corpus().document_ids[int(row)] for row in rows}
    assert {row["id"] for row in plain["documents"]} == ids
    assert (plain["topic"], plain["n_documents"]) == ("football", len(ids))
    sure = [row["sure"] for row in plain["documents"]]
    assert sure == sorted(sure, reverse=True)
    assert f"football  {len(ids)} documents" in run("show", project).stdout


def test_people_see_how_many_say_the_name_and_the_surest_few(run, project: str) -> None:
    plain = json.loads(run("documents", project, "football/goal", "--json").stdout)
    head, *lines = run("documents", project, "football/goal", "-n", "2").stdout.splitlines()
    n = plain["n_documents"]
    assert head == f"goal: {n} documents; {n} mention its name or a keyword (24 in the corpus do); 0 fit poorly."
    assert [line.split()[1] for line in lines] == [row["id"] for row in plain["documents"][:2]]
    assert len(run("documents", project, "football").stdout.splitlines()) == 11
    assert len(run("documents", project, "football", "-n", "0").stdout.splitlines()) == 1


def test_documents_that_a_decision_put_there_are_told_from_the_others(run, news: str) -> None:
    with open_project(news) as project:
        project.record(d.MoveDocuments(("doc-0000", "doc-0007"), BUSINESS), author="Ada")
    plain = json.loads(run("documents", news, "Business", "--json").stdout)
    assert {row["id"] for row in plain["documents"] if row["by a decision"]} == {"doc-0000", "doc-0007"}
    assert {row["title"] for row in plain["documents"] if row["id"] == "doc-0000"} == {"About politics, report 0"}


def test_a_topic_without_documents_is_no_error(run, news: str) -> None:
    assert run("documents", news, "Film").stdout.startswith("Film: 0 documents; 0 mention its name")


def test_a_topic_that_is_not_there_is_answered_with_the_nearest(run, project: str) -> None:
    assert "Nearest: football" in run("documents", project, "footbal", code=1).stderr
    run("documents", project, "football", "-n", "-1", code=2)


def test_what_would_move_is_listed_and_nothing_moves(run, news: str) -> None:
    before = held(news)
    with open_project(news) as project:
        offered = suggested_moves(project)
    lines = run("moves", news).stdout.splitlines()
    assert len(lines) == len(offered) >= 2
    for number, (line, move) in enumerate(zip(lines, offered, strict=True), 1):
        target = {"film": "Film", "war": "War"}[move.to_id]
        start = {FOOTBALL: "Sport/Football"}.get(move.from_id, "")
        assert line.strip().startswith(f"{number}. {len(move.documents)} documents would move from {start}")
        assert line.endswith(f"to {target}")
    plain = json.loads(run("moves", news, "--json").stdout)
    assert [tuple(move["documents"]) for move in plain] == [move.documents for move in offered]
    assert held(news) == before


def test_moves_are_let_go_and_kept_by_their_numbers_with_author_and_reason(run, news: str) -> None:
    first, second, *_ = json.loads(run("moves", news, "--json").stdout)
    before = held(news)
    said = run("moves", news, "--let-go", "1", "--keep", "2", "--why", "read them").stdout
    assert f"Moved {len(first['documents'])} documents to '{first['to_id'].title()}'" in said
    *_, gone, kept = json.loads(run("history", news, "--json").stdout)
    assert (gone["decision"]["kind"], gone["author"], gone["why"]) == ("move_documents", "Ada", "read them")
    assert (gone["decision"]["documents"], gone["decision"]["node_id"]) == (first["documents"], first["to_id"])
    assert (kept["decision"]["documents"], kept["decision"]["node_id"]) == (second["documents"], second["from_id"])
    assert held(news) == {**before, **dict.fromkeys(first["documents"], first["to_id"])}
    # Neither is offered again.
    left = {i for move in json.loads(run("moves", news, "--json").stdout) for i in move["documents"]}
    assert not left & {*first["documents"], *second["documents"]}
    run("undo", news, "-n", "2")
    assert held(news) == before


def test_a_move_that_is_not_offered_moves_nothing(run, news: str) -> None:
    before = held(news)
    n_moves = len(json.loads(run("moves", news, "--json").stdout))
    message = run("moves", news, "--let-go", "1", "--keep", n_moves + 1, code=1).stderr
    assert f"There is no move {n_moves + 1}; {n_moves} are offered" in message
    assert held(news) == before
    assert len(json.loads(run("history", news, "--json").stdout)) == 2


def test_where_nothing_would_move_that_is_said(run, project: str) -> None:
    assert run("moves", project).stdout == "No documents would move.\n"
    assert json.loads(run("moves", project, "--json").stdout) == []


def test_weak_names_are_listed_with_terms_to_add(run, news: str) -> None:
    own = tuple(document_id for document_id in held(news) if theme_of(document_id) == "crime")
    with open_project(news) as project:
        project.record(d.AddTopic(ROOT_ID, TopicNode("wrong", "Wrongdoing")), author="Ada")
        project.record(d.MoveDocuments(own, "wrong"), author="Ada")
    (weak,) = json.loads(run("names", news, "--json").stdout)
    assert (weak["label"], weak["n_saying"], weak["n_documents"]) == ("Wrongdoing", 0, len(own))
    assert weak["suggestions"]
    assert set(weak["suggestions"]) <= {"crime", *THEMES["crime"]}
    said = run("names", news).stdout
    assert said.startswith(f"0 of {len(own)} documents mention 'Wrongdoing' or one of its keywords.")
    assert f"Add {', '.join(weak['suggestions'])}?" in said


def test_a_name_is_not_weak_for_documents_that_fit_it_poorly(run, news: str) -> None:
    facts = json.loads(run("documents", news, "Football", "--json").stdout)
    assert facts["n_documents"] - facts["n_fitting_poorly"] < 20 <= facts["n_documents"]
    assert facts["n_saying_its_name"] == 0
    assert json.loads(run("names", news, "--json").stdout) == []


def test_where_every_name_is_said_that_is_said(run, project: str) -> None:
    assert run("names", project).stdout.startswith("For every topic, at least one in five documents")
    assert json.loads(run("names", project, "--json").stdout) == []


@pytest.mark.parametrize("command", [("documents", "bare", "/"), ("moves", "bare"), ("names", "bare")])
def test_a_project_without_texts_is_told_what_it_lacks(run, command: tuple[str, ...]) -> None:
    create_project("bare", seed=seed_tree()).close()
    assert "has no corpus yet" in run(*command, code=1).stderr
