"""One server and one Chromium for all browser tests; a page that errs or leaves this machine fails its test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from taxocom.store import Project
from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port
from tests.ui.fabricate import Fabricated, fabricate_project

# On a deep link Streamlit asks below the page's own path first and is told 404; that is how it finds its base.
EXPECTED_404 = ("/_stcore/health", "/_stcore/host-config")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep all browser tests on one worker, so that they share one server and one browser.

    One that fails is run once more, and the summary counts it: beside other work on two cores a page may stand half
    drawn for longer than a test waits. A fault of the app fails both times.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("app")
    running = Server(folder / "home", free_port(), folder / "server.log")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=40_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Watch:
    """Everything a page must not do, as it happens."""

    host: str = "127.0.0.1"
    troubles: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.troubles.append(f"page error: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _console(self, message: ConsoleMessage) -> None:
        expected = "404" in message.text and message.location.get("url", "").endswith(EXPECTED_404)
        if message.type == "error" and not expected:
            self.troubles.append(f"console: {message.text} ({message.location.get('url')})")

    def _request(self, request: Request) -> None:
        address = urlparse(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != self.host:
            self.troubles.append(f"request to {request.url}")


NewPage = Callable[..., Page]
_KEEP_WHAT_IS_TOLD = """
window.told = new Set();
new MutationObserver(() => {
  for (const toast of document.querySelectorAll('[data-testid=stToast]')) told.add(toast.textContent);
}).observe(document, { childList: true, subtree: true });
"""


@pytest.fixture(scope="session")
def people(chromium: Browser) -> Iterator[list[BrowserContext]]:
    """Browsers that share no cookies, one for each person at a time; what they fetched once serves every later test."""
    contexts: list[BrowserContext] = []
    yield contexts
    for context in contexts:
        context.close()


@pytest.fixture
def new_page(chromium: Browser, people: list[BrowserContext], server: Server) -> Iterator[NewPage]:
    """Open pages in browsers of their own, as if for the first time; all of them are watched."""
    watch = Watch()
    pages: list[Page] = []

    def open_page(curator: str = "", *, theme: str = "light", width: int = 1280, height: int = 800) -> Page:
        if len(pages) == len(people):
            people.append(chromium.new_context(accept_downloads=True))
            people[-1].set_default_timeout(40_000)
        context = people[len(pages)]
        if curator:
            context.add_cookies([{"name": "taxocom_curator", "value": curator, "url": server.address}])
        page = context.new_page()
        page.add_init_script(_KEEP_WHAT_IS_TOLD)
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        watch.over(page)
        return page

    yield open_page
    for page in pages:
        _forget(page.context)
    assert not watch.troubles, "\n".join(watch.troubles)


def _forget(context: BrowserContext) -> None:
    """Close a person's pages and forget what these have kept, but for what is fetched to show them."""
    context.clear_cookies()
    for page in context.pages:
        address = urlparse(page.url)
        kept = {"origin": f"{address.scheme}://{address.netloc}", "storageTypes": "local_storage,indexeddb"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
        page.close()


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page("Ada")


@pytest.fixture
def fabricate(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fabricated]:
    """Make a project in the server's home, with a proposal ready."""
    monkeypatch.setenv("TAXOCOM_HOME", str(server.home))
    return fabricate_project


@pytest.fixture
def made(fabricate: Callable[..., Fabricated], request: pytest.FixtureRequest) -> Fabricated:
    # A test that is run again finds the project of its first run there.
    return fabricate(f"{request.node.name[:60]}-{getattr(request.node, 'execution_count', 1)}")


def link(server: Server, page_name: str, project: Project, **params: str) -> str:
    """Return the address of a page of a project."""
    more = "".join(f"&{key}={value}" for key, value in params.items())
    return f"{server.address}/{page_name}?project={project.path.name}{more}"


def was_told(page: Page, text: str) -> None:
    """Wait until a page that was not left since has told something in passing: it is gone again after four seconds."""
    deadline = time.monotonic() + 40
    while not any(text in told for told in page.evaluate("[...told]")):
        assert time.monotonic() < deadline, f"{text!r} was not told"
        page.wait_for_timeout(50)


def answered(page: Page) -> None:
    """Wait until the page has answered what was done to it: what a component shows at once is kept only then."""
    # Asked from here, again and again: the page's policy lets nobody evaluate text in it, this test included.
    deadline = time.monotonic() + 40
    while page.evaluate("taxocom.unanswered.size"):
        assert time.monotonic() < deadline, "the page did not answer"
        page.wait_for_timeout(20)


def at_rest(page: Page) -> None:
    """Wait until the page has drawn everything: a button drawn anew between press and release loses the click."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(500)
