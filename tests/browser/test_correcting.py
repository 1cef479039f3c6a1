"""Known clusters corrected like novel ones, verdicts with words, and every place that a lasso can send terms to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Page, expect

from taxocom.expansion.pipeline import Expansion
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import (
    AcceptTopic,
    Defer,
    MergeTopics,
    MoveDocuments,
    MoveTerms,
    RejectTopic,
    RenameTopic,
    SplitTopic,
)
from taxocom.taxonomy.tree import ROOT_ID, topic_id
from tests.browser.conftest import answered, at_rest, link, was_told
from tests.browser.on_the_map import over_a_topic
from tests.browser.serving import Server
from tests.browser.test_expand import bar, card, lasso, map_box, merge, names, opened, the_map
from tests.ui.fabricate import GENERAL_WORDS, Fabricated, fabricate_expansion, save

SPORT, BUSINESS, POLITICS = (topic_id(label) for label in ("sport", "business", "politics"))


def commit(page: Page) -> None:
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")


def decisions(made: Fabricated) -> list[object]:
    return [entry.decision for entry in made.project.log()]


def test_known_topics_are_inspected_renamed_merged_and_moved(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    politics = card(page, "Politics")
    politics.get_by_role("button", name="Show the evidence").click()
    expect(politics.locator("blockquote").first).to_be_visible()
    politics.get_by_role("button", name="Rename").click()
    page.keyboard.type("Government")
    page.keyboard.press("Enter")
    expect(bar(page)).to_contain_text("1 renamed")
    card(page, "Business").get_by_role("button", name="Move…", exact=True).click()
    # Nothing can go below itself.
    expect(page.get_by_label("Move under").get_by_role("option", name="Business")).to_have_count(0)
    page.get_by_label("Move under").select_option(label="Politics")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(bar(page)).to_contain_text("1 renamed, 1 moved")
    card(page, "Business").get_by_role("button", name="Take back").click()
    expect(bar(page)).not_to_contain_text("moved")
    merge(page, "Business", "Sport (known)")
    expect(card(page, "Business")).to_contain_text("Goes into Sport")
    commit(page)
    assert decisions(made) == [RenameTopic(POLITICS, "Government"), MergeTopics(SPORT, (BUSINESS,))]
    # The cards speak of the tree as it is, though the proposal was made before.
    expect(card(page, "Government")).to_be_visible()
    expect(card(page, "Business")).to_have_count(0)


def test_a_known_topic_is_split_term_by_term_and_the_split_undone(page: Page, server: Server, made: Fabricated):
    before = document_places(made.project).counts()
    opened(page, server, made)
    business = card(page, "Business")
    business.get_by_role("button", name="Split").click()
    parting = business.get_by_role("group", name="Business in two")
    expect(bar(page)).to_contain_text("1 split")
    page.get_by_role("button", name="Undo").click()
    expect(parting).to_have_count(0)
    page.get_by_role("button", name="Redo").click()
    name = parting.get_by_label("Name of what leaves Business")
    name.fill("Finance")
    page.keyboard.press("Enter")
    staying = parting.locator("p").nth(1).get_by_role("button")
    moved = staying.last.inner_text()
    staying.last.click()
    expect(parting.locator("p").first.get_by_role("button", name=moved, exact=True)).to_be_visible()
    answered(page)
    page.reload()
    expect(parting.locator("p").first.get_by_role("button", name=moved, exact=True)).to_be_visible()
    expect(name).to_have_value("Finance")
    leaving = parting.locator("p").first.get_by_role("button").all_inner_texts()
    commit(page)
    expect(page.get_by_role("treeitem", name="Finance")).to_be_visible()
    split, moved_along = decisions(made)
    assert isinstance(split, SplitTopic)
    left, beside = split.parts
    assert (left.node_id, beside.label) == (BUSINESS, "Finance")
    assert {anchor.term for anchor in beside.anchors} == set(leaving)
    assert not set(left.keywords) & set(leaving)
    # The documents that speak of what leaves go with it.
    assert isinstance(moved_along, MoveDocuments)
    places = document_places(made.project)
    held = [made.project.corpus().document_ids[int(row)] for row in places.documents_of(beside.node_id)]
    assert sorted(held) == sorted(moved_along.documents)
    assert 0 < len(held) < before[BUSINESS] == places.counts()[BUSINESS] + len(held)
    page.goto(link(server, "review", made.project, view="History"))
    for in_force in (1, 0):
        at_rest(page)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text(f"{in_force} decision{'' if in_force else 's'} in force")).to_be_visible()
    assert made.project.taxonomy() == made.project.seed()
    assert document_places(made.project).counts() == before


def test_a_cluster_merged_into_a_known_topic_gives_it_its_documents(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first, second, *_ = names(made)
    merge(page, first, "Sport (known)")
    expect(card(page, first)).to_contain_text("Goes into Sport")
    expect(bar(page)).to_contain_text("1 merged")
    card(page, first).get_by_role("button", name="Take back").click()
    expect(card(page, first)).not_to_contain_text("Goes into Sport")
    merge(page, first, "Sport (known)")
    expect(card(page, first)).to_contain_text("Goes into Sport")
    commit(page)
    (moved,) = decisions(made)
    cluster = made.expansion.novel[0]
    assert isinstance(moved, MoveDocuments)
    assert (moved.node_id, moved.cluster_id, len(moved.documents)) == (SPORT, cluster.cluster_id, cluster.n_documents)
    # It is judged: no card is left of it, and the others wait.
    expect(page.get_by_role("region", name="New topics proposed (3)")).to_be_visible()
    expect(page.get_by_role("treeitem", name="News")).to_contain_text("3")
    expect(card(page, second)).to_be_visible()
    page.goto(server.address)
    project = page.locator(f".st-key-project-{made.project.path.name}").first
    expect(project).to_contain_text("1 of 4 proposed topics reviewed")


def test_verdicts_carry_their_words(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first, second, *_ = names(made)
    card(page, first).get_by_role("button", name="Later").click()
    expect(card(page, first)).to_contain_text("Later")
    card(page, second).get_by_role("button", name="Reject").click()
    page.get_by_label("Reason").fill("belongs to another desk")
    page.keyboard.press("Enter")
    expect(card(page, second)).to_contain_text("Rejected: belongs to another desk")
    expect(bar(page)).to_contain_text("1 rejected, 1 for later")
    commit(page)
    later, rejected = decisions(made)
    assert isinstance(later, Defer)
    assert isinstance(rejected, RejectTopic)
    assert rejected.reason == "belongs to another desk"
    page.goto(link(server, "review", made.project, view="Queue"))
    waiting = page.get_by_role("article")
    expect(waiting).to_have_count(3)
    expect(waiting.last).to_contain_text("put off before")


def fitting(fabricate: Callable[..., Fabricated], name: str) -> Fabricated:
    """Make a project whose first two proposed clusters fit best under a known topic."""
    bare = fabricate(name, propose=False)
    made = fabricate_expansion(bare.project.corpus(), bare.project.taxonomy())
    first, second = made.proposal.novel[:2]
    clusters = tuple(replace(c, fits_under=SPORT) if c in (first, second) else c for c in made.proposal.clusters)
    proposal = replace(made.proposal, clusters=clusters)
    return Fabricated(bare.project, proposal, save(bare.project, Expansion(proposal, made.evidence)))


def test_where_a_cluster_fits_is_said_and_can_be_had_otherwise(
    page: Page, server: Server, fabricate: Callable[..., Fabricated]
):
    made = fitting(fabricate, "fits")
    opened(page, server, made)
    first, second = (cluster.label for cluster in made.expansion.novel[:2])
    for name in (first, second):
        expect(card(page, name)).to_contain_text("Goes under Sport, where it fits best.")
        expect(card(page, name).locator(".warning")).to_have_count(0)
    card(page, first).get_by_role("button", name="Accept A", exact=True).click()
    card(page, second).get_by_role("button", name="Accept under News instead").click()
    expect(card(page, second)).to_contain_text("Goes under News")
    expect(bar(page)).to_contain_text("+2 topics")
    commit(page)
    accepted = [decision for decision in decisions(made) if isinstance(decision, AcceptTopic)]
    assert [(decision.node.label, decision.parent_id) for decision in accepted] == [(first, SPORT), (second, ROOT_ID)]


def show_terms(page: Page) -> None:
    page.get_by_role("radio", name="Terms").click()
    expect(the_map(page)).to_have_attribute("data-view", "terms")


def selected(page: Page, x: float, y: float, radius: float) -> int:
    """Draw a lasso around a place of the map and return how many terms it caught."""
    lasso(page, x, y, radius)
    expect(page.get_by_role("region", name="Selected terms")).to_be_visible()
    return int(the_map(page).get_attribute("data-selected") or 0)


def selected_of(page: Page, name: str) -> int:
    """Draw a lasso around some terms of a topic and return how many it caught."""
    return selected(page, *over_a_topic(page, name), radius=map_box(page)["height"] / 12)


def selected_of_all(page: Page) -> int:
    """Draw a lasso around most of the map and return how many terms it caught."""
    box = map_box(page)
    return selected(page, box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) * 0.45)


def moved_terms(page: Page) -> int:
    """Wait until the bar says that terms are moved; return how many."""
    expect(bar(page)).to_contain_text("terms moved")
    return int(bar(page).inner_text().split(" terms moved")[0].split()[-1])


def test_a_lasso_moves_terms_to_a_cluster_or_marks_them(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    show_terms(page)
    first, second = (cluster.label for cluster in made.expansion.novel[:2])
    n_first = selected_of(page, first)
    page.get_by_label("Move to cluster").select_option(label="Sport")
    assert moved_terms(page) == n_first
    n_second = selected_of(page, second)
    page.get_by_role("button", name="Mark known").click()
    expect(bar(page)).to_contain_text(f"{n_first + n_second} terms moved")
    n_third = selected_of(page, "Business")
    page.get_by_role("button", name="Mark novel").click()
    expect(bar(page)).to_contain_text(f"{n_first + n_second + n_third} terms moved")
    page.get_by_role("button", name="Undo").click()
    expect(bar(page)).to_contain_text(f"{n_first + n_second} terms moved")
    page.get_by_role("button", name="Redo").click()
    expect(bar(page)).to_contain_text(f"{n_first + n_second + n_third} terms moved")
    commit(page)
    pins = {d.to: len(d.terms) for d in decisions(made) if isinstance(d, MoveTerms)}
    assert pins == {SPORT: n_first, "known": n_second, "novel": n_third}


def test_general_words_in_a_lasso_do_not_become_terms_of_a_topic(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    show_terms(page)
    n_topical = selected_of_all(page)
    # What says what is selected lies over a part of the map.
    page.get_by_role("region", name="Selected terms").get_by_role("button", name="Clear").click()
    general = page.get_by_role("list", name="Legend").get_by_role("button", name="general terms")
    general.click()
    expect(general).to_have_attribute("aria-pressed", "true")
    n_caught = selected_of_all(page)
    assert n_topical < n_caught <= n_topical + len(GENERAL_WORDS)
    page.get_by_label("Move to cluster").select_option(label="Sport")
    assert moved_terms(page) == n_topical
