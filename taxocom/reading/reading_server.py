"""The process that starts one more for every file: `python -m taxocom.reading.reading_server FD [PREPARATION…]`.

It reads nothing itself. It imports what the readers need, waits on the socket FD, and forks for each request, so that a
reader starts at once, with clean memory, and takes nobody with it when it ends. It has one thread, so forking is safe,
and it ends with the process that started it.
"""

from __future__ import annotations

import gc
import os
import resource
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from taxocom.errors import CancelledError, TaxocomError, lacked_memory
from taxocom.reading.messages import PREPARE, READ, Answer, Ended, Failed, Line, Progressed, Refused, Request, Said
from taxocom.reading.readers import PREPARATIONS, READERS

_OOM_SCORE = 700
"""When memory runs out the kernel ends a reader before a worker, and a worker before the app."""


@dataclass
class Server:
    """Forks a reader for every request and says how each one ended."""

    control: socket.socket
    _endings: dict[int, int] = field(default_factory=dict)

    def serve(self) -> None:
        """Go on until the process that asks is gone; readers that are still at work go with it."""
        heard, wake = os.pipe()
        os.set_blocking(heard, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        selector = selectors.DefaultSelector()
        selector.register(self.control, selectors.EVENT_READ)
        selector.register(heard, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if heard in ready:
                with suppress(BlockingIOError):
                    os.read(heard, 4096)
                self._tell_endings()
            if self.control in ready and not self._accept():
                break
        for pid in self._endings:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _accept(self) -> bool:
        try:
            said, handed, _, _ = socket.recv_fds(self.control, 1, 2)
        except OSError:
            return False
        if said == PREPARE:
            prepare(PREPARATIONS)
            return True
        if said != READ:
            return False
        talk, ending = handed
        pid = os.fork()
        if pid == 0:
            # Whoever waits for the end of another reader would else wait for this one too.
            self.control.close()
            for other in (ending, *self._endings.values()):
                os.close(other)
            _be_a_reader(socket.socket(fileno=talk))
        os.close(talk)
        self._endings[pid] = ending
        return True

    def _tell_endings(self) -> None:
        while self._endings:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            ending = self._endings.pop(pid)
            with suppress(OSError):
                os.write(ending, Ended(status, used.ru_maxrss * 1024).to_bytes())
            os.close(ending)


def _be_a_reader(talk: socket.socket) -> None:
    """Read one file, say what came of it, and end."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        line = Line(talk)
        request = line.hear()
        if isinstance(request, Request):
            line.say(_read(request, line))
    finally:
        # Nothing of the server's is to run at the end of its copy.
        os._exit(0)


def _read(request: Request, line: Line) -> Said:
    _limit(request)
    clock = _Clock(line, request.limits.seconds)
    try:
        return Answer(READERS[request.reader](clock, **request.arguments))
    except Exception as error:
        if lacked_memory(error):
            return Failed("memory")
        if isinstance(error, TaxocomError):
            return Refused.by(error)
        return Failed("fault", traceback.format_exc())


def _limit(request: Request) -> None:
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE))
    with suppress(OSError):
        os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    # Memory of its own that a process writes to. Files that are mapped to be read are none, however large.
    resource.setrlimit(resource.RLIMIT_DATA, (request.limits.memory, request.limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Clock:
    """The `Progress` of a reader. Every report winds up a clock that ends the process when it has run down.

    The kernel keeps it, so that it also ends a reader that is deep in a library.
    """

    def __init__(self, line: Line, seconds: float) -> None:
        self._line, self._seconds = line, seconds
        self._wind()

    def report(self, stage: str, fraction: float) -> None:
        """Pass the report on, and hear whether to go on: what was cancelled must not be finished after all."""
        self._wind()
        go_on = None
        with suppress(OSError):
            self._line.say(Progressed(stage, fraction))
            go_on = self._line.hear()
        if go_on is None:
            raise CancelledError("Nobody waits for this any more.")

    def _wind(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self._seconds)


def prepare(names: Iterable[str]) -> None:
    """Do ahead what readers would each do again."""
    for name in names:
        PREPARATIONS[name]()
    # What is there now is shared with every reader for as long as the collector does not touch it.
    gc.freeze()


def main(arguments: list[str]) -> None:
    """Serve on a socket that was handed down, prepared for what is named."""
    prepare(arguments[1:])
    Server(socket.socket(fileno=int(arguments[0]))).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
