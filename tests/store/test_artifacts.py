from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import StoreError
from taxocom.store import Project, create_project, open_project
from taxocom.store.db.schema import uses
from taxocom.store.db.which_database import open_database
from taxocom.taxonomy.decisions import RenameTopic


def _directory(project: Project, text: str = "content") -> str:
    with project.working_place("test") as place:
        place.mkdir()
        (place / "file.txt").write_text(text)
        return project.publish_directory(place, "test", made_from="abc", details={"by": "hand"}).name


def test_the_same_content_is_kept_once(project: Project) -> None:
    first = project.put_bytes(b"bytes", "blob", extension="bin")
    second = project.put_bytes(b"bytes", "blob", extension="bin")
    assert first.name == second.name
    assert len(project.artifacts()) == 1
    assert project.artifact_path(first.name).read_bytes() == b"bytes"
    assert _directory(project) == _directory(project)
    assert len(list((project.path / "artifacts").iterdir())) == 2
    assert list((project.path / "work").iterdir()) == []


def test_an_artifact_cannot_be_written_to(project: Project) -> None:
    path = project.artifact_path(_directory(project)) / "file.txt"
    assert path.stat().st_mode & 0o222 == 0


def test_an_artifact_serves_a_purpose_until_another_does(project: Project) -> None:
    assert project.used_for("corpus") is None
    one, two = project.put_bytes(b"1", "blob"), project.put_bytes(b"2", "blob", details={"by": "hand"})
    project.use("corpus", one)
    project.use("corpus", two)
    with open_project("News") as other:
        assert other.used_for("corpus") == two
        assert other.purposes() == {"corpus": two.name}


def test_a_missing_artifact_is_named_with_the_remedy(project: Project) -> None:
    name = project.put_bytes(b"1", "blob").name
    (project.path / "artifacts" / name).unlink()
    with pytest.raises(StoreError, match=rf"is missing \(artifact {name[:12]}…\).*taxocom repair {project.path.name}"):
        project.artifact_path(name)
    assert project.problems() == [f"The artifact {name} is missing or changed."]


def test_a_changed_artifact_is_noticed(project: Project) -> None:
    name = _directory(project)
    assert project.problems() == []
    file = project.artifact_path(name) / "file.txt"
    file.chmod(0o644)
    file.write_text("tampered")
    assert project.problems() == [f"The artifact {name} is missing or changed."]


@pytest.mark.parametrize("name", ["../project.db", "/etc/passwd", "a" * 63, "a" * 64 + "/../x", ""])
def test_a_name_that_leads_elsewhere_is_no_artifact(project: Project, name: str) -> None:
    with pytest.raises(StoreError, match="not the name of an artifact"):
        project.artifact_path(name)


def test_a_purpose_cannot_name_an_artifact_that_is_not_on_record(project: Project) -> None:
    database = open_database(project.path)
    with pytest.raises(StoreError, match=r"(?i)foreign key"), database.write() as connection:
        connection.execute(uses.insert().values(purpose="corpus", artifact="a" * 64, at=""))
    database.close()


def test_only_what_nothing_refers_to_is_dropped(project: Project) -> None:
    used, unused = project.put_bytes(b"used", "blob"), project.put_bytes(b"unused", "blob")
    project.use("corpus", used)
    proposal = project.save_proposal("sport", {}, {"x": np.ones(3)}, sequence=0, settings={})
    assert project.drop_unused() == 0, "young artifacts are spared"
    assert project.drop_unused(older_than_seconds=-1) == len(b"unused")
    assert [artifact.name for artifact in project.artifacts()] == [used.name, proposal.artifact]
    assert not (project.path / "artifacts" / unused.name).exists()
    assert project.problems() == []
    with project.working_place("job-1"), pytest.raises(StoreError, match=r"being worked on \(job-1\)"):
        project.drop_unused()


def test_there_is_no_corpus_before_one_is_indexed(project: Project) -> None:
    assert not project.has_corpus
    with pytest.raises(StoreError, match="'News' has no corpus yet"):
        project.corpus()


def test_arrays_serve_a_purpose_with_what_they_were_made_from(project: Project) -> None:
    assert project.load_arrays("embedding/sport") is None
    vectors = np.eye(3, dtype=np.float32)
    project.save_arrays("embedding/sport", {"dim": 3}, {"vectors": vectors}, made_from="corpus 1")
    loaded = project.load_arrays("embedding/sport")
    assert loaded is not None
    assert loaded.metadata == {"dim": 3}
    np.testing.assert_array_equal(loaded.arrays["vectors"], vectors)
    artifact = project.used_for("embedding/sport")
    assert artifact is not None
    assert (artifact.kind, artifact.made_from) == ("embedding", "corpus 1")


def test_a_new_proposal_supersedes_the_open_one_of_its_node(project: Project) -> None:
    def save(node_id: str, value: float) -> int:
        return project.save_proposal(
            node_id,
            {"why": [1, "two"]},
            {"scores": np.full(4, value)},
            sequence=project.sequence,
            settings={"beta": 2.0},
            random_state=7,
            summary={"n_novel": 3},
        ).proposal_id

    first, other, second = save("sport", 1.0), save("politics", 2.0), save("sport", 3.0)
    assert [(p.proposal_id, p.status) for p in project.proposals("sport")] == [(second, "open"), (first, "superseded")]
    assert [p.proposal_id for p in project.proposals(status="open")] == [second, other]
    loaded = project.load_proposal(first)
    assert loaded.metadata == {"why": [1, "two"]}
    np.testing.assert_array_equal(loaded.arrays["scores"], np.ones(4))
    assert (loaded.record.settings, loaded.record.random_state) == ({"beta": 2.0}, 7)
    project.mark_proposal(second, "done")
    assert project.proposals("sport", "done")[0].summary == {"n_novel": 3}
    with pytest.raises(StoreError, match="no proposal 99"):
        project.load_proposal(99)
    with pytest.raises(StoreError, match="no proposal 99"):
        project.mark_proposal(99, "done")


def test_a_release_stays_as_it_was_frozen(project: Project) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    frozen = project.freeze_release(" 2026-11 ", author="Ada", note="first")
    project.record(RenameTopic("sport", "Games"), author="Ada")
    project.freeze_release("2026-12", author="Ben")
    assert [release.name for release in project.releases()] == ["2026-11", "2026-12"]
    assert project.release("2026-11") == frozen
    assert (frozen.taxonomy["sport"].label, frozen.sequence) == ("Sports", 1)
    with pytest.raises(StoreError, match="already a release '2026-11'"):
        project.freeze_release("2026-11", author="Ada")
    with pytest.raises(StoreError, match=r"no release 'x'\. Releases: 2026-11, 2026-12"):
        project.release("x")
    with pytest.raises(StoreError, match="needs a name"):
        project.freeze_release("  ", author="Ada")


def test_preferences_are_a_persons_own(project: Project, tmp_path: Path) -> None:
    project.set_preference("Ada", "theme", "dark")
    project.set_preference("Ada", "theme", "light")
    project.set_preference("Ben", "columns", [1, 2])
    assert project.preferences("Ada") == {"theme": "light"}
    assert project.preferences("Ben") == {"columns": [1, 2]}


def test_releases_keep_their_order_when_the_clock_goes_back(home: Path) -> None:
    moments = iter([datetime(2026, month, 1, tzinfo=UTC) for month in (9, 9, 9, 8, 7, 6, 5, 4, 3, 2)])
    with create_project("Clock", clock=lambda: next(moments)) as project:
        for name in ("first", "second", "third"):
            project.freeze_release(name, author="Ada")
        assert [release.name for release in project.releases()] == ["first", "second", "third"]
        with pytest.raises(StoreError, match="Releases: first, second, third"):
            project.release("fourth")


def test_a_map_that_comes_later_is_found_by_every_proposal_that_waits_for_it(project: Project) -> None:
    nowhere, places = np.zeros((2, 2)), np.array([[1.0, 2.0], [3.0, 4.0]])
    waiting = [
        project.save_proposal(
            "sport", {"map_to_come": name}, {"terms.xy": nowhere, "n": np.ones(1)}, sequence=0, settings={}
        ).proposal_id
        for name in ("ab" * 32, "ab" * 32, "cd" * 32)
    ]
    project.add_map("ab" * 32, {"terms.xy": places})
    for proposal_id in waiting[:2]:
        loaded = project.load_proposal(proposal_id)
        assert loaded.metadata == {"map_to_come": ""}
        np.testing.assert_array_equal(loaded.arrays["terms.xy"], places)
        np.testing.assert_array_equal(loaded.arrays["n"], np.ones(1))
    other = project.load_proposal(waiting[2])
    assert other.metadata == {"map_to_come": "cd" * 32}
    np.testing.assert_array_equal(other.arrays["terms.xy"], nowhere)
    assert project.drop_unused(older_than_seconds=-1) == 0, "a map is used as long as its proposals are there"
