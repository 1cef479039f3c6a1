"""The language of the texts in the browser: shown with the share that it was told from, and changeable."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.workflow.reading_texts import reading_wishes
from tests.text.language_texts import GERMAN

APP = str(Path(__file__).parents[2] / "app.py")
LABEL = "Language of the texts"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texte.txt"
    path.write_text("".join(document.text + "\n" for document in GERMAN.documents()), encoding="utf-8")
    return path


def project_of(texts: Path, settings: dict[str, object]) -> Project:
    seed = Taxonomy.empty("Nachrichten").with_topic(TopicNode("school", "Schule"), ROOT_ID)
    project = create_project("news", seed=seed, author="Ada")
    index(project, {"source": str(texts), "settings": {"min_count": 2, **settings}}, SILENT)
    return project


def page(project: str = "") -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120).switch_page("pages/corpus.py")
    if project:
        app.query_params["project"] = project
    app.run()
    assert not app.exception
    return app


def test_texts_that_are_picked_show_the_language_they_look_like(texts: Path):
    app = page()
    app.text_input(key="new-path").set_value(str(texts))
    app.run()
    (language,) = (box for box in app.selectbox if box.label == LABEL)
    assert language.value == ""
    assert language.options[0] == "Detected: German (12 of 12 documents)"
    assert {"German", "Chinese", "Arabic", "Hindi", "English"} <= set(language.options)


def test_the_language_of_a_corpus_is_shown_and_another_is_offered_as_another_reading(texts: Path):
    project = project_of(texts, {})
    app = page("news")
    (language,) = (box for box in app.selectbox if box.label == LABEL)
    assert language.options[0] == "Detected: German (12 of 12 documents)"
    assert not [button for button in app.button if button.key == "read-again"]
    app.selectbox(key=language.key).set_value("nl")
    app.run()
    assert not app.exception
    assert any("Language: Dutch" in markdown.value for markdown in app.markdown)
    assert [button for button in app.button if button.key == "read-again"]
    assert reading_wishes(project).language == "nl"
    app.button(key="forget-wishes").click()
    app.run()
    assert reading_wishes(project).language is None


def test_a_language_that_was_chosen_stays_chosen_and_its_doubts_are_said(texts: Path):
    project = project_of(texts, {"language": "nl"})
    assert reading_wishes(project).language == "nl"
    app = page("news")
    (language,) = (box for box in app.selectbox if box.label == LABEL)
    assert language.value == "nl"
    assert any("12 German" in caption.value for caption in app.caption)
    assert not [button for button in app.button if button.key == "read-again"]
