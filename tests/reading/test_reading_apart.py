"""A file is read in another process exactly as it would be here, and whatever it does there is told in words."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from taxocom.errors import CancelledError, InputError, SeedError, SettingsError
from taxocom.interchange import read_seed, replay_bundle
from taxocom.reading import client, files
from taxocom.reading.messages import Line
from taxocom.store import backup_project, create_project, list_projects
from taxocom.text.input.columns import Columns
from taxocom.text.input.loading import sniff
from tests.fuzz import samples

SLOW = b"path\n" + b"".join(b"a%d/b%d/c%d\n" % (n % 50, n % 700, n) for n in range(60_000))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def servers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "taxocom.reading.reading_server" in child.cmdline():
                found.append(child)
    return found


def readers() -> list[psutil.Process]:
    found = []
    for server in servers():
        with suppress(psutil.Error):
            found += server.children()
    return found


def signalled(number: int) -> None:
    for reader in readers():
        with suppress(psutil.Error):
            reader.send_signal(number)


@pytest.mark.parametrize("name", samples.SEED_FORMATS)
def test_a_seed_is_read_as_it_is_here(name: str):
    assert files.read_seed(samples.exported(name), name) == read_seed(samples.exported(name), name)


def test_a_path_is_found_from_where_the_caller_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "seed.tsv").write_bytes(samples.exported("tsv"))
    files.read_seed(samples.exported("tsv"))
    monkeypatch.chdir(tmp_path)
    assert files.read_seed(Path("seed.tsv")) == read_seed(Path("seed.tsv"))


def test_a_refusal_is_the_same_error_with_the_same_words(tmp_path: Path):
    with pytest.raises(SeedError) as here:
        read_seed(b"%PDF-1.4", "csv", name="topics.csv")
    with pytest.raises(SeedError) as there:
        files.read_seed(b"%PDF-1.4", "csv", name="topics.csv")
    assert str(there.value) == str(here.value)
    with pytest.raises(InputError, match="There is no file"):
        files.look_at_corpus(tmp_path / "missing.csv")


def test_a_corpus_is_looked_at_as_it_would_be_read(tmp_path: Path):
    file = tmp_path / "news.csv"
    file.write_bytes(samples.CSV)
    look, source = files.look_at_corpus(file, with_language=True), sniff(file)
    assert (look.format, look.available, look.columns) == (source.format, source.available, source.columns)
    assert list(look.documents) == source.preview()
    assert look.language is not None
    by_title = files.look_at_corpus(file, columns=Columns("title"))
    assert [document.text for document in by_title.documents] == [f"Title {n}" for n in range(5)]
    with pytest.raises(InputError, match="no column 'titel'"):
        files.look_at_corpus(file, columns=Columns("titel"))


@pytest.mark.slow
def test_long_documents_are_looked_at_in_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_READING_GIB", "0.5")
    file = tmp_path / "long.txt"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(25):
            # One such character makes Python keep four bytes for each.
            lines.write(f"{number} 🙂" + "a" * 4_900_000 + "\n")
    look = files.look_at_corpus(file)
    assert [len(document.text) for document in look.documents] == [2_001] * 5


def test_a_bundle_is_rebuilt_as_it_is_here(tmp_path: Path):
    file = tmp_path / "bundle.zip"
    file.write_bytes(samples.bundle())
    assert files.replay_bundle(file) == replay_bundle(samples.bundle(), "bundle.zip")


def test_a_file_that_needs_too_much_memory_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_READING_GIB", "0.5")
    with pytest.raises(InputError, match=r"lists\.json needed more than 0\.5 GiB .* TAXOCOM_READING_GIB"):
        files.read_seed(b"[" + b"{}," * 6_000_000 + b"{}]", "json", name="lists.json")


def test_a_file_that_takes_too_long_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_READING_SECONDS", "1")
    with pytest.raises(InputError, match=r"topics\.csv took longer than 1 seconds .* TAXOCOM_READING_SECONDS"):
        files.read_seed(SLOW * 40, "csv", name="topics.csv")


@pytest.mark.parametrize("value", ["much", "0.1", "-1"])
def test_a_limit_that_is_none_is_refused(value: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_READING_GIB", value)
    with pytest.raises(SettingsError, match="TAXOCOM_READING_GIB"):
        files.read_seed(samples.OUTLINE)


@pytest.fixture
def while_reading() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Do something to the process as soon as it reads a file that takes a while."""
    threads: list[threading.Thread] = []

    def begin(action: Callable[[], object]) -> None:
        def wait() -> None:
            while not readers():
                time.sleep(0.01)
            action()

        # The reader before may still be about to end.
        while readers():
            time.sleep(0.01)
        threads.append(threading.Thread(target=wait, daemon=True))
        threads[-1].start()

    yield begin
    for thread in threads:
        thread.join(timeout=30)


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGSEGV, "SIGSEGV.*damaged"), (signal.SIGABRT, "SIGABRT.*damaged"), (signal.SIGKILL, "from outside")],
)
def test_a_reader_that_dies_takes_nobody_with_it(number: int, said: str, while_reading: Callable[..., None]):
    files.read_seed(samples.OUTLINE)
    before = servers()
    while_reading(lambda: signalled(number))
    with pytest.raises(InputError, match=f"topics.csv.*{said}"):
        files.read_seed(SLOW, "csv", name="topics.csv")
    assert len(files.read_seed(samples.OUTLINE).taxonomy) == 6
    assert servers() == before


def test_a_server_that_dies_is_replaced(while_reading: Callable[..., None]):
    files.read_seed(samples.OUTLINE)
    for server in servers():
        server.kill()
        server.wait()
    assert len(files.read_seed(samples.OUTLINE).taxonomy) == 6
    while_reading(lambda: [process.kill() for process in (*servers(), *readers())])
    assert len(files.read_seed(SLOW, "csv").taxonomy) > 60_000


def test_a_server_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_READING_SECONDS", "1")
    monkeypatch.setattr(client, "_GRACE_SECONDS", 1.0)
    files.read_seed(samples.OUTLINE)
    stopped = servers()
    for server in stopped:
        server.suspend()
    with pytest.raises(InputError, match="took longer"):
        files.read_seed(samples.OUTLINE)
    for server in stopped:
        server.resume()
    monkeypatch.setattr(client, "_GRACE_SECONDS", 30.0)
    assert len(files.read_seed(samples.OUTLINE).taxonomy) == 6


def test_several_are_read_at_once():
    found: list[int] = []
    asking = [
        threading.Thread(target=lambda: found.append(len(files.read_seed(samples.OUTLINE).taxonomy))) for _ in range(8)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert found == [6] * 8


def test_the_process_that_forks_has_one_thread():
    before = servers()
    client._SERVER.forget()
    client.make_ready()
    files.read_seed(samples.exported("turtle"), "turtle")
    assert [server.num_threads() for server in servers() if server not in before] == [1]


def test_a_server_is_prepared_for_everything_though_it_was_started_for_one_thing():
    older = servers()
    client._SERVER.forget()
    files.read_seed(samples.OUTLINE)
    (server,) = (server for server in servers() if server not in older)
    before = server.memory_info().rss
    client.make_ready()
    files.read_seed(samples.OUTLINE)
    # The model that tells languages alone is that large.
    assert server.memory_info().rss - before > 40 * 2**20


def test_the_server_ends_with_the_process_that_started_it(tmp_path: Path):
    script = (
        "import psutil, os\nfrom taxocom.reading import files\n"
        "files.read_seed(b'Sport\\n')\nprint(psutil.Process().children()[0].pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    server = int(ended.stdout)
    deadline = time.monotonic() + 30
    while psutil.pid_exists(server) and psutil.Process(server).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_a_library_prints_about_a_file_is_not_printed_here(capfd: pytest.CaptureFixture[str]):
    from tests.fuzz.readers import READERS

    # In this process, openpyxl prints "0 is out of range" about it.
    with pytest.raises(InputError):
        files.read_seed(READERS["seed xlsx"].input(21, 74), "xlsx")
    assert capfd.readouterr() == ("", "")


def test_a_message_can_call_nothing():
    ours, theirs = socket.socketpair()
    with closing(Line(ours)) as said, closing(Line(theirs)) as heard:
        _say_harm(ours, said, heard)


def _say_harm(ours: socket.socket, said: Line, heard: Line) -> None:

    class Harm:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, ("true",)

    said.say(Harm())
    with pytest.raises(pickle.UnpicklingError, match="not expected"):
        heard.hear()
    ours.sendall(b"\xff" * 8)
    with pytest.raises(pickle.UnpicklingError, match="bytes"):
        heard.hear()


def test_a_reader_that_dies_is_not_waited_for_with_the_others():
    """The end of one reader is told at once though another, started meanwhile, goes on."""
    files.read_seed(samples.OUTLINE)
    ended: list[str] = []

    def read(name: str) -> None:
        try:
            files.read_seed(SLOW * 40, "csv", name=name)
        except InputError as error:
            ended.append(str(error))

    asking = [threading.Thread(target=read, args=(name,), daemon=True) for name in ("first.csv", "second.csv")]
    for n_started, thread in enumerate(asking, 1):
        thread.start()
        while len(readers()) < n_started:
            time.sleep(0.01)
    first = min(readers(), key=lambda reader: reader.pid)
    first.kill()
    deadline = time.monotonic() + 30
    while not ended:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(readers()) == 1
    for reader in readers():
        reader.kill()
    for thread in asking:
        thread.join(timeout=30)


class Stages:
    """Progress that remembers, and may stop the work."""

    def __init__(self, *, stop: bool = False) -> None:
        self.heard: list[str] = []
        self._stop = stop

    def report(self, stage: str, fraction: float) -> None:
        self.heard.append(stage)
        if self._stop:
            raise CancelledError("Cancelled.")


def test_a_backup_is_restored_with_its_progress(home: Path, tmp_path: Path):
    with create_project("News") as project:
        backup = backup_project(project, tmp_path / "news.backup")
    stages = Stages()
    with files.restore_project(backup, name="Again", progress=stages) as restored:
        assert restored.name == "Again"
    assert "Restoring" in stages.heard
    with pytest.raises(InputError, match="not a backup"):
        files.restore_project(Path(__file__))


def test_a_restore_that_is_stopped_leaves_nothing(home: Path, tmp_path: Path):
    file = tmp_path / "news.backup"
    file.write_bytes(samples.backup())
    with pytest.raises(CancelledError):
        files.restore_project(file, progress=Stages(stop=True))
    deadline = time.monotonic() + 30
    while readers():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert list_projects() == []
