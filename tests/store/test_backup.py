from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taxocom.errors import CancelledError, InputError, StoreError
from taxocom.store import Project, backup_project, delete_project, list_projects, restore_project
from taxocom.taxonomy.decisions import RenameTopic

Members = dict[str, bytes]


@pytest.fixture
def full(project: Project) -> Project:
    """A project with a bit of everything."""
    with project.working_place("corpus") as place:
        (place / "sub").mkdir(parents=True)
        (place / "tokens.npy").write_bytes(bytes(range(256)) * 50)
        (place / "sub" / "meta.json").write_text("{}")
        project.use("thing", project.publish_directory(place, "thing", made_from="x"))
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    # Frozen first: a release reads the proposals there are, and this one is made up.
    project.freeze_release("2026-11", author="Ada")
    project.save_proposal("sport", {"a": 1}, {"x": np.arange(4)}, sequence=1, settings={})
    project.set_preference("Ada", "theme", "dark")
    project.job_table.add("index", {}, "Ada")
    return project


@pytest.fixture
def backup(full: Project, tmp_path: Path) -> Path:
    return backup_project(full, tmp_path / "news.taxocom")


def _rewritten(backup: Path, change: Callable[[Members, dict[str, Any]], None], *, sums: bool = True) -> Path:
    """Take a backup apart, change it, and put it together again with checksums that fit."""
    with zipfile.ZipFile(backup) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    change(members, manifest)
    if sums:
        manifest["files"] = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in members.items()
        }
    target = backup.with_name("changed.taxocom")
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps(manifest))
    return target


def _refused(file: Path, match: str) -> None:
    before = [summary.name for summary in list_projects()]
    with pytest.raises(InputError, match=match):
        restore_project(file)
    assert [summary.name for summary in list_projects()] == before


def test_what_is_restored_is_what_was_backed_up(full: Project, backup: Path) -> None:
    expected = (full.taxonomy(), full.log(), full.seed(), full.releases(), full.proposals(), full.artifacts())
    delete_project(full)
    with restore_project(backup) as back:
        assert back.name == "News"
        assert back.project_id == full.project_id
        assert expected == (
            back.taxonomy(),
            back.log(),
            back.seed(),
            back.releases(),
            back.proposals(),
            back.artifacts(),
        )
        assert back.problems() == []
        assert back.preferences("Ada") == {"theme": "dark"}
        assert back.job_table.all() == [], "the workers of its jobs are elsewhere"
        np.testing.assert_array_equal(back.load_proposal(1).arrays["x"], np.arange(4))
        back.record(RenameTopic("sport", "Games"), author="Ben")


def test_restoring_never_touches_a_project_that_is_there(full: Project, backup: Path) -> None:
    full.record(RenameTopic("sport", "Games"), author="Ada")
    with restore_project(backup) as second, restore_project(backup) as third:
        assert (second.name, third.name) == ("News (2)", "News (3)")
        assert (full.sequence, second.sequence) == (2, 1)
    with pytest.raises(StoreError, match="already a project 'News'"):
        restore_project(backup, name="news")
    with restore_project(backup, name="Given") as given:
        assert given.name == "Given"


def test_a_backup_is_not_overwritten_unasked(full: Project, backup: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(StoreError, match=r"news\.taxocom exists"):
        backup_project(full, backup)
    assert backup.read_bytes() == before
    backup_project(full, backup, overwrite=True)
    assert restore_project(backup).sequence == 1


def test_a_cancelled_backup_leaves_nothing(full: Project, tmp_path: Path) -> None:
    class Cancelled:
        def report(self, stage: str, fraction: float) -> None:
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        backup_project(full, tmp_path / "half.taxocom", progress=Cancelled())
    assert not list(tmp_path.glob("*half*"))
    assert list((full.path / "work").iterdir()) == []


def test_a_backup_cannot_go_where_nothing_can(full: Project, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Cannot write .*no/such/b"):
        backup_project(full, tmp_path / "no/such/b")


def test_what_is_no_backup_is_refused(home: Path, tmp_path: Path) -> None:
    _refused(tmp_path / "nowhere", "no file .*nowhere")
    text = tmp_path / "text"
    text.write_text("hello")
    _refused(text, "not a backup, or is damaged")
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("hello.txt", "hello")
    _refused(tmp_path / "zip", "not a backup of a project")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_damaged_byte_is_noticed(backup: Path, share: float) -> None:
    data = bytearray(backup.read_bytes())
    data[int(len(data) * share)] ^= 0xFF
    backup.write_bytes(data)
    _refused(backup, "damaged|not a backup|manifest")


def test_a_backup_that_lost_bytes_is_blamed_and_not_the_home(backup: Path) -> None:
    whole = backup.read_bytes()
    backup.write_bytes(whole[:200] + whole[300:])
    with pytest.raises(InputError, match=r"is damaged.*Nothing was restored"):
        restore_project(backup)


def test_a_backup_cut_short_is_noticed(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-100])
    _refused(backup, "damaged|not a backup")


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "artifacts/../../evil",
        "artifacts/" + "a" * 64 + "/../../../evil",
        "artifacts/" + "a" * 64 + "/..",
        "artifacts/" + "a" * 64 + "\\..\\evil",
        "project.db-wal",
        "logs/evil",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(backup: Path, name: str, tmp_path: Path) -> None:
    _refused(_rewritten(backup, lambda members, _: members.update({name: b"evil"})), "which no backup does")
    assert not list(tmp_path.rglob("*evil*"))


def test_a_link_is_refused(backup: Path) -> None:
    with zipfile.ZipFile(backup) as archive:
        name = next(entry for entry in archive.namelist() if entry.startswith("artifacts/"))
    target = _rewritten(backup, lambda members, _: members.pop(name))
    with zipfile.ZipFile(target, "a") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    manifest["files"][name] = {"bytes": 11, "sha256": hashlib.sha256(b"/etc/passwd").hexdigest()}
    changed = target.with_name("linked.taxocom")
    with zipfile.ZipFile(target) as source, zipfile.ZipFile(changed, "w") as sink:
        for entry in source.namelist():
            sink.writestr(entry, json.dumps(manifest) if entry == "manifest.json" else source.read(entry))
        link = zipfile.ZipInfo(name)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        sink.writestr(link, "/etc/passwd")
    _refused(changed, "which no backup does")


def test_members_beyond_the_manifest_are_refused(backup: Path) -> None:
    def add(members: Members, manifest: dict[str, Any]) -> None:
        members["artifacts/" + "b" * 64] = b"more"

    _refused(_rewritten(backup, add, sums=False), "not what its manifest lists")


def test_a_bomb_does_not_go_off(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swell(members: Members, manifest: dict[str, Any]) -> None:
        members["artifacts/" + "b" * 64] = bytes(10**6)

    bomb = _rewritten(backup, swell)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10**6})())
    _refused(bomb, "would unpack to .* bytes, and 1,000,000 are free")


def test_an_entry_that_unpacks_to_more_than_it_says_is_cut_off(backup: Path, home: Path) -> None:
    name = "artifacts/" + "b" * 64
    lying = _rewritten(backup, lambda members, _: members.update({name: bytes(10**6)}))
    data = lying.read_bytes()
    with zipfile.ZipFile(lying) as archive:
        manifest = archive.read("manifest.json")
    # The size is said three times: in the manifest, before the entry, and in the directory of the zip.
    changed = manifest.replace(b'"bytes": 1000000', b'"bytes": 1000   ')
    data = data.replace(manifest, changed).replace((10**6).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    lying.write_bytes(data)
    _refused(lying, "damaged|not a backup")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"version": 2}, "newer version"),
        ({"format": "other"}, "not a backup of a project"),
        ({"files": []}, "not a backup of a project"),
        ({"name": "a/b"}, "cannot hold"),
    ],
)
def test_a_strange_manifest_is_refused(backup: Path, change: dict[str, Any], match: str) -> None:
    file = _rewritten(backup, lambda _, manifest: manifest.update(change), sums="files" not in change)
    before = len(list_projects())
    with pytest.raises((InputError, StoreError), match=match):
        restore_project(file)
    assert len(list_projects()) == before


def test_a_database_that_is_none_is_refused(backup: Path) -> None:
    _refused(_rewritten(backup, lambda members, _: members.update({"project.db": b"no database"})), "not a database")


def test_an_artifact_that_the_database_knows_must_be_there(backup: Path) -> None:
    def drop(members: Members, _: dict[str, Any]) -> None:
        del members[next(name for name in members if name.endswith(".npz"))]

    _refused(_rewritten(backup, drop), r"artifact [0-9a-f]+\.npz is missing")
