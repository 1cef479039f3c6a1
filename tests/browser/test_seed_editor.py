"""The seed typed, pasted, imported and edited topic by topic; phrases kept and dropped, and what follows from that."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from taxocom import jobs
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.tree import Taxonomy, topic_id
from tests.browser.conftest import NewPage, at_rest, link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated, documents, save_proposal, seed_tree


def topics(project: Project) -> list[tuple[str, tuple[str, ...]]]:
    tree = project.taxonomy()
    return [("/".join(tree.path_of(node.node_id)), node.keywords) for node in tree.walk()]


def test_topics_are_added_renamed_moved_and_given_keywords(
    page: Page, server: Server, fabricate: Callable[..., Fabricated]
):
    project = fabricate("topic by topic", propose=False).project
    page.goto(link(server, "corpus", project))
    adding = page.get_by_label("Add a topic under News")
    adding.fill("Health: hospital, patient")
    page.keyboard.press("Enter")
    expect(page.get_by_role("treeitem", name="Health")).to_be_visible()
    # While the page is drawn anew, a field may stand there twice for a moment.
    expect(adding).to_have_count(1)
    expect(adding).to_have_value("")
    expect(page.get_by_text("5 of 5 topics occur in the corpus.")).to_be_visible()
    page.get_by_role("treeitem", name="Football").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("Football")
    name.fill("Soccer")
    page.get_by_label("Keywords, separated by commas").fill("league, goal")
    page.get_by_label("Under", exact=True).select_option(label="Business")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("treeitem", name="Business").get_by_role("treeitem", name="Soccer")).to_be_visible()
    assert ("Business/Soccer", ("league", "goal")) in topics(project)
    assert ("Health", ("hospital", "patient")) in topics(project)
    assert project.sequence == 0


def test_a_seed_is_pasted_and_imported_with_its_problems_told(
    page: Page, server: Server, made: Fabricated, tmp_path: Path
):
    page.goto(link(server, "corpus", made.project))
    page.get_by_role("tab", name="As text").click()
    page.get_by_label("One topic per line, keywords after a colon").fill("# News\n- Sport: football\n- Sport\n- Film\n")
    page.get_by_role("button", name="Save").last.click()
    expect(page.locator(".st-key-notice")).to_contain_text("Line 3")
    assert topics(made.project) == [("Sport", ("football",)), ("Film", ())]
    # What had been proposed is about topics that are no longer there.
    page.goto(link(server, "expand", made.project))
    expect(page.get_by_role("heading", name="Out of date")).to_be_visible()
    table = tmp_path / "seed.csv"
    table.write_text("parent,child\n,Sport\nSport,Golf\n,Courtroom\n")
    page.goto(link(server, "corpus", made.project))
    page.get_by_role("tab", name="Import", exact=True).click()
    page.get_by_role("tab", name="Import a file").click()
    page.locator("input[type=file]").first.set_input_files(table)
    expect(page.get_by_text("3 topics read.")).to_be_visible()
    page.get_by_role("button", name="Replace the tree").click()
    expect(page.get_by_text("2 of 3 topics occur in the corpus.")).to_be_visible()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("2 of 2 topics occur in the corpus.")).to_be_visible()
    assert [path for path, _ in topics(made.project)] == ["Sport", "Sport/Golf"]


def test_what_rests_on_the_tree_makes_its_changes_decisions(new_page: NewPage, server: Server, made: Fabricated):
    page = new_page()
    page.goto(link(server, "corpus", made.project))
    page.get_by_label("Your name").fill("Grace")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Add a topic under News").fill("Health")
    page.keyboard.press("Enter")
    expect(page.get_by_role("treeitem", name="Health")).to_be_visible()
    assert [entry.author for entry in made.project.log()] == ["Grace"]
    assert made.project.seed() == seed_tree()


def with_phrases(folder: Path) -> Path:
    path = folder / "news.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "title", "text"])
        for number, document in enumerate(documents(210)):
            said = "The prime minister spoke." if number % 3 else "The central bank raised rates."
            writer.writerow([document.document_id, document.title, f"{document.text} {said}"])
    return path


def phrases(project: Project) -> set[str]:
    return {term for term in project.corpus().vocabulary.terms if "_" in term}


def read_again(page: Page, project: Project) -> None:
    page.get_by_role("button", name="Read the texts again").click()
    expect(page.locator(".st-key-wishes")).to_have_count(0)
    job = jobs.list_jobs(project)[0]
    assert jobs.wait_for(project, job.job_id, timeout=120).state == "done"
    expect(page.get_by_text("Reading the corpus")).to_have_count(0)


@pytest.mark.slow
def test_phrases_dropped_and_kept_change_the_index_until_taken_back(
    page: Page, server: Server, fabricate: Callable[..., Fabricated], tmp_path: Path
):
    fabricate("for its home", propose=False)
    project = create_project("phrases", seed=seed_tree(), author="Test")
    index(project, {"source": str(with_phrases(tmp_path))}, SILENT)
    found = phrases(project)
    save_proposal(project)
    page.goto(link(server, "corpus", project))
    page.get_by_text("Phrases that were found").click()
    page.get_by_label("Find a phrase").fill("prime")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 phrase, most frequent first.")).to_be_visible()
    page.wait_for_timeout(500)
    # The grid is a canvas: the box that selects its first row stands at its left, under the head.
    page.get_by_test_id("stDataFrame").last.click(position={"x": 16, "y": 50})
    page.get_by_role("button", name="Drop 1 phrase").click()
    expect(page.get_by_role("button", name="Drop 0 phrases")).to_be_disabled()
    expect(page.get_by_role("button", name="prime minister spoke", exact=True)).to_be_visible()
    keeping = page.get_by_label("Keep a phrase that is missing")
    expect(keeping).to_have_count(1)
    keeping.fill("coach goal")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".st-key-wishes")).to_contain_text("Keep: coach goal. Drop: prime minister spoke")
    assert phrases(project) == found
    read_again(page, project)
    assert "prime_minister_spoke" in found - phrases(project)

    # The map of the old proposal would show other terms under the same numbers.
    page.goto(link(server, "expand", project))
    expect(page.get_by_role("heading", name="Out of date")).to_be_visible()
    expect(page.get_by_role("button", name="Expand again")).to_be_enabled()
    # The documents are where the seed's topics have them in the texts as they are now.
    n_held = document_places(project).counts()[topic_id("sport")]
    page.goto(link(server, "documents", project, node=topic_id("sport")))
    expect(page.get_by_text(f"{n_held} documents; ")).to_be_visible()

    page.goto(link(server, "corpus", project))
    page.get_by_text("Phrases that were found").click()
    for phrase in ("coach goal", "prime minister spoke"):
        at_rest(page)
        page.get_by_role("button", name=phrase, exact=True).click()
        expect(page.get_by_role("button", name=phrase, exact=True)).to_have_count(0)
    expect(page.locator(".st-key-wishes")).to_contain_text("Neither kept nor dropped: coach goal, prime minister spoke")
    read_again(page, project)
    assert phrases(project) == found
    # The texts are what they were, so what was proposed for them is, too.
    page.goto(link(server, "expand", project))
    page.wait_for_selector(".map[data-painted]")


def test_an_empty_seed_says_what_to_do(page: Page, server: Server, fabricate: Callable[..., Fabricated]):
    project = fabricate("no topics yet", propose=False).project
    project.set_seed(Taxonomy.empty("News"))
    page.goto(link(server, "corpus", project))
    expect(page.get_by_text("The tree is empty. Add the topics you know")).to_be_visible()
