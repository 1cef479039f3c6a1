"""No dead ends: whatever a project lacks, every page says what to do next and links there."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.store import create_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AddTopic
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from tests.ui.fabricate import fabricate_project

APP = str(Path(__file__).parents[2] / "app.py")


def shown(page: str, project: str, **params: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120).switch_page(f"pages/{page}.py")
    for name, value in {"project": project, **params}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def links(app: AppTest) -> list[str]:
    """Return where the page leads besides the bar, which leads everywhere."""
    return [link.proto.label for link in app.get("page_link") if link.proto.label.startswith(("Go to", "Expand "))]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)


@pytest.mark.parametrize(
    ("page", "view"),
    [
        ("expand", ""),
        ("documents", ""),
        ("quality", ""),
        ("timeline", ""),
        ("export", ""),
        ("review", "Queue"),
        ("review", "History"),
    ],
)
def test_a_project_with_nothing_in_it_leads_on_from_every_page(page: str, view: str):
    create_project("bare", seed=Taxonomy.empty("Nothing"), author="Ada").close()
    assert links(shown(page, "bare", **({"view": view} if view else {})))


@pytest.mark.parametrize(("page", "view"), [("quality", ""), ("review", "Queue")])
def test_a_project_that_was_never_expanded_leads_to_expand(page: str, view: str):
    fabricate_project("fresh", propose=False).project.close()
    assert any("Expand" in label for label in links(shown(page, "fresh", **({"view": view} if view else {}))))


def test_a_project_that_was_never_expanded_shows_the_documents_of_its_seed():
    with fabricate_project("fresh", propose=False).project as project:
        n_held = len(document_places(project).documents_of(topic_id("politics")))
    said = [caption.value for caption in shown("documents", "fresh").caption]
    assert n_held > 0
    assert any(caption.startswith(f"{n_held} documents; ") for caption in said)


def test_a_topic_without_documents_leads_to_review():
    with fabricate_project("empty", propose=False).project as project:
        project.record(AddTopic(ROOT_ID, TopicNode("none", "Nobody writes of it")), author="Ada")
    app = shown("documents", "empty", node="none")
    assert any("holds no documents yet" in str(each.value) for each in (*app.markdown, *app.subheader, *app.text))
    assert "Go to Review" in links(app)
