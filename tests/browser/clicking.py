"""Fill-and-click pairs over every form of every page: what a quick hand does, and whether all of it was kept."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, TimeoutError

from taxocom.store import Project, list_projects
from taxocom.taxonomy.tree import topic_id
from taxocom.ui.corpus.corpus_page import reading_wishes
from tests.browser.conftest import link
from tests.browser.serving import Server

SPORT = topic_id("sport")
SLOWEST = 1500
_PATIENCE = 5000


@dataclass(frozen=True)
class Pair:
    """A field to fill, a button to click after it, and how to tell from the store whether a text was kept."""

    name: str
    label: str | re.Pattern[str]
    button: str
    is_kept: Callable[[Project, str], bool]


@dataclass(frozen=True)
class Screen:
    """A page with what has to be opened on it, and its pairs; they are done in any order, one after the other."""

    name: str
    pairs: tuple[Pair, ...]
    params: dict[str, str] = field(default_factory=dict)
    opened: Callable[[Page], object] = Page.title


def _notes(project: Project, text: str) -> bool:
    return text in project.taxonomy()[SPORT].notes


def _said(name: str) -> Callable[[Project, str], bool]:
    """Tell whether some decision said it: a later one may have said something else since."""

    def is_kept(project: Project, text: str) -> bool:
        return any(text in str(getattr(entry.decision, name, "")) for entry in project.log())

    return is_kept


def _topics(project: Project, text: str) -> bool:
    return any(node.label == text for node in project.taxonomy().walk())


def _releases(project: Project, text: str) -> bool:
    return any(release.name == text for release in project.releases())


def _wishes(project: Project, text: str) -> bool:
    return text in reading_wishes(project).kept


def _copies(_: Project, text: str) -> bool:
    return any(summary.name == text for summary in list_projects())


REVIEW = Screen(
    "review",
    (
        Pair("a note", "Add a note", "Add the note", _notes),
        Pair("a definition", "Definition", "Save", _said("definition")),
        Pair("a scope note", "Scope note: when to use it", "Save", _said("scope_note")),
        Pair("keywords of a topic", "Keywords, separated by commas", "Save", _said("keywords")),
        Pair("other names", "Other names, separated by commas", "Save", _said("alt_labels")),
    ),
    {"node": SPORT},
)
SEED = Screen(
    "corpus",
    (
        Pair("a topic added", re.compile("^Add a topic under"), "Add", _topics),
        Pair("keywords in the seed editor", "Keywords, separated by commas", "Save", _said("keywords")),
        Pair("a name in the seed editor", "Name", "Save", _said("label")),
        Pair("a phrase to keep", "Keep a phrase that is missing", "Keep it", _wishes),
    ),
    {"node": SPORT},
    lambda page: page.get_by_text("Phrases that were found").click(),
)
EXPORT = Screen("export", (Pair("a release", "Name of a new release", "Freeze", _releases),))


def _more(page: Page) -> None:
    page.get_by_role("button", name="More").first.click()


HOME = Screen("", (Pair("a copy of a project", "Name", "Copy", _copies),), opened=_more)
SCREENS = (REVIEW, SEED, EXPORT, HOME)


@dataclass
class Tally:
    """What was done and what of it is nowhere."""

    done: list[tuple[str, str]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def fill_and_click(page: Page, server: Server, project: Project, screen: Screen, n: int, rng: random.Random) -> Tally:
    """Do pairs on a page with random waits between fill, click and next pair, then look for each text in the store."""
    page.goto(link(server, screen.name, project, **screen.params) if screen.name else server.address)
    page.wait_for_selector(".st-key-topbar")
    screen.opened(page)
    done: list[tuple[Pair, str]] = []
    for number in range(n):
        pair = rng.choice(screen.pairs)
        text = f"{screen.name or 'home'} {number} {rng.randrange(10**6)}"
        _within(page, screen, lambda pair=pair, text=text: _labelled(page, pair).fill(text, timeout=_PATIENCE))
        page.wait_for_timeout(rng.uniform(0, SLOWEST / 10))
        _within(page, screen, lambda pair=pair: _button(page, pair).click(timeout=_PATIENCE))
        done.append((pair, text))
        page.wait_for_timeout(rng.uniform(0, SLOWEST))
    tally = Tally([(pair.name, text) for pair, text in done])
    for pair, text in done:
        if not kept_in_time(page, lambda pair=pair, text=text: pair.is_kept(project, text)):
            tally.lost.append(f"{pair.name}: {text}")
    return tally


def _labelled(page: Page, pair: Pair) -> Locator:
    return page.get_by_label(pair.label, exact=True)


def _button(page: Page, pair: Pair) -> Locator:
    return page.get_by_role("button", name=pair.button, exact=True).first


def _within(page: Page, screen: Screen, do: Callable[[], None]) -> None:
    """Do something in a box that may close when the list around it is sorted anew; what was typed is there again."""
    try:
        do()
    except TimeoutError:
        screen.opened(page)
        do()


def kept_in_time(page: Page, is_kept: Callable[[], bool], seconds: float = 60) -> bool:
    """Tell whether something is in the store before long: what the page says of it is gone after four seconds."""
    for _ in range(int(seconds * 5)):
        if is_kept():
            return True
        page.wait_for_timeout(200)
    return False


@contextmanager
def busy(n_loops: int = 2) -> Iterator[None]:
    """Keep the machine busy with loops that do nothing."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_loops)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
