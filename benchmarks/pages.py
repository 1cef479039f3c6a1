"""How soon every page answers on a large project, in Chromium; what an idle page costs; how soon a save is answered.

A page can be used when its script has ended for the first time, and is drawn when nothing on it is being thought about.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from taxocom.store import Project
from taxocom.taxonomy.decisions import AddNote, AddTopic, Decision, EditDefinition, EditScopeNote, RenameTopic
from taxocom.taxonomy.tree import TopicNode, topic_id
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port
from tests.ui.fabricate import fabricate_project

N_TOPICS, N_DECISIONS, N_DOCUMENTS = 5_000, 20_000, 1_400
SPORT = topic_id("sport")
PATIENCE = 240_000
_IDLE_SECONDS = 20
_SAVES = 6
_PAGES = {
    "Projects": "",
    "Corpus & seed": "corpus?{project}&node={sport}",
    "Expand": "expand?{project}",
    "Review: tree": "review?{project}&node={sport}",
    "Review: queue": "review?{project}&view=Queue",
    "Review: history": "review?{project}&view=History",
    "Review: compare": "review?{project}&view=Compare",
    "Documents": "documents?{project}&node={sport}",
    "Quality": "quality?{project}",
    "Quality: stability": "quality?{project}&view=Stability",
    "Export": "export?{project}",
}


@dataclass(frozen=True)
class Opened:
    """Seconds until a page can be used and until all of it is drawn, the first time and again."""

    name: str
    used_first: float
    drawn_first: float
    used_again: float
    drawn_again: float


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the project is made up
    """Measure and return the tables."""
    with tempfile.TemporaryDirectory(prefix="taxocom-pages-") as folder, _server(Path(folder)) as (server, project):
        assert server.process is not None
        process = psutil.Process(server.process.pid)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies([{"name": "taxocom_curator", "value": "Ada", "url": server.address}])
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            opened = [_opened(page, server, project, name) for name in _PAGES]
            idle = {name: _idle(page, process, server, project, name) for name in ("Review: tree", "Expand")}
            saves = _saves(page, server, project)
            browser.close()
    return "\n".join([*_table(opened), "", *_rest(idle, saves)])


def large_project(name: str) -> Project:
    """Make the project: topics at random places, then decisions of several kinds on topics at random."""
    rng, project = random.Random(0), fabricate_project(name, n_documents=N_DOCUMENTS).project
    ids = [topic_id(label) for label in ("politics", "sport", "business")]
    decisions: list[Decision] = []
    for number in range(N_TOPICS - len(project.taxonomy())):
        node = TopicNode(topic_id("large", str(number)), f"Topic {number} of many")
        decisions.append(AddTopic(rng.choice(ids[:600]), node))
        ids.append(node.node_id)
    while len(decisions) < N_DECISIONS:
        node_id, number = rng.choice(ids), len(decisions)
        kinds = (EditDefinition, EditScopeNote, AddNote, RenameTopic)
        decisions.append(rng.choice(kinds)(node_id, f"What was said of it at {number}"))
    for start in range(0, N_DECISIONS, 500):
        project.record_all(decisions[start : start + 500], author=rng.choice(("Ada", "Ben")))
    return project


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Server, Project]]:
    before = os.environ.get("TAXOCOM_HOME")
    os.environ["TAXOCOM_HOME"] = str(folder / "home")
    server = Server(folder / "home", free_port(), folder / "server.log")
    try:
        project = large_project("Large")
        server.start()
        yield server, project
    finally:
        server.stop()
        os.environ.pop("TAXOCOM_HOME")
        if before is not None:
            os.environ["TAXOCOM_HOME"] = before


def _address(server: Server, project: Project, name: str) -> str:
    return f"{server.address}/" + _PAGES[name].format(project=f"project={project.path.name}", sport=SPORT)


def _opened(page: Page, server: Server, project: Project, name: str) -> Opened:
    return Opened(name, *_once(page, server, project, name), *_once(page, server, project, name))


def _once(page: Page, server: Server, project: Project, name: str) -> tuple[float, float]:
    page.goto("about:blank")
    started = time.perf_counter()
    page.goto(_address(server, project, name))
    page.wait_for_selector(".st-key-topnav a")
    _wait_until_at_rest(page)
    used = time.perf_counter() - started
    while page.locator("[class*=st-key-thinking]").count():
        page.wait_for_timeout(50)
    _wait_until_at_rest(page)
    return used, time.perf_counter() - started


def _wait_until_at_rest(page: Page) -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def _idle(page: Page, process: psutil.Process, server: Server, project: Project, name: str) -> float:
    """Return the share of a core that the server takes while one page is open and nobody does anything."""
    _once(page, server, project, name)
    page.wait_for_timeout(5000)
    before = process.cpu_times()
    page.wait_for_timeout(_IDLE_SECONDS * 1000)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / _IDLE_SECONDS


def _saves(page: Page, server: Server, project: Project) -> list[float]:
    """Return the seconds from a click on *Save* until the page says that the definition is stored."""
    _once(page, server, project, "Review: tree")
    seconds = []
    for number in range(_SAVES):
        page.get_by_label("Definition").fill(f"A definition of {number} words")
        started = time.perf_counter()
        page.get_by_role("button", name="Save").click()
        _until_answered(page)
        seconds.append(time.perf_counter() - started)
        page.wait_for_timeout(2000)
    return seconds


def _until_answered(page: Page) -> None:
    while page.evaluate("taxocom.unanswered.size"):
        page.wait_for_timeout(10)


def _table(opened: list[Opened]) -> list[str]:
    rows = [
        f"| {o.name} | {o.used_first:.1f} | {o.drawn_first:.1f} | {o.used_again:.1f} | {o.drawn_again:.1f} |"
        for o in opened
    ]
    return [
        f"{N_DECISIONS:,} decisions, {N_TOPICS:,} topics, {N_DOCUMENTS:,} documents; seconds from the address to the "
        f"page. The bar is 2 s. Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.",
        "",
        "| page | can be used, first | all drawn, first | can be used, again | all drawn, again |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _rest(idle: dict[str, float], saves: list[float]) -> list[str]:
    ordered = sorted(saves)
    costs = ", ".join(f"{name} {share:.1%}" for name, share in idle.items())
    return [
        f"One idle page costs the server, as a share of one core: {costs}. The bar is 2 %.",
        "",
        f"A definition is saved in {ordered[len(ordered) // 2]:.2f} s (median of {len(ordered)}; worst "
        f"{ordered[-1]:.2f}), from the click until the page says so. The bar is 0.5 s.",
    ]


if __name__ == "__main__":
    print(run())
