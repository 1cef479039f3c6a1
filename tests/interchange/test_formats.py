from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import jsonschema
import networkx as nx
import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from taxocom.errors import ExportError
from taxocom.interchange import FORMATS, ExportContext, export, read_seed, with_proposed, with_rejected
from taxocom.interchange.plain.json_format import schema
from taxocom.taxonomy.curation import derive_curation
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.interchange.samples import CONTEXT, LOG, SEED, TREE
from tests.interchange.trees import full_trees, outline

GOLDEN = Path(__file__).parent / "golden"
TEXT_FORMATS = [name for name in FORMATS if name not in ("xlsx", "documents-parquet", "classifier")]
WHOLE = ("json", "csv", "xlsx", "turtle", "jsonld", "rdfxml")
EVERY_STATUS = frozenset({"approved", "proposed", "rejected"})


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_what_is_written_is_what_was_written_before(name):
    # To accept a change of a format: look at it, then delete the golden file and run this test twice.
    golden = GOLDEN / FORMATS[name].file_name
    data = export(TREE, name, CONTEXT)
    if not golden.exists():
        golden.write_bytes(data)
        pytest.fail(f"{golden.name} was missing and has been written anew; look at it")
    assert data.decode() == golden.read_bytes().decode()


@pytest.mark.parametrize("name", WHOLE)
@given(tree=full_trees(max_topics=3))
@settings(max_examples=8)
def test_whole_formats_come_back_equal(name, tree):
    context = ExportContext(statuses=EVERY_STATUS)
    data = export(tree, name, context)
    assert FORMATS[name].read(data).taxonomy == tree
    assert read_seed(data).taxonomy == tree


@pytest.mark.parametrize("name", FORMATS)
def test_equal_trees_give_equal_bytes(name):
    again = Taxonomy(dict(reversed(TREE.nodes.items())), dict(reversed(TREE.children.items())))
    assert export(again, name, CONTEXT) == export(TREE, name, CONTEXT)


@pytest.mark.parametrize("name", FORMATS)
def test_only_approved_topics_go_out_unless_asked(name):
    tree = with_proposed(TREE, "sport", [TopicNode("cricket", "Cricket", keywords=("cricket",))])
    tree = with_rejected(tree, derive_curation(SEED, LOG))
    tree = tree.with_topic(TopicNode("ashes", "Ashes", keywords=("ashes",)), "cricket")
    narrow = _text(export(tree, name, CONTEXT))
    assert "ricket" not in narrow
    if FORMATS[name].needs_documents:
        return
    assert "shes" in narrow
    wide = _text(export(tree, name, ExportContext(statuses=EVERY_STATUS)))
    assert "ricket" in wide
    assert "just" in wide
    if name not in ("tsv", "classifier"):
        assert "proposed" in wide
        assert "rejected" in wide


def test_a_kept_topic_below_one_left_out_moves_up():
    tree = with_proposed(TREE, "sport", [TopicNode("cricket", "Cricket")]).with_topic(
        TopicNode("x", "Ashes"), "cricket"
    )
    assert "Sport/Ashes" in outline(read_seed(export(tree, "json")).taxonomy)


def test_an_empty_tree_and_an_unknown_format_are_refused():
    with pytest.raises(ExportError, match="no topic to export"):
        export(with_proposed(Taxonomy.empty(), ROOT_ID, [TopicNode("a", "A")]), "json")
    with pytest.raises(ExportError, match=r"no format 'docx'.*json, csv"):
        export(TREE, "docx")
    with pytest.raises(ExportError, match="goes out only"):
        FORMATS["html"].read(b"x")


def test_the_json_is_nested_and_fits_the_schema():
    data = json.loads(export(TREE, "json", CONTEXT))
    jsonschema.validate(data, schema())
    film = data["children"][2]
    assert (film["id"], film["label"], film["center_term"], film["origin"]) == ("film", "Film & <arts>", "man", "novel")
    assert film["anchors"][0] == {"term": "movie", "significance": 0.9, "relevance": 0.8, "integrity": 0.7,
                                  "distinctiveness": 0.6, "popularity": 0.5}  # fmt: skip
    assert (film["n_documents"], film["concentration"], film["children"]) == (12, 42.5, [])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**data, "version": 2}, schema())


def test_a_workbook_has_no_formulas():
    tree = Taxonomy.empty().with_topic(TopicNode("x", '=HYPERLINK("http://evil.example")', definition="+1"), ROOT_ID)
    sheet = openpyxl.load_workbook(io.BytesIO(export(tree, "xlsx"))).active
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert sheet["B3"].value == '\'=HYPERLINK("http://evil.example")'
    assert sheet.freeze_panes == "C2"


def test_a_text_too_long_for_a_cell_is_refused_and_not_cut():
    tree = Taxonomy.empty().with_topic(TopicNode("x", "X", definition="a" * 40_000), ROOT_ID)
    with pytest.raises(ExportError, match="40000 characters"):
        export(tree, "xlsx")


def test_graphml_is_a_tree_with_attributes():
    graph = nx.read_graphml(io.BytesIO(export(TREE, "graphml", CONTEXT)))
    assert nx.is_arborescence(graph)
    assert graph.nodes["film"]["label"] == "Film & <arts>"
    assert graph.nodes["film"]["documents"] == 12
    assert "documents" not in graph.nodes["sport"]
    assert set(graph.successors(ROOT_ID)) == {"politics", "sport", "film", "soccer"}


def test_documents_say_path_and_novelty_as_csv_and_parquet():
    lines = export(TREE, "documents-csv", CONTEXT).decode("utf-8-sig").splitlines()
    assert lines == [
        "id,path,novel,score,topic_id,title",
        "d1,Film & <arts>,1,0.5,film,'=cmd()",
        "d2,Soccer,0,,soccer,",
        "d3,,0,0.1,root,",
        "d4,,0,0.1,root,",
    ]
    table = pq.read_table(io.BytesIO(export(TREE, "documents-parquet", CONTEXT))).to_pylist()
    assert table[0] == {
        "id": "d1",
        "path": "Film & <arts>",
        "novel": True,
        "score": 0.5,
        "topic_id": "film",
        "title": "=cmd()",
    }
    assert table[1]["score"] is None


def test_classifier_files_are_as_their_readers_expect():
    archive = zipfile.ZipFile(io.BytesIO(export(TREE, "classifier", CONTEXT)))
    hierarchy = archive.read("label_hier.txt").decode().splitlines()
    keywords = dict(line.split("\t") for line in archive.read("keywords.txt").decode().splitlines())
    assert hierarchy == ["ROOT\tPolitics\tSport\tFilm_&_<arts>\tSoccer"]
    assert keywords.pop("Film_&_<arts>").endswith(" man movie actor")
    assert keywords == {"Politics": "politics", "Sport": "sport", "Soccer": "soccer"}
    assert read_seed(archive.read("label_hier.txt")).taxonomy.root.label == "Topics"


def _text(data: bytes) -> str:
    """Return everything readable in a file, unpacked if it is an archive."""
    if data[:2] == b"PK":
        archive = zipfile.ZipFile(io.BytesIO(data))
        return "\n".join(archive.read(name).decode() for name in archive.namelist())
    return data.decode("utf-8", "ignore")


@pytest.mark.parametrize("name", ["=HYPERLINK(0)", "+1", "-1+1", "@sum", "＝a", "'=a", "''+a", "'quoted"])
def test_no_cell_of_the_research_format_is_a_formula_and_names_come_back(name: str):
    tree = Taxonomy.empty("T").with_topic(TopicNode("a", name), ROOT_ID).with_topic(TopicNode("b", "Plain"), "a")
    written = export(tree, "tsv", CONTEXT)
    for cell in written.decode().replace("\n", "\t").split("\t"):
        assert not cell.startswith(("=", "+", "-", "@", "＝"))
    assert [node.label for node in read_seed(written, "tsv").taxonomy.walk()] == [name, "Plain"]
