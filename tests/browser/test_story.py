"""The first-run story: from an empty home to an exported file, with the real engine and nothing prepared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.serving import Server, free_port
from tests.ui.fabricate import documents

SEED = """# News
Politics: election, minister
Sport: football, league
  Football
Business: market, bank
"""


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home", free_port(), tmp_path / "server.log")
    running.start()
    yield running
    running.stop()


def corpus_file(folder: Path) -> Path:
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["key", "headline", "body"])
    writer.writerows([document.document_id, document.title, document.text] for document in documents(420))
    path = folder / "news.csv"
    path.write_text(table.getvalue())
    return path


def downloaded(page: Page, tile: str) -> bytes:
    with page.expect_download() as download:
        page.locator(tile).get_by_role("button", name="Download").click()
    return Path(download.value.path()).read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_from_an_empty_home_to_an_exported_file(empty: Server, new_page: NewPage, tmp_path: Path):
    page = new_page()
    page.goto(empty.address)
    page.get_by_role("button", name="New project").click()
    missing = page.get_by_text("Still missing")
    page.get_by_label("Name", exact=True).fill("First steps")
    page.keyboard.press("Tab")
    expect(missing).not_to_contain_text("a name")
    page.get_by_label("One topic per line").fill(SEED)
    page.keyboard.press("Tab")
    expect(page.get_by_text("4 topics read.")).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(corpus_file(tmp_path))
    expect(missing).to_have_count(0)
    page.get_by_role("button", name="Create the project").click()

    expect(page.get_by_text("4 of 4 topics occur in the corpus.")).to_be_visible(timeout=120_000)
    page.get_by_role("link", name="Go on to Expand").click()
    expect(page.get_by_text("Ready to expand")).to_be_visible()
    page.get_by_role("button", name="Expand", exact=True).click()
    page.wait_for_selector(".map[data-painted], [data-testid=stAlert]", timeout=300_000)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.wait_for_selector(".map[data-painted]")

    first = page.locator(".card.novel").first
    first.get_by_role("textbox").fill("Found by the corpus")
    page.keyboard.press("Enter")
    page.locator(".card.novel").first.get_by_role("button", name="Accept").click()
    expect(page.locator(".st-key-commit-bar")).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Your name").fill("Ada")
    dialog.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("treeitem", name="Found by the corpus")).to_be_visible()

    page.get_by_role("link", name="Export").click()
    expect(page.get_by_text("5 topics will be exported.")).to_be_visible()
    tree = json.loads(downloaded(page, ".st-key-format-json"))
    labels = json.dumps(tree)
    assert all(f'"{label}"' in labels for label in ("Politics", "Football", "Found by the corpus"))
    rows = list(csv.DictReader(io.StringIO(downloaded(page, ".st-key-format-csv").decode("utf-8-sig"))))
    assert {row["prefLabel"] for row in rows} >= {"Politics", "Sport", "Business", "Football", "Found by the corpus"}
    assigned = list(csv.DictReader(io.StringIO(downloaded(page, ".st-key-format-documents-csv").decode("utf-8-sig"))))
    assert len(assigned) == 420
