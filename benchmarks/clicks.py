"""Two hundred fill-and-click pairs at random delays over every form of every page, with two busy loops beside."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.clicking import SCREENS, SLOWEST, Tally, busy, fill_and_click
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port
from tests.ui.fabricate import fabricate_project

PAIRS = 200


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the projects are made up
    """Do them and return how many were lost."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory(prefix="taxocom-clicks-") as folder, sync_playwright() as playwright:
        os.environ["TAXOCOM_HOME"] = str(Path(folder) / "home")
        projects = {screen.name: fabricate_project(f"Quick {screen.name or 'home'}").project for screen in SCREENS}
        server = Server(Path(folder) / "home", free_port(), Path(folder) / "server.log")
        server.start()
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies([{"name": "taxocom_curator", "value": "Ada", "url": server.address}])
            page = context.new_page()
            page.set_default_timeout(60_000)
            n_each = {screen.name: round(PAIRS * len(screen.pairs) / _n_pairs()) for screen in SCREENS}
            with busy():
                done = {
                    screen.name: fill_and_click(page, server, projects[screen.name], screen, n_each[screen.name], rng)
                    for screen in SCREENS
                }
            browser.close()
        finally:
            server.stop()
    return "\n".join(_table(done))


def _n_pairs() -> int:
    return sum(len(screen.pairs) for screen in SCREENS)


def _table(done: dict[str, Tally]) -> list[str]:
    rows = [f"| {name or 'home'} | {len(tally.done)} | {len(tally.lost)} |" for name, tally in done.items()]
    n_done, n_lost = (sum(len(getattr(tally, name)) for tally in done.values()) for name in ("done", "lost"))
    return [
        f"Delays between a click and the next fill are uniform between 0 and {SLOWEST} ms; two busy loops run beside. "
        f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.",
        "",
        "| page | pairs | lost |",
        "|---|---|---|",
        *rows,
        f"| all | {n_done} | {n_lost} |",
        *([""] + [f"* {text}" for tally in done.values() for text in tally.lost] if n_lost else []),
    ]


if __name__ == "__main__":
    print(run())
