"""How many texts a second `taxocom tag` gives their topics, and whether memory stays flat (`--count 1000000`).

The tagger is that of a part of arXiv's abstracts; the texts are those held back, again and again. Every text has a
word that no other has, so that nothing is gained by remembering texts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import psutil

from benchmarks.new_texts import hold_back
from benchmarks.tagging import read_labelled
from taxocom.text.input.documents import Document

N_TEXTS = 200_000
_MOST = 600
_HEADER_BYTES = 100
_LOOK_SECONDS = 0.25
_MARKS = (0.1, 0.5, 1.0)


def run(corpora: Path | None = None, *, count: int = N_TEXTS) -> str:
    """Measure on arXiv, with so many texts (`count`), and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=tagging_speed`."
    held = hold_back(read_labelled(corpora / "arxiv", _MOST))
    with tempfile.TemporaryDirectory(prefix="taxocom-tagging-speed-") as folder:
        place = Path(folder)
        (place / "tagger.zip").write_bytes(held.tagger.to_bytes())
        write_texts(place / "new.jsonl", held.texts, count)
        return tagged(place, count)


def write_texts(path: Path, texts: list[Document], count: int) -> None:
    """Write so many texts as JSON lines."""
    with path.open("w") as file:
        for number, each in zip(range(count), cycle(texts), strict=False):
            file.write(json.dumps({"id": str(number), "text": f"{each.text} word{number}"}) + "\n")


def tagged(place: Path, count: int) -> str:
    """Tag `new.jsonl` by `tagger.zip`, as people do, and watch what it takes."""
    out = place / "out.csv"
    words = [str(place / "tagger.zip"), str(place / "new.jsonl"), "--out", str(out), "-q"]
    before, clock = os.times(), time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "taxocom", "tag", *words], stdout=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    started, memory = 0.0, list[tuple[int, float]]()
    part = out.with_name(f"{out.name}.part")
    while process.poll() is None:
        written = part.stat().st_size if part.exists() else 0
        started = started or (time.perf_counter() - clock if written > _HEADER_BYTES else 0.0)
        with suppress(psutil.Error):
            held_now = sum(each.memory_info().rss for each in (watched, *watched.children(recursive=True)))
            memory.append((written, held_now / 2**20))
        time.sleep(_LOOK_SECONDS)
    if process.returncode:
        raise RuntimeError(f"taxocom tag ended with {process.returncode}")
    seconds, after = time.perf_counter() - clock - started, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    whole = out.stat().st_size
    peaks = [max(mib for written, mib in memory if written <= whole * mark) for mark in _MARKS]
    cells = (
        f"{count:,}", f"{started:.1f}", f"{count / seconds:,.0f}", f"{2 * count / spent:,.0f}",
        *(f"{peak:,.0f}" for peak in peaks),
    )  # fmt: skip
    header = (
        "abstracts, JSON lines to CSV", "seconds before the first", "a second by the clock",
        "a second of two processors", *(f"most MiB of all processes by text {mark * count:,.0f}" for mark in _MARKS),
    )  # fmt: skip
    busy = os.getloadavg()[0]
    said = f"\n\nThe load of the machine was {busy:.1f} at the end; the command itself keeps two processors busy."
    return "\n".join([f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", f"| {' | '.join(cells)} |"]) + said
