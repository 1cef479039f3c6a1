"""A project is its owner's alone, an upload is whole and goes with its session, and an address opens nothing else."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from taxocom.errors import InputError, SeedError, StoreError
from taxocom.interchange.seed_reading import read_seed
from taxocom.store import (
    Project,
    backup_project,
    copy_project,
    create_project,
    open_project,
    restore_project,
    set_preference,
)
from taxocom.store.homes.uploads import Uploads
from taxocom.text.input.loading import sniff


def open_to_others(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.lstat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    )


def test_nobody_else_can_read_anything_of_a_home(home: Path, tmp_path: Path):
    before = os.umask(0o022)
    try:
        with create_project("News") as project:
            with project.working_place("corpus") as place:
                (place / "inner").mkdir(parents=True)
                (place / "inner" / "part").write_bytes(b"secret")
                project.use("thing", project.publish_directory(place, "thing"))
            project.put_bytes(b"text", "upload")
            project.set_about(description="x")
            copy_project(project, "Copy").close()
            file = backup_project(project, tmp_path / "backup.zip")
            restore_project(file).close()
            uploads = Uploads()
            uploads.keep("1", "a.csv", b"text")
            set_preference("curator", "Ada")
            assert open_to_others(home) == []
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077
    finally:
        os.umask(before)


def test_opening_a_project_made_before_shuts_strangers_out(project: Project):
    project.path.chmod(0o755)
    open_project("News").close()
    assert stat.S_IMODE(project.path.stat().st_mode) == 0o750


def test_an_address_opens_projects_of_the_home_only(project: Project, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere" / "projects" / "theirs"
    shutil.copytree(project.path, elsewhere)
    leftover = elsewhere / "work" / "corpus-1"
    leftover.mkdir()
    (elsewhere / "work" / "corpus-1.lock").touch()
    for address in (str(elsewhere), f"../../elsewhere/projects/{elsewhere.name}", str(elsewhere / "project.db")):
        with pytest.raises(StoreError, match="There is no project"):
            open_project(address, by_path=False)
    assert leftover.is_dir()
    with open_project(project.path.name, by_path=False) as found:
        assert found.path == project.path


def test_an_upload_is_kept_once_and_goes_with_its_session(home: Path):
    uploads = Uploads()
    first = uploads.keep("1", "articles.csv", b"one")
    assert uploads.keep("1", "articles.csv", b"never read") == first
    second = uploads.keep("2", "articles.csv", b"two")
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert first.name == second.name == "articles.csv"
    for trick in ("../../x.csv", "/etc/x.csv", "..", "", "a\0b\n.csv", "\\\\host\\x.csv", "x" * 500 + ".csv"):
        kept = uploads.keep(f"trick {trick}", trick, b"")
        assert kept.parent.parent == first.parent.parent
    del uploads
    gc.collect()
    assert list((home / "work").iterdir()) == []


def test_the_uploads_of_a_killed_server_are_swept(home: Path):
    script = "import os, signal; from taxocom.store.homes.uploads import Uploads; u = Uploads(); "
    script += "u.keep('1', 'a.csv', b'secret'); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "TAXOCOM_HOME": str(home)}, check=False)
    assert list((home / "work").rglob("a.csv"))
    uploads = Uploads()
    assert not list((home / "work").rglob("a.csv"))
    del uploads


def test_an_upload_that_met_a_full_disk_leaves_nothing_and_can_be_sent_again(home: Path):
    uploads, content = Uploads(), b"line\n" * 100_000
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) // 2, limits[1]))
    try:
        with pytest.raises(StoreError, match="keep the upload"):
            uploads.keep("1", "a.csv", content)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [path for path in (home / "work").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert uploads.keep("1", "a.csv", content).read_bytes() == content


@pytest.mark.timeout(60)
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="pipe or a device"):
            sniff(path)
        with pytest.raises(SeedError, match="pipe or a device"):
            read_seed(path)
        with pytest.raises(InputError, match="not a file"):
            restore_project(path)
    with pytest.raises(InputError, match="is not a path"):
        sniff("a\0b")
