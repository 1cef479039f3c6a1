"""Ask for a file to be read in a process with limits, and say in words what became of it."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from taxocom.errors import InputError
from taxocom.progress import SILENT, Progress
from taxocom.reading.messages import PREPARE, READ, Answer, Ended, Failed, GoOn, Line, Progressed, Refused, Request
from taxocom.settings import ReadingLimits
from taxocom.subprocesses import command_of, environment

_LOG = logging.getLogger(__name__)
_GIB = 2**30
_GRACE_SECONDS = 30.0
# One thread, or the server could not fork: libraries start theirs when they are imported. Arrow's own allocator sets a
# gibibyte aside before it needs any, which would count against the limit.
_ALONE = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


class _Server:
    """The one server of this process. It is started when it is first needed, and again if it should have died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None

    def start(self, reader: str) -> None:
        """Start it if it is not there, prepared for this reader at least; it makes itself ready while we go on."""
        with self._lock:
            if self._control is None:
                self._control = _started(reader)

    def prepare(self) -> None:
        """Have it prepared for every reader, whether it is there already or not."""
        self.start("seed")
        with self._lock, suppress(OSError):
            assert self._control is not None
            self._control.send(PREPARE)

    def call(self, reader: str) -> tuple[Line, int]:
        """Have a reader started; return the line to it, and a pipe that will tell how it ended."""
        self.start(reader)
        with self._lock:
            try:
                return self._hand_over()
            except OSError:
                self._end()
                self._control = _started(reader)
                return self._hand_over()

    def forget(self) -> None:
        """Let a server that does not answer end; the next call starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None

    def _hand_over(self) -> tuple[Line, int]:
        assert self._control is not None
        ours, theirs = socket.socketpair()
        ending, told = os.pipe()
        try:
            socket.send_fds(self._control, [READ], [theirs.fileno(), told])
        except OSError:
            ours.close()
            os.close(ending)
            raise
        finally:
            theirs.close()
            os.close(told)
        return Line(ours), ending


def _started(reader: str) -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            command_of("taxocom.reading.reading_server", str(theirs.fileno()), reader),
            stdin=subprocess.DEVNULL,
            # Libraries print and log what they think of a file; errors come back as messages.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environment(), **_ALONE},
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    # Without this a server that ended would stay a zombie for as long as this process runs.
    threading.Thread(target=process.wait, daemon=True).start()
    return ours


_SERVER = _Server()


def make_ready(reader: str | None = None) -> None:
    """Start the server ahead of the first request, so that this one need not wait: for one reader, or for all."""
    # Nobody waits for this; if it cannot be started, the first request says so.
    with suppress(OSError):
        _SERVER.prepare() if reader is None else _SERVER.start(reader)


def ask(
    reader: str, arguments: dict[str, Any], *, name: str, limits: ReadingLimits, progress: Progress = SILENT
) -> Any:
    """Read a file with a reader of `taxocom.reading.readers`; `name` is what messages call the file.

    Returns what it read. A refusal is raised as the `TaxocomError` that the reader raised; so is a file that needs more
    than the limits, or that ends the process which reads it. What `progress` raises ends the reading.
    """
    request = Request(reader, arguments, limits, _folder(), {**os.environ, **_ALONE})
    for _ in range(2):
        try:
            line, ending = _SERVER.call(reader)
        except OSError as error:
            raise InputError(f"{name} could not be read: no process can be started ({error}). Try again.") from error
        with os.fdopen(ending, "rb") as told:
            try:
                # The reader ends itself in time; this is for one that the kernel does not let go of.
                line.socket.settimeout(limits.seconds + _GRACE_SECONDS)
                line.say(request)
                said = _last_word(line, progress)
            except TimeoutError:
                _SERVER.forget()
                raise InputError(_too_slow(name, limits)) from None
            except pickle.UnpicklingError as error:
                raise InputError(f"{name} made its reader answer nonsense, so it means harm. Delete it.") from error
            except OSError:
                said = None
            finally:
                line.close()
            if said is not None:
                return _taken(said, name, limits)
            ended = Ended.from_bytes(told.read())
        if ended is not None:
            raise InputError(_why_ended(ended, name, limits))
        # The server itself is gone, and what it handed us with it: killed, or it never came up.
        _SERVER.forget()
    raise InputError(f"{name} could not be read: the process that reads files does not start. Restart the program.")


def _folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return "/"


def _last_word(line: Line, progress: Progress) -> Answer | Refused | Failed | None:
    while isinstance(said := line.hear(), Progressed):
        progress.report(said.stage, said.fraction)
        line.say(GoOn())
    return said if isinstance(said, (Answer, Refused, Failed)) else None


def _taken(said: Answer | Refused | Failed, name: str, limits: ReadingLimits) -> Any:
    if isinstance(said, Answer):
        return said.value
    if isinstance(said, Refused):
        raise said.error()
    if said.why == "memory":
        raise InputError(_too_large(name, limits))
    _LOG.error("Reading a file failed.\n%s", said.details)
    summary = said.details.strip().splitlines()[-1][:200] if said.details else "no reason was given"
    raise InputError(f"{name} could not be read ({summary}). It is probably damaged: export or fetch it again.")


def _why_ended(ended: Ended, name: str, limits: ReadingLimits) -> str:
    number = os.WTERMSIG(ended.status) if os.WIFSIGNALED(ended.status) else 0
    if number == signal.SIGALRM:
        return _too_slow(name, limits)
    if ended.memory > limits.memory / 2:
        return _too_large(name, limits)
    if number == signal.SIGKILL:
        return f"{name}: the reading was ended from outside, probably for lack of memory. Close other programs."
    how = signal.Signals(number).name if number else f"exit status {os.waitstatus_to_exitcode(ended.status)}"
    return (
        f"{name} ended the process that read it ({how}), so it is damaged or meant to do harm. Nothing else was "
        "touched. Export or fetch it again."
    )


def _too_slow(name: str, limits: ReadingLimits) -> str:
    return (
        f"{name} took longer than {limits.seconds:.0f} seconds to read. If it is what you think it is, break it into "
        "smaller files, or allow more time with TAXOCOM_READING_SECONDS."
    )


def _too_large(name: str, limits: ReadingLimits) -> str:
    return (
        f"{name} needed more than {limits.memory / _GIB:g} GiB to read. If it is what you think it is, break it into "
        "smaller files, or allow more with TAXOCOM_READING_GIB."
    )
