from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import example, given, settings

from taxocom.interchange.base.cells import joined, neutralised, parted, restored
from taxocom.interchange.plain.json_format import schema, write_json
from taxocom.interchange.plain.outline import write_outline
from taxocom.interchange.plain.research_format import write_research
from taxocom.interchange.seed_reading import read_seed
from taxocom.interchange.tables.spreadsheet import write_xlsx
from taxocom.interchange.tables.table import write_table_csv
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.interchange.trees import full_trees, names, outline, plain_trees, some_names, texts

# Made once: `jsonschema.validate` checks the schema itself anew each time, which takes longer than all the rest.
FORMAT = jsonschema.validators.validator_for(schema())(schema())


@given(full_trees())
def test_json_comes_back_equal_and_fits_its_schema(tree):
    data = write_json(tree)
    assert read_seed(data, "json").taxonomy == tree
    FORMAT.validate(json.loads(data))


@given(full_trees())
def test_csv_comes_back_equal(tree):
    assert read_seed(write_table_csv(tree), "csv").taxonomy == tree


@given(full_trees(max_topics=3))
@settings(max_examples=25)
def test_xlsx_comes_back_equal_and_is_the_same_bytes_each_time(tree):
    data = write_xlsx(tree)
    assert read_seed(data, "xlsx").taxonomy == tree
    assert write_xlsx(tree) == data


@given(plain_trees())
def test_an_outline_comes_back_equal(tree):
    assert read_seed(write_outline(tree), "markdown").taxonomy == tree


@given(full_trees())
def test_what_a_research_file_says_it_says_again(tree):
    once = read_seed(write_research(tree), "tsv").taxonomy
    assert len(once) == len(tree)
    assert read_seed(write_research(once), "tsv").taxonomy == once


def test_a_topic_called_root_does_not_become_the_root():
    tree = read_seed(b"ROOT\n  trees\nlife\n  root\n    hair\n").taxonomy
    once = read_seed(write_research(tree), "tsv").taxonomy
    assert [len(once.path_of(node.node_id)) for node in once.walk()] == [1, 2, 1, 2, 3]


def test_a_name_in_two_places_survives_the_research_format():
    tree = read_seed(b"France\n  Elections\n    Polls\nSpain\n  Elections\n    Polls\n").taxonomy
    assert read_seed(write_research(tree), "tsv").taxonomy == tree


@given(texts)
@example("'=1")
@example("\t=1")
def test_a_cell_is_harmless_and_comes_back(text):
    cell = neutralised(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
    assert restored(cell) == text


@given(some_names)
def test_values_joined_in_a_cell_come_apart_again(values):
    assert parted(joined(values)) == values


@given(names)
def test_an_apostrophe_of_ones_own_is_kept(name):
    assert restored(neutralised("'" + name)) == "'" + name


@pytest.mark.parametrize("write", [write_table_csv, write_xlsx, write_json, write_outline, write_research])
def test_statuses_and_order_survive(write):
    tree = Taxonomy.empty("News")
    for label in ("Zoo", "Art", "Law"):
        tree = tree.with_topic(TopicNode(label.lower(), label), ROOT_ID)
    assert outline(read_seed(write(tree)).taxonomy) == ["Zoo", "Art", "Law"]
