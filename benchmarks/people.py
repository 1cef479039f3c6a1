"""Ten people on one project, each in a browser of their own: nothing lost, nothing doubled, how soon, and what is left.

Each person writes notes and definitions on a topic of their own. When they have left, the memory of the server is
compared with what it was before they came.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from playwright.async_api import Browser, Page, TimeoutError, async_playwright

from taxocom.store import Project
from taxocom.taxonomy.decisions import AddNote, AddTopic, EditDefinition
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port
from tests.ui.fabricate import fabricate_project

PEOPLE = int(os.environ.get("TAXOCOM_PEOPLE", "10"))
ROUNDS = int(os.environ.get("TAXOCOM_ROUNDS", "6"))
_SESSION_SECONDS = 15
_PATIENCE = 60_000


@dataclass
class Worked:
    """What one person sent, how long each took to be stored, and how often somebody else had decided first."""

    notes: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    n_refused: int = 0


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the project is made up
    """Let them work and return what came of it."""
    with tempfile.TemporaryDirectory(prefix="taxocom-people-") as folder, set_home(Path(folder)) as home:
        project = fabricate_project("Shared").project
        for number in range(PEOPLE):
            project.record(AddTopic(ROOT_ID, TopicNode(_topic(number), f"Desk {number}")), author="Test")
        server = Server(home, free_port(), Path(folder) / "server.log")
        server.start()
        try:
            return asyncio.run(_measure(server, project))
        finally:
            server.stop()


@contextmanager
def set_home(folder: Path) -> Iterator[Path]:
    """Set a home, and let sessions end soon after their windows: five minutes are long for a benchmark."""
    wanted = {"TAXOCOM_HOME": str(folder / "home"), "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": str(_SESSION_SECONDS)}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield folder / "home"
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _topic(number: int) -> str:
    return topic_id("desk", str(number))


async def _measure(server: Server, project: Project) -> str:
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        await _person(browser, server, project, 0, rounds=1)
        await asyncio.sleep(2 * _SESSION_SECONDS + 20)
        before = process.memory_info().rss
        load = os.getloadavg()[0]
        worked = await asyncio.gather(*(_person(browser, server, project, n) for n in range(PEOPLE)))
        peak = process.memory_info().rss
        await browser.close()
    await asyncio.sleep(_SESSION_SECONDS + 45)
    return "\n".join(_table(project, worked, (before, peak, process.memory_info().rss), load))


async def _person(browser: Browser, server: Server, project: Project, number: int, rounds: int = ROUNDS) -> Worked:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    await context.add_cookies([{"name": "taxocom_curator", "value": f"Person{number}", "url": server.address}])
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE)
    worked, rng = Worked(), random.Random(number)
    await page.goto(f"{server.address}/review?project={project.path.name}&node={_topic(number)}")
    for turn in range(rounds):
        # What the first visitor writes to warm the server up is not what the first of the ten writes.
        mark = f"{number}/{turn} of {rounds}/{rng.randrange(10**6)}"
        if rounds > 1:
            worked.notes.append(f"note {mark}")
            worked.definitions.append(f"definition {mark}")
        await _send(page, worked, "Add a note", f"note {mark}", "Add the note")
        await page.wait_for_timeout(rng.uniform(500, 4000))
        await _send(page, worked, "Definition", f"definition {mark}", "Save")
        await page.wait_for_timeout(rng.uniform(500, 4000))
    await context.close()
    return worked


async def _send(page: Page, worked: Worked, label: str, text: str, button: str) -> None:
    """Fill and click, wait for the answer, and decide again as long as others decided first."""
    await page.get_by_label(label).fill(text)
    started = time.perf_counter()
    await page.get_by_role("button", name=button).click()
    while await page.evaluate("taxocom.unanswered.size"):
        await page.wait_for_timeout(20)
    worked.seconds.append(time.perf_counter() - started)
    again = page.get_by_role("button", name="Try again")
    while await page.get_by_text("Not stored yet").count():
        worked.n_refused += 1
        # The notice may go just now, because another answer came.
        with suppress(TimeoutError):
            await again.first.click(timeout=2000)
        await page.wait_for_timeout(1000)


def _table(project: Project, worked: list[Worked], memory: tuple[int, int, int], load: float) -> list[str]:
    stored = Counter(
        entry.decision.note if isinstance(entry.decision, AddNote) else entry.decision.definition
        for entry in project.log()
        if isinstance(entry.decision, (AddNote, EditDefinition))
    )
    sent = [text for each in worked for text in (*each.notes, *each.definitions)]
    seconds = sorted(second for each in worked for second in each.seconds)
    n_refused = sum(each.n_refused for each in worked)
    before, peak, after = (size / 2**20 for size in memory)
    return [
        f"{len(worked)} people, {len(sent)} decisions on disjoint topics; load of the machine at the start {load:.1f} "
        f"on {os.cpu_count()} cores, the browsers on the same machine.",
        "",
        "| | measured | bar |",
        "|---|---|---|",
        f"| lost | {sum(text not in stored for text in sent)} | 0 |",
        f"| doubled | {sum(stored[text] > 1 for text in sent)} | 0 |",
        f"| told that somebody else decided first | {n_refused} | fewer than 2 in 100 |",
        f"| click to answer, median | {seconds[len(seconds) // 2]:.2f} s | |",
        f"| click to answer, 95 in 100 | {seconds[int(len(seconds) * 0.95)]:.2f} s | 2 s |",
        f"| memory before they came | {before:.0f} MiB | |",
        f"| memory at the end of their work | {peak:.0f} MiB | |",
        f"| memory after they left | {after:.0f} MiB ({after / before - 1:+.0%}) | +20 % |",
    ]


if __name__ == "__main__":
    print(run())
