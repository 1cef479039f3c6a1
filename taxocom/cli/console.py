"""What every command shares: progress, tables, trees, and how work is cancelled from the keyboard."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import click

from taxocom.errors import CancelledError
from taxocom.progress import SILENT, Progress

if TYPE_CHECKING:
    from taxocom.taxonomy.tree import Taxonomy

FAILED = 1
PREFLIGHT_FAILED = 3
CANCELLED = 130

REDRAW_SECONDS = 0.1
LINE_SECONDS = 10.0
BAR_WIDTH = 24
_NUMBERS = re.compile(r"\([^)]*\)|[\d,]{4,}")

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")


@dataclass
class ConsoleProgress:
    """Progress on a stream: a bar that redraws itself on a terminal, a plain line now and then elsewhere."""

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    cancelled: bool = False
    _stage: str = ""
    _started: float = -1.0
    _shown: float = -1e9

    def report(self, stage: str, fraction: float) -> None:
        """Show where the work is; raises `CancelledError` once the user has asked to stop."""
        if self.cancelled:
            raise CancelledError("Cancelled.")
        now = self.clock()
        if self._started < 0:
            self._started = now
        # A stage may count along ("Reading documents (500 so far)"): that is not a new one.
        new_stage = _NUMBERS.sub("", stage) != _NUMBERS.sub("", self._stage)
        self._stage = stage
        if self.stream.isatty():
            if new_stage or fraction >= 1 or now - self._shown >= REDRAW_SECONDS:
                self._shown = now
                self.stream.write("\r" + self._bar(fraction, now) + "\x1b[K")
                self.stream.flush()
        elif new_stage or now - self._shown >= LINE_SECONDS:
            self._shown = now
            self.stream.write(f"{fraction:4.0%} {stage}\n")
            self.stream.flush()

    def clear(self) -> None:
        """Take the bar off the terminal, so that what follows starts on a clean line."""
        if self.stream.isatty():
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def _bar(self, fraction: float, now: float) -> str:
        done = min(max(fraction, 0.0), 1.0)
        filled = round(done * BAR_WIDTH)
        spent = now - self._started
        # An estimate from the first instants would be wild; none is better.
        left = f" about {duration(spent / done - spent)} left" if 0.02 < done < 1 and spent > 2 else ""
        line = f"{'█' * filled}{'░' * (BAR_WIDTH - filled)} {done:4.0%} {self._stage}{left}"
        return line[: max(shutil.get_terminal_size().columns - 1, 20)]


def duration(seconds: float) -> str:
    """Return a length of time as people say it."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def watched(*, quiet: bool = False) -> Iterator[Progress]:
    """Give progress to work that Ctrl-C (or a polite kill) stops between two of its reports.

    The work then ends by `CancelledError`, having cleaned up after itself. A second Ctrl-C stops it where it is.
    """
    shown = ConsoleProgress()
    progress: Progress = _Cancellable(shown, SILENT if quiet else shown)

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        if shown.cancelled:
            raise KeyboardInterrupt
        shown.cancelled = True
        click.echo("\nStopping. Press Ctrl-C again to stop at once.", err=True)

    # Signals belong to the main thread; work started from another one is cancelled by whoever started it.
    caught = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    previous = {number: signal.signal(number, ask_to_stop) for number in caught}
    try:
        yield progress
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        if not quiet:
            shown.clear()


@dataclass(frozen=True)
class _Cancellable:
    flag: ConsoleProgress
    shown: Progress

    def report(self, stage: str, fraction: float) -> None:
        if self.flag.cancelled:
            raise CancelledError("Cancelled.")
        self.shown.report(stage, fraction)


def say(text: str, quiet: bool = False) -> None:
    """Print a line for people, unless they asked for quiet."""
    if not quiet:
        click.echo(text)


def print_json(value: Any) -> None:
    """Print a value as JSON, indented, with its letters as they are."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns as wide as their widest cell; numbers to the right."""
    rows = [list(row) for row in rows]
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    right = [bool(rows) and all(isinstance(row[column], (int, float)) for row in rows) for column in range(len(header))]
    for row in cells:
        aligned = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        )
        click.echo("  ".join(aligned).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value))


def counted(n: int, what: str) -> str:
    """Return a number with its noun: "1 topic", "1,200 topics"."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def printable(text: str) -> str:
    """Return text from a corpus or a file without the characters that would steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def tree_lines(taxonomy: Taxonomy, *, n_anchors: int = 5) -> Iterator[str]:
    """Yield a tree as lines of text: a topic a line, novel ones marked with `+`, with their first anchor terms."""
    from taxocom.text.terms.vocabulary import display

    yield printable(taxonomy.root.label)
    for node in taxonomy.walk():
        mark = {"novel": "+ ", "manual": "* "}.get(node.origin, "")
        status = "" if node.status == "approved" else f" ({node.status})"
        documents = "" if node.n_documents is None else f"  {node.n_documents:,} documents"
        anchors = ", ".join(display(anchor.term) for anchor in node.anchors[:n_anchors])
        line = f"{mark}{node.label}{status}{documents}{f'  [{anchors}]' if anchors else ''}"
        yield "  " * taxonomy.depth_of(node.node_id) + printable(line)
