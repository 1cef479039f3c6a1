from __future__ import annotations

import re

import pytest

from benchmarks import quality
from benchmarks._quality_page import fill, fill_folder

PAGE = (
    "# Title\n\n<!-- begin one -->\nold\n<!-- end one -->\n\nBy hand, \\1 and | all.\n\n"
    "<!-- begin two --><!-- end two -->\n"
)


def test_blocks_are_replaced_and_prose_stays():
    filled = fill({"page": PAGE}, {"one": "| a |\n", "two": r"\g<0> stays text"})
    assert filled["page"] == (
        "# Title\n\n<!-- begin one -->\n\n| a |\n\n<!-- end one -->\n\nBy hand, \\1 and | all.\n\n"
        "<!-- begin two -->\n\n\\g<0> stays text\n\n<!-- end two -->\n"
    )


def test_filling_again_with_the_same_changes_nothing():
    blocks = {"one": "x", "two": "y"}
    once = fill({"page": PAGE}, blocks)
    assert fill(once, blocks) == once


@pytest.mark.parametrize(
    ("pages", "blocks", "message"),
    [
        ([PAGE], {"one": "x"}, "'two' is marked on a page but was not made"),
        ([PAGE], {"one": "x", "two": "y", "three": "z"}, "'three' is not marked"),
        ([PAGE, PAGE], {"one": "x", "two": "y"}, "'one' stand on the pages 2 times"),
    ],
)
def test_a_block_is_never_lost_nor_left_stale(pages, blocks, message, tmp_path):
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.md").write_text(page, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        fill_folder(tmp_path, blocks)
    assert [path.read_text(encoding="utf-8") for path in sorted(tmp_path.iterdir())] == pages


def test_the_evaluation_has_a_place_for_every_block():
    text = "".join(page.read_text(encoding="utf-8") for page in quality.PAGES.glob("*.md"))
    assert sorted(re.findall(r"<!-- begin ([\w-]+) -->", text)) == sorted([*quality.BLOCKS, "facts"])


def test_the_evaluation_itself_stays_two_pages_long():
    words = (quality.PAGES.parents[1] / "EVALUATION.md").read_text(encoding="utf-8").split()
    assert len(words) <= 1400
