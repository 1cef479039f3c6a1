"""From the click on *Expand* to a proposal on screen, on the sample, in Chromium; and how soon a click is answered.

Cold is a machine that never ran an expansion: numba's cache is empty when the app starts, and *Expand* is clicked as
soon as the texts of the sample have been read. Warm is the same again with the cache that this left behind.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from taxocom import jobs
from taxocom.store import open_project
from taxocom.store.homes.sample import SAMPLE_PROJECT, sample_corpus
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port

PATIENCE = 300_000
_ENDS = ".map[data-painted], [data-testid=stAlert]"


@dataclass
class Run:
    """One first run: seconds from click to proposal, seconds a stage, and seconds each click took on the way."""

    texts_read: float = 0.0
    proposal: float = 0.0
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
            cold = _first_run(place / "cold", clicking=False)
            warm = _first_run(place / "warm", clicking=False)
            busy = _first_run(place / "busy", clicking=True)
    return "\n".join([*_table(cold, warm), "", *_stages(cold, warm), "", *_clicks(busy)])


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


def _first_run(folder: Path, *, clicking: bool) -> Run:
    folder.mkdir()
    server = Server(folder / "home", free_port(), folder / "server.log")
    server.start()
    try:
        with _environment(TAXOCOM_HOME=str(folder / "home")), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE)
            measured = _tell_the_story(page, server.address, clicking)
            browser.close()
            return measured
    finally:
        server.stop()


def _tell_the_story(page: Page, address: str, clicking: bool) -> Run:
    measured = Run(load=os.getloadavg()[0])
    page.goto(address)
    started = time.perf_counter()
    page.get_by_role("button", name="Try the sample").click()
    page.get_by_text("Ready to expand").wait_for()
    measured.texts_read = time.perf_counter() - started
    started = time.perf_counter()
    page.get_by_role("button", name="Expand", exact=True).click()
    if clicking:
        _click_about(page, measured)
    else:
        _watch_stages(measured, started)
    page.wait_for_selector(_ENDS)
    measured.proposal = time.perf_counter() - started
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
    while not page.locator(_ENDS).count() and len(measured.clicks) < 12 and page.get_by_text("Expanding").count():
        topic = topics[len(measured.clicks) % len(topics)]
        started = time.perf_counter()
        page.get_by_role("treeitem", name=topic).locator(".label").first.click()
        page.get_by_role("heading", name=topic, exact=True).wait_for()
        measured.clicks.append(time.perf_counter() - started)
        page.wait_for_timeout(150)
    page.get_by_role("treeitem").first.locator(".label").first.click()


def _table(cold: Run, warm: Run) -> list[str]:
    return [
        "| the sample, root | cold | warm | bar |",
        "|---|---|---|---|",
        f"| click on *Try the sample* to texts read | {cold.texts_read:.1f} s | {warm.texts_read:.1f} s | |",
        f"| click on *Expand* to the proposal on screen | {cold.proposal:.1f} s | {warm.proposal:.1f} s | 60 s, 20 s |",
        f"| load of the machine at the start (we at niceness {os.nice(0)}) | {cold.load:.1f} | {warm.load:.1f} | |",
    ]


def _stages(cold: Run, warm: Run) -> list[str]:
    names = dict.fromkeys([*warm.stages, *cold.stages])
    rows = [f"| {name} | {cold.stages.get(name, 0):.1f} s | {warm.stages.get(name, 0):.1f} s |" for name in names]
    return ["What the time goes into:", "", "| stage | cold | warm |", "|---|---|---|", *rows]


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
