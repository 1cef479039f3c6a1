"""The colours of topics: told apart by all people, in both themes, and seen on their ground."""

import re
from itertools import combinations

import numpy as np
import pytest

from taxocom.ui.frontend import FOLDER

GROUNDS = {"light": "#ffffff", "dark": "#11171d"}
# Machado, Oliveira and Fernandes 2009: what people see who lack one of the three kinds of cones.
SEEN_BY = {
    "all colours": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)


def palette(theme):
    script = (FOLDER / "common.js").read_text()
    return re.findall(r"#[0-9a-f]{6}", re.search(rf"const PALETTE = {{.*?{theme}: \[(.*?)\]", script, re.S)[1])


def linear(colour):
    value = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    x, y, z = (TO_XYZ @ np.clip(rgb, 0, 1)) / TO_XYZ.sum(axis=1)
    fx, fy, fz = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one, two):
    """Return the CIEDE2000 difference of two colours in Lab."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grow = 1 + 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = np.hypot(a1 * grow, b1), np.hypot(a2 * grow, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * grow)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue = (h1 + turn / 2) % 360
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63)
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    d_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    twist = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + twist * d_chroma * d_hue)


def cos(degrees):
    return np.cos(np.radians(degrees))


def contrast(colour, ground):
    one, two = sorted((TO_XYZ[1] @ linear(each) + 0.05 for each in (colour, ground)), reverse=True)
    return one / two


def test_the_difference_is_that_of_the_published_examples():
    # Sharma, Wu and Dalal 2005, pairs 1, 10 and 25.
    assert apart((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert apart((50, 2.5, 0), (50, 3.2592, 0.335)) == pytest.approx(1.0, abs=1e-4)
    assert apart((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387)) == pytest.approx(1.2644, abs=1e-4)


@pytest.mark.parametrize("theme", GROUNDS)
@pytest.mark.parametrize("eyes", SEEN_BY)
def test_any_two_topics_are_told_apart(theme, eyes):
    seen = [lab(np.array(SEEN_BY[eyes]) @ linear(colour)) for colour in palette(theme)]
    assert len(seen) == 8
    assert min(apart(one, two) for one, two in combinations(seen, 2)) > 14


@pytest.mark.parametrize("theme", GROUNDS)
def test_every_topic_stands_out_from_the_ground(theme):
    assert min(contrast(colour, GROUNDS[theme]) for colour in palette(theme)) >= 3
