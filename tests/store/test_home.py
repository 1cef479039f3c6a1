from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import StoreError
from taxocom.store import (
    Project,
    copy_project,
    create_project,
    delete_project,
    empty_trash,
    home_of,
    list_deleted,
    list_projects,
    open_project,
    preference,
    rename_project,
    set_preference,
    undelete_project,
)
from taxocom.store import home as where
from taxocom.store.db.which_database import database_of
from taxocom.taxonomy.decisions import RenameTopic
from taxocom.taxonomy.tree import Taxonomy


def _names() -> list[str]:
    return [summary.name for summary in list_projects()]


def test_home_is_where_the_user_says_or_where_data_belongs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", "~/topics")
    assert where() == Path.home() / "topics"
    monkeypatch.delenv("TAXOCOM_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert where() == tmp_path / "taxocom"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert where() == Path.home() / ".local" / "share" / "taxocom"


def test_a_project_belongs_to_the_home_it_lies_in(home: Path, tmp_path: Path) -> None:
    assert home_of(Path("/data/projects/x-1")) == Path("/data")
    assert home_of(tmp_path / "elsewhere") == home


def test_looking_makes_nothing(home: Path) -> None:
    assert list_projects() == list_deleted() == []
    with pytest.raises(StoreError, match=r"no project 'x'.*none yet"):
        open_project("x")
    assert not home.exists()


def test_a_project_is_found_by_name_by_directory_and_by_path(project: Project) -> None:
    for reference in ("News", project.path.name, project.path, str(project.path), database_of(project.path)):
        with open_project(reference) as found:
            assert found.project_id == project.project_id
    with pytest.raises(StoreError, match=r"no project 'Nwes' in .*Projects: 'News'"):
        open_project("Nwes")


def test_the_list_says_what_a_person_wants_to_know(project: Project, home: Path) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    create_project("arts").close()
    arts, news = list_projects()
    assert (arts.name, arts.n_decisions, arts.changed_at) == ("arts", 0, arts.created_at)
    assert (news.name, news.n_decisions, news.has_corpus, news.problem) == ("News", 1, False, "")
    assert news.changed_at > news.created_at
    assert news.path == project.path


@pytest.mark.parametrize("name", ["", "   ", "a/b", "a\\b", "bell\x07", "x" * 101])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_made(home: Path, name: str) -> None:
    with pytest.raises(StoreError, match="name"):
        create_project(name)
    assert list_projects() == []


@pytest.mark.parametrize("name", ["Ärzte & Zeitung", "新闻", "..", "a" * 100, "%20 'quoted\"", "-rf"])
def test_any_other_name_is_kept_as_it_is(home: Path, name: str) -> None:
    create_project(name).close()
    with open_project(name) as project:
        assert project.name == name
        assert project.path.parent == home / "projects"


def test_a_name_is_taken_once_whatever_its_case(project: Project) -> None:
    for name in ("News", "nEWS", " News  "):
        with pytest.raises(StoreError, match="already a project 'News'"):
            create_project(name)
    assert _names() == ["News"]


def test_a_renamed_project_stays_where_it_is(project: Project) -> None:
    create_project("Other").close()
    with pytest.raises(StoreError, match="already a project 'Other'"):
        rename_project(project, "other")
    rename_project(project, "NEWS")
    rename_project(project, "Papers")
    assert project.name == "Papers"
    with open_project("Papers") as found:
        assert found.path == project.path


def test_a_copy_has_everything_and_goes_its_own_way(project: Project) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    project.save_proposal("sport", {}, {"x": np.arange(3)}, sequence=1, settings={})
    project.job_table.add("index", {}, "Ada")
    with copy_project(project, "Copy") as copy:
        assert copy.project_id != project.project_id
        assert copy.log() == project.log()
        assert copy.problems() == []
        assert copy.job_table.all() == []
        artifact = copy.proposals()[0].artifact
        assert copy.artifact_path(artifact).samefile(project.artifact_path(artifact))
        copy.record(RenameTopic("sport", "Games"), author="Ben")
        assert (project.sequence, copy.sequence) == (1, 2)


def test_a_copy_without_decisions_can_get_another_seed(project: Project, seed: Taxonomy) -> None:
    corpus = project.put_bytes(b"corpus", "corpus")
    project.use("corpus", corpus)
    project.save_arrays("embedding/sport", {}, {"x": np.ones(2)}, made_from="")
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    with copy_project(project, "Again", with_decisions=False) as copy:
        assert copy.sequence == 0
        assert copy.seed() == seed
        assert copy.purposes() == {"corpus": corpus.name}
        copy.set_seed(Taxonomy.empty("Other"))
        assert copy.problems() == []


def test_a_deleted_project_can_be_had_back(project: Project) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    delete_project(project)
    assert _names() == []
    assert [summary.name for summary in list_deleted()] == ["News"]
    with undelete_project("News") as back:
        assert back.sequence == 1
    assert list_deleted() == []
    with pytest.raises(StoreError, match=r"No project 'News' is in the trash\. There: nothing"):
        undelete_project("News")


def test_a_project_is_not_undeleted_over_another(project: Project) -> None:
    delete_project(project)
    create_project("News").close()
    with pytest.raises(StoreError, match="already a project 'News'"):
        undelete_project("News")
    delete_project(open_project("News"))
    with pytest.raises(StoreError, match="More than one project 'News'"):
        undelete_project("News")
    assert empty_trash() == 2
    assert list_deleted() == []


def test_a_project_at_work_is_not_deleted(project: Project) -> None:
    with project.working_place("job-3"), pytest.raises(StoreError, match=r"worked on \(job-3\)"):
        delete_project(project)
    assert _names() == ["News"]


def test_what_a_failed_creation_leaves_is_nothing(home: Path, seed: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("taxocom.store.homes.lifecycle.sync_tree", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        create_project("News", seed=seed)
    assert list_projects() == []
    assert list((home / "work").iterdir()) == []


def test_a_home_that_cannot_be_used_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    for place in (in_the_way, in_the_way / "below", Path("/proc/taxocom")):
        monkeypatch.setenv("TAXOCOM_HOME", str(place))
        assert list_projects() == []
        with pytest.raises(StoreError, match=rf"Cannot use {place}"):
            create_project("News")


@pytest.mark.sqlite
@pytest.mark.parametrize("damage", ["zeros", "text", "gone", "foreign"])
def test_a_damaged_database_is_listed_with_its_problem_and_the_others_open(
    project: Project, damage: str, home: Path
) -> None:
    create_project("Whole").close()
    project.close()
    path = project.path / "project.db"
    if damage == "gone":
        path.unlink()
    else:
        import sqlite3

        path.write_bytes({"zeros": bytes(8192), "text": b"hello " * 1000, "foreign": b""}[damage])
        if damage == "foreign":
            with sqlite3.connect(path) as other:
                other.execute("CREATE TABLE recipes (name)")
    broken, whole = list_projects()
    assert broken.problem
    assert not whole.problem
    with pytest.raises(StoreError, match=r"project\.db"):
        open_project(project.path.name)
    open_project("Whole").close()
    create_project("New").close()


def test_the_preferences_of_the_machine_survive(home: Path) -> None:
    assert preference("person") is None
    set_preference("person", "Ada")
    set_preference("theme", "dark")
    set_preference("theme", None)
    assert (preference("person"), preference("theme")) == ("Ada", None)
    (home / "preferences.json").write_text("{")
    with pytest.raises(StoreError, match=r"preferences\.json is not readable"):
        preference("person")


def test_what_goes_wrong_while_a_project_is_filled_is_told_as_it_is(home: Path) -> None:
    def fill(project: Project) -> None:
        project.put_bytes(b"half", "corpus")
        raise FileNotFoundError(2, "No such file", "news.csv")

    with pytest.raises(FileNotFoundError, match=r"news\.csv"):
        create_project("News", fill=fill)
    assert list_projects() == []
    assert list((home / "work").iterdir()) == []
