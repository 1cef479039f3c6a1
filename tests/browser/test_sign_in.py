"""Sign-in against a real provider: a whole login, a role taken away while somebody works, a session that ends."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from taxocom.store import Project, create_project
from taxocom.taxonomy.decisions import GiveRole
from tests.browser.conftest import link
from tests.browser.signing_in import Asking, asking_app
from tests.taxonomy.samples import NEWS

ADA, BOB, CLEO = "ada@example.org", "bob@example.org", "cleo@example.org"


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    with asking_app(tmp_path / "home", tmp_path) as running:
        yield running


@pytest.fixture
def project(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(asking.home))
    with create_project("News", seed=NEWS, owner=ADA) as made:
        made.record(GiveRole(BOB, "curator"), author=ADA)
        yield made


def sign_in(page: Page, person: str) -> None:
    """Sign in at the provider, and come back to the page that was wanted."""
    wanted = page.url
    while page.evaluate("sessionStorage.getItem('taxocom wanted')") != wanted:
        page.wait_for_timeout(50)
    page.get_by_role("button", name="Sign in").click()
    page.locator("input[name=sub]").fill(person)
    page.get_by_role("button", name="Authorize", exact=True).click()
    expect(own_button(page, person)).to_be_visible()
    expect(page).to_have_url(wanted)


def own_button(page: Page, person: str) -> Locator:
    # An address is shown with a sign in it that keeps it from being a link.
    return page.get_by_role("button", name=re.compile(f"^{person.split('@')[0]}"))


def opened(chromium: Browser, address: str) -> Page:
    page = chromium.new_context().new_page()
    page.set_default_timeout(40_000)
    # The provider's page asks for a style sheet from elsewhere, and there is no elsewhere in a test.
    page.route("https://**", lambda route: route.abort())
    page.goto(address)
    return page


def renamed(page: Page, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.mark.slow
def test_people_sign_in_and_are_out_at_the_click_after_their_role_was_taken(
    asking: Asking, project: Project, chromium: Browser
):
    bob = opened(chromium, link(asking, "review", project, node="soccer"))
    expect(bob.get_by_text("Sign in to work on")).to_be_visible()
    assert "Soccer" not in bob.content()
    sign_in(bob, BOB)
    expect(bob.get_by_role("heading", name="Soccer")).to_be_visible()
    renamed(bob, "Football")
    expect(bob.get_by_role("heading", name="Football")).to_be_visible()
    assert project.log()[-1].author == BOB

    ada = opened(chromium, link(asking, "team", project, view="People"))
    sign_in(ada, ADA)
    ada.get_by_label("Person, as they sign in").fill(BOB)
    ada.get_by_label("Role", exact=True).select_option("none")
    ada.get_by_role("button", name="Give the role").click()
    expect(ada.get_by_text("Saved")).to_be_visible()

    before = project.sequence
    renamed(bob, "Footie")
    expect(bob.get_by_text("is not on the list of people").first).to_be_visible()
    assert project.sequence == before
    bob.reload()
    expect(bob.get_by_text("is not on the list of people").first).to_be_visible()
    assert "Football" not in bob.content()

    claims = json.dumps({"email": CLEO, "groups": ["staff", "editors"]}).encode()
    told = {"content-type": "application/json"}
    urlopen(Request(f"{asking.provider}/users/{CLEO}", claims, told, method="PUT"), timeout=20).close()
    cleo = opened(chromium, link(asking, "team", project, view="People"))
    sign_in(cleo, CLEO)
    expect(cleo.get_by_text("You are a curator here")).to_be_visible()
    assert project.team().role_of(CLEO) == "curator"

    asking.let_sign_ins_last(0)
    os.utime(asking.secrets)
    ada.reload()
    expect(ada.get_by_text("Your sign-in has ended")).to_be_visible()
    asking.let_sign_ins_last(12)
    ada.reload()
    own_button(ada, ADA).click()
    ada.get_by_role("button", name="Sign out").click()
    # The provider is told, and asks whether that was meant.
    expect(ada).not_to_have_url(re.compile(f"^{asking.address}/team"))
    ada.goto(link(asking, "team", project))
    expect(ada.get_by_text("Sign in to work on")).to_be_visible()
