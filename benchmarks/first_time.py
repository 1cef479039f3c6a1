"""A first-time user in Chromium: bbc with business, politics, sport known, until technology, entertainment are there.

Everything is counted from an empty home: making the project, reading the texts, the expansion, and what a person clicks
and types. What is compiled once on a machine was compiled before. Right is what the labels of the corpus say.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

from taxocom.jobs.warming import PARTS
from taxocom.jobs.warming import main as compile_ahead
from taxocom.store.homes.lifecycle import open_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.tree import ROOT_ID
from tests.browser.conftest import at_rest
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port

KNOWN = ("business", "politics", "sport")
MISSED = ("technology", "entertainment")
MOST_CLICKS, MOST_SECONDS, LEAST_RIGHT = 15, 180, 0.9
_PATIENCE = 300_000


class Hand:
    """A hand that counts what it does."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0
        self.started = time.perf_counter()
        self.steps: list[tuple[str, int, float]] = []

    def click(self, target: Locator) -> None:
        """Click, and count it."""
        target.click()
        self.clicks += 1

    def write(self, field: Locator, text: str, end: str = "Tab") -> None:
        """Click into a field, type as people do, and leave it."""
        self.click(field)
        field.press_sequentially(text, delay=60)
        field.press(end)

    def note(self, what: str) -> None:
        """Note how far it is."""
        self.steps.append((what, self.clicks, time.perf_counter() - self.started))


def run(corpora: Path | None = None) -> str:
    """Play the story once and return its table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=first_time`."
    for part in PARTS:
        compile_ahead(part)
    with tempfile.TemporaryDirectory(prefix="taxocom-first-") as folder:
        home = Path(folder) / "home"
        os.environ["TAXOCOM_HOME"] = str(home)
        server = Server(home, free_port(), Path(folder) / "server.log")
        server.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(_PATIENCE)
                expect.set_options(timeout=_PATIENCE)
                page.goto(server.address)
                hand = Hand(page)
                _story(hand, corpora / "bbc" / "docs.jsonl.gz")
                browser.close()
        finally:
            server.stop()
        return _told(hand, _right(corpora / "bbc" / "docs.jsonl.gz"))


def _story(hand: Hand, texts: Path) -> None:
    page = hand.page
    hand.click(page.get_by_role("button", name="New project"))
    hand.write(page.get_by_label("Name", exact=True), "bbc")
    hand.write(page.get_by_label("One topic per line"), "\n".join(KNOWN))
    # The box that opens the choice of files is one click, the file in it another.
    page.locator("input[type=file]").first.set_input_files(texts)
    hand.clicks += 2
    expect(page.get_by_text("Still missing")).to_have_count(0)
    hand.click(page.get_by_role("button", name="Create the project"))
    hand.note("project made")
    onward = page.get_by_role("link", name="Go on to Expand")
    expect(onward).to_be_visible()
    hand.note("texts read")
    hand.click(onward)
    hand.click(page.get_by_role("button", name="Expand", exact=True))
    page.wait_for_selector(".map[data-painted]")
    hand.note("proposal shown")
    hand.click(page.get_by_text("I miss a topic"))
    asked = page.locator(".st-key-who-miss")
    hand.write(asked.get_by_label("Your name"), "Ada", end="Enter")
    for label in MISSED:
        at_rest(page)
        field = page.get_by_label("Its name")
        if label != MISSED[0] and not field.is_visible():
            hand.click(page.get_by_text("I miss a topic"))
        expect(field).to_be_editable()
        hand.write(field, label, end="Enter")
        card = page.locator(".st-key-missed-card")
        expect(card).to_contain_text(f"{label}: ")
        hand.note(f"card of {label}")
        hand.click(card.get_by_role("button", name="Add it"))
        expect(page.get_by_role("treeitem", name=label)).to_be_visible()
        expect(card).to_have_count(0)
        hand.note(f"{label} in the tree")


def _right(texts: Path) -> dict[str, tuple[int, float, float]]:
    """Return how many documents each topic holds, the share of them that are its own, and of its own that it holds."""
    with gzip.open(texts, "rt", encoding="utf-8") as lines:
        gold = {str(row["id"]): row["labels"][0] for row in map(json.loads, lines)}
    with open_project("bbc") as project:
        places, tree, ids = document_places(project), project.taxonomy(), project.corpus().document_ids
        found = {}
        for node in tree.children_of(ROOT_ID):
            held = {ids[int(row)] for row in places.documents_of(node.node_id)}
            own = {each for each in ids if gold[each] == node.label}
            found[node.label] = (len(held), len(held & own) / max(len(held), 1), len(held & own) / max(len(own), 1))
        right = sum(gold[ids[row]] == tree[places.node_of(row)].label for row in range(len(ids)))
        return {**found, "all": (len(ids), right / len(ids), right / len(ids))}


def _told(hand: Hand, right: dict[str, tuple[int, float, float]]) -> str:
    steps = [f"| {what} | {clicks} | {seconds:.0f} s |" for what, clicks, seconds in hand.steps]
    held = [f"| {label} | {n:,} | {precise:.3f} | {whole:.3f} |" for label, (n, precise, whole) in right.items()]
    bars = f"Bars: both topics within {MOST_CLICKS} clicks and {MOST_SECONDS} s, more than {LEAST_RIGHT:.0%} right."
    return "\n".join(
        [
            f"{bars} Load of the machine at the end: {os.getloadavg()[0]:.1f}.",
            "",
            "| step | clicks so far | time so far |\n|---|---:|---:|",
            *steps,
            "",
            "| topic | documents held | of these its own | of its own held |\n|---|---:|---:|---:|",
            *held,
        ]
    )
