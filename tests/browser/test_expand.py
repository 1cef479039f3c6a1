"""The Expand page in a real browser: judge, rename, undo, commit; the map; what survives a refresh."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AcceptTopic, MoveTerms, RejectTopic
from taxocom.taxonomy.tree import topic_id
from tests.browser.conftest import NewPage, answered, at_rest, was_told
from tests.browser.on_the_map import card, lasso, map_box, opened, the_map
from tests.browser.serving import Server
from tests.ui.fabricate import THEMES, Fabricated


def bar(page: Page) -> Locator:
    return page.locator(".st-key-commit-bar")


def names(made: Fabricated) -> list[str]:
    return [cluster.label for cluster in made.expansion.novel]


def merge(page: Page, name: str, into: str) -> None:
    card(page, name).get_by_role("button", name="Merge").click()
    page.get_by_label("Merge with").select_option(label=into)
    page.get_by_role("button", name="Merge", exact=True).click()


def test_judge_rename_undo_redo_and_commit(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first, second, third, _ = names(made)
    card(page, first).get_by_label(f"Name of {first}").fill("Cinema")
    page.keyboard.press("Enter")
    expect(bar(page)).to_contain_text("1 renamed")
    card(page, "Cinema").get_by_role("button", name="Accept").click()
    expect(bar(page)).to_contain_text("+1 topic")
    card(page, second).get_by_role("button", name="Reject").click()
    page.get_by_role("button", name="mostly general words").click()
    expect(bar(page)).to_contain_text("+1 topic, 1 rejected")
    page.get_by_role("button", name="Undo").click()
    expect(bar(page)).not_to_contain_text("rejected")
    page.get_by_role("button", name="Redo").click()
    expect(bar(page)).to_contain_text("1 rejected")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("treeitem", name="Cinema")).to_be_visible()
    decisions = [entry.decision for entry in made.project.log()]
    accepted = next(d for d in decisions if isinstance(d, AcceptTopic))
    assert accepted.node.label == "Cinema"
    assert next(d for d in decisions if isinstance(d, RejectTopic)).reason == "mostly general words"
    assert {entry.author for entry in made.project.log()} == {"Ada"}
    expect(card(page, "Cinema")).to_have_count(0)
    expect(card(page, third)).to_be_visible()


def test_a_refresh_in_the_middle_loses_nothing(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first = names(made)[0]
    card(page, first).get_by_role("button", name="Accept").click()
    expect(bar(page)).to_contain_text("+1 topic")
    page.reload()
    expect(bar(page)).to_contain_text("+1 topic")
    expect(card(page, first)).to_contain_text("Accepted")


def test_the_name_is_asked_for_once(new_page: NewPage, server: Server, made: Fabricated):
    page = opened(new_page(), server, made)
    first = names(made)[0]
    card(page, first).get_by_role("button", name="Accept").click()
    expect(bar(page)).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Your name").fill("Grace")
    dialog.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("treeitem", name=first)).to_be_visible()
    assert made.project.log()[-1].author == "Grace"
    page.reload()
    page.wait_for_selector(".map[data-painted]")
    expect(page.locator(".st-key-topright")).to_contain_text("Grace")


def test_lasso_and_reassign_keeps_the_zoom(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    page.get_by_role("radio", name="Terms").click()
    box = map_box(page)
    page.get_by_role("button", name="Zoom in").click()
    expect(the_map(page)).to_have_attribute("data-zoom", "1.500")
    lasso(page, box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) * 0.45)
    expect(page.get_by_role("region", name="Selected terms")).to_be_visible()
    n_selected = int(the_map(page).get_attribute("data-selected") or 0)
    assert n_selected > 3
    page.get_by_role("button", name="Drop as general").click()
    expect(bar(page)).to_contain_text(f"{n_selected} terms moved")
    expect(the_map(page)).to_have_attribute("data-zoom", "1.500")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    moved = next(e.decision for e in made.project.log() if isinstance(e.decision, MoveTerms))
    assert (moved.to, len(moved.terms)) == ("general", n_selected)


def test_the_threshold_splits_again_and_survives_a_refresh(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    counts = page.locator(".novelty .counts")
    expect(counts).to_contain_text("novel")
    before = counts.inner_text()
    slider = page.get_by_role("slider", name="Novelty threshold")
    slider.focus()
    for _ in range(9):
        page.keyboard.press("PageUp")
    expect(page.get_by_role("button", name="Back to the proposed")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuenow", "0.950")
    page.wait_for_timeout(500)  # keys that follow each other are sent as one
    answered(page)
    after = counts.inner_text()
    page.reload()
    expect(slider).to_have_attribute("aria-valuenow", "0.950")
    expect(counts).to_have_text(after, use_inner_text=True)
    page.get_by_role("button", name="Back to the proposed").click()
    expect(counts).to_have_text(before, use_inner_text=True)
    expect(slider).to_have_attribute("aria-valuenow", "0.500")


def test_merging_two_clusters_leaves_one_card(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first, second, *_ = names(made)
    merge(page, first, f"{second} (novel)")
    expect(page.get_by_role("region", name="New topics proposed (3)")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("region", name="New topics proposed (4)")).to_be_visible()


def test_a_cluster_is_split_and_the_split_taken_back(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    card(page, names(made)[0]).get_by_role("button", name="Split").click()
    expect(page.get_by_role("region", name="New topics proposed (5)")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("region", name="New topics proposed (4)")).to_be_visible()


def test_a_cluster_is_accepted_under_another_parent(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first = names(made)[0]
    card(page, first).get_by_role("button", name="Move").click()
    page.get_by_label("Move under").select_option(label="Sport")
    page.get_by_role("button", name="Accept there").click()
    expect(card(page, first)).to_contain_text("Goes under Sport")
    expect(bar(page)).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("treeitem", name="Sport").get_by_role("treeitem", name=first)).to_be_visible()
    accepted = next(e.decision for e in made.project.log() if isinstance(e.decision, AcceptTopic))
    assert accepted.parent_id == topic_id("sport")


def test_a_known_topic_is_removed_with_its_reason(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    card(page, "Business").get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="not one topic").click()
    expect(bar(page)).to_contain_text("1 removed")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    assert made.project.taxonomy()[topic_id("business")].status == "rejected"
    assert made.project.taxonomy()[topic_id("business")].notes == ("not one topic",)


def test_terms_are_moved_in_the_table_without_a_map(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    page.get_by_role("tab", name="Table of terms").click()
    page.get_by_role("textbox", name="Find a term", exact=True).fill("hospital")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 100 terms")).to_be_visible()
    page.wait_for_timeout(500)
    # The grid is a canvas: the box that selects its first row stands at its left, under the head.
    page.get_by_test_id("stDataFrame").click(position={"x": 16, "y": 50})
    expect(page.get_by_role("button", name="Move 1 term")).to_be_enabled()
    place = page.get_by_role("combobox", name="Move the selected terms to")
    # A list closes when the page is scrolled under it, so the scrolling comes first.
    place.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    place.click()
    page.get_by_role("option", name="general: drop them").click()
    expect(place).to_have_value("general: drop them")
    page.get_by_role("button", name="Move 1 term").click()
    expect(bar(page)).to_contain_text("1 term moved")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    moved = next(e.decision for e in made.project.log() if isinstance(e.decision, MoveTerms))
    assert (moved.terms, moved.to) == (("hospital",), "general")


def test_another_count_of_topics_can_be_chosen(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    page.get_by_role("tab", name="How many").click()
    page.get_by_role("row", name="2 new topics").get_by_role("button", name="Show").click()
    expect(page.get_by_role("region", name="New topics proposed (2)")).to_be_visible()


def test_a_group_that_was_not_proposed_is_shown_and_accepted(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    page.get_by_role("tab", name="How many").click()
    page.get_by_role("row", name="1 new topic").get_by_role("button", name="Show").click()
    left_out = page.get_by_role("region", name="Looked at, not proposed (3)")
    expect(left_out).to_contain_text("Fewer new topics were asked for.")
    left_out.get_by_role("button", name="Show").first.click()
    expect(page.get_by_role("region", name="New topics proposed (2)")).to_be_visible()
    shown = page.locator(".card.novel.current")
    expect(shown).to_contain_text("Shown because you asked for it")
    shown.get_by_role("button", name="Leave it out again").click()
    expect(page.get_by_role("region", name="New topics proposed (1)")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    answered(page)
    page.reload()
    expect(page.get_by_role("region", name="Looked at, not proposed (2)")).to_be_visible()
    page.locator(".card.novel", has_text="Shown because").get_by_role("button", name="Accept").click()
    expect(bar(page)).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    accepted = next(e.decision for e in made.project.log() if isinstance(e.decision, AcceptTopic))
    assert len(document_places(made.project).documents_of(accepted.node.node_id)) == 40
    left_out = page.get_by_role("region", name="Looked at, not proposed (2)")
    expect(left_out).to_be_visible()
    at_rest(page)
    left_out.get_by_role("button", name=re.compile("^Make .* a topic$")).first.click()
    missed = page.locator(".st-key-missed-card")
    expect(missed).to_contain_text("(no name yet)")
    words = page.get_by_label("Words its documents use").input_value().split(", ")
    assert set(words) & set().union(*(set(THEMES[theme]) for theme in THEMES))


def test_the_map_is_usable_by_keyboard_and_has_a_table(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    page.get_by_role("radio", name="Terms").click()
    page.locator(".map canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".map .tip")).to_contain_text("novelty")
    page.keyboard.press("Enter")
    expect(the_map(page)).to_have_attribute("data-selected", "1")
    page.keyboard.press("/")
    page.keyboard.type("hospital")
    expect(page.get_by_text("1 match")).to_be_visible()
    page.get_by_role("tab", name="Table of terms").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()


def test_what_is_accepted_of_another_split_finds_its_documents(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    first, second, *_ = names(made)
    merge(page, first, f"{second} (novel)")
    expect(page.get_by_role("region", name="New topics proposed (3)")).to_be_visible()
    page.locator(".card.novel", has_text="80 documents").get_by_role("button", name="Accept").click()
    expect(bar(page)).to_contain_text("+1 topic")
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    accepted = next(e.decision for e in made.project.log() if isinstance(e.decision, AcceptTopic))
    assert len(document_places(made.project).documents_of(accepted.node.node_id)) == 80
    expect(page.get_by_role("region", name="New topics proposed (2)")).to_be_visible()
