"""Spoilt files through every reader of bytes from strangers, many more than the tests have time for.

`python -m benchmarks fuzz --count 2500` gives each reader so many; without a count it is half a million in all. An
input is known by its number, so a finding can be had again: `READERS[name].input(SEED, number)` (`tests.fuzz.readers`).
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.readers import READERS
from tests.fuzz.running import MOST_MEMORY, MOST_SECONDS, Outcome, bombs_of, by_place, run_bombs
from tests.fuzz.running import run as run_inputs

SEED = 21
DEFAULT_COUNT = 22_000


def run(corpora: Path | None, count: int | None = None) -> str:  # noqa: ARG001
    n = count or DEFAULT_COUNT
    started = time.perf_counter()
    # Each run is a process of its own, so threads are enough to keep the cores busy.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(READERS, pool.map(lambda name: run_inputs(name, SEED, 0, n), READERS), strict=True))
    bombs = {name: run_bombs(name) for name in READERS if bombs_of(name)}
    n_inputs = sum(outcome.n_inputs for outcome in (*outcomes.values(), *bombs.values()))
    lines = [
        f"{n_inputs:,} inputs in {time.perf_counter() - started:,.0f} s. A finding is an exception that is not a "
        f"TaxocomError, more than {MOST_SECONDS:.0f} s of the processor or {MOST_MEMORY / 2**30:.0f} GiB, or the end "
        "of the process.",
        "",
        "| reader | inputs | refused in words | slowest (s) | memory (MiB) | findings |",
        "|---|---|---|---|---|---|",
        *(_row(name, outcome) for name, outcome in outcomes.items()),
        *(_row(f"{name}: bombs", outcome) for name, outcome in bombs.items()),
        "",
    ]
    for outcome in (*outcomes.values(), *bombs.values()):
        for place, found in by_place(outcome.findings):
            lines.append(f"* {found[0].reader}, {len(found)} at {place}: input {found[0].number}, {found[0].what}")
    return "\n".join(lines)


def _row(name: str, outcome: Outcome) -> str:
    return (
        f"| {name} | {outcome.n_inputs:,} | {outcome.n_refused:,} | {outcome.slowest:.2f} | {outcome.memory // 2**20} "
        f"| {len(outcome.findings)} |"
    )
