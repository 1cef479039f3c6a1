"""Review by keyboard alone, two people at once, history."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from taxocom.taxonomy.decisions import AcceptTopic, Defer, RejectTopic, RenameTopic, Undo
from taxocom.taxonomy.tree import topic_id
from tests.browser.conftest import NewPage, link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated


def kinds(made: Fabricated) -> list[type]:
    return [type(entry.decision) for entry in made.project.log()]


def test_the_queue_is_worked_through_by_keyboard_alone(page: Page, server: Server, made: Fabricated):
    page.goto(link(server, "review", made.project, view="Queue"))
    queue = page.locator(".cards")
    expect(queue).to_contain_text("Waiting (4)")
    page.keyboard.press("a")
    expect(queue).to_contain_text("Waiting (3)")
    page.keyboard.press("x")
    page.keyboard.type("not a topic for us")
    page.keyboard.press("Enter")
    expect(queue).to_contain_text("Waiting (2)")
    page.keyboard.press("s")
    expect(queue).to_contain_text("put off before")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Medicine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Medicine")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("article", name="Medicine")).to_have_count(0)
    expect(queue).to_contain_text("Waiting (2)")
    page.keyboard.press("a")
    expect(queue).to_contain_text("Waiting (1)")
    assert [kind for kind in kinds(made) if kind in (AcceptTopic, RejectTopic, Defer, Undo)] == [
        AcceptTopic,
        RejectTopic,
        Defer,
        Undo,
        AcceptTopic,
    ]
    assert len(made.project.taxonomy()) == len(made.project.seed()) + 2


def test_two_people_see_each_other_and_neither_is_overwritten(new_page: NewPage, server: Server, made: Fabricated):
    ada, ben = new_page("Ada"), new_page("Ben")
    film = made.expansion.novel[0].label
    for page in (ada, ben):
        page.goto(link(server, "expand", made.project))
        page.wait_for_selector(".map[data-painted]")
        page.get_by_role("article", name=film).get_by_role("button", name="Accept").click()
        expect(page.locator(".st-key-commit-bar")).to_contain_text("+1 topic")
    ada.get_by_role("button", name="Commit").click()
    expect(ada.get_by_role("treeitem", name=film)).to_be_visible()
    ben.get_by_role("button", name="Commit").click()
    notice = ben.get_by_text("decided 1 thing since you started")
    expect(ben.get_by_text("Somebody else decided first").or_(notice).first).to_be_visible()
    assert [entry.author for entry in made.project.log()] == ["Ada"]
    ben.reload()
    expect(ben.get_by_role("treeitem", name=film)).to_be_visible()
    expect(notice).to_be_visible()


def test_describe_a_topic_and_undo_and_redo_it(page: Page, server: Server, made: Fabricated):
    sport = topic_id("sport")
    page.goto(link(server, "review", made.project, node=sport))
    page.get_by_label("Definition").fill("Games with rules.")
    page.get_by_label("Name", exact=True).fill("Sports")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("treeitem", name="Sports")).to_be_visible()
    assert made.project.taxonomy()[sport].definition == "Games with rules."
    page.get_by_role("tab", name="History").click()
    page.get_by_label("Steps").fill("2")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("0 decisions in force, 2 can be put back.")).to_be_visible()
    assert made.project.taxonomy() == made.project.seed()
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_text("2 decisions in force, 0 can be put back.")).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_text("renamed")).to_be_visible()
    assert made.project.log()[0].decision == RenameTopic(sport, "Sports")
