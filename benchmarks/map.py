"""The map with 25,000 documents and 25,000 terms in Chromium, and plotly's own chart of as many points beside it.

What is timed is what a person waits for: from the click until the new picture is on the canvas. Both apps run on this
machine, one after the other, in the same browser without a graphics card.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.browser.serving import CHROMIUM, FLAGS, Server, free_port
from tests.ui.fabricate import Fabricated, fabricate_project

N_TERMS = 25_000
N_DOCUMENTS = 25_000
REPEATS = 5
N_SELECTED = 500

_PLOTLY_APP = """
import numpy as np, plotly.graph_objects as go, streamlit as st
data = np.load({path!r})
by = st.radio("Colour", ["cluster", "novelty"], horizontal=True)
figure = go.Figure(go.Scattergl(x=data["xy"][:, 0], y=data["xy"][:, 1], mode="markers",
    marker=dict(size=4, color=data[by], colorscale="Viridis"), customdata=data["ids"], text=data["terms"]))
figure.update_layout(height=450, dragmode="lasso", uirevision="kept")
event = st.plotly_chart(figure, key="map", on_select="rerun")
st.write("selected", len(event["selection"]["points"]))
"""


@dataclass(frozen=True)
class Row:
    """One line of the table: seconds, and whether the zoom was kept, for both charts."""

    what: str
    ours: str
    plotly: str
    bar: str


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the points are made up
    """Measure both charts and return the table."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="taxocom-map-") as folder:
        home = Path(folder) / "home"
        os.environ["TAXOCOM_HOME"] = str(home)
        made = fabricate_project("map", n_documents=N_DOCUMENTS, n_extra_terms=N_TERMS)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            ours = _served(Server(home, free_port(), Path(folder) / "ours.log"), browser.new_page, made, _measure_ours)
            script = Path(folder) / "plotly_app.py"
            script.write_text(_PLOTLY_APP.format(path=str(_points_file(made, Path(folder)))))
            theirs = Server(home, free_port(), Path(folder) / "plotly.log", script)
            plotly = _served(theirs, browser.new_page, made, _measure_plotly)
            browser.close()
    bars = {
        "page open, warm": "3 s",
        "other points or colours: documents or terms": "1 s",
        "a card's points light up": "1 s",
        "zoom": "1 s",
        "general terms, there or not": "1 s",
        "lasso of documents let go, to all listed": "1 s",
        "threshold, split again": "1 s",
        "lasso of terms let go, to a moved cluster": "2 s",
        "zoom kept": "yes",
    }
    lines = [
        f"{len(made.expansion.documents):,} documents, {len(made.expansion.terms):,} terms, "
        f"median of {REPEATS} (page open: 3). "
        f"Load of the machine: {load:.1f} before, {os.getloadavg()[0]:.1f} after; we at niceness {os.nice(0)}.",
        "",
        "| | ours | plotly's chart | bar |",
        "|---|---|---|---|",
        *(
            f"| {what} | {ours.get(what, 'not offered')} | {plotly.get(what, 'not offered')} | {bar} |"
            for what, bar in bars.items()
        ),
    ]
    return "\n".join(lines)


Measure = Callable[[Page, str, Fabricated], dict[str, str]]


def _served(server: Server, new_page: Callable[..., Page], made: Fabricated, measure: Measure) -> dict[str, str]:
    server.start()
    try:
        page = new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        return measure(page, server.address, made)
    finally:
        server.stop()


def _measure_ours(page: Page, address: str, made: Fabricated) -> dict[str, str]:
    link = f"{address}/expand?project={made.project.path.name}"
    opening = [_timed(lambda: (page.goto(link), page.wait_for_selector(".map[data-painted]"))) for _ in range(4)][1:]
    the_map = page.locator(".map")
    zooms = [_timed(lambda name=name: _painted(page, name)) for name in ("Zoom in", "Zoom out", "Zoom in")]
    zoom = the_map.get_attribute("data-zoom")
    views = [_timed(lambda name=name: _painted(page, name, role="radio")) for name in ("Terms", "Documents") * 3][1:]
    cards = [_timed(lambda name=cluster.label: _lit(page, name)) for cluster in made.expansion.novel]
    page.get_by_role("button", name="Lasso").click()
    held = _lasso_of(page, N_SELECTED)
    page.mouse.up()
    listed = [_timed(lambda: _let_go(page)) for _ in _drawn_again(page)]
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("radio", name="Terms").click()
    # An odd number, so that all terms are there for what follows.
    general = [_timed(lambda: _painted(page, "general terms")) for _ in range(REPEATS)]
    thresholds, lassos, sizes = [], [], []
    for step in range(REPEATS):
        thresholds.append(_timed(lambda share=0.3 + 0.1 * step: _set_threshold(page, share)))
        sizes.append(_lasso_of(page, N_SELECTED))
        lassos.append(_timed(lambda step=step: _let_go_and_move(page, 1 + step)))
    kept = the_map.get_attribute("data-zoom") == zoom
    return {
        "page open, warm": _seconds(opening),
        "other points or colours: documents or terms": _seconds(views),
        "a card's points light up": _seconds(cards),
        "zoom": _seconds(zooms),
        "general terms, there or not": _seconds(general),
        "lasso of documents let go, to all listed": f"{_seconds(listed)} ({held:,} or more)",
        "threshold, split again": _seconds(thresholds),
        "lasso of terms let go, to a moved cluster": f"{_seconds(lassos)} ({min(sizes):,} or more)",
        "zoom kept": "yes" if kept else "no",
    }


def _painted(page: Page, name: str, *, role: Literal["button", "radio"] = "button") -> None:
    before = page.locator(".map").get_attribute("data-painted")
    page.get_by_role(role, name=name).click()
    _changed(page, "data-painted", before)


def _lit(page: Page, name: str) -> None:
    """Point at a card until its points are the ones that stand out."""
    before = page.locator(".map").get_attribute("data-emphasis")
    page.get_by_role("article", name=name).hover(position={"x": 60, "y": 12})
    _changed(page, "data-emphasis", before)


def _drawn_again(page: Page) -> Iterator[int]:
    for number in range(REPEATS):
        if page.get_by_role("button", name="Clear").count():
            page.get_by_role("button", name="Clear").click()
        _draw_lasso(page, 0.3)
        yield number


def _let_go(page: Page) -> None:
    page.mouse.up()
    page.locator(".selection .listed li").first.wait_for()
    _until_painted(page)


def _set_threshold(page: Page, share: float) -> None:
    before = page.locator(".map").get_attribute("data-state")
    # In the middle of the window: a bar at its foot covers what is there.
    page.locator(".novelty .chart").evaluate("chart => chart.scrollIntoView({block: 'center'})")
    box = page.locator(".novelty .chart").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    _changed(page, "data-state", before)


def _lasso_of(page: Page, wanted: int) -> int:
    """Draw a lasso around at least so many points, up to letting it go; return how many they are."""
    for share in np.arange(0.06, 0.5, 0.02):
        _draw_lasso(page, float(share))
        page.mouse.up()
        selected = int(page.locator(".map").get_attribute("data-selected") or 0)
        if selected:
            page.get_by_role("button", name="Clear").click()
        if selected >= wanted:
            _draw_lasso(page, float(share))
            return selected
    raise RuntimeError(f"No lasso held {wanted} points")


def _draw_lasso(page: Page, share: float) -> None:
    page.locator(".map canvas").scroll_into_view_if_needed()
    box = page.locator(".map canvas").bounding_box()
    assert box is not None
    x, y, radius = box["x"] + box["width"] * 0.66, box["y"] + box["height"] * 0.5, box["height"] * share
    for step in range(17):
        angle = 2 * np.pi * step / 16
        page.mouse.move(x + radius * np.cos(angle), y + radius * np.sin(angle))
        if step == 0:
            page.mouse.down()


def _let_go_and_move(page: Page, target: int) -> None:
    before = page.locator(".map").get_attribute("data-state")
    page.mouse.up()
    page.get_by_label("Move to cluster").select_option(index=target)
    _changed(page, "data-state", before)


def _changed(page: Page, attribute: str, before: str | None) -> None:
    deadline = time.perf_counter() + 60
    while page.locator(".map").get_attribute(attribute) == before:
        if time.perf_counter() > deadline:
            raise TimeoutError(f"{attribute} stayed {before}")
    _until_painted(page)


def _until_painted(page: Page) -> None:
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _points_file(made: Fabricated, folder: Path) -> Path:
    terms = made.expansion.terms
    path = folder / "points.npz"
    names = np.array(made.project.corpus().vocabulary.select(terms.term_ids))
    np.savez(path, xy=terms.xy, cluster=terms.cluster, novelty=terms.novelty, ids=terms.term_ids, terms=names)
    return path


def _measure_plotly(page: Page, address: str, made: Fabricated) -> dict[str, str]:  # noqa: ARG001  # one signature for both
    def opened() -> None:
        page.goto(address)
        page.wait_for_selector(".js-plotly-plot .gl-canvas-focus, .js-plotly-plot canvas")
        page.wait_for_function("() => document.querySelector('.js-plotly-plot')?._fullLayout?._glcanvas !== undefined")
        _until_painted(page)

    def recoloured(name: str) -> None:
        before = page.evaluate(_PLOTLY_COLOUR)
        page.get_by_text(name, exact=True).click()
        page.wait_for_function(f"before => ({_PLOTLY_COLOUR.removeprefix('() => ')}) !== before", arg=before)
        _until_painted(page)

    opening = [_timed(opened) for _ in range(4)][1:]
    zoomed = page.evaluate(_PLOTLY_RANGE)
    page.mouse.move(400, 300)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(500)
    zoom = page.evaluate(_PLOTLY_RANGE)
    recolour = [_timed(lambda name=name: recoloured(name)) for name in ["novelty", "cluster"] * 2 + ["novelty"]]
    kept = page.evaluate(_PLOTLY_RANGE) == zoom and zoom != zoomed
    return {
        "page open, warm": _seconds(opening),
        "other points or colours: documents or terms": _seconds(recolour),
        "threshold, split again": "as a change of colour, at least",
        "zoom kept": "yes" if kept else "no",
    }


_PLOTLY_COLOUR = "() => document.querySelector('.js-plotly-plot')?._fullData?.[0]?.marker?.color?.[7] ?? null"
_PLOTLY_RANGE = "() => JSON.stringify(document.querySelector('.js-plotly-plot')?._fullLayout?.xaxis?.range ?? null)"


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _seconds(times: list[float]) -> str:
    return f"{statistics.median(times):.2f} s"


if __name__ == "__main__":
    print(run())
