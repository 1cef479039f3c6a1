"""How the browser tests of the Expand page find the map and its cards, and draw on it."""

from __future__ import annotations

import math

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import at_rest, link
from tests.browser.serving import Server
from tests.ui.fabricate import Fabricated


def opened(page: Page, server: Server, made: Fabricated, **params: str) -> Page:
    page.goto(link(server, "expand", made.project, **params))
    page.wait_for_selector(".map[data-painted]")
    # Streamlit may draw a page twice in its first second; until the second is done, two maps stand side by side.
    at_rest(page)
    expect(the_map(page)).to_have_count(1)
    return page


def the_map(page: Page) -> Locator:
    return page.locator(".map")


def map_box(page: Page) -> FloatRect:
    """Return where the map stands, once there is just one."""
    canvas = the_map(page).locator("canvas")
    expect(canvas).to_have_count(1)
    box = canvas.bounding_box()
    assert box is not None
    return box


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name)


def over_a_topic(page: Page, name: str) -> tuple[float, float]:
    """Move the pointer to the first place from the left, row by row, at which the map lights up the card of a topic.

    Returns the place, relative to the top left of the map.
    """
    box = map_box(page)
    lit = page.locator(".card.lit")
    for row in range(1, 12):
        for column in range(1, 16):
            x, y = box["width"] * column / 16, box["height"] * row / 12
            page.mouse.move(box["x"] + x, box["y"] + y)
            if lit.count() and name in (lit.get_attribute("aria-label") or ""):
                return x, y
    raise AssertionError(f"No place on the map belongs to {name}")


def lasso(page: Page, x: float, y: float, radius: float) -> None:
    """Draw a circle on the map with the mouse, relative to its top left."""
    box = map_box(page)
    page.get_by_role("button", name="Lasso").click()
    for step in range(25):
        angle = 2 * math.pi * step / 24
        page.mouse.move(box["x"] + x + radius * math.cos(angle), box["y"] + y + radius * math.sin(angle))
        if step == 0:
            page.mouse.down()
    page.mouse.up()
    page.get_by_role("button", name="Lasso").click()
