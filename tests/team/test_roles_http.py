"""Over HTTP the table of roles is the same, and others can follow what a team decides."""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path

import pytest
import rdflib

from taxocom.serving.callers import token_of
from taxocom.store import Project, create_project
from taxocom.taxonomy.decisions import GiveRole, RenameTopic
from taxocom.taxonomy.roles import DECISIONS, ROLES, reaches
from tests.serving.conftest import TOKEN, Asker, started
from tests.team.one_of_each import ADMIN, ONE_OF_EACH, TREE, take_back

PEOPLE = {"stranger": None, **{role: role for role in ROLES}}
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, Asker]]:
    folder = tmp_path_factory.mktemp("team")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(folder / "home"))
        with create_project("News", seed=TREE, owner=ADMIN) as project:
            project.record_all([GiveRole(role, role) for role in ROLES], author=ADMIN)
            project.record(RenameTopic("law", "Justice"), author=ADMIN)
            process, asker = started(folder / "home", folder / "server.log", "--per-minute=100000")
            yield project, asker
            process.terminate()
            process.wait(60)


@pytest.mark.slow
def test_every_decision_is_allowed_or_refused_as_the_table_says(team: tuple[Project, Asker]):
    project, asker = team
    for kind, decision in ONE_OF_EACH.items():
        if kind == "redo":
            project.undo(author=ADMIN)
        for person, role in PEOPLE.items():
            before = project.sequence
            sent = {"decisions": [decision.to_dict()], "expected": before}
            reply = asker.ask("/projects/News/decisions", sent, token=token_of(person, TOKEN))
            if role and reaches(role, DECISIONS[kind].role):  # type: ignore[arg-type]  # a role, as the table has them
                assert (reply.status, project.sequence) == (200, before + 1), (kind, person, reply.body)
                assert project.log()[-1].author == person
                take_back(project, decision)
            else:
                assert reply.status == 403, (kind, person, reply.body)
                assert "it takes the role" in reply.json["error"]
                assert project.sequence == before
        if kind == "redo":
            project.redo(author=ADMIN)


def test_a_token_is_worth_what_its_person_may_do_and_nothing_if_it_is_forged(team: tuple[Project, Asker]):
    _, asker = team
    ask = asker.ask
    assert ask("/projects", token=token_of("viewer", TOKEN)).json["projects"][0]["name"] == "News"
    assert ask("/projects", token=token_of("stranger", TOKEN)).json["projects"] == []
    assert ask("/projects/News/concepts", token=token_of("viewer", TOKEN)).status == 200
    assert ask("/projects/News/concepts", token=token_of("stranger", TOKEN)).status == 403
    forged = token_of("viewer", TOKEN).split(".")[0] + "." + token_of("admin", TOKEN).split(".")[1]
    for token in (forged, token_of("admin", "another token of a server"), "." * 3, "x" + token_of("admin", TOKEN)):
        assert ask("/projects", token=token).status == 401
    sent = {"decisions": [RenameTopic("law", "Right").to_dict()]}
    assert "nobody's" in ask("/projects/News/decisions", sent).json["error"]


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({"decisions": []}, 400, "1 to 100"),
        ({"decisions": [{"kind": "conquer"}]}, 400, "unknown kind"),
        ({"decisions": [{"kind": "rename_topic", "node_id": "gone", "label": "X"}]}, 409, "no topic with the id"),
        ({"decisions": [RenameTopic("law", "X").to_dict()], "expected": 0}, 409, "Others decided"),
        ({"decisions": [RenameTopic("law", "X").to_dict()], "why": 3}, 400, "why has to be"),
    ],
)
def test_what_cannot_be_recorded_is_told_and_changes_nothing(team, sent, status, said):
    project, asker = team
    before = project.sequence
    reply = asker.ask("/projects/News/decisions", sent, token=token_of("curator", TOKEN))
    assert reply.status == status
    assert said in reply.json["error"]
    assert project.sequence == before


def test_others_follow_by_feed_and_by_release(team: tuple[Project, Asker], tmp_path: Path):
    project, asker = team
    project.record(RenameTopic("tennis", "Tennis & <padel>"), author="curator", why="they\x0bare one")
    found = asker.ask("/projects/News/feed.atom", token=token_of("viewer", TOKEN))
    assert found.headers["content-type"].startswith("application/atom+xml")
    newest = Xml.fromstring(found.body).find(f"{ATOM}entry")
    assert newest.findtext(f"{ATOM}title") == "Renamed 'Tennis' to 'Tennis & <padel>'"
    assert newest.findtext(f"{ATOM}author/{ATOM}name") == "curator"
    project.freeze_release("1.0", author="curator")
    project.record(RenameTopic("tennis", "Padel"), author="curator")
    (release,) = asker.ask("/projects/News/releases").json["releases"]
    assert (release["name"], release["topics"]) == ("1.0", len(TREE))
    skos = asker.ask("/projects/News/releases/1.0/turtle")
    labels = {str(label) for label in rdflib.Graph().parse(data=skos.body, format="turtle").objects()}
    assert "Tennis & <padel>" in labels
    assert "Padel" not in labels
    assert asker.ask("/projects/News/releases/1.0/turtle").body == skos.body
    assert asker.ask("/projects/News/releases/1.0/turtle?base=nowhere").status == 400
    for path in ("releases/2.0/turtle", "releases/1.0/papyrus"):
        assert asker.ask(f"/projects/News/{path}").status == 404
