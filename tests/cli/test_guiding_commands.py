"""Questions, splits, assignments, keywords and notes on the command line."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_leading_commands import held


@pytest.fixture(autouse=True)
def without_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")


def test_a_search_is_assigned_in_one_decision(run, project: str) -> None:
    before = held(project)
    said = run("assign", project, "goal", "--search", "judge", "--why", "known").stdout
    assert said.startswith("1: Moved ")
    assert said.count("\n") == 1
    assert held(project) != before
    run("undo", project)
    assert held(project) == before
    first = min(before)
    run("assign", project, "goal", "--documents", first)
    assert {each for each, to in held(project).items() if to != before[each]} <= {first}
    assert "No document has 'xylophone'" in run("assign", project, "goal", "--search", "xylophone", code=1).stderr
    assert "no document 'x'" in run("assign", project, "goal", "--documents", "x", code=1).stderr
    assert "Give one of" in run("assign", project, "goal", code=2).stderr
    assert "No cluster 'x' can be judged" in run("assign", project, "goal", "--cluster", "x", code=1).stderr


def test_keywords_and_notes_are_shown_and_changed(run, project: str) -> None:
    before = json.loads(run("keywords", project, "goal", "--json").stdout)
    run("keywords", project, "goal", "--add", "late goal, score")
    assert json.loads(run("keywords", project, "goal", "--json").stdout) == [*before, "late goal", "score"]
    run("keywords", project, "goal", "--remove", "score")
    assert run("keywords", project, "goal").stdout == ", ".join([*before, "late goal"]) + "\n"
    assert "is no keyword of 'goal'" in run("keywords", project, "goal", "--remove", "score", code=1).stderr
    assert run("note", project, "goal").stdout == "'goal' has no notes.\n"
    assert run("note", project, "goal", "Only the late ones.").stdout.startswith("3: Noted on 'goal'")
    assert run("note", project, "goal").stdout == "Only the late ones.\n"


def test_a_split_is_shown_before_it_is_done(run, project: str) -> None:
    before = held(project)
    shown = run("split", project, "football", "--into", 2, "--names", "A,B").stdout
    assert shown.startswith("1. A: ")
    assert shown.endswith("Repeat this with --accept to split it so.\n")
    assert held(project) == before
    parts = json.loads(run("split", project, "football", "--json").stdout)
    run("split", project, "football", "--names", "A,B", "--accept")
    now = held(project)
    assert {now[each] for each in parts[0]["documents"]} != {now[each] for each in parts[1]["documents"]}
    assert "2 to 6" not in run("split", project, "judge", "--into", 7, code=2).stdout


def test_questions_are_listed_with_what_hangs_on_them(run, project: str) -> None:
    plain = json.loads(run("questions", project, "--json").stdout)
    shown = run("questions", project).stdout
    assert len(plain) == (0 if shown.startswith("Nothing is open") else shown.count("\n"))
