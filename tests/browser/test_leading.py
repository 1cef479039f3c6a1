"""What a person knows, told in the browser: a topic that is missing, yes and no by key, and all results at once."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, JudgeDocuments, MoveDocuments
from taxocom.taxonomy.tree import topic_id
from taxocom.workflow.missing_topic import MissedTopic, missing_topic
from taxocom.workflow.questions import questions
from taxocom.workflow.splitting import parts_of
from tests.browser.conftest import answered, at_rest, link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated

POLITICS, SPORT = topic_id("politics"), topic_id("sport")


def judge_all_by_key(page: Page, about: str) -> int:
    """Answer all that are asked with the keyboard alone; return how many were answered with yes."""
    articles = page.locator(".judging article")
    expect(articles).to_have_count(10)
    at_rest(page)
    said = ["y" if f"About {about}" in text else "n" for text in articles.all_inner_texts()]
    articles.first.focus()
    for number, key in enumerate(said):
        page.keyboard.press(key)
        expect(articles.nth(number)).to_have_class("yes" if key == "y" else "no")
    expect(page.get_by_role("button", name="Learn from 10 answers")).to_be_focused()
    page.keyboard.press("Enter")
    return said.count("y")


def test_a_missing_topic_is_named_judged_and_added(page: Page, server: Server, made: Fabricated) -> None:
    project = made.project
    page.goto(link(server, "expand", project))
    page.get_by_text("I miss a topic").click()
    page.get_by_label("Its name").fill("Film")
    page.get_by_label("Words its documents use").fill("actor, director")
    page.get_by_role("button", name="See what it would hold").click()
    card = page.locator(".st-key-missed-card")
    wish = MissedTopic("Film", ("actor", "director"))
    n_documents = len(missing_topic(project, wish).documents)
    expect(card).to_contain_text(f"Film: {n_documents} documents")
    assert project.sequence == 0, "looking changes nothing"
    answered(page)
    page.reload()
    expect(card).to_contain_text(f"Film: {n_documents} documents")
    expect(page.get_by_label("Its name")).to_have_value("Film")
    page.get_by_role("tab", name="Judge ten").click()
    n_yes = judge_all_by_key(page, "film")
    expect(card).to_contain_text(f"{n_yes} judged as its own, {10 - n_yes} as not")
    expect(card).to_contain_text("Learnt: +")
    at_rest(page)
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("Added Film with")).to_be_visible()
    expect(card).to_have_count(0)
    accepted, *_ = [entry.decision for entry in project.log()]
    assert isinstance(accepted, AcceptTopic)
    assert document_places(project).counts()[accepted.node.node_id] == len(accepted.documents)


def test_several_topics_are_told_at_once_and_added_together(page: Page, server: Server, made: Fabricated) -> None:
    page.goto(link(server, "review", made.project))
    page.get_by_text("I miss a topic").click()
    page.get_by_label("Its name").fill("Film; War")
    page.get_by_role("button", name="See what it would hold").click()
    expect(page.locator(".st-key-missed-several-0")).to_contain_text("Film")
    war = page.locator(".st-key-missed-several-1")
    expect(war).to_contain_text("War")
    at_rest(page)
    war.get_by_role("radio", name="Judge ten").click()
    n_yes = judge_all_by_key(page, "war")
    expect(war).to_contain_text(f"{n_yes} judged as its own, {10 - n_yes} as not")
    expect(war).to_contain_text("Learnt: +")
    assert made.project.sequence == 0, "answers wait with the topics until these are added"
    at_rest(page)
    page.get_by_role("button", name="Add all 2").click()
    expect(page.get_by_text("Added Film, War")).to_be_visible()
    labels = [node.label for node in made.project.taxonomy().walk()]
    assert {"Film", "War"} <= set(labels)


def test_a_question_leads_to_the_documents_that_answer_it(page: Page, server: Server, made: Fabricated) -> None:
    asked = next(each for each in questions(made.project) if each.kind == "proposal")
    page.goto(link(server, "review", made.project, view="Questions"))
    first = page.locator(".st-key-question-0")
    expect(first).to_contain_text(f"{questions(made.project)[0].n_documents}")
    own = page.locator("[class*=st-key-question-]").filter(has_text=asked.said.split("'")[1]).first
    expect(own).to_contain_text(f"{asked.n_documents} documents")
    own.get_by_role("link", name="Look at the card").click()
    expect(page.get_by_role("article").first).to_be_visible()


def test_a_topic_is_taught_and_the_answers_are_taken_back(page: Page, server: Server, made: Fabricated) -> None:
    project = made.project
    before = document_places(project).counts()
    page.goto(link(server, "documents", project, node=SPORT))
    page.get_by_role("tab", name="Teach").click()
    judge_all_by_key(page, "sport")
    back = page.get_by_role("button", name="Take the last step back")
    expect(back).to_be_visible()
    (judged,) = [entry.decision for entry in project.log()]
    assert isinstance(judged, JudgeDocuments)
    assert len(judged.placed) == 10
    at_rest(page)
    back.click()
    expect(page.get_by_text("Taken back")).to_be_visible()
    assert document_places(project).counts() == before


def test_all_results_of_a_search_move_or_are_a_missing_topic(page: Page, server: Server, made: Fabricated) -> None:
    project = made.project
    page.goto(link(server, "documents", project, node=POLITICS))
    page.get_by_label("Search the corpus").fill("oscar")
    page.keyboard.press("Enter")
    page.get_by_text("or make a topic of them…").click()
    page.get_by_role("button", name="Make them a new topic").click()
    expect(page.locator(".st-key-missed-card")).to_contain_text("oscar: ")
    assert project.sequence == 0
    at_rest(page)
    page.get_by_label("They belong to").select_option(label="Sport")
    page.get_by_role("button", name="Move all").click()
    expect(page.get_by_text(re.compile(r"^Moved \d+ documents to Sport$"))).to_be_visible()
    (moved,) = [entry.decision for entry in project.log()]
    assert isinstance(moved, MoveDocuments)
    assert moved.node_id == SPORT
    texts = dict(zip(project.corpus().document_ids, project.corpus().texts, strict=True))
    assert set(moved.documents) == {each for each, text in texts.items() if "oscar" in text}


def test_a_topic_is_split_into_as_many_parts_as_were_looked_at(page: Page, server: Server, made: Fabricated) -> None:
    project = made.project
    page.goto(link(server, "review", project, node=SPORT))
    page.get_by_text("Split Sport").click()
    parts = page.locator("[class*=st-key-split-part-]")
    expect(parts).to_have_count(2)
    at_rest(page)
    page.get_by_role("radio", name="3", exact=True).click()
    expect(parts).to_have_count(3)
    shown = parts_of(project, SPORT, 3)
    for number, part in enumerate(shown):
        expect(parts.nth(number)).to_contain_text(f"{len(part.documents)} documents: {part.terms[0]}")
    assert project.sequence == 0, "looking changes nothing"
    at_rest(page)
    page.get_by_label("Name of part 2").fill("Cups")
    page.get_by_label("Where the parts go").select_option(label="Below it, as sub-topics")
    page.get_by_role("button", name="Split it like this").click()
    expect(page.get_by_role("treeitem", name="Cups")).to_be_visible()
    tree, places = project.taxonomy(), document_places(project)
    new = [node for node in tree.children_of(SPORT) if node.node_id not in project.seed()]
    assert [places.counts()[node.node_id] for node in new] == [len(part.documents) for part in shown]
    assert new[1].label == "Cups"


def test_the_tree_itself_takes_a_topic_that_is_missing_below(page: Page, server: Server, made: Fabricated) -> None:
    page.goto(link(server, "expand", made.project, node=SPORT))
    item = page.get_by_role("treeitem", name="Sport")
    item.get_by_role("button", name="I miss a topic under Sport").click()
    field = page.get_by_label("Its name")
    expect(field).to_be_visible()
    expect(page.get_by_label("Its place in the tree")).to_have_value(SPORT)
