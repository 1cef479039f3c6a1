from __future__ import annotations

import re

import pytest

from benchmarks import quality
from benchmarks._quality_page import fill, fill_file

PAGE = (
    "# Title\n\n<!-- begin one -->\nold\n<!-- end one -->\n\nBy hand, \\1 and | all.\n\n"
    "<!-- begin two --><!-- end two -->\n"
)


def test_blocks_are_replaced_and_prose_stays():
    filled = fill(PAGE, {"one": "| a |\n", "two": r"\g<0> stays text"})
    assert filled == (
        "# Title\n\n<!-- begin one -->\n\n| a |\n\n<!-- end one -->\n\nBy hand, \\1 and | all.\n\n"
        "<!-- begin two -->\n\n\\g<0> stays text\n\n<!-- end two -->\n"
    )


def test_filling_again_with_the_same_changes_nothing():
    blocks = {"one": "x", "two": "y"}
    once = fill(PAGE, blocks)
    assert fill(once, blocks) == once


@pytest.mark.parametrize(
    ("page", "blocks", "message"),
    [
        (PAGE, {"one": "x"}, "'two' is marked on the page but was not made"),
        (PAGE, {"one": "x", "two": "y", "three": "z"}, "'three' is not marked"),
        (PAGE + PAGE, {"one": "x", "two": "y"}, "'one' stand on the page 2 times"),
    ],
)
def test_a_block_is_never_lost_nor_left_stale(page, blocks, message, tmp_path):
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        fill_file(file, blocks)
    assert file.read_text(encoding="utf-8") == page


def test_the_evaluation_has_a_place_for_every_block():
    marked = re.findall(r"<!-- begin ([\w-]+) -->", quality.PAGE.read_text(encoding="utf-8"))
    assert sorted(marked) == sorted([*quality.BLOCKS, "facts"])
