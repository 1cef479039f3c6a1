"""Projects, the seed with its pre-flight, documents, and every screen in both themes and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from taxocom.store import list_projects, open_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import MoveDocument
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from tests.browser.conftest import NewPage, link, was_told
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated

LAPTOP, PHONE = (1280, 800), (390, 844)
SCREENS = {
    "expand": ".map[data-painted]",
    "corpus": ".tree",
    "review": ".tree",
    "documents": ".passages article",
    "timeline": ".st-key-timeline-by",
    "quality": ".st-key-quality-tiles",
    "export": ".st-key-format-json",
}

# What can be pressed or filled in and has no word: neither a text, a label, a title nor a placeholder.
NAMELESS = r"""() => {
  const found = [];
  // The font of icons writes them as words, which are not said.
  const text = (e) => e && [...e.querySelectorAll('[data-testid=stIconMaterial]')].reduce(
    (said, icon) => said.replace(icon.textContent, ''), e.textContent);
  const names = (root, e) => [e.getAttribute('aria-label'), text(e), e.title, e.placeholder,
    text(e.closest('label')), e.id && text(root.querySelector(`label[for="${CSS.escape(e.id)}"]`))];
  const walk = (root) => root.querySelectorAll('*').forEach((e) => {
    if (e.shadowRoot) walk(e.shadowRoot);
    if (!e.offsetWidth || !e.matches('button, a[href], [role=button], [role=tab], input, select, textarea')) return;
    if (!names(root, e).some((name) => /\p{L}/u.test(name ?? ''))) found.push(e.outerHTML.slice(0, 120));
  });
  walk(document);
  return found;
}"""


@pytest.mark.parametrize(("theme", "size"), [("light", LAPTOP), ("dark", PHONE)])
def test_every_screen_fits(
    theme: str, size: tuple[int, int], new_page: NewPage, server: Server, made: Fabricated, tmp_path: Path
):
    width, height = size
    page = new_page("Ada", theme=theme, width=width, height=height)
    for screen, sign in SCREENS.items():
        page.goto(link(server, screen, made.project))
        page.wait_for_selector(sign, state="attached")
        page.wait_for_timeout(300)
        page.screenshot(path=tmp_path / f"{screen}-{theme}-{width}.png")
        beyond = page.evaluate(
            "() => { const main = document.querySelector('[data-testid=stMain]');"
            " return main.scrollWidth - main.clientWidth; }"
        )
        assert beyond <= 1, f"{screen} is {beyond} pixels too wide at {width}"
        assert page.evaluate(NAMELESS) == [], f"{screen} has controls that no word names"
        expect(page.get_by_text("Something unexpected went wrong")).to_have_count(0)


def test_on_a_phone_the_topics_give_way_to_the_one_chosen(new_page: NewPage, server: Server, made: Fabricated):
    page = new_page("Ada", width=PHONE[0], height=PHONE[1])
    n_held = document_places(made.project).counts()[topic_id("politics")]
    for screen, told in (("expand", "Politics has no sub-topics"), ("documents", f"{n_held} documents; ")):
        page.goto(link(server, screen, made.project))
        page.get_by_test_id("stExpandSidebarButton").click()
        page.get_by_role("treeitem", name="Politics").click()
        expect(page.get_by_text(told)).to_be_visible()
        expect(page.get_by_role("treeitem", name="Politics")).not_to_be_in_viewport()


def test_a_project_is_copied_without_its_decisions(page: Page, server: Server, made: Fabricated):
    made.project.record(MoveDocument("doc-0001", topic_id("sport")), author="Ada")
    page.goto(server.address)
    project = page.locator(f".st-key-project-{made.project.path.name}").first
    project.get_by_role("button", name="More").click()
    page.get_by_text("without the decisions").click()
    page.get_by_role("button", name="Copy").click()
    was_told(page, f"Copied as {made.project.name} copy")
    copy = open_project(f"{made.project.name} copy")
    assert (copy.sequence, copy.seed(), copy.has_corpus) == (0, made.project.seed(), True)


def test_rename_back_up_delete_and_restore_a_project(page: Page, server: Server, made: Fabricated, tmp_path: Path):
    slug = made.project.path.name
    page.goto(server.address)
    # While the list is sorted anew, the card may stand there twice for a moment.
    project = page.locator(f".st-key-project-{slug}").first
    expect(project).to_contain_text("0 of 4 proposed topics reviewed")
    project.get_by_role("button", name="More").click()
    renamed = f"Renamed {slug[-6:]}"
    page.get_by_label("Name", exact=True).fill(renamed)
    page.get_by_role("button", name="Rename").click()
    expect(project).to_contain_text(renamed)
    project.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Prepare a backup").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the backup").click()
    backup = tmp_path / "backup.zip"
    download.value.save_as(backup)
    page.get_by_role("button", name="Delete").click()
    expect(project).to_have_count(0)
    page.get_by_role("button", name="Restore a backup").click()
    page.locator("input[type=file]").set_input_files(backup)
    page.get_by_role("button", name="Restore", exact=True).click()
    page.wait_for_selector(".map[data-painted]")
    assert any(summary.name == renamed and summary.path.name != slug for summary in list_projects())


def test_the_preflight_offers_a_fix_that_works(page: Page, server: Server, fabricate: Callable[..., Fabricated]):
    made = fabricate("preflight", propose=False)
    seed = made.project.seed().with_topic(TopicNode("courts", "Courtroom"), ROOT_ID)
    made.project.set_seed(seed)
    page.goto(link(server, "corpus", made.project))
    expect(page.get_by_text("4 of 5 topics occur in the corpus.")).to_be_visible()
    page.get_by_role("button", name="Use court").click()
    expect(page.get_by_text("5 of 5 topics occur in the corpus.")).to_be_visible()
    assert made.project.seed()["courts"].keywords == ("court",)


def test_documents_of_a_topic_are_shown_searched_and_moved(page: Page, server: Server, made: Fabricated):
    sport, politics = topic_id("sport"), topic_id("politics")
    before = document_places(made.project).counts()
    page.goto(link(server, "documents", made.project, node=sport))
    expect(page.get_by_text(f"{before[sport]} documents; ")).to_be_visible()
    first = page.locator(".passages article").first
    expect(first.locator("mark").first).to_be_visible()
    expect(first).to_contain_text(re.compile(r"Why this topic: \d+ % sure, .*ahead of the next one"))
    expect(first).to_contain_text("Mentions")
    document_id = first.get_attribute("data-document")
    targets = first.get_by_role("combobox")
    # The topics come when somebody turns to the list.
    targets.focus()
    targets.select_option(label="Politics")
    # It goes where it was sent, at once.
    expect(page.locator(f".passages article[data-document={document_id}]")).to_have_count(0)
    expect(page.get_by_text(f"{before[sport] - 1} documents; ")).to_be_visible()
    assert made.project.log()[-1].decision == MoveDocument(str(document_id), politics)
    page.get_by_role("treeitem", name="Politics").click()
    expect(page.get_by_text(f"{before[politics] + 1} documents; ")).to_contain_text("1 were put there by a decision")
    page.get_by_role("tab", name="Doubtful").click()
    sent = page.locator(f".passages article[data-document={document_id}]")
    expect(sent).to_contain_text("a person's decision put it here")
    page.get_by_label("Search the corpus").fill("refugee airstrike")
    page.keyboard.press("Enter")
    expect(page.locator(".passages article").first.locator("mark").first).to_have_text(
        re.compile("refugee|airstrike", re.IGNORECASE)
    )
    page.get_by_label("Search the corpus").fill("zebra quartet")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Try fewer words, or the singular.")).to_be_visible()
