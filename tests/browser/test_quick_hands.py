"""Nothing is lost by being quick: every text that was filled in and sent is kept, on every form of every page."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clicking import SCREENS, SPORT, Screen, busy, fill_and_click, kept_in_time
from tests.browser.conftest import link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated

PAIRS = 6


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name or "home")
def test_every_filled_field_is_kept(screen: Screen, page: Page, server: Server, made: Fabricated):
    with busy(1):
        tally = fill_and_click(page, server, made.project, screen, PAIRS, random.Random(7))
    assert len(tally.done) == PAIRS
    assert tally.lost == []
    assert len({text for _, text in tally.done}) == PAIRS


def test_a_note_typed_while_the_page_saves_stays_in_its_field(page: Page, server: Server, made: Fabricated):
    page.goto(link(server, "review", made.project, node=SPORT))
    note = page.get_by_label("Add a note")
    for number in range(3):
        said = f"Games with {number} rules."
        page.get_by_label("Definition").fill(said)
        page.get_by_role("button", name="Save").click()
        note.fill(f"golf belongs here {number}")
        assert kept_in_time(page, lambda said=said: made.project.taxonomy()[SPORT].definition == said)
        page.wait_for_timeout(1000)
        expect(note).to_have_value(f"golf belongs here {number}")
    page.get_by_role("button", name="Add the note").click()
    expect(note).to_have_value("")
    assert made.project.taxonomy()[SPORT].notes == ("golf belongs here 2",)


def test_what_is_typed_after_the_click_is_not_emptied_with_what_was_sent(page: Page, server: Server, made: Fabricated):
    page.goto(link(server, "review", made.project, node=SPORT))
    note = page.get_by_label("Add a note")
    note.fill("first")
    page.get_by_role("button", name="Add the note").dblclick()
    note.fill("second")
    expect(page.get_by_text("Note: first")).to_be_visible()
    page.wait_for_timeout(1000)
    expect(note).to_have_value("second")
    page.keyboard.press("Enter")
    expect(note).to_have_value("")
    assert made.project.taxonomy()[SPORT].notes == ("first", "second")


def test_what_another_person_changes_is_shown_beside_what_is_being_typed(page: Page, server: Server, made: Fabricated):
    from taxocom.taxonomy.decisions import EditDefinition, EditScopeNote

    page.goto(link(server, "review", made.project, node=SPORT))
    definition = page.get_by_label("Definition")
    definition.fill("Half a sente")
    made.project.record(EditDefinition(SPORT, "Ben's words."), author="Ben")
    made.project.record(EditScopeNote(SPORT, "Ben's scope."), author="Ben")
    expect(page.get_by_text("Changed meanwhile to: Ben's words.")).to_be_visible()
    expect(definition).to_have_value("Half a sente")
    expect(page.get_by_label("Scope note: when to use it")).to_have_value("Ben's scope.")
    definition.fill("A whole sentence.")
    page.get_by_role("button", name="Save").click()
    assert kept_in_time(page, lambda: made.project.taxonomy()[SPORT].definition == "A whole sentence.")
    node = made.project.taxonomy()[SPORT]
    assert (node.definition, node.scope_note) == ("A whole sentence.", "Ben's scope.")
