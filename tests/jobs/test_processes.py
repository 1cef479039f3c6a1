from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from taxocom.jobs.processes import identity, is_alive, stop, this_host


def _sleeper(*more: str) -> subprocess.Popen[bytes]:
    code = f"import signal, time; {'; '.join(more)}; print('up', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_process_is_itself_and_nobody_else() -> None:
    mine = identity(os.getpid())
    assert mine is not None
    assert is_alive(os.getpid(), mine)
    other = _sleeper("pass")
    try:
        assert identity(other.pid) != mine
        assert this_host() == this_host() != ""
    finally:
        other.kill()
        other.communicate()


def test_a_pid_that_was_given_to_another_is_not_the_process_and_is_not_harmed() -> None:
    bystander = _sleeper("pass")
    try:
        assert not is_alive(bystander.pid, "an earlier boot 12345")
        assert stop(bystander.pid, "an earlier boot 12345")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.communicate()


def test_a_zombie_is_dead() -> None:
    process = _sleeper("pass")
    mark = identity(process.pid)
    assert mark is not None
    os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while is_alive(process.pid, mark) and time.monotonic() < deadline:
        time.sleep(0.01)
    # Not waited for yet, so the kernel still lists it.
    assert os.path.exists(f"/proc/{process.pid}") or sys.platform != "linux"  # noqa: PTH110
    assert not is_alive(process.pid, mark)
    process.communicate()


def test_a_process_lives_until_its_last_thread_is_gone() -> None:
    code = (
        "import ctypes, sys, threading;"
        "threading.Thread(target=sys.stdin.readline).start();"
        "print('up', flush=True); ctypes.CDLL(None).pthread_exit(None)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    mark = identity(process.pid)
    assert mark is not None
    stat = Path(f"/proc/{process.pid}/stat")
    deadline = time.monotonic() + 10
    while ") Z " not in stat.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ") Z " in stat.read_text(), "its first thread is gone"
    assert is_alive(process.pid, mark)
    assert stop(process.pid, mark)
    process.communicate()
    assert not is_alive(process.pid, mark)


def test_a_process_that_ignores_a_polite_word_is_killed() -> None:
    process = _sleeper("signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    mark = identity(process.pid)
    assert mark is not None
    assert stop(process.pid, mark)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_what_a_worker_started_ends_with_it() -> None:
    code = "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    mark, childs = identity(process.pid), identity(child)
    assert mark is not None
    assert childs is not None
    assert stop(process.pid, mark)
    process.communicate()
    deadline = time.monotonic() + 5
    while is_alive(child, childs) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(child, childs)
