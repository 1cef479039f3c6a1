"""Hostile text, deep links on a fresh server, restarts, and jobs that are cancelled."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from taxocom import jobs
from taxocom.store.disk.locks import lock
from taxocom.taxonomy.decisions import RenameTopic
from taxocom.taxonomy.tree import topic_id
from tests.browser.conftest import NewPage, answered, at_rest, link
from tests.browser.serving import Server, free_port
from tests.ui.fabricate import Fabricated

POISON = (
    "<script>alert(1)</script><img src=http://evil.example/a.png onerror=alert(2)> "
    "![x](http://evil.example/b.png) [y](javascript:alert(3)) $\\href{http://evil.example}{z}$ :material/home:"
)
SCREENS = ("corpus", "expand", "review", "documents", "quality", "export")


def test_hostile_text_is_only_ever_text(page: Page, server: Server, fabricate: Callable[..., Fabricated]):
    made = fabricate("hostile ![x](www.evil.example)", poison=POISON)
    made.project.record(RenameTopic(topic_id("sport"), POISON[:100]), author=POISON[:50])
    sport = topic_id("sport")
    seen = 0
    for screen in (*SCREENS, ""):
        page.goto(link(server, screen, made.project, node=sport) if screen else server.address)
        page.wait_for_selector(".st-key-topbar")
        at_rest(page)
        seen += page.get_by_text("evil.example").count()
        assert page.locator("img[src*='evil.example']").count() == 0
        assert page.locator("a[href*='evil.example'], a[href^='javascript']").count() == 0
    page.goto(link(server, "expand", made.project))
    page.wait_for_selector(".map[data-painted]")
    expect(page.locator(".cards blockquote").first).to_contain_text("<script>alert(1)</script>")
    for tab in ("Queue", "History", "Compare"):
        page.goto(link(server, "review", made.project, view=tab))
        page.wait_for_selector(".st-key-topbar")
        at_rest(page)
    assert seen > 3


@pytest.mark.parametrize("screen", ["expand", "review"])
def test_a_deep_link_opens_on_a_fresh_server(
    screen: str, new_page: NewPage, server: Server, made: Fabricated, tmp_path: Path
):
    fresh = Server(server.home, free_port(), tmp_path / "server.log")
    fresh.start()
    try:
        page = new_page("Ada")
        page.goto(link(fresh, screen, made.project))
        expect(page.locator(".st-key-topnav [aria-current=page], .st-key-topnav a").first).to_be_visible(timeout=30_000)
        expect(page.locator(".st-key-topright")).to_contain_text(made.project.name)
        expect(page.get_by_text("Something unexpected went wrong")).to_have_count(0)
        page.close()
    finally:
        fresh.stop()


def test_an_address_without_a_project_leads_somewhere(page: Page, server: Server):
    page.goto(f"{server.address}/expand")
    page.get_by_role("link", name="Go to Projects").click()
    expect(page.get_by_role("button", name="New project")).to_be_visible()
    page.goto(f"{server.address}/expand?project=no-such-project")
    expect(page.get_by_role("alert")).to_contain_text("no-such-project")
    page.get_by_role("link", name="Projects").first.click()
    expect(page.get_by_role("button", name="New project")).to_be_visible()


def test_the_browser_asks_before_it_leaves_what_is_not_kept_yet(page: Page, server: Server, made: Fabricated):
    page.goto(link(server, "expand", made.project))
    page.wait_for_selector(".map[data-painted]")
    may_leave = "() => dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert page.evaluate(may_leave)
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.get_by_role("button", name="Accept").first.click()
        expect(page.get_by_text("Accepted", exact=True)).to_be_visible()
        assert not page.evaluate(may_leave)
    finally:
        server.process.send_signal(signal.SIGCONT)
    answered(page)
    assert page.evaluate(may_leave)
    page.reload()
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_job_outlives_the_server_that_started_it(new_page: NewPage, server: Server, made: Fabricated, tmp_path: Path):
    first = Server(server.home, free_port(), tmp_path / "first.log")
    first.start()
    page = new_page("Ada")
    page.goto(link(first, "expand", made.project))
    page.get_by_role("button", name="Expand again").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    job = jobs.list_jobs(made.project)[0]
    page.close()
    first.stop()
    assert jobs.wait_for(made.project, job.job_id, timeout=200).state == "done"
    page = new_page("Ben")
    page.goto(link(server, "expand", made.project))
    page.wait_for_selector(".map[data-painted]")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    assert made.project.proposals()[0].proposal_id > made.proposal_id


def test_a_job_is_shown_survives_a_refresh_and_is_cancelled(
    page: Page, server: Server, made: Fabricated, tmp_path: Path
):
    # Somebody else's turn without end: the worker waits for ever and costs nothing.
    with lock(server.home / "running.lock"):
        job = jobs.submit(made.project, "index", {"source": str(tmp_path / "endless.csv")}, author="Ada")
        page.goto(link(server, "corpus", made.project))
        expect(page.get_by_text("Reading the corpus")).to_be_visible()
        page.reload()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("was cancelled. Nothing was changed")).to_be_visible()
    assert jobs.get(made.project, job.job_id).state == "cancelled"
    assert made.project.corpus().n_documents == 280
