"""Text from outside reaches Markdown letter by letter."""

import re

from hypothesis import given
from hypothesis import strategies as st

from taxocom.ui.runtime.safe_text import WORD_JOINER, count, md, percent


def test_an_image_link_is_disarmed():
    assert md("![x](http://evil.example/p.png)") == "\\!\\[x\\]\\(http\\:\u2060\\/\\/evil\\.example\\/p\\.png\\)"


@given(st.text())
def test_no_markup_survives_and_no_letter_is_lost(text: str):
    escaped = md(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[!\[\]()<>*_`$:#]", escaped)
    read = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped)
    assert read.replace(WORD_JOINER, "") == " ".join(text.split()).replace(WORD_JOINER, "")
    assert not re.search(r"://|www\.|\w@", read, re.IGNORECASE)


def test_counts_agree_with_their_nouns():
    assert [count(1, "topic"), count(1200, "topic"), count(2, "match", "matches")] == [
        "1 topic",
        "1,200 topics",
        "2 matches",
    ]


def test_a_small_share_does_not_look_like_none():
    assert [percent(0), percent(0.001), percent(0.5)] == ["0 %", "<1 %", "50 %"]
