"""Pieces on a cluster of Dask: what travels are names, parameters and paths; arrays stay in files that are mapped.

The machines share the home. A piece whose worker is lost is done again by another. A cancel is a file beside the
results, which every piece looks for whenever it reports; so is the end of the job that asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import CancelledError, JobError, TaxocomError
from taxocom.jobs.pieces import SCHEDULER, do_piece, scheduler
from taxocom.progress import Progress
from taxocom.store import Project
from taxocom.store.disk.whole_files import clear_errors

if TYPE_CHECKING:
    from distributed import Client, Future

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
"""What a worker's process starts with: numpy reads it once, as it is loaded, and a core has one piece at a time."""

_ANSWER_SECONDS = 10
_LOOK_SECONDS = 0.1
_LOSSES = 10
"""How many workers may be lost under a piece before it is held to be what kills them."""


def do_on_cluster(
    project: Project, kind: str, asked: Sequence[Mapping[str, Any]], place: Path, progress: Progress
) -> Iterator[Path]:
    """Send pieces to the cluster and yield the file of each, in their order."""
    from dask import config

    config.set({"distributed.scheduler.allowed-failures": _LOSSES})
    with _client() as client:
        watched = _Watched(progress, place, len(asked))
        client.subscribe_topic(str(place), watched.heard)
        files = [place / str(number) for number in range(len(asked))]
        futures = [
            client.submit(_remote, str(project.path), kind, dict(params), str(file), key=str(file), pure=False)
            for params, file in zip(asked, files, strict=True)
        ]
        try:
            for future, file in zip(futures, files, strict=True):
                watched.wait_for(future)
                yield file
        finally:
            # Pieces that wait are dropped with their futures; one that is being done finds this.
            with suppress(OSError):
                watched.stop_sign.touch()
            client.cancel(futures)


def _client() -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise JobError(
            f"{SCHEDULER} names a cluster, which takes Dask: pip install 'taxocom[cluster]'. Without {SCHEDULER} the "
            "work is done here."
        ) from error
    try:
        return Client(scheduler(), timeout=_ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise JobError(
            f"No cluster answers at {scheduler()} ({error!s:.200}). Start it (`taxocom cluster` starts one here), "
            f"correct {SCHEDULER}, or unset it to do the work here."
        ) from error


class _Watched:
    """What the pieces report, put together for the job, and the job's cancel passed on to them."""

    def __init__(self, progress: Progress, place: Path, n_pieces: int) -> None:
        self.stop_sign = _stop_sign(place)
        self._progress = progress
        self._n_pieces = n_pieces
        self._done: dict[str, float] = {}
        self._stage = "Waiting for the cluster"

    def heard(self, event: Any) -> None:
        """Note what a piece said; called by the client's own thread."""
        number, stage, fraction = event[1]
        self._stage = stage
        self._done[number] = max(fraction, self._done.get(number, 0.0))

    def wait_for(self, future: Future[Any]) -> None:
        """Wait for a piece and report meanwhile; raises what the piece raised."""
        while not future.done():
            self._report()
            time.sleep(_LOOK_SECONDS)
        self._report()
        try:
            future.result()
        except TaxocomError:
            raise
        except Exception as error:
            raise JobError(
                f"A piece of the work failed on the cluster ({type(error).__name__}: {error!s:.300})."
            ) from error

    def _report(self) -> None:
        self._progress.report(self._stage, sum(self._done.values()) / self._n_pieces)


class _Reporting:
    """The progress of a piece, on its way to the job that asked for it."""

    def __init__(self, file: Path) -> None:
        from distributed import get_worker

        self._worker = get_worker()
        self._place, self._number = file.parent, file.name
        self._told_at = 0.0

    def report(self, stage: str, fraction: float) -> None:
        """Pass a report on now and then; raises `CancelledError` if nobody waits for the piece any more."""
        if _stop_sign(self._place).exists() or not self._place.exists():
            raise CancelledError("Cancelled.")
        now = time.monotonic()
        if now - self._told_at >= _LOOK_SECONDS or fraction >= 1.0:
            self._told_at = now
            self._worker.log_event(str(self._place), (self._number, stage, fraction))


def _remote(project: str, kind: str, params: dict[str, Any], file: str) -> None:
    """Do a piece on a worker of the cluster."""
    place = Path(file)
    reporting = _Reporting(place)
    half = place.with_name(f"{place.name}.{os.getpid()}.part")
    with Project(Path(project)) as opened:
        do_piece(kind, opened, params, half, reporting)
    with clear_errors("keep", place):
        half.replace(place)
    reporting.report("Done", 1.0)


def _stop_sign(place: Path) -> Path:
    return place / "cancelled"
