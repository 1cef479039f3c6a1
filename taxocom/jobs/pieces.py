"""Work that falls into pieces which need nothing of each other: done here one by one, or side by side on a cluster.

A piece gets the project and plain parameters and writes what it found to a file. The files come back in the order of
the pieces, so whatever is made of them is the same wherever they were done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from taxocom.errors import JobError
from taxocom.progress import Progress, Span
from taxocom.store import Project

SCHEDULER = "TAXOCOM_SCHEDULER"


class Piece(Protocol):
    """What a kind of piece does: it writes its result to `place`, whole, and may be done again at any time."""

    def __call__(self, project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
        """Do the piece."""


_PIECES: dict[str, Piece] = {}


def piece(kind: str) -> Callable[[Piece], Piece]:
    """Register the decorated function as what pieces of this kind do."""

    def register(function: Piece) -> Piece:
        _PIECES[kind] = function
        return function

    return register


def scheduler() -> str:
    """Return the address of the cluster that pieces are sent to, nothing if they are done here."""
    return os.environ.get("TAXOCOM_SCHEDULER", "").strip()


def do_piece(kind: str, project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
    """Do one piece in this process."""
    from taxocom.jobs.registry import load_tasks

    load_tasks()
    if kind not in _PIECES:
        raise JobError(f"There is no kind of work {kind!r} here. Do all machines run the same version?")
    _PIECES[kind](project, params, place, progress)


def do_pieces(
    project: Project, kind: str, asked: Sequence[Mapping[str, Any]], place: Path, progress: Progress
) -> Iterator[Path]:
    """Do pieces and yield the file of each, in their order; the files are under `place`, an empty directory."""
    if scheduler():
        from taxocom.jobs.cluster import do_on_cluster

        yield from do_on_cluster(project, kind, asked, place, progress)
        return
    for number, params in enumerate(asked):
        file = place / str(number)
        do_piece(kind, project, params, file, Span(progress, number / len(asked), (number + 1) / len(asked)))
        yield file
