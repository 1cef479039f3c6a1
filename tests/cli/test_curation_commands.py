"""Decisions through the command line: appended with author and reason, refused whole, undone by another decision."""

import json

import pytest


def counts(run, project: str, *options: str) -> dict[str, int]:
    """Return every topic as `show` indents it, in its order, with the number of its documents."""
    lines = run("show", project, *options).stdout.splitlines()
    rows = (line.rsplit("  ", 1) for line in lines[lines.index("") + 2 :])
    return {topic: int(said.removesuffix(" documents")) for topic, said in rows}


def topics(run, project: str) -> list[str]:
    return list(counts(run, project))


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


def test_a_topic_holds_its_documents_and_those_of_all_below_it_through_every_decision(run, project: str) -> None:
    at_first = counts(run, project)
    assert (at_first["  football"], at_first["  court"]) == (36, 36)
    assert 0 < at_first["    goal"] <= 36
    assert 0 < at_first["    judge"] <= 36
    run("move", project, "judge", "--under", "football")
    moved = counts(run, project)
    assert moved["    judge"] == at_first["    judge"]
    assert moved["  football"] == 36 + at_first["    judge"]
    assert moved["  court"] == 36 - at_first["    judge"]
    run("remove", project, "football/judge")
    removed = counts(run, project)
    assert removed["  football"] == moved["  football"], "what no topic below holds, the topic itself does"
    run("undo", project, "-n", "2")
    assert counts(run, project) == at_first
    assert counts(run, project, "--at", "1") == moved, "as it was then"


def test_documents_of_a_merged_topic_stay_together_when_the_topic_they_went_to_is_removed(run, project: str) -> None:
    before = counts(run, project)
    run("merge", project, "football/goal", "--into", "court/judge")
    merged = counts(run, project)
    assert merged["    judge"] == before["    goal"] + before["    judge"]
    run("remove", project, "court/judge")
    assert counts(run, project) == {"  football": merged["  football"], "  court": merged["  court"]}


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
