"""How soon something is there: the help of the command line, and the first page of the app after its server's start."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port

REPEATS = 7


@dataclass(frozen=True)
class Start:
    """Seconds by the clock, which a busy machine makes longer, and on the processor, which it hardly does."""

    clock: float
    processor: float


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # it is about an empty home
    """Measure and return the table."""
    helps = [_help() for _ in range(REPEATS)]
    pages = [_first_page() for _ in range(3)]
    return "\n".join(
        [
            "| | median | best | on the processor, median | of | bar |",
            "|---|---:|---:|---:|---:|---:|",
            f"| `taxocom --help` | {_row(helps)} | 0.3 s |",
            f"| the server's start to its first page in Chromium | {_row(pages)} | 2 s |",
            "",
            f"Load at the end: {os.getloadavg()[0]:.1f}.",
        ]
    )


def _row(starts: Sequence[Start]) -> str:
    clock = [each.clock for each in starts]
    processor = statistics.median(each.processor for each in starts)
    return f"{statistics.median(clock):.2f} s | {min(clock):.2f} s | {processor:.2f} s | {len(starts)}"


def _help() -> Start:
    started, before = time.perf_counter(), os.times()
    subprocess.run([Path(sys.executable).with_name("taxocom"), "--help"], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return Start(time.perf_counter() - started, processor)


def _first_page() -> Start:
    """Time a server's process from its start until its first page shows what to do; the processor's is the server's."""
    with tempfile.TemporaryDirectory(prefix="taxocom-starting-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page()
        # The browser is at work before: what it takes to start is not ours.
        page.goto("about:blank")
        server = Server(Path(folder) / "home", free_port(), Path(folder) / "server.log")
        started = time.perf_counter()
        try:
            server.start()
            page.goto(server.address)
            page.get_by_role("button", name="Try the sample").wait_for()
            assert server.process is not None
            used = psutil.Process(server.process.pid).cpu_times()
            return Start(time.perf_counter() - started, used.user + used.system)
        finally:
            server.stop()
            browser.close()
