"""A corpus on this machine: its columns are guessed, can be chosen, and the preview follows; a wrong path says so."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.store import list_projects

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    return AppTest.from_file(APP, default_timeout=120).switch_page("pages/corpus.py").run()


def pointed_at(app: AppTest, path: Path) -> AppTest:
    app.text_input(key="new-path").set_value(str(path))
    return app.run()


def test_the_preview_shows_the_columns_that_were_chosen(app: AppTest, tmp_path: Path):
    table = tmp_path / "articles.csv"
    table.write_text("key,lead,body\n1,First lead,The first body text is long\n2,Second lead,The second body text\n")
    pointed_at(app, table)
    (text,) = app.multiselect
    assert set(text.options) == {"key", "lead", "body"}
    text.set_value(["lead"])
    app.run()
    assert list(app.dataframe[0].value["text"]) == ["First lead", "Second lead"]
    assert "texts" not in next(c.value for c in app.caption if c.value.startswith("Still missing"))


def test_a_path_that_is_not_there_is_said_and_nothing_can_be_made(app: AppTest, tmp_path: Path):
    pointed_at(app, tmp_path / "nowhere.csv")
    assert "nowhere" in app.error[0].value
    app.text_input(key="new-name").set_value("News")
    app.button(key="make").click().run()
    assert "nowhere" in app.warning[0].value
    assert app.text_input(key="new-name").value == "News"
    assert list_projects() == []
