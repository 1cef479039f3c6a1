"""Decisions through the command line: appended with author and reason, refused whole, undone by another decision."""

import json

import pytest


def topics(run, project: str) -> list[str]:
    lines = run("show", project).stdout.splitlines()
    return lines[lines.index("") + 2 :]


def test_rename_keeps_author_and_reason(run, project: str) -> None:
    run("rename", project, "football", "soccer", "--why", "as in the house style")
    (entry,) = json.loads(run("history", project, "--json").stdout)
    assert (entry["author"], entry["why"], entry["in_force"]) == ("Ada", "as in the house style", True)
    assert topics(run, project) == ["  soccer", "    goal", "  court", "    judge"]


def test_the_root_is_renamed_as_the_title(run, project: str) -> None:
    run("rename", project, "/", "Games and laws")
    assert "\nGames and laws\n  football" in run("show", project).stdout


def test_merge_and_move_and_remove(run, project: str) -> None:
    run("move", project, "judge", "--under", "football", "--position", "1")
    assert topics(run, project) == ["  football", "    judge", "    goal", "  court"]
    run("merge", project, "football/goal", "--into", "football/judge")
    assert topics(run, project) == ["  football", "    judge", "  court"]
    run("remove", project, "football", "--keep-children")
    assert topics(run, project) == ["  judge", "  court"]


def test_undo_and_redo(run, project: str) -> None:
    run("rename", project, "football", "soccer")
    run("remove", project, "court")
    assert "Undid 2 decisions" in run("undo", project, "-n", "2").stdout
    assert topics(run, project) == ["  football", "    goal", "  court", "    judge"]
    run("redo", project)
    assert topics(run, project)[0] == "  soccer"
    assert "(undone)" in run("history", project).stdout
    assert "only 1 can be" in run("redo", project, "-n", "5", code=1).stderr


def test_a_refused_decision_changes_nothing(run, project: str) -> None:
    before = run("show", project, "--json").stdout
    assert "below itself" in run("move", project, "football", "--under", "football/goal", code=1).stderr
    assert run("show", project, "--json").stdout == before


@pytest.mark.parametrize(
    ("wanted", "says"),
    [("footbal", "Nearest: football"), ("zzz", "taxocom show"), ("football/judge", "There is no topic")],
)
def test_a_topic_that_is_not_there_is_answered_with_the_nearest(run, project: str, wanted: str, says: str) -> None:
    assert says in run("remove", project, wanted, code=1).stderr


def test_a_name_that_two_topics_have_needs_its_path(run, project: str) -> None:
    run("rename", project, "court/judge", "goal")
    message = run("remove", project, "goal", code=1).stderr
    assert "football/goal, court/goal" in message
    run("remove", project, "court/goal")
    assert topics(run, project) == ["  football", "    goal", "  court"]


def test_show_can_go_back_in_time(run, project: str) -> None:
    run("remove", project, "court")
    assert "court" in run("show", project, "--at", "0").stdout
    assert "court" not in run("show", project, "--at", "1").stdout
