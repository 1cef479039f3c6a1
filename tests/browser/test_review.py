"""Review by keyboard alone, two people at once, history."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from taxocom.taxonomy.decisions import AcceptTopic, Defer, RejectTopic, RenameTopic, Undo
from taxocom.taxonomy.tree import topic_id
from tests.browser.conftest import NewPage, link, was_told
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
    page.keyboard.type("Public health")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Public health")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("article", name="Public health")).to_have_count(0)
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


def accept(page: Page, name: str) -> None:
    page.get_by_role("article", name=name).get_by_role("button", name="Accept").click()
    expect(page.get_by_role("article", name=name)).to_contain_text("Accepted")


def test_two_people_see_each_other_and_neither_is_overwritten(new_page: NewPage, server: Server, made: Fabricated):
    ada, ben = new_page("Ada"), new_page("Ben")
    film, war, crime, _ = (cluster.label for cluster in made.expansion.novel)
    for page in (ada, ben):
        page.goto(link(server, "expand", made.project))
        page.wait_for_selector(".map[data-painted]")
        accept(page, film)
    accept(ben, war)
    expect(ben.locator(".st-key-commit-line")).to_contain_text("+2 topics")
    ada.get_by_role("button", name="Commit").click()
    expect(ada.get_by_role("treeitem", name=film)).to_be_visible()

    ben.get_by_role("button", name="Commit").click()
    notice = ben.locator(".st-key-conflict")
    expect(notice).to_contain_text("Somebody else decided first")
    both = notice.get_by_role("row").filter(has_text=film)
    expect(both).to_contain_text("accept")
    expect(both).to_contain_text("Ada: Accepted")
    assert [entry.author for entry in made.project.log()] == ["Ada"]
    # Ada goes on, Ben's page refreshes itself for that, and the notice stays until Ben has answered it.
    accept(ada, crime)
    ada.get_by_role("button", name="Commit").click()
    expect(ben.get_by_role("treeitem", name=crime)).to_be_visible()
    expect(notice).to_contain_text("Somebody else decided first")
    ben.wait_for_timeout(2 * 4000 + 500)
    expect(notice).to_contain_text("Somebody else decided first")

    notice.get_by_role("button", name="Keep my draft, go on").click()
    expect(notice).to_have_count(0)
    ben.get_by_role("button", name="Commit").click()
    expect(ben.get_by_role("treeitem", name=war)).to_be_visible()
    assert [entry.author for entry in made.project.log()] == ["Ada", "Ada", "Ben"]


def test_what_others_decided_is_told_after_a_refresh_too(new_page: NewPage, server: Server, made: Fabricated):
    ben = new_page("Ben")
    film = made.expansion.novel[0].label
    ben.goto(link(server, "expand", made.project))
    ben.wait_for_selector(".map[data-painted]")
    accept(ben, film)
    expect(ben.locator(".st-key-commit-line")).to_contain_text("+1 topic")
    made.project.record(RenameTopic(topic_id("sport"), "Sports"), author="Ada")
    notice = ben.locator(".st-key-conflict")
    expect(notice).to_contain_text("Ada decided 1 thing since you started")
    ben.reload()
    expect(notice).to_contain_text("Ada decided 1 thing since you started")
    notice.get_by_role("button", name="Drop my draft").click()
    expect(notice).to_have_count(0)
    expect(ben.get_by_role("article", name=film)).not_to_contain_text("Accepted")


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


def test_a_topic_is_noted_on_moved_and_compared_with_any_earlier_step(page: Page, server: Server, made: Fabricated):
    sport = topic_id("sport")
    page.goto(link(server, "review", made.project, node=sport))
    page.get_by_label("Definition").fill("Games with rules.")
    page.get_by_label("Why (kept with the change)").fill("asked by the sports desk")
    page.get_by_role("button", name="Save").click()
    was_told(page, "Saved")
    page.get_by_label("Add a note").fill("golf belongs here")
    page.get_by_role("button", name="Add the note").click()
    expect(page.get_by_text("Note: golf belongs here")).to_be_visible()
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_label("Under", exact=True).select_option(label="Politics")
    page.get_by_role("button", name="Move it").click()
    expect(page.get_by_role("treeitem", name="Politics").get_by_role("treeitem", name="Sport")).to_be_visible()
    # What the box was opened for is done.
    expect(page.get_by_role("button", name="Move it")).not_to_be_visible()
    assert made.project.log()[0].why == "asked by the sports desk"
    for shape in ("Icicle", "Treemap"):
        page.get_by_text(shape, exact=True).click()
        # The shape before may stand beside the new one for a moment.
        expect(page.locator(".js-plotly-plot text").filter(has_text="Sport")).to_have_count(1)

    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_text("Sport → Politics / Sport")).to_be_visible()
    expect(page.get_by_text("Politics / Sport: definition, notes")).to_be_visible()
    page.get_by_role("combobox", name="Compare the tree with").click()
    page.get_by_role("option", name="Step 1: Defined").click()
    expect(page.get_by_text("Politics / Sport: notes")).to_be_visible()
    page.get_by_role("combobox", name="Compare the tree with").click()
    page.get_by_role("option", name="Step 2: Noted").click()
    expect(page.get_by_text("Edited")).to_have_count(0)
    expect(page.get_by_text("Sport → Politics / Sport")).to_be_visible()
