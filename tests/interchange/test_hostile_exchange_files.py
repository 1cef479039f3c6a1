from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taxocom.errors import InputError
from taxocom.interchange import export, read_seed, replay_bundle, write_bundle
from taxocom.interchange.seed_reading import READERS
from taxocom.taxonomy.tree import Taxonomy
from tests.interchange.samples import CONTEXT, TREE
from tests.taxonomy.laws import check_tree

WORDS = (
    "a", "b", "Sport", " ", "  ", "\t", "\n", "\n\n", ",", ";", "|", "/", ">", ":", '"', "'", "\\", "*", "- ", "# ",
    "=1", "{", "}", "[", "]", "[]", "{}", "null", "1", '"name":', '"children":', '"id":', "path", "parent,child", "\r",
    "prefLabel,id", "<urn:a> ", "a skos:Concept ", 'skos:prefLabel "A"@en ', "skos:broader <urn:a> ", " . ", "; ", "é",
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .", '"@context"', '"@id"', "\x00", "\x07", "level 1,level 2",
    "\u2028", "PK\x03\x04", "<", "&",
)  # fmt: skip
pieces = st.sampled_from(WORDS)
texts = st.lists(pieces, max_size=25).map("".join)


def read_or_refuse(data: bytes, format_name: str | None) -> None:
    """Only an error that a person can act on may come out, or a tree."""
    with contextlib.suppress(InputError):
        document = read_seed(data, format_name)
        check_tree(document.taxonomy)
        assert isinstance(document.taxonomy, Taxonomy)
        assert document.report()


@pytest.mark.parametrize("format_name", [None, *READERS])
@given(text=texts)
@settings(max_examples=60)
def test_any_text_is_a_tree_or_a_clear_refusal(format_name, text):
    read_or_refuse(text.encode(), format_name)


@pytest.mark.parametrize("format_name", READERS)
def test_a_damaged_export_is_a_tree_or_a_clear_refusal(format_name):
    whole = export(TREE, format_name, CONTEXT)
    rng = random.Random(3)
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4) if len(data) > 200 else 1):
            at = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[at] = rng.randrange(256)
            else:
                del data[at : at + rng.randrange(1, 50)]
        read_or_refuse(bytes(data), format_name)


def test_a_damaged_bundle_is_refused_or_told():
    whole = write_bundle(TREE, CONTEXT)
    rng = random.Random(4)
    for _ in range(40):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        with contextlib.suppress(InputError):
            result = replay_bundle(bytes(data))
            assert result.report()
