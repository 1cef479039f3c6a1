"""The Quality page in a real browser: a project without labels, one with, runs that outlive page and server."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from taxocom import jobs
from taxocom.expansion.proposals import accepting
from taxocom.store import Project, create_project
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.quality_runs import QualityRun, quality_runs, save_run
from taxocom.tagging.explanation import POOR_FIT
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.ui.quality.quality_words import WIDE_GAP
from tests.browser.conftest import NewPage, link
from tests.browser.serving import Server
from tests.expansion.planted import Planted, plant, without
from tests.ui.fabricate import Fabricated

TAXONOMY, STABILITY, LABELS = "This taxonomy", "Stability", "Against labels"
POISON = "<img src=http://evil.example/a.png onerror=alert(2)> ![x](http://evil.example/b.png) www.evil.example"


def tile(page: Page, name: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=name)


def opened(page: Page, server: Server, project: Project, view: str) -> Page:
    page.goto(link(server, "quality", project, view=view.replace(" ", "%20")))
    expect(page.get_by_role("tab", name=view)).to_have_attribute("aria-selected", "true")
    return page


def index(project: Project, documents: list[Document]) -> None:
    with project.working_place("corpus") as place:
        place.mkdir()
        names = [node.label for node in project.seed().walk()]
        report = build_corpus(documents, place, seed_phrases=names)
        project.use("corpus", project.publish_directory(place, "corpus", made_from=report.fingerprint))


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_documents=25)


@pytest.fixture
def labelled(
    planted: Planted, server: Server, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Project:
    """A small labelled project whose seed is whole; nothing has been expanded."""
    monkeypatch.setenv("TAXOCOM_HOME", str(server.home))
    name = f"labelled-{zlib.crc32(request.node.name.encode())}-{getattr(request.node, 'execution_count', 1)}"
    project = create_project(name, seed=planted.gold)
    documents = zip(planted.corpus.document_ids, planted.corpus.texts, planted.paths, strict=True)
    index(project, [Document(each, text, labels=path) for each, text, path in documents])
    return project


def choose(page: Page, name: str, wanted: str) -> None:
    """Choose an option of a list that can be searched by typing."""
    page.get_by_label(name, exact=True).fill(wanted)
    page.get_by_role("option").filter(has_text=wanted).first.click()
    page.keyboard.press("Escape")


def test_a_taxonomy_without_labels_is_measured_and_leads_on(page: Page, server: Server, made: Fabricated):
    opened(page, server, made.project, TAXONOMY)
    gap = (document_places(made.project).fit < POOR_FIT).mean()
    onward = page.get_by_role("link", name="Expand News").first
    assert gap >= WIDE_GAP
    expect(onward).to_be_visible()
    expect(tile(page, "Documents explained")).to_contain_text(f"{1 - gap:.0%}".replace("%", " %"))
    expect(page.get_by_text("No new topic has been accepted yet")).to_be_visible()
    film = made.expansion.novel[0]
    made.project.record(accepting.accept(film, ROOT_ID, label="Cinema"), author="Ben")
    # What somebody else accepted shows without a refresh.
    after = (document_places(made.project).fit < POOR_FIT).mean()
    assert after < gap
    expect(tile(page, "Documents explained")).to_contain_text(f"{1 - after:.0%}".replace("%", " %"))
    expect(tile(page, "Coherency")).to_contain_text("good")
    expect(page.get_by_text("No new topic has been accepted yet")).to_have_count(0)
    made.project.undo(author="Ben")
    expect(tile(page, "Documents explained")).to_contain_text(f"{1 - gap:.0%}".replace("%", " %"))
    onward.click()
    expect(page.get_by_role("heading", name="News")).to_be_visible()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_stability_is_measured_in_the_background_and_survives_a_refresh(page: Page, server: Server, made: Fabricated):
    before = (made.project.sequence, len(made.project.proposals()))
    opened(page, server, made.project, STABILITY)
    expect(page.get_by_text("Not measured yet")).to_be_visible()
    page.get_by_label("Random states", exact=True).fill("2")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Measure stability").click()
    expect(page.get_by_role("button", name="Cancel").or_(tile(page, "Found every time"))).to_be_visible()
    page.reload()
    expect(tile(page, "Found every time")).to_be_visible(timeout=180_000)
    (run,) = quality_runs(made.project, "stability")
    assert run.settings["n_states"] == 2
    expect(page.get_by_label("Result", exact=True)).to_be_visible()
    expect(page.get_by_text("Topic by topic, least stable first")).to_be_visible()
    assert (made.project.sequence, len(made.project.proposals())) == before
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Not measured yet")).to_be_visible()
    assert quality_runs(made.project, "stability") == []


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_hidden_topics_are_looked_for_in_a_copy_while_nobody_looks(
    page: Page, new_page: NewPage, server: Server, labelled: Project, planted: Planted
):
    hidden = planted.gold.children_of(ROOT_ID)[-1].label
    before = (labelled.taxonomy(), labelled.sequence, labelled.purposes()["corpus"])
    opened(page, server, labelled, LABELS)
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_text("No topic is hidden yet")).to_be_visible()
    choose(page, "Topics to hide", hidden)
    page.get_by_label("Random states", exact=True).fill("1")
    page.keyboard.press("Tab")
    expect(page.get_by_text("1 run,")).to_be_visible()
    page.get_by_role("button", name="Measure", exact=True).click()
    started = page.get_by_role("button", name="Cancel").or_(tile(page, "Hidden topics found"))
    expect(started).to_be_visible()
    page.close()
    page = opened(new_page("Ada"), server, labelled, LABELS)
    expect(tile(page, "Hidden topics found")).to_contain_text("1 of 1", timeout=180_000)
    expect(tile(page, "Under the right parent")).to_contain_text(re.compile(r"[1-9] of [1-9]"))
    assert (labelled.taxonomy(), labelled.sequence, labelled.purposes()["corpus"]) == before
    with page.expect_download() as download:
        page.get_by_role("button", name="Download JSON").click()
    (run,) = json.loads(Path(download.value.path()).read_text())["runs"]
    assert run["settings"]["remove"] == [[hidden]]
    (report,) = run["reports"]
    assert report["removed"][0]["topic"] == hidden
    assert report["removed"][0]["recovered"] is True
    with page.expect_download() as download:
        page.get_by_role("button", name="Download report.html").click()
    html = Path(download.value.path()).read_text()
    assert "Documents of removed topics" in html
    assert hidden in html


@pytest.mark.timeout(400)
def test_an_evaluation_is_cancelled_keeps_what_it_has_and_goes_on(page: Page, server: Server, labelled: Project):
    opened(page, server, labelled, LABELS)
    page.get_by_text("Second level", exact=True).click()
    page.get_by_role("button", name="Draw").click()
    expect(page.get_by_role("group", name="Selected values")).to_contain_text(" › ")
    page.get_by_label("Random states", exact=True).fill("10")
    page.keyboard.press("Tab")
    expect(page.get_by_text("10 runs,")).to_be_visible()
    page.get_by_role("button", name="Measure", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("was cancelled. Nothing was changed")).to_be_visible()
    assert jobs.list_jobs(labelled)[0].state == "cancelled"
    for run in quality_runs(labelled, "evaluate"):
        assert run.n_done < run.n_planned == 10
        expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_what_cannot_be_measured_says_what_to_do(
    page: Page, server: Server, labelled: Project, planted: Planted, fabricate: Callable[..., Fabricated]
):
    page.goto(f"{server.address}/quality")
    expect(page.get_by_role("link", name="Go to Projects")).to_be_visible()
    bare = create_project(f"bare {labelled.path.name}", seed=without(planted.gold))
    page.goto(link(server, "quality", bare))
    expect(page.get_by_text("This project has no corpus yet")).to_be_visible()
    opened(page, server, labelled, TAXONOMY)
    expect(page.get_by_text("Nothing has been expanded yet")).to_be_visible()
    expect(page.get_by_role("link", name="Go to Expand")).to_be_visible()
    opened(page, server, labelled, LABELS)
    for node in planted.gold.children_of(ROOT_ID):
        choose(page, "Topics to hide", node.label)
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Leave at least one")
    assert jobs.list_jobs(labelled) == []
    unlabelled = fabricate(f"unlabelled {labelled.path.name}", propose=False).project
    opened(page, server, unlabelled, LABELS)
    expect(page.get_by_text("The documents carry no labels")).to_be_visible()


def test_a_hierarchy_from_a_file_judges_and_a_broken_one_is_refused(
    page: Page, server: Server, labelled: Project, planted: Planted, tmp_path: Path
):
    broken, top_only, gold = (tmp_path / name for name in ("broken.tsv", "top.tsv", "gold.tsv"))
    broken.write_text("*\tlaw\tart\nlaw\tcourts\nart\tcourts\n")
    top = planted.gold.children_of(ROOT_ID)
    top_only.write_text("\t".join(["*", *(node.label for node in top)]) + "\n")
    opened(page, server, labelled, LABELS)
    page.get_by_text("A file", exact=True).click()
    page.locator("input[type=file]").set_input_files(broken)
    expect(page.get_by_role("alert")).to_contain_text("courts")
    page.locator("input[type=file]").set_input_files(top_only)
    # Its topics are no label by themselves: every document is labelled one level below.
    # What was said of the file before goes when the page has run to its end, a moment later.
    expect(page.get_by_role("alert").filter(has_text="Choose another hierarchy")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(1)
    below = ["\t".join([node.label, *(n.label for n in planted.gold.children_of(node.node_id))]) for node in top]
    gold.write_text("\n".join([top_only.read_text().strip(), *below]) + "\n")
    page.locator("input[type=file]").set_input_files(gold)
    choose(page, "Topics to hide", top[0].label)
    expect(page.get_by_text("3 runs,")).to_be_visible()
    expect(page.get_by_text("Judged by gold.tsv")).to_be_visible()
    assert len(labelled.taxonomy()) == len(planted.gold)


@pytest.mark.parametrize(("theme", "width", "height"), [("light", 1280, 800), ("dark", 390, 844)])
def test_it_fits_and_shows_hostile_text_as_text(
    theme: str, width: int, height: int, new_page: NewPage, server: Server, labelled: Project, tmp_path: Path
):
    texts = [(each, text) for each, text in zip(labelled.corpus().document_ids, labelled.corpus().texts, strict=True)]
    index(labelled, [Document(each, text, labels=(POISON[:80], POISON)) for each, text in texts])
    topics = [
        {"label": POISON, "topic_id": "", "known": False, "n_found": 1, "documents": 0.1, "terms": 0.1,
         "n_documents": 9, "top_terms": [POISON]}
    ]  # fmt: skip
    results = {"n_runs": 2, "n_novel": [1, 0], "by_documents": 0.0, "by_terms": 0.0, "topics": topics}
    settings = {"node_id": ROOT_ID, "label": POISON, "n_states": 2}
    fingerprint = labelled.corpus().fingerprint
    save_run(labelled, QualityRun("r", "stability", "", 0, fingerprint, settings, 2, 2), results)
    page = new_page("Ada", theme=theme, width=width, height=height)
    for view, sign in ((STABILITY, "found in 1 of 2 runs"), (LABELS, "Topics to hide"), (TAXONOMY, "Nothing has been")):
        opened(page, server, labelled, view)
        expect(page.get_by_text(sign).first).to_be_visible()
        page.wait_for_timeout(800)
        page.screenshot(path=tmp_path / f"{view}-{theme}-{width}.png")
        beyond = page.evaluate(
            "() => { const main = document.querySelector('[data-testid=stMain]');"
            " return main.scrollWidth - main.clientWidth; }"
        )
        assert beyond <= 1, f"{view} is {beyond} pixels too wide at {width}"
        assert page.locator("img[src*='evil.example'], a[href*='evil.example']").count() == 0
