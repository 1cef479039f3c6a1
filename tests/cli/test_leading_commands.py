"""A missing topic and taught topics through the command line."""

from __future__ import annotations

import json

import pytest

from taxocom.store import create_project, open_project
from tests.store.test_document_places import where
from tests.ui.fabricate import seed_tree


@pytest.fixture(autouse=True)
def without_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")


def held(name: str) -> dict[str, str]:
    with open_project(name) as project:
        return where(project)


def tennis_documents(name: str) -> str:
    with open_project(name) as project:
        texts = zip(project.corpus().document_ids, project.corpus().texts, strict=True)
        return ",".join([each for each, text in texts if "tennis" in text][:3])


def test_a_card_is_printed_and_nothing_changes_until_it_is_accepted(run, project: str) -> None:
    before = held(project)
    told = ("add", project, "tennis", "--under", "football", "--documents", tennis_documents(project))
    plain = json.loads(run(*told, "--json").stdout)
    shown = run(*told, "--ask", "2").stdout
    n = len(plain["documents"])
    assert n > 0
    assert shown.startswith(f"football/tennis: would hold {n} documents.")
    assert "Typical:" in shown
    assert len(shown.split("To judge, most telling first:\n")[1].splitlines()) == 2 + 1
    assert shown.endswith("Repeat this with --accept to add the topic.\n")
    assert held(project) == before
    said = run(*told, "--accept", "--why", "known to all").stdout
    assert said.startswith("1: Accepted 'tennis' under 'football'.\n2: Judged 3 documents for 'tennis': 3 yes, 0 no.")
    now = held(project)
    assert sum(now[each] != before[each] for each in now) == n
    assert {now[each] for each in plain["documents"]} == {plain["node"]["node_id"]}
    run("undo", project, "-n", "2")
    assert held(project) == before


def test_documents_told_on_the_command_line_belong_and_do_not(run, project: str) -> None:
    ids = sorted(held(project))
    plain = json.loads(run("add", project, "--documents", f"{ids[0]}, {ids[1]}", "--not", ids[2], "--json").stdout)
    assert {ids[0], ids[1]} <= set(plain["documents"])
    assert ids[2] not in plain["documents"]
    assert "(no name yet)" in run("add", project, "--documents", ids[0]).stdout
    assert "The name of the topic is empty" in run("add", project, "--documents", ids[0], "--accept", code=1).stderr


def test_a_name_that_is_in_the_tree_is_told(run, project: str) -> None:
    assert "'football' is in the tree already. Teach that topic" in run("add", project, "Football").stdout
    assert "already a topic 'Football'" in run("add", project, "Football", "--accept", code=1).stderr
    assert "Nothing was told of the topic" in run("add", project, code=1).stderr
    assert "no document 'x'" in run("add", project, "tennis", "--documents", "x", code=1).stderr


def test_ten_answers_are_recorded_and_taken_back_as_one(run, project: str) -> None:
    before = held(project)
    asked = [
        each["document_id"] for each in json.loads(run("teach", project, "goal", "--ask", "4", "--json").stdout)["ask"]
    ]
    assert len(asked) == 4
    assert held(project) == before
    said = run("teach", project, "goal", "--yes", ",".join(asked[:2]), "--no", ",".join(asked[2:])).stdout
    assert said.startswith("Learnt from 2 documents with yes and 2 with no.\n")
    goal = next(iter({held(project)[each] for each in asked[:2]}))
    assert all(held(project)[each] != goal for each in asked[2:])
    assert said.endswith(f"Recorded. Take it back: taxocom undo {project} -n 1\n")
    run("undo", project)
    assert held(project) == before


def test_what_was_learnt_moves_only_if_asked_for(run, project: str) -> None:
    asked = json.loads(run("teach", project, "judge", "--ask", "10", "--json").stdout)["ask"]
    texts = {each["document_id"]: each["sentence"] for each in asked}
    yes = ",".join(i for i, text in texts.items() if "judge" in text)
    no = ",".join(i for i, text in texts.items() if "judge" not in text)
    lesson = json.loads(run("teach", project, "judge", "--yes", yes, "--no", no, "--json").stdout)
    before = held(project)
    moving = {i for move in (*lesson["come"], *lesson["go"]) for i in move["documents"]}
    run("teach", project, "judge", "--move")
    now = held(project)
    assert {i for i in now if now[i] != before[i]} == moving


def test_several_names_are_told_at_once(run, project: str) -> None:
    told = ("add", project, "tennis", "Justice", "--under", "/")
    shown = run(*told).stdout
    assert "tennis: would hold" in shown
    assert "Justice: would hold" in shown
    cards = json.loads(run(*told, "--json").stdout)
    assert [card["node"]["label"] for card in cards] == ["tennis", "Justice"]
    assert not set(cards[0]["documents"]) & set(cards[1]["documents"])
    run(*told, "--accept")
    now = held(project)
    for card in cards:
        assert {each for each, to in now.items() if to == card["node"]["node_id"]} == set(card["documents"])


def test_several_names_are_judged_before_they_are_added(run, project: str) -> None:
    told = ("add", project, "tennis", "Justice")
    cards = json.loads(run(*told, "--ask", "3", "--json").stdout)
    assert [len(card["ask"]) for card in cards] == [3, 3]
    yes, no = (cards[1]["ask"][at]["document_id"] for at in (0, 1))
    answers = ("--documents", f"justice={yes}", "--not", f"Justice={no}", "--documents", f"tennis={no}")
    first, second = json.loads(run(*told, *answers, "--json").stdout)
    assert no in first["documents"]
    assert yes in second["documents"]
    assert "justice: would hold" in run(*told, *answers, "--ask", "2").stdout.casefold()
    run(*told, *answers, "--accept")
    now = held(project)
    assert (now[no], now[yes]) == (first["node"]["node_id"], second["node"]["node_id"])
    wrong = run("add", project, "a", "b", "--words", "x", code=1).stderr
    assert "does not say which topic is meant" in wrong
    assert '--words "a=…"' in wrong


def test_wrong_answers_are_refused(run, project: str) -> None:
    first = min(held(project))
    assert "answered yes and no" in run("teach", project, "goal", "--yes", first, "--no", first, code=1).stderr
    assert "no topic to judge" in run("teach", project, "/", code=1).stderr
    assert "There is no topic" in run("teach", project, "chess", code=1).stderr


@pytest.mark.parametrize("command", [("add", "bare", "film"), ("teach", "bare", "Sport")])
def test_a_project_without_texts_is_told_what_it_lacks(run, command: tuple[str, ...]) -> None:
    create_project("bare", seed=seed_tree()).close()
    assert "has no corpus yet" in run(*command, code=1).stderr
