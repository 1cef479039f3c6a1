"""The log of a home tells what went wrong and never what documents say; several processes share it as it turns over."""

from __future__ import annotations

import logging
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from taxocom.store.homes import logs

TEXT = "the minister said in confidence"

WRITER = """
import logging, sys
from taxocom.store.homes import logs
logs.start_logging(max_bytes=20_000)
for number in range(300):
    logging.getLogger("taxocom.test").info("%s says %d %s", sys.argv[1], number, "." * 20)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    yield tmp_path / "logs"
    monkeypatch.setenv(logs.SETTING, logs.OFF)
    logs.start_logging()


def fail() -> None:
    try:
        raise ValueError(TEXT)
    except ValueError as error:
        raise KeyError(TEXT) from error


def logged_failure(folder: Path) -> str:
    logs.start_logging()
    try:
        fail()
    except KeyError:
        logging.getLogger("taxocom.test").exception("reference %s", "c0ffee")
    return (folder / logs.FILE_NAME).read_text()


def test_an_error_is_logged_by_its_kind_and_place_and_without_its_message(folder: Path) -> None:
    told = logged_failure(folder)
    assert "ERROR" in told
    assert "reference c0ffee" in told
    assert re.search(r"test_logs\.py\", line \d+, in fail", told)
    assert "KeyError" in told
    assert "caused by" in told
    assert "ValueError" in told
    assert TEXT not in told


def test_the_messages_of_errors_are_logged_when_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.SETTING, "debug")
    assert TEXT in logged_failure(folder)


def test_the_level_is_the_admins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger("taxocom.test")
    for level, expected in {
        "off": [],
        "error": [],
        "warning": ["two"],
        "": ["one", "two"],
        "loud": ["one", "two"],
    }.items():
        (folder / logs.FILE_NAME).unlink(missing_ok=True)
        monkeypatch.setenv(logs.SETTING, level)
        logs.start_logging()
        log.info("one")
        log.warning("two")
        # The file is made with its first line.
        told = (folder / logs.FILE_NAME).read_text() if (folder / logs.FILE_NAME).exists() else ""
        assert re.findall(r"taxocom\.test: (\w+)", told) == expected
        assert ("TAXOCOM_LOG must be one of debug" in told) == (level == "loud")


def test_only_the_owner_can_read_the_log(folder: Path) -> None:
    logged_failure(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logs").write_text("a file in the way")
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    logs.start_logging()
    logging.getLogger("taxocom.test").error("unheard")


def test_a_home_that_is_not_there_is_made_for_the_log_of_a_server_only(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "none"))
    logs.start_logging()
    assert not (tmp_path / "none").exists()
    logs.start_logging(for_server=True)
    assert (tmp_path / "none" / "logs").is_dir()


def test_processes_that_share_a_log_lose_no_line_as_it_turns_over(folder: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in ("Ada", "Ben", "Cem")]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    files = sorted(folder.glob(f"{logs.FILE_NAME}*"))
    assert len(files) > 2
    lines = [line for file in files for line in file.read_text().splitlines()]
    said = [match.groups() for line in lines if (match := re.search(r"taxocom\.test: (\w+) says (\d+) \.{20}$", line))]
    assert len(lines) == len(said) == len(set(said)) == 900
