"""Texts that come later, in the browser: add them, see what rose, accept a topic, tag a file and take it home."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from playwright.sync_api import Page, expect

from taxocom.store.projects.batches import list_batches
from taxocom.store.projects.document_places import document_places
from tests.browser.conftest import at_rest, link
from tests.browser.serving import Server
from tests.ui.fabricate import THEMES, Fabricated


def later_texts(folder: Path) -> Path:
    """Write 70 texts of a later month, most of them about sport."""
    draw = random.Random(3)
    path = folder / "may.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        for number in range(70):
            words = THEMES["sport" if number < 60 else "politics"]
            writer.writerow(
                [f"may-{number}", " ".join([*draw.choices(words, k=12), *draw.choices(THEMES["general"], k=6)])]
            )
    return path


def test_texts_are_added_followed_and_tagged(page: Page, server: Server, made: Fabricated, tmp_path: Path):
    file = later_texts(tmp_path)
    page.goto(link(server, "expand", made.project))
    page.wait_for_selector(".map[data-painted]")
    page.locator(".card.novel").first.get_by_role("button", name="Accept").click()
    expect(page.locator(".st-key-commit-bar")).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("treeitem", name=made.expansion.novel[0].label)).to_be_visible()
    before = document_places(made.project)

    page.get_by_role("link", name="Corpus & seed").first.click()
    adding = page.locator(".st-key-add-texts")
    adding.locator("summary").click()
    adding.locator("input[type=file]").set_input_files(file)
    adding.get_by_label("Name of the batch").fill("May")
    page.keyboard.press("Tab")
    at_rest(page)
    adding.get_by_role("button", name="Add them").click()
    expect(page.get_by_text("70 added")).to_be_visible()
    after = document_places(made.project)
    there = range(len(before.numbers))
    assert [after.node_of(row) for row in there] == [before.node_of(row) for row in there]
    assert [batch.name for batch in list_batches(made.project)] == ["May"]

    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_text("May, compared with everything before")).to_be_visible()
    expect(page.locator("p", has_text="▲ rising")).to_contain_text("Sport")

    page.get_by_role("link", name="Export").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("The first 20 texts.")).to_be_visible()
    page.get_by_role("button", name="Tag all the texts").click()
    made_file = page.locator(".st-key-tagged")
    expect(made_file).to_contain_text("70 texts")
    with page.expect_download() as download:
        made_file.get_by_role("button", name="Download").click()
    with Path(download.value.path()).open(encoding="utf-8-sig") as tagged:
        paths = [row["paths"] for row in csv.DictReader(tagged)]
    assert sum(path.startswith("Sport") for path in paths) >= 55
