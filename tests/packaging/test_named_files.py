"""The documents for people who work on the code name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = [
    path.relative_to(ROOT).as_posix()
    for top in ("taxocom", "pages", "benchmarks", "tests")
    for path in (ROOT / top).rglob("*.py")
]


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "README.md"])
def test_every_module_that_a_document_names_is_there(document: str) -> None:
    text = (ROOT / document).read_text()
    named = set(re.findall(r"`([\w/]+\.py)`", text)) - {"benchmarks/NAME.py", "app.py"}
    missing = [name for name in named if not any(path == name or path.endswith(f"/{name}") for path in ALL)]
    assert sorted(missing) == []


def test_the_table_of_places_leads_to_what_it_names() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = text[text.index("## Where is it?") : text.index("## Files from strangers")]
    links = re.findall(r"\[`([^`]+)`\]\(([^)#]+)\)", table)
    assert len(links) > 10
    assert [said for said, target in links if said != target or not (ROOT / target).exists()] == []
    # A name of a function beside a link stands in the file of the same row.
    for row in table.splitlines():
        sources = "".join(
            (ROOT / target).read_text() for _, target in re.findall(r"(\[`[^`]+`\])\(([\w/]+\.py)\)", row)
        )
        for name in re.findall(r"(?<!\[)`(\w+)`", row):
            assert not sources or name in sources, f"{name} is not in the files of its row"
