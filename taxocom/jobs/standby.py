"""A worker that waits for its job with everything loaded: the app keeps one, so that a click does not wait for imports.

It is a process like any other worker, does one job and ends. It hears which on its standard input; when the app ends
instead, so does it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

from taxocom.jobs.processes import memory_available, see_off
from taxocom.subprocesses import command_of, environment

_LOADED = ("taxocom.jobs.worker", "taxocom.jobs.expand_task", "taxocom.expansion.pipeline")

_ROOM = 2 * 2**30
"""Memory that must be free: the waiting worker holds some 450 MB, and what it is to do needs more."""

_lock = threading.Lock()
_waiting: subprocess.Popen[bytes] | None = None
_prepared_for: dict[str, str] = {}
_is_wanted = False


def keep_ready(*, at_once: bool = True) -> None:
    """Have a worker wait for a job from now on, in this process's environment, or after the next job."""
    global _waiting, _prepared_for, _is_wanted
    with _lock:
        _is_wanted = True
        if not at_once or (_waiting is not None and _waiting.poll() is None) or _memory_is_short():
            return
        _prepared_for = environment()
        _waiting = subprocess.Popen(
            command_of("taxocom.jobs.standby"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_prepared_for,
            start_new_session=True,
        )


def keep_ready_once_compiled() -> None:
    """Have a worker wait at once, or after the next job where others compile still: it would compile the same."""
    from taxocom.jobs.warming import PARTS, is_compiled

    keep_ready(at_once=all(is_compiled(part) for part in PARTS))


def _memory_is_short() -> bool:
    # Under a limit libraries are loaded with care, and only when they are needed (`memory_for_libraries`).
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    if any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits):
        return True
    return memory_available() < _ROOM


def take(arguments: list[str], directory: Path, log: Path) -> subprocess.Popen[bytes] | None:
    """Give the waiting worker a job and return its process; None if none waits, or one for another environment."""
    global _waiting
    with _lock:
        process, _waiting = _waiting, None
        if process is None or process.stdin is None:
            return None
        said = {"arguments": arguments, "directory": str(directory), "log": str(log)}
        try:
            # Of one that is gone the pipe is broken; the end of the pipe ends one that is not wanted.
            if _prepared_for == environment():
                process.stdin.write(json.dumps(said).encode() + b"\n")
            process.stdin.close()
        except OSError:
            return None
        if _prepared_for != environment() or process.poll() is not None:
            see_off(process)
            return None
    return process


def see_off_and_replace(process: subprocess.Popen[bytes]) -> None:
    """Wait for a worker behind the caller's back, then have another one wait: loading it earlier would slow the job."""

    def wait() -> None:
        process.wait()
        if _is_wanted:
            keep_ready()

    threading.Thread(target=wait, daemon=True).start()


def dismiss() -> None:
    """Let the waiting worker go, and keep none from now on."""
    global _waiting, _is_wanted
    with _lock:
        process, _waiting, _is_wanted = _waiting, None, False
    if process is not None and process.stdin is not None:
        process.stdin.close()
        process.wait()


def main() -> None:
    """Load what jobs need, wait for one, and do it as `taxocom.jobs.worker` would."""
    from taxocom.jobs import worker
    from taxocom.jobs.warming import PARTS, is_compiled

    worker.be_modest()
    for module in _LOADED:
        import_module(module)
    import_module("taxocom.jobs.registry").load_tasks()
    import_module("taxocom.store.projects.lexicon_files").find_lexicon()
    for part, prepare in PARTS.items():
        if is_compiled(part):
            prepare()
    line = sys.stdin.readline()
    if not line:
        return
    said = json.loads(line)
    os.chdir(said["directory"])
    log = os.open(said["log"], os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)
    worker.main(said["arguments"])
    import_module("taxocom.jobs.expand_task").train_ahead(Path(said["arguments"][0]))


if __name__ == "__main__":
    main()
