"""Whatever a page offers to do and cannot be written is told in words, and what was typed is kept.

What is done is read off the pages themselves. Each thing is done where nothing can be written, and again when that is
over, to see whether it writes at all: if it does, its failure must have been told.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.store import create_project, open_project, trash_project
from taxocom.store.db import database
from taxocom.taxonomy.decisions import RenameTopic
from taxocom.taxonomy.tree import topic_id
from tests.ui.driving import Deed, component, data_of, deeds, opened
from tests.ui.fabricate import fabricate_project

SPORT = topic_id("sport")
PROJECT = {"project": "News"}


def _with_phrases(app: AppTest) -> AppTest:
    app.session_state["found-phrases"] = True
    app.run()
    assert app.text_input(key="find-phrase")
    return app


PAGES: dict[str, Callable[[], AppTest]] = {
    "home": lambda: opened(""),
    "corpus": lambda: _with_phrases(opened("corpus", **PROJECT, node=SPORT)),
    "corpus, nothing rests on it": lambda: opened("corpus", project="Fresh"),
    "expand": lambda: opened("expand", **PROJECT),
    "tree": lambda: opened("review", **PROJECT, node=SPORT),
    "queue": lambda: opened("review", **PROJECT, view="Queue"),
    "history": lambda: opened("review", **PROJECT, view="History"),
    "documents": lambda: opened("documents", **PROJECT, node=SPORT),
    "stability": lambda: opened("quality", **PROJECT, view="Stability"),
    "export": lambda: opened("export", **PROJECT),
}
# What surely writes is not tried where it would succeed: its workers would take a core each. The sample is fetched.
_STARTS_A_JOB, _FETCHES = ("expand", "start-stability"), ("sample",)


@pytest.fixture(scope="module")
def sound_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a project that has something to judge, to decide and to undo, a fresh one, and one in the trash."""
    home = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(home))
        with fabricate_project("News").project as project:
            project.record(RenameTopic(topic_id("football"), "Soccer"), author="Ada")
            opened("documents", **PROJECT, node=SPORT)
        with fabricate_project("Fresh", propose=False).project:
            opened("corpus", project="Fresh")
        create_project("Thrown away").close()
        trash_project("Thrown away")
        yield home


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)


Fault = Callable[[Path], AbstractContextManager[None]]


@contextmanager
def home_at(place: Path, sound: Path) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(place / "home"))
        shutil.copytree(sound, place / "home")
        yield place / "home"


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Somebody else writes to every project and does not come to an end."""
    with ExitStack() as stack:
        for file in (home / "projects").glob("*/project.db"):
            other = stack.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
            other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def full(home: Path) -> Iterator[None]:
    """Not a byte is left on the disk; the home must be on one of its own."""
    filler = home.parent / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    yield
    filler.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def written(home: Path) -> dict[str, object]:
    """Return all that a home holds: the projects, the trash, and every row of their databases."""
    found: dict[str, object] = {}
    for file in sorted(home.glob("*/*/project.db")):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            found[str(file)] = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    return found


def is_told(page: str, deed: Deed, home: Path, fault: Fault) -> bool | None:
    """Do something where nothing can be written; tell whether the page says so, None if there is nothing to say."""
    app = PAGES[page]()
    before = written(home)
    with fault(home):
        deed.do(app)
        told = any("This failed" in each.value for each in (*app.warning, *app.error))
        if written(home) != before:
            return None
        kept = deed.event != "submit" or bool(data_of(component(app, deed.key))["refused"])
    if deed.key in _STARTS_A_JOB or told:
        return told and kept
    # It said nothing, which is right for what writes nothing. It may have led to another page.
    if deed not in deeds(app):
        app = PAGES[page]()
    deed.do(app)
    assert not app.exception, (str(deed), app.exception)
    return None if written(home) == before else False


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("page", PAGES)
def test_what_cannot_be_written_is_told_and_what_was_typed_is_kept(page: str, sound_home: Path, small_disk: Path):
    with home_at(small_disk / "offered", sound_home):
        offered = [deed for deed in deeds(PAGES[page]()) if deed.key not in _FETCHES]
    shutil.rmtree(small_disk / "offered")
    answers: dict[str, bool | None] = {}
    for number, deed in enumerate(offered):
        # The store tells of both in one place; each deed meets one of them.
        name, fault = (("locked", locked), ("full", full))[number % 2]
        place = small_disk / str(number)
        with home_at(place, sound_home) as home:
            answers[f"{name}: {deed}"] = is_told(page, deed, home, fault)
        shutil.rmtree(place)
    assert [said for said, is_right in answers.items() if is_right is False] == []
    assert True in answers.values(), "nothing that this page offers writes"


def test_a_project_that_cannot_be_made_leaves_the_form_as_it_was(small_disk: Path, tmp_path: Path):
    texts = tmp_path / "articles.csv"
    texts.write_text("id,text\n1,The first text is long\n2,The second text\n")
    # A home without projects: what one of them frees as it is closed would be enough for a new one.
    (tmp_path / "empty").mkdir()
    with home_at(small_disk / "new", tmp_path / "empty") as home:
        app = opened("corpus")
        app.text_input(key="new-name").set_value("Archive")
        app.text_input(key="new-path").set_value(str(texts))
        app.text_area(key="new-seed-text").set_value("Sport")
        app.run()
        before = written(home)
        with full(home):
            app.button(key="make").click().run()
            assert "the disk is full" in app.warning[0].value
        assert written(home) == before
        assert app.text_input(key="new-name").value == "Archive"
        assert app.text_area(key="new-seed-text").value == "Sport"


def test_what_failed_is_done_by_trying_again(sound_home: Path, tmp_path: Path):
    with home_at(tmp_path, sound_home) as home:
        app = PAGES["tree"]()
        note = next(deed for deed in deeds(app) if deed.key.startswith("note-"))
        before = written(home)
        with locked(home):
            note.do(app)
        assert written(home) == before
        assert "another process has been writing" in app.warning[0].value
        app.button(key="try-again").click().run()
        assert written(home) != before
        assert not app.warning
        assert data_of(component(app, note.key))["refused"] == []


def test_trying_again_twice_does_it_once(sound_home: Path, tmp_path: Path):
    with home_at(tmp_path, sound_home) as home, open_project("News") as project:
        app = PAGES["tree"]()
        note = next(deed for deed in deeds(app) if deed.key.startswith("note-"))
        with locked(home):
            note.do(app)
        again = app.session_state["taxocom"]["notice"].again
        app.button(key="try-again").click().run()
        again()
        assert project.taxonomy()[SPORT].notes == ("typed here",)


def test_an_expand_click_that_cannot_be_kept_is_told_at_the_top_of_the_page(sound_home: Path, tmp_path: Path):
    with home_at(tmp_path, sound_home) as home:
        app = PAGES["expand"]()
        accept_one = next(deed for deed in deeds(app) if deed.event == "action" and deed.value["type"] == "accept")
        with locked(home):
            accept_one.do(app)
        assert "This failed" in app.warning[0].value
