from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from taxocom.errors import StoreError
from taxocom.store.disk.locks import busy_with, is_held, lock, sweep, try_lock, working_place
from taxocom.store.disk.whole_files import content_of, link_or_copy, write_whole


def _fill(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_directory_is_named_by_names_and_bytes_and_nothing_else(tmp_path: Path) -> None:
    one = content_of(_fill(tmp_path / "one", {"a": "1", "sub/b": "22"}))
    same = content_of(_fill(tmp_path / "same", {"sub/b": "22", "a": "1"}))
    assert one == same
    assert one.n_bytes == 3
    for other in ({"a": "1", "sub/c": "22"}, {"a": "1", "sub/b": "23"}, {"a": "1"}, {"a": "122", "sub/b": ""}):
        folder = tmp_path / str(sorted(other.items())).replace("/", "_")
        assert content_of(_fill(folder, other)).digest != one.digest


def test_links_are_not_kept(tmp_path: Path) -> None:
    folder = _fill(tmp_path / "folder", {"a": "1"})
    (folder / "passwords").symlink_to("/etc/passwd")
    with pytest.raises(StoreError, match="passwords is a link"):
        content_of(folder)


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError("the disk went away")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="went away"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_linked_artifacts_share_their_bytes(tmp_path: Path) -> None:
    folder = _fill(tmp_path / "folder", {"a": "1", "sub/b": "2"})
    link_or_copy(folder, tmp_path / "twin")
    assert content_of(tmp_path / "twin") == content_of(folder)
    assert (tmp_path / "twin" / "a").samefile(folder / "a")


def test_one_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with lock(path):
        assert try_lock(path) is None
        assert is_held(path)
        with pytest.raises(StoreError, match=r"held .*x\.lock for 0 seconds"):
            lock(path, timeout=0.05)
    assert not is_held(path)
    assert not is_held(tmp_path / "never made")


def test_a_lock_on_a_swept_file_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    first = lock(path)
    first.release(delete=True)
    with lock(path):
        assert path.exists()
        assert is_held(path)


_HOLDER = """
import sys
from pathlib import Path
from taxocom.store.disk.locks import working_place
with working_place(Path(sys.argv[1]), "build") as place:
    place.mkdir()
    (place / "half").write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_the_work_of_the_living_stays_and_that_of_the_dead_is_swept(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    assert sweep(tmp_path) == 0
    assert busy_with(tmp_path) == ["build"]
    assert len(list(tmp_path.glob("build-*/half"))) == 1
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert busy_with(tmp_path) == []
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_working_place_is_gone_when_the_work_is_done_or_failed(tmp_path: Path) -> None:
    def fail() -> None:
        with working_place(tmp_path / "work", "x") as place:
            place.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list((tmp_path / "work").iterdir()) == []
