"""From the click on *Expand* to the cards of a proposal on screen, on the sample, in Chromium; then to its map.

And how soon a click on something else is answered meanwhile.

Cold is a machine after `make setup`, which compiles, and before any expansion: *Expand* is clicked ten seconds after
the texts of the sample have been read, about as long as a person looks at them. Warm is the same again. At once is warm
without the ten seconds: what the app does meanwhile, loading a worker and training the vectors, is waited for. The
second expansion of each run, *Expand again*, is asked for ten seconds after the map of the first was there.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from taxocom import jobs
from taxocom.store import open_project
from taxocom.store.homes.sample import SAMPLE_PROJECT, sample_corpus
from taxocom.subprocesses import command_of, environment
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port

PATIENCE = 300_000
_LOOKING = 10.0
"""Seconds that a person looks at what was read before asking for an expansion."""
_CARDS = ".cards .card, [data-testid=stAlert]"
_MAP = ".map[data-painted], [data-testid=stAlert]"


@dataclass
class Run:
    """One first run: seconds from click to the cards and to the map, seconds a stage, and seconds each click took."""

    texts_read: float = 0.0
    proposal: float = 0.0
    drawn: float = 0.0
    again: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    clicks: list[float] = field(default_factory=list)
    load: float = 0.0


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # it is about the sample
    """Measure a cold and a warm first run and return the table."""
    sample_corpus()
    with tempfile.TemporaryDirectory(prefix="taxocom-workbench-") as folder:
        place = Path(folder)
        (place / "cache").mkdir()
        with _environment(NUMBA_CACHE_DIR=str(place / "numba"), XDG_CACHE_HOME=str(_cache(place / "cache"))):
            for part in ("kernels", "map"):
                subprocess.run(command_of("taxocom.jobs.warming", part), check=True, env=environment())
            cold = _first_run(place / "cold", looking=_LOOKING)
            warm = _first_run(place / "warm", looking=_LOOKING)
            at_once = _first_run(place / "at-once")
            busy = _first_run(place / "busy", clicking=True)
    runs = {"cold": cold, "warm": warm, "at once": at_once}
    return "\n".join([*_table(runs), "", *_stages(runs), "", *_clicks(busy)])


def _cache(place: Path) -> Path:
    """Return a user's cache that holds the sample and nothing else."""
    (place / "taxocom").mkdir()
    (place / "taxocom" / sample_corpus().name).symlink_to(sample_corpus())
    return place


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _first_run(folder: Path, *, clicking: bool = False, looking: float = 0.0) -> Run:
    folder.mkdir()
    server = Server(folder / "home", free_port(), folder / "server.log")
    server.start()
    try:
        with _environment(TAXOCOM_HOME=str(folder / "home")), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE)
            measured = _tell_the_story(page, server.address, clicking, looking)
            browser.close()
            return measured
    finally:
        server.stop()


def _tell_the_story(page: Page, address: str, clicking: bool, looking: float) -> Run:
    measured = Run(load=os.getloadavg()[0])
    page.goto(address)
    started = time.perf_counter()
    page.get_by_role("button", name="Try the sample").click()
    page.get_by_text("Ready to expand").wait_for()
    measured.texts_read = time.perf_counter() - started
    page.wait_for_timeout(looking * 1000)
    started = time.perf_counter()
    page.get_by_role("button", name="Expand", exact=True).click()
    if clicking:
        _click_about(page, measured)
    else:
        _watch_stages(measured, started)
    page.wait_for_selector(_CARDS)
    measured.proposal = time.perf_counter() - started
    page.wait_for_selector(_MAP)
    measured.drawn = time.perf_counter() - started
    if not clicking:
        page.wait_for_timeout(_LOOKING * 1000)
        first = max(record.proposal_id for record in open_project(SAMPLE_PROJECT).proposals())
        started = time.perf_counter()
        page.get_by_role("button", name="Expand again", exact=True).click()
        page.wait_for_selector(f".st-key-cards-{first + 1} .card, [data-testid=stAlert]")
        measured.again = time.perf_counter() - started
    if page.get_by_test_id("stAlert").count():
        raise RuntimeError(page.get_by_test_id("stAlert").first.inner_text())
    return measured


def _watch_stages(measured: Run, started: float) -> None:
    """Note how long each stage of the job lasts, from the store, as any process may."""
    project = open_project(SAMPLE_PROJECT)
    stage, since = "the click until the worker is at work", started
    while True:
        running = [job for job in jobs.list_jobs(project) if job.kind == "expand"]
        now = time.perf_counter()
        told = running[0].stage if running else ""
        if told and told != stage:
            measured.stages[stage] = measured.stages.get(stage, 0.0) + now - since
            stage, since = told, now
        if running and running[0].is_over:
            return
        time.sleep(0.05)


def _click_about(page: Page, measured: Run) -> None:
    """Open one topic after the other while the engine works, and time how long each takes to show."""
    page.get_by_text("Training vectors").wait_for()
    topics = ["politics", "sport", "business"]
    while not page.locator(_CARDS).count() and len(measured.clicks) < 12 and page.get_by_text("Expanding").count():
        topic = topics[len(measured.clicks) % len(topics)]
        started = time.perf_counter()
        page.get_by_role("treeitem", name=topic).locator(".label").first.click()
        page.get_by_role("heading", name=topic, exact=True).wait_for()
        measured.clicks.append(time.perf_counter() - started)
        page.wait_for_timeout(150)
    page.get_by_role("treeitem").first.locator(".label").first.click()


def _table(runs: Mapping[str, Run]) -> list[str]:
    def row(title: str, numbers: Iterable[str]) -> str:
        return f"| {title} | {' | '.join(numbers)} |"

    seconds = [f"{run.proposal:.1f} s" for run in runs.values()]
    return [
        row("the sample, root", [*runs, "bar"]),
        "|---" * (len(runs) + 2) + "|",
        row("click on *Try the sample* to texts read", [*(f"{run.texts_read:.1f} s" for run in runs.values()), ""]),
        row("click on *Expand* to the proposal on screen", [*seconds, "12 s cold, 4 s warm"]),
        row(
            "click on *Expand again* to the second proposal on screen",
            [*(f"{run.again:.1f} s" for run in runs.values()), "4 s warm"],
        ),
        row("click on *Expand* to its map", [*(f"{run.drawn:.1f} s" for run in runs.values()), ""]),
        row(f"load at the start (we at niceness {os.nice(0)})", [*(f"{run.load:.1f}" for run in runs.values()), ""]),
    ]


def _stages(runs: Mapping[str, Run]) -> list[str]:
    names = dict.fromkeys(name for run in runs.values() for name in run.stages)
    rows = [
        f"| {name} | " + " | ".join(f"{run.stages.get(name, 0):.1f} s" for run in runs.values()) + " |"
        for name in names
    ]
    head = [f"| stage | {' | '.join(runs)} |", "|---" * (len(runs) + 1) + "|"]
    return ["What the time goes into:", "", *head, *rows]


def _clicks(busy: Run) -> list[str]:
    ordered = sorted(busy.clicks)
    if not ordered:
        return ["The job was over before a click could be timed."]
    return [
        f"While it runs, a click on a topic is answered in {ordered[len(ordered) // 2]:.2f} s (median), "
        f"{ordered[-1]:.2f} s at worst, of {len(ordered)}; bar: 1 s. Load at the start: {busy.load:.1f}."
    ]


if __name__ == "__main__":
    print(run())
