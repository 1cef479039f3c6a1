"""What the Documents page says of a topic, and which of its documents it shows first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.expansion.proposals import accepting
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import MergeTopics, MoveDocument, MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID, topic_id
from taxocom.workflow.tags import topic_documents
from tests.ui import driving
from tests.ui.fabricate import Fabricated, fabricate_project

APP = str(Path(__file__).parents[2] / "app.py")
SPORT = topic_id("sport")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fabricated]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    fabricated = fabricate_project("shown")
    yield fabricated
    fabricated.project.close()


def opened(project: Project, node_id: str, which: str = "") -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120).switch_page("pages/documents.py")
    for name, value in {"project": project.name, "node": node_id, "which": which}.items():
        if value:
            app.query_params[name] = value
    app.run()
    assert not app.exception
    assert not app.error
    return app


def listed(app: AppTest) -> list[dict[str, Any]]:
    (shown,) = (each.proto for each in app.get("bidi_component") if each.proto.component_name == "taxocom_passages")
    return list(json.loads(shown.json)["documents"])


def facts(app: AppTest) -> str:
    (said,) = (caption.value for caption in app.caption if "mention its name" in caption.value)
    return str(said)


def ids(project: Project, rows: Any) -> list[str]:
    return [project.corpus().document_ids[int(row)] for row in rows]


@pytest.mark.parametrize("which", ["Typical", "Teach"])
def test_somebody_without_a_name_can_look_at_every_tab_and_search(made: Fabricated, which: str):
    """Several parts of the page ask for the name, each under a key of its own."""
    app = driving.opened("documents", curator="", project=made.project.name, node=SPORT, which=which)
    assert not app.error
    assert "who-miss-form" in [driving.key_of(each) for each in app.get("bidi_component")]
    app.text_input(key="search").set_value("match").run()
    assert not app.exception
    assert not app.error


def test_every_tab_shows_the_documents_that_it_is_named_for_first(made: Fabricated):
    project = made.project
    found = topic_documents(project, SPORT)
    n = len(listed(opened(project, SPORT)))
    assert 0 < n < len(found)
    assert [each["id"] for each in listed(opened(project, SPORT))] == ids(project, found.documents[:n])
    assert (found.score[:-1] >= found.score[1:]).all()
    doubtful = {each["id"] for each in listed(opened(project, SPORT, "Doubtful"))}
    margin = dict(zip(ids(project, found.documents), found.margin.tolist(), strict=True))
    assert max(margin[each] for each in doubtful) <= min(margin[each] for each in set(margin) - doubtful)
    poor = set(ids(project, found.documents[found.poor]))
    assert poor
    assert {each["id"] for each in listed(opened(project, SPORT, "Fits poorly"))} <= poor


def test_the_facts_are_counted_where_the_store_counts(made: Fabricated):
    found = topic_documents(made.project, SPORT)
    said = facts(opened(made.project, SPORT))
    n_held = len(document_places(made.project).documents_of(SPORT))
    assert re.match(rf"{n_held} documents; ", said)
    assert f"it holds {int(found.says.sum())} of the {found.n_saying} documents that do" in said
    assert f"{int(found.poor.sum())} fit poorly" in said
    assert "put there by a decision" not in said


def test_a_document_says_why_it_is_there(made: Fabricated):
    whys = [each["why"] for each in listed(opened(made.project, SPORT))]
    assert all(re.match(r"Why this topic: \d+ % sure, (far |hardly )?ahead of the next one\.", why) for why in whys)
    made.project.record(accepting.accept(made.expansion.novel[0], ROOT_ID), author="Ada")
    film = made.project.taxonomy().children_of(ROOT_ID)[-1].node_id
    app = opened(made.project, film)
    assert {each["why"] for each in listed(app)} == {"Why this topic: a person's decision put it here."}
    n_held = made.expansion.novel[0].n_documents
    assert facts(app).startswith(f"{n_held} documents; ")
    assert f"{n_held} were put there by a decision" in facts(app)


def test_more_results_are_shown_until_all_are(made: Fabricated):
    app = opened(made.project, SPORT)
    app.text_input(key="search").set_value("hospital").run()
    n_found = int(next(each.value for each in app.caption if "found" in each.value).split()[0])
    assert n_found > len(listed(app)) == 12
    app.button(key="more-results").click().run()
    assert len(listed(app)) == n_found
    assert not [each for each in app.button if each.key == "more-results"]


def test_a_document_that_was_moved_is_in_the_other_topic_at_once(made: Fabricated):
    politics = topic_id("politics")
    first = listed(opened(made.project, SPORT))[0]["id"]
    n_before = len(document_places(made.project).documents_of(politics))
    made.project.record(MoveDocument(first, politics), author="Ada")
    assert first not in {each["id"] for each in listed(opened(made.project, SPORT))}
    said = facts(opened(made.project, politics))
    assert said.startswith(f"{n_before + 1} documents; ")
    assert "1 were put there by a decision" in said


def searched(project: Project, query: str) -> dict[str, str]:
    """Return the documents that a search shows, each with where it is said to be or to have been moved."""
    app = opened(project, SPORT)
    found = listed(app.text_input(key="search").set_value(query).run())
    return {each["id"]: each.get("badge", "") for each in found}


def test_a_search_tells_where_people_put_documents_and_follows_the_topics_they_are_in(made: Fabricated):
    business = topic_id("business")
    places, ids = document_places(made.project), made.project.corpus().document_ids
    labels = {each: f"in {places.tree[places.node_of(row)].label}" for row, each in enumerate(ids)}
    shown = searched(made.project, "hospital")
    assert shown == {each: labels[each] for each in shown}
    first, second, *others = shown
    made.project.record(MoveDocument(first, topic_id("politics")), author="Ada")
    made.project.record(MoveDocuments((first, second), business), author="Ada")
    moved = searched(made.project, "hospital")
    assert (moved[first], moved[second]) == ("moved to Business", "moved to Business")
    assert {moved[each] for each in others} == {labels[each] for each in others}
    made.project.record(MergeTopics(SPORT, (business,)), author="Ada")
    assert searched(made.project, "hospital")[first] == "moved to Sport"
