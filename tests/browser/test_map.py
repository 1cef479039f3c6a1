"""The map in a real browser: documents or terms, points and cards point to each other, a lasso becomes a topic."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import MoveDocuments
from taxocom.taxonomy.tree import topic_id
from tests.browser.conftest import answered, was_told
from tests.browser.on_the_map import card, lasso, map_box, opened, over_a_topic, the_map
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated


def test_one_switch_between_documents_and_terms_and_general_terms_wait(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    legend = page.get_by_role("list", name="Legend")
    expect(page.get_by_role("radio", name="Documents")).to_be_checked()
    first = made.expansion.novel[0]
    expect(legend).to_contain_text(f"{first.label}{first.n_documents} proposed")
    expect(card(page, first.label)).to_contain_text(f"{first.n_documents} documents")
    expect(page.get_by_role("treeitem", name="Business").locator(".colour")).to_have_count(1)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("radio", name="Terms").click()
    expect(the_map(page)).to_have_attribute("data-view", "terms")
    expect(the_map(page)).to_have_attribute("data-zoom", "1.500")
    general = legend.get_by_role("button", name="general terms")
    expect(general).to_have_attribute("aria-pressed", "false")
    general.click()
    expect(general).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("radio", name="Documents")).to_be_checked()


def test_points_and_cards_point_to_each_other(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    second = made.expansion.novel[1]
    card(page, second.label).hover()
    expect(the_map(page)).to_have_attribute("data-emphasis", second.cluster_id)
    over_a_topic(page, second.label)
    expect(the_map(page)).to_have_attribute("data-emphasis", "")
    shut = card(page, second.label)
    expect(shut.get_by_role("button", name="Show the evidence")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    expect(shut.get_by_role("button", name="Hide the evidence")).to_be_visible()
    # A click anywhere opens a card, and one on its head closes it.
    third = card(page, made.expansion.novel[2].label)
    third.locator(".brief").click()
    expect(third.get_by_role("button", name="Hide the evidence")).to_be_visible()
    third.locator(".size").click()
    expect(third.get_by_role("button", name="Show the evidence")).to_be_visible()


def test_a_lasso_shows_all_that_it_holds_and_becomes_a_topic(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    box = map_box(page)
    lasso(page, box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) * 0.45)
    chosen = page.get_by_role("region", name="Selected documents")
    n_chosen = int(the_map(page).get_attribute("data-selected") or 0)
    expect(chosen).to_contain_text(f"{n_chosen} documents")
    assert n_chosen > 200
    chosen.get_by_role("button", name=f"{n_chosen - 200} more").click()
    expect(chosen.locator(".listed li")).to_have_count(n_chosen)
    chosen.get_by_role("button", name="Make a topic of these").click()
    missed = page.locator(".st-key-missed-card")
    expect(missed).to_be_visible(timeout=20_000)
    expect(missed).to_contain_text(re.compile(r"\d+ documents"))


def test_a_lasso_belongs_to_a_topic_and_the_map_shows_what_was_decided(page: Page, server: Server, made: Fabricated):
    opened(page, server, made)
    box = map_box(page)
    before = len(document_places(made.project).documents_of(topic_id("sport")))
    lasso(page, box["width"] / 2, box["height"] / 2, min(box["width"], box["height"]) * 0.45)
    page.get_by_label("They belong to").select_option(label="Sport")
    was_told(page, "to Sport")
    moved = next(e.decision for e in made.project.log() if isinstance(e.decision, MoveDocuments))
    held = len(document_places(made.project).documents_of(topic_id("sport")))
    assert held > before
    assert moved.node_id == topic_id("sport")
    expect(page.get_by_role("list", name="Legend")).to_contain_text(f"Sport{held}")
    for cluster in made.expansion.novel:
        card(page, cluster.label).get_by_role("button", name="Accept").click()
    answered(page)
    page.get_by_role("button", name="Commit").click()
    was_told(page, "Committed")
    expect(page.get_by_text("is done")).to_be_visible()
    page.wait_for_selector(".map[data-painted]")
    counts = document_places(made.project).counts()
    expect(page.get_by_role("list", name="Legend")).not_to_contain_text("proposed")
    for node in made.project.taxonomy().children_of("root"):
        expect(page.get_by_role("list", name="Legend")).to_contain_text(f"{node.label}{counts.get(node.node_id, 0)}")
