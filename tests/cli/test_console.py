"""What the terminal shows: a bar that redraws itself, plain lines elsewhere, no control characters, quick help."""

import io
import signal
import subprocess
import sys

import pytest

from taxocom.cli.console import ConsoleProgress, counted, duration, print_table, printable, watched
from taxocom.errors import CancelledError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_terminal_gets_one_line_that_is_drawn_over() -> None:
    screen, clock = Terminal(), Clock()
    progress = ConsoleProgress(stream=screen, clock=clock)
    for step in range(5):
        clock.now = step * 10.0
        progress.report("Reading", step / 4)
    assert "\n" not in screen.getvalue()
    frames = screen.getvalue().split("\r")[1:]
    assert len(frames) == 5
    assert "25% Reading about 30 s left" in frames[1]
    assert "about 10 s left" in frames[3]
    assert "100% Reading" in frames[4]
    assert "left" not in frames[4]


def test_reports_in_quick_succession_are_not_all_drawn() -> None:
    screen, clock = Terminal(), Clock()
    progress = ConsoleProgress(stream=screen, clock=clock)
    for step in range(1000):
        clock.now = step * 0.001
        progress.report("Reading", step / 2000)
    assert len(screen.getvalue().split("\r")) < 15


def test_a_file_gets_a_line_for_each_stage_and_one_now_and_then() -> None:
    file, clock = io.StringIO(), Clock()
    progress = ConsoleProgress(stream=file, clock=clock)
    for step in range(40):
        clock.now = step * 1.0
        progress.report(f"Reading documents ({step * 500:,} so far)", step / 80)
    progress.report("Counting words", 0.5)
    lines = file.getvalue().splitlines()
    assert lines[0] == "  0% Reading documents (0 so far)"
    assert lines[-1] == " 50% Counting words"
    assert len(lines) == 5, "at 0, 10, 20 and 30 seconds, and the new stage"


def test_work_that_was_asked_to_stop_is_cancelled_at_its_next_report() -> None:
    progress = ConsoleProgress(stream=io.StringIO())
    progress.cancelled = True
    with pytest.raises(CancelledError):
        progress.report("Reading", 0.1)


def test_quiet_work_shows_nothing_and_can_still_be_cancelled(capsys: pytest.CaptureFixture[str]) -> None:
    with watched(quiet=True) as progress:
        progress.report("Reading", 0.0)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(CancelledError):
            progress.report("Reading", 0.1)
    shown = capsys.readouterr()
    assert "Reading" not in shown.err
    assert "Stopping" in shown.err


def test_the_second_interrupt_does_not_wait() -> None:
    # A shell that starts the tests in the background has them ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with watched(quiet=True):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_terminal_cannot_be_steered_by_what_a_corpus_says() -> None:
    assert printable("a\x1b[2Jb\x07c\r\nd") == "a [2Jb c  d"


def test_numbers_stand_to_the_right_and_columns_are_as_wide_as_needed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["name", "n"], [("a", 5), ("longer", 12345)])
    assert capsys.readouterr().out == "name         n\na            5\nlonger  12,345\n"


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "1 s"), (89, "89 s"), (600, "10 min"), (9000, "2.5 h")])
def test_durations_are_said_as_people_do(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_one_has_no_plural() -> None:
    assert [counted(n, "topic") for n in (0, 1, 1200)] == ["0 topics", "1 topic", "1,200 topics"]


def test_help_loads_nothing_heavy() -> None:
    heavy = {"numpy", "scipy", "pandas", "pyarrow", "numba", "sklearn", "sqlalchemy", "rdflib", "streamlit"}
    probe = f"import sys, taxocom.cli; print(sorted({heavy!r} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
