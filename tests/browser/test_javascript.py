"""The parts of our JavaScript that need no page, in Chromium itself; and every component, whole as it is sent."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

UI = Path(__file__).parents[2] / "taxocom" / "ui"
OXLINT = Path(sys.executable).parent / "oxlint"
COMMON = UI / "frontend" / "common.js"
# Listed where they are registered; the test of all files says if one is missing.
REGISTERED = (UI / "map" / "__init__.py", UI / "widgets" / "__init__.py")


def components() -> dict[str, list[Path]]:
    """Return the scripts of every component, the shared ones first, as `frontend.component` joins them."""
    found = {}
    for module in REGISTERED:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "component":
                name, scripts = ast.literal_eval(node.args[0]), ast.literal_eval(node.args[2])
                found[name] = [COMMON, *(module.parent / script for script in scripts)]
    return found


def test_every_script_belongs_to_a_component() -> None:
    used = {script for scripts in components().values() for script in scripts}
    assert used == set(UI.rglob("*.js"))


@pytest.mark.parametrize("name", components())
def test_a_whole_component_uses_no_name_that_is_not_there(name: str, tmp_path: Path) -> None:
    whole = tmp_path / f"{name}.js"
    whole.write_text("\n".join(script.read_text() for script in components()[name]))
    command = [str(OXLINT), "--deny-warnings", "-A", "all", "-D", "no-undef", "-D", "no-redeclare", str(whole)]
    config = tmp_path / "oxlintrc.json"
    config.write_text('{"env": {"browser": true, "es2024": true}}')
    linted = subprocess.run([*command, "-c", str(config)], capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout


@pytest.fixture(scope="module")
def scripts(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    source = "\n".join(script.read_text() for script in components()["taxocom_map"])
    page.add_script_tag(content=source.replace("export default ", "const start = "))
    yield page
    context.close()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("plural(1, 'term')", "1 term"),
        ("plural(1200, 'term')", "1,200 terms"),
        ("plural(2, 'match', 'matches')", "2 matches"),
        ("display('grand_slam_title')", "grand slam title"),
        ("[clamp(-1, 0, 5), clamp(3, 0, 5), clamp(9, 0, 5)]", [0, 3, 5]),
        ("[...decode(btoa('\\x01\\x00\\x02\\x00'), Uint16Array)]", [1, 2]),
        ("rgb('#0a1b2c')", [10, 27, 44]),
        ("rgb('rgb(1, 2, 3)')", [1, 2, 3]),
        ("rgb('nonsense')", [255, 255, 255]),
        ("mixed('#000000', '#ffffff', 0.5)", [128, 128, 128]),
        ("mixed('#102030', '#ffffff', 0)", [16, 32, 48]),
    ],
)
def test_small_helpers(scripts: Page, expression: str, value: object) -> None:
    assert scripts.evaluate(expression) == value


def test_text_is_marked_where_it_says_and_stays_text(scripts: Page) -> None:
    parts = scripts.evaluate(
        """() => { const box = document.createElement("p");
        box.append(...marked("a <b>bold</b> claim", [[2, 5], [3, 9], [14, 99]])); return box.innerHTML; }"""
    )
    assert parts == "a <mark>&lt;b&gt;</mark>bold&lt;/b&gt; claim…"


@pytest.mark.parametrize("dark", [False, True])
def test_two_topics_of_one_colour_have_different_shapes(scripts: Page, dark: bool) -> None:
    styles = scripts.evaluate(
        """(dark) => ["known", "novel"].map((kind) =>
          [...Array(16)].map((_, slot) => topicStyle({ slot, kind }, dark)))""",
        dark,
    )
    known, novel = ({(style["colour"], style["shape"]) for style in each} for each in styles)
    assert len(known) == len(novel) == 16
    assert {shape for _, shape in known} == {"circle", "square"}
    assert {shape for _, shape in novel} == {"triangle", "diamond"}


def test_a_lasso_holds_what_is_inside_it(scripts: Page) -> None:
    # An L: the notch at the upper right is outside.
    shape = [[0, 0], [10, 0], [10, 5], [5, 5], [5, 10], [0, 10]]
    points = [[2, 2], [8, 2], [2, 8], [8, 8], [-1, 5], [11, 2]]
    found = scripts.evaluate("([shape, points]) => points.map(([x, y]) => contains(shape, x, y))", [shape, points])
    assert found == [True, True, True, False, False, False]


def test_picking_looks_at_every_point_that_is_near(scripts: Page) -> None:
    missed = scripts.evaluate(
        """() => { let seed = 1; const draw = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
        const xy = Float32Array.from({ length: 2000 }, draw), grid = buildGrid(xy, extent(xy)), missed = [];
        for (let k = 0; k < 50; k++) { const x = draw(), y = draw(), away = 0.05, seen = new Set();
          eachNear(grid, x, y, away, (i) => seen.add(i));
          for (let i = 0; i < 1000; i++)
            if (Math.hypot(xy[2 * i] - x, xy[2 * i + 1] - y) < away && !seen.has(i)) missed.push(i);
          if (seen.size > 500) missed.push("all"); }
        return missed; }"""
    )
    assert missed == []


def test_the_frame_of_the_map_holds_every_point(scripts: Page) -> None:
    bounds = scripts.evaluate("extent(Float32Array.from([0.5, -2, -1, 3, 4, 0]))")
    assert bounds == {"left": -1, "right": 4, "top": -2, "bottom": 3}


def test_the_area_of_a_ring_is_counted_by_hand(scripts: Page) -> None:
    assert abs(scripts.evaluate("area([[0, 0], [4, 0], [4, 3], [0, 3]])")) == 12
