"""Every tile of the Export page: its preview, its file, and the command that writes the same file."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Locator, Page, expect

from taxocom.cli import main
from taxocom.expansion.proposals.accepting import accept
from taxocom.taxonomy.tree import ROOT_ID
from tests.browser.conftest import link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated

# What tells that a preview shows the file and not nothing; tables are drawn on a canvas.
SIGNS = {
    "json": '"label": "News"',
    "csv": "prefLabel",
    "turtle": "skos:",
    "jsonld": "@context",
    "rdfxml": "rdf:RDF",
    "graphml": "<graphml",
    "tsv": "Politics",
    "markdown": "- Politics",
    "html": "5 topics, 1 of them found in the corpus",
    "documents-csv": "doc-0000",
    "classifier": "label_hier.txt",
}
TABLES = ("xlsx", "documents-parquet")
# One of each way of writing: a tree, a tree in its context, documents; text and not.
REBUILT = ("csv", "turtle", "html", "xlsx", "documents-parquet", "classifier")
# Files that say when they were written.
DATED = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


def closed(page: Page) -> None:
    """Close the box that is open: a click beside it might do no more than that."""
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)


def popover(page: Page, tile: Locator, name: str) -> Locator:
    """Open one of a tile's boxes; the one that was open closes."""
    closed(page)
    tile.get_by_role("button", name=name).click()
    return page.get_by_test_id("stPopoverBody")


def downloaded(page: Page, tile: Locator) -> bytes:
    closed(page)
    with page.expect_download() as download:
        tile.get_by_role("button", name="Download").click()
    return Path(download.value.path()).read_bytes()


def run(command: str, folder: Path) -> bytes:
    """Run a command as it is printed, but for where it writes."""
    program, *words = shlex.split(command)
    assert program == "taxocom"
    written = folder / words[2]
    words[2] = str(written)
    outcome = CliRunner().invoke(main, words)
    assert outcome.exit_code == 0, outcome.output
    return written.read_bytes()


@pytest.mark.slow
def test_each_format_is_previewed_and_its_command_writes_the_same(
    page: Page, server: Server, made: Fabricated, tmp_path: Path
):
    made.project.record(accept(made.expansion.novel[0], ROOT_ID, label="War & peace"), author="Ada")
    page.goto(link(server, "export", made.project))
    expect(page.get_by_text("5 topics will be exported.")).to_be_visible()
    for name in (*SIGNS, *TABLES):
        tile = page.locator(f".st-key-format-{name}")
        shown = popover(page, tile, "Preview")
        if name in TABLES:
            expect(shown.get_by_test_id("stDataFrame")).to_be_visible()
        else:
            expect(shown).to_contain_text(SIGNS[name])
        command = popover(page, tile, "Command").inner_text().strip()
        assert command.startswith(f"taxocom export {made.project.name} ")
        if name not in REBUILT:
            continue
        file = downloaded(page, tile)
        assert DATED.sub(b"", run(command, tmp_path)) == DATED.sub(b"", file), command
    bundle = page.locator(".st-key-bundle")
    expect(popover(page, bundle, "Preview")).to_contain_text("replay/decisions.jsonl")
    command = popover(page, bundle, "Command").inner_text().strip()
    run(command, tmp_path)
    outcome = CliRunner().invoke(main, ["replay", str(tmp_path / shlex.split(command)[3])])
    assert outcome.exit_code == 0, outcome.output
