"""What was accepted is held: the same numbers on every page and in the export, whatever is expanded afterwards."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from taxocom import jobs
from taxocom.expansion.proposals.accepting import accept
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, AddTopic, EditKeywords, MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from taxocom.workflow.moves import suggested_moves
from tests.browser.conftest import answered, at_rest, link, was_told
from tests.browser.serving import Server
from tests.browser.test_expand import bar, card, merge, names, opened
from tests.ui.fabricate import THEMES, Fabricated

POLITICS, SPORT = topic_id("politics"), topic_id("sport")


def counts_on(page: Page, server: Server, project: Project, page_name: str) -> dict[str, int]:
    """Return how many documents a page says that each topic has, looking at one topic after the other."""
    line = re.compile(r"(· |^)([\d,]+) documents?($|; )")
    found = {}
    for node in project.taxonomy().walk():
        page.goto(link(server, page_name, project, node=node.node_id))
        expect(page.get_by_role("heading", name=node.label, exact=True)).to_be_visible()
        main = page.get_by_test_id("stMain")
        facts = main.get_by_text(line).or_(main.get_by_text("This topic holds no documents yet")).first
        expect(facts).to_be_visible()
        said = line.search(facts.inner_text())
        found[node.node_id] = int(said.group(2).replace(",", "")) if said else 0
    return found


def exported_counts(page: Page, server: Server, project: Project) -> dict[str, int]:
    """Return how many rows of the table of documents, downloaded from the Export page, are in each topic."""
    page.goto(link(server, "export", project))
    with page.expect_download() as download:
        page.locator(".st-key-format-documents-csv").get_by_role("button", name="Download").click()
    table = Path(download.value.path()).read_text(encoding="utf-8-sig")
    paths = [tuple(row["path"].split("/")) for row in csv.DictReader(io.StringIO(table))]
    tree = project.taxonomy()
    return {
        node.node_id: sum(path[: tree.depth_of(node.node_id)] == tree.path_of(node.node_id) for path in paths)
        for node in tree.walk()
    }


def accept_all(page: Page, made: Fabricated) -> None:
    for number, name in enumerate(names(made), 1):
        card(page, name).get_by_role("button", name="Accept").click()
        expect(bar(page)).to_contain_text(f"+{number} topic")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")


def expand_again(page: Page, server: Server, project: Project) -> None:
    page.goto(link(server, "expand", project, node=ROOT_ID))
    at_rest(page)
    page.get_by_role("button", name="Expand again").click()
    expect(page.get_by_role("button", name="Expand again")).to_be_disabled()
    (job,) = jobs.list_jobs(project)
    assert jobs.wait_for(project, job.job_id, timeout=200).state == "done"
    expect(page.get_by_role("button", name="Expand again")).to_be_enabled(timeout=30_000)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_accepted_topics_keep_their_documents_when_expanded_again(page: Page, server: Server, made: Fabricated):
    project = made.project
    opened(page, server, made)
    accept_all(page, made)
    accepted = {d.node.node_id: d.documents for e in project.log() if isinstance(d := e.decision, AcceptTopic)}
    assert len(accepted) == 4
    # Some documents are put where no engine would put them.
    first, own = next(iter(accepted.items()))
    project.record(MoveDocuments(own[:10], SPORT), author="Ben")
    before = counts_on(page, server, project, "review")
    held = {node_id: len(documents) - 10 * (node_id == first) for node_id, documents in accepted.items()}
    assert {node_id: before[node_id] for node_id in accepted} == held
    sequence = project.sequence
    expand_again(page, server, project)
    assert len(project.proposals(ROOT_ID)) == 2
    assert project.sequence == sequence, "no run of the engine decides anything"
    assert counts_on(page, server, project, "review") == before
    assert exported_counts(page, server, project) == before
    assert counts_on(page, server, project, "documents") == before


def test_a_cluster_that_went_into_a_known_topic_is_listed_there(page: Page, server: Server, made: Fabricated):
    project = made.project
    before = document_places(project).counts()[POLITICS]
    cluster = made.expansion.novel[0]
    opened(page, server, made)
    merge(page, cluster.label, "Politics (known)")
    expect(card(page, cluster.label)).to_contain_text("Goes into Politics")
    answered(page)
    page.reload()
    expect(card(page, cluster.label)).to_contain_text("Goes into Politics")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed: 1 merged")
    decision = project.log()[-1].decision
    assert isinstance(decision, MoveDocuments)
    added = len(set(decision.documents) - set(documents_of(project, POLITICS, at=0)))
    assert (len(decision.documents), added) == (40, 40)
    page.goto(link(server, "documents", project, node=POLITICS))
    facts = page.get_by_text(re.compile(rf"^{before + added} documents; "))
    expect(facts).to_contain_text("40 were put there by a decision")
    page.get_by_label("Search the corpus").fill(cluster.center_term)
    page.keyboard.press("Enter")
    first = page.locator(".passages article").first
    expect(first).to_contain_text("moved to Politics")
    assert first.get_attribute("data-document") in decision.documents


def documents_of(project: Project, node_id: str, at: int | None = None) -> list[str]:
    ids = project.corpus().document_ids
    return [ids[int(row)] for row in document_places(project, at=at).documents_of(node_id)]


def test_what_may_belong_elsewhere_moves_only_when_it_is_let_go(page: Page, server: Server, made: Fabricated):
    project = made.project
    # Half of the documents of each cluster: the tagger learns from these where the others belong.
    for cluster in made.expansion.novel:
        half = project.cluster_documents(cluster.cluster_id)[::2]
        project.record(replace(accept(cluster, ROOT_ID), documents=half), author="Ben")
    before = document_places(project).counts()
    first, second = suggested_moves(project, POLITICS)
    assert (first.from_id, second.from_id) == (POLITICS, POLITICS)
    n_offered = len(first.documents) + len(second.documents)
    page.goto(link(server, "documents", project, node=POLITICS))
    offer = page.locator(f".st-key-moves-{POLITICS}")
    offer.get_by_text(f"{n_offered} documents may belong elsewhere").click()
    row = page.locator(f".st-key-move-row-{POLITICS}-0")
    expect(row).to_contain_text(project.taxonomy()[first.to_id].label)
    assert document_places(project).counts() == before, "nothing moves by itself"
    row.get_by_role("button", name="Look").click()
    seen = project.corpus().titles[project.corpus().document_ids.index(first.documents[0])]
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text(seen)
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Keep").click()
    expect(page.get_by_text(f"Kept {len(first.documents)} documents")).to_be_visible()
    # What is kept is not asked again; what is left moves to the top.
    expect(offer).to_contain_text(f"{len(second.documents)} documents may belong elsewhere")
    assert document_places(project).counts() == before
    page.goto(link(server, "review", project, node=second.to_id))
    page.get_by_text(f"{len(second.documents)} documents may belong elsewhere").click()
    page.get_by_role("button", name="Move them").click()
    expect(page.get_by_text(f"Moved {len(second.documents)} documents")).to_be_visible()
    expect(page.get_by_text(f"{before[second.to_id] + len(second.documents)} documents")).to_be_visible()
    expect(page.get_by_text("may belong elsewhere")).to_have_count(0)
    assert [entry.decision for entry in project.log()[-2:]] == [first.keep(), second.let_go()]


@pytest.fixture
def weak(made: Fabricated) -> Project:
    """A project with a topic that holds documents, none of which says its name."""
    crime = made.project.cluster_documents(made.expansion.novel[0].cluster_id)
    made.project.record(AddTopic(ROOT_ID, TopicNode("wrong", "Wrongdoing")), author="Ben")
    made.project.record(MoveDocuments(crime, "wrong"), author="Ben")
    return made.project


def test_a_keyword_is_added_from_a_hint_at_a_weak_name(page: Page, server: Server, weak: Project):
    before = document_places(weak).counts()
    page.goto(link(server, "corpus", weak))
    hint = page.locator(".st-key-weak-wrong")
    expect(hint).to_contain_text(
        "Wrongdoing is mentioned by few of the documents that seem to be about it: 0 of 40 documents"
    )
    add = hint.get_by_role("button", name=re.compile("^Add "))
    expect(hint.get_by_role("button", name="Look at them")).to_be_visible()
    expect(add.first).to_be_visible()
    keywords = [text.removeprefix("Add ").strip() for text in add.all_inner_texts()]
    assert keywords
    assert set(keywords) <= {"crime", *THEMES["crime"]}
    add.first.click()
    expect(hint).to_have_count(0)
    assert weak.log()[-1].decision == EditKeywords("wrong", (keywords[0],))
    assert document_places(weak).counts() == before, "a keyword moves nothing by itself"
    page.goto(link(server, "documents", weak, node="wrong"))
    expect(page.get_by_text(re.compile("^40 documents; [1-9].* of them mention its name or a keyword"))).to_be_visible()


def test_the_same_hint_stands_beside_the_topic_on_review(page: Page, server: Server, weak: Project):
    page.goto(link(server, "review", weak, node="wrong"))
    hint = page.get_by_text("Only 0 of 40 documents mention its name or a keyword. Add a keyword?")
    expect(hint).to_be_visible()
    page.get_by_role("button", name=re.compile("^Add (?!the note)")).first.click()
    expect(hint).to_have_count(0)
    decision = weak.log()[-1].decision
    assert isinstance(decision, EditKeywords)
    assert decision.keywords[0] in {"crime", *THEMES["crime"]}
