"""What vocabularies have beyond a tree, and what a team does, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

ECONOMY = Path(__file__).parents[1] / "interchange" / "data" / "economy.ttl"
Run = Callable[..., Result]


def test_links_words_and_collections_reach_the_skos(run: Run, project: str, tmp_path: Path):
    run("relate", project, "goal", "judge")
    run("also-under", project, "goal", "court")
    run("words", project, "goal", "de", "--label", "Tor", "--other", "Treffer")
    run("notation", project, "goal", "796")
    run("collect", project, "Short words", "goal", "court")
    assert "Kept economy.ttl: 5 concepts" in run("keep-vocabulary", project, ECONOMY).output
    (wages,) = json.loads(run("look-up", project, "lohn", "--json").output)
    assert (wages["label"], wages["path"]) == ("Wages", "Labour market › Wages")
    run("match", project, "goal", wages["uri"], "--how", "close")
    run("export", project, tmp_path / "skos.ttl")
    written = (tmp_path / "skos.ttl").read_text()
    for said in ('"Tor"@de', '"Treffer"@de', "skos:related", 'skos:notation "796"', "skos:Collection", wages["uri"]):
        assert said in written
    assert "no such link" in run("relate", project, "goal", "football", "--no-longer", code=1).output


def test_a_released_topic_is_deprecated_and_not_removed(run: Run, project: str, tmp_path: Path):
    run("release", project, "1.0")
    assert "Deprecate it instead" in run("remove", project, "goal", code=1).output
    run("deprecate", project, "goal", "--replaced-by", "football")
    assert "goal" not in run("show", project).output
    run("merge", project, "judge", "--into", "court")
    run("export", project, tmp_path / "skos.ttl")
    written = (tmp_path / "skos.ttl").read_text()
    assert written.count("owl:deprecated") == written.count("dct:isReplacedBy") == 2
    last = json.loads(run("history", project, "--json").output)[-1]
    assert last["summary"] == "Deprecated 'judge', replaced by 'court'"


def test_a_team_suggests_approves_and_can_be_asked_who_did_what(run: Run, project: str):
    run("role", project, "Ada", "admin")
    run("role", project, "Bob", "contributor")
    run("role", project, "Cleo", "curator")
    run("second-person", project, "on")
    assert "Approval needs a second person" in run("people", project).output
    assert "takes the role 'curator'" in run("rename", project, "goal", "Goal!", "--author", "Bob", code=1).output
    run("suggest", project, "offside", "--under", "football", "--author", "Bob", "--why", "many texts")
    run("comment", project, "offside", "Or is it a rule?", "--author", "Bob")
    run("ask", project, "offside", "--to", "Cleo")
    (task,) = json.loads(run("tasks", project, "--author", "Cleo", "--json").output)
    assert (task["label"], task["state"], task["author"]) == ("offside", "suggested", "Bob")
    run("rename", project, "offside", "Offside", "--author", "Cleo")
    assert "needs a second person" in run("state", project, "Offside", "approved", "--author", "Cleo", code=1).output
    run("state", project, "Offside", "approved")
    assert "not on the list" in run("ask", project, "Offside", "--to", "Dan", code=1).output
    lines = json.loads(run("audit", project, "--person", "Bob", "--json").output)
    assert [line["what"] for line in lines] == [
        "Suggested 'offside' under 'football'",
        "Commented on 'offside': Or is it a rule?",
    ]
    assert len(json.loads(run("audit", project, "--topic", "Offside", "--json").output)) == 5
    assert json.loads(run("audit", project, "--until", "2001-01-01", "--json").output) == []
    assert "is no day" in run("audit", project, "--since", "yesterday", code=1).output
    everything = json.loads(run("audit", project, "--json").output)
    assert run("audit", project, "--csv").output.count("\n") == len(everything) + 1
    run("verify", project)
