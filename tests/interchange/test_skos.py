from __future__ import annotations

import pytest
import rdflib
from hypothesis import given, settings
from rdflib.compare import isomorphic
from rdflib.namespace import SKOS

from taxocom.errors import ExportError, SeedError
from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.plain.json_format import write_json
from taxocom.interchange.seed_reading import read_seed
from taxocom.interchange.skos.skos_writing import write_jsonld, write_rdfxml, write_turtle
from taxocom.interchange.tables.table import write_table_csv
from taxocom.taxonomy.statements import Blank, Iri, Literal, TopicRef, decode_term, encode_term
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.interchange.samples import KITCHEN
from tests.interchange.trees import full_trees, names, outline

EVERYTHING = ExportContext(statuses=frozenset({"approved", "proposed", "rejected"}))
WRITERS = {"turtle": write_turtle, "rdfxml": write_rdfxml, "jsonld": write_jsonld}
RDFLIB = {"turtle": "turtle", "rdfxml": "xml", "jsonld": "json-ld"}


def graph_of(data: bytes, syntax: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=data, format=RDFLIB[syntax])


@pytest.mark.parametrize("syntax", WRITERS)
@given(tree=full_trees(max_topics=4))
@settings(max_examples=30)
def test_skos_comes_back_equal(syntax, tree):
    data = WRITERS[syntax](tree, EVERYTHING)
    assert read_seed(data, syntax).taxonomy == tree
    assert WRITERS[syntax](tree, EVERYTHING) == data


@given(full_trees(max_topics=4))
@settings(max_examples=15)
def test_the_three_syntaxes_say_the_same(tree):
    graphs = [graph_of(write(tree, EVERYTHING), syntax) for syntax, write in WRITERS.items()]
    assert len(graphs[0]) > 5
    assert set(graphs[0]) == set(graphs[1]) == set(graphs[2])


@pytest.mark.parametrize("syntax", WRITERS)
def test_a_real_vocabulary_comes_back_with_every_statement(syntax):
    document = read_seed(KITCHEN)
    data = WRITERS[syntax](document.taxonomy, ExportContext())
    assert read_seed(data, syntax).taxonomy == document.taxonomy
    before, after = graph_of(KITCHEN.read_bytes(), "turtle"), graph_of(data, syntax)
    ours = {triple for triple in after if str(triple[1]).startswith("urn:taxocom:")}
    kept = rdflib.Graph()
    for triple in set(after) - ours:
        if isinstance(triple[0], rdflib.BNode) or isinstance(triple[2], rdflib.BNode) or triple in before:
            kept.add(triple)
    assert isomorphic(kept, before)
    # What is new is what SKOS implies: links in the other direction, membership, types, the scheme's label.
    added = {predicate for subject, predicate, value in set(after) - ours - set(kept)}
    assert added <= {
        SKOS.narrower, SKOS.broader, SKOS.inScheme, SKOS.topConceptOf, SKOS.prefLabel, rdflib.RDF.type,
        rdflib.DCTERMS.title, rdflib.DCTERMS.language, SKOS.hasTopConcept,
    }  # fmt: skip


def test_what_a_tree_cannot_show_is_named_in_the_report():
    document = read_seed(KITCHEN)
    tree = document.taxonomy
    assert tree.root.label == "Kitchen and table"
    assert outline(tree) == [
        "tableware", "tableware/plates", "tableware/bowls", "tableware/knives", "tools", "tools/Kochlöffel",
        "tools/Kochlöffel/whisks",
    ]  # fmt: skip
    assert {problem.code for problem in document.problems} == {"polyhierarchy", "collections", "schemes", "carried"}
    report = document.report()
    for fragment in ("'knives' is also under 'tools'", "'by material'", "'Materials'", "skos:prefLabel@fr (3)",
                     "skos:hiddenLabel@en (2)", "skos:notation (2)", "skos:related (2)"):  # fmt: skip
        assert fragment in report


@pytest.mark.parametrize(("write", "format_name"), [(write_json, "json"), (write_table_csv, "csv")])
def test_what_skos_said_survives_the_other_formats(write, format_name):
    tree = read_seed(KITCHEN).taxonomy
    assert read_seed(write(tree), format_name).taxonomy == tree


def test_both_directions_of_every_hierarchical_link_are_written():
    graph = graph_of(write_turtle(read_seed(KITCHEN).taxonomy, ExportContext()), "turtle")
    known = set(graph.subjects(rdflib.RDF.type, SKOS.Concept))
    assert {(c, b) for c, b in graph.subject_objects(SKOS.broader) if b in known} == {
        (c, b) for b, c in graph.subject_objects(SKOS.narrower)
    }
    assert {(s, c) for c, s in graph.subject_objects(SKOS.topConceptOf)} == set(
        graph.subject_objects(SKOS.hasTopConcept)
    )


def test_uris_are_opaque_and_under_the_base():
    tree = Taxonomy.empty().with_topic(TopicNode("t1", "Law / order"), ROOT_ID)
    context = ExportContext(base_uri="https://lib.example/topics/")
    before = graph_of(write_turtle(tree, context), "turtle")
    renamed = Taxonomy.empty().with_topic(TopicNode("t1", "Crime"), ROOT_ID)
    after = graph_of(write_turtle(renamed, context), "turtle")
    uri = rdflib.URIRef("https://lib.example/topics/t1")
    assert (uri, SKOS.prefLabel, rdflib.Literal("Law / order", lang="en")) in before
    assert (uri, SKOS.prefLabel, rdflib.Literal("Crime", lang="en")) in after


def test_references_between_topics_follow_a_change_of_base():
    tree = Taxonomy.empty().with_topic(TopicNode("t1", "A"), ROOT_ID)
    tree = tree.with_topic(TopicNode("t2", "B", properties=((str(SKOS.related), "topic:t1"),)), ROOT_ID)
    once = read_seed(write_turtle(tree, ExportContext(base_uri="urn:one:")), "turtle").taxonomy
    assert once == tree
    graph = graph_of(write_turtle(once, ExportContext(base_uri="urn:two:")), "turtle")
    assert (rdflib.URIRef("urn:two:t2"), SKOS.related, rdflib.URIRef("urn:two:t1")) in graph


def test_labels_without_language_tags_stay_without():
    text = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:a> a skos:Concept ; skos:prefLabel "A" ; skos:altLabel "Aa" , "Ah"@en ."""
    tree = read_seed(text.encode(), "turtle").taxonomy
    (node,) = tree.walk()
    assert (tree.language, node.label, node.alt_labels) == ("und", "A", ("Aa",))
    data = write_turtle(tree, ExportContext())
    assert read_seed(data, "turtle").taxonomy == tree
    assert (rdflib.URIRef("urn:a"), SKOS.altLabel, rdflib.Literal("Aa")) in graph_of(data, "turtle")


@pytest.mark.parametrize(
    ("data", "syntax", "says"),
    [
        (b"<urn:a> <urn:b> .", "turtle", "not valid turtle"),
        (b"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .", "turtle", "no skos:Concept"),
        (b"<a", "rdfxml", "not valid XML"),
        (b"<a/>", "rdfxml", "not valid rdfxml|no skos:Concept"),
        (b'{"@context": "https://evil.example/context", "@id": "urn:a"}', "jsonld", "remote context.*never fetched"),
        (b'{"@context": [{"a": {"@id": "urn:a", "@context": "http://h/"}}]}', "jsonld", "remote context"),
        (b'{"@context": {"@import": "https://evil.example/"}}', "jsonld", "imports a remote context"),
        (b"[" * 150 + b"]" * 150, "jsonld", "nested more than 100 deep"),
        (b"<a>" * 150 + b"</a>" * 150, "rdfxml", "nested more than 100 deep"),
        (b"<urn:a> <urn:b> " + b"[ <urn:c> " * 5000 + b"1" + b"]" * 5000 + b" .", "turtle", "nested|not valid"),
    ],
)
def test_hostile_and_broken_rdf_is_refused(data, syntax, says, monkeypatch):
    def no_network(*_, **__):
        raise AssertionError("reached for the network")

    monkeypatch.setattr("urllib.request.urlopen", no_network)
    monkeypatch.setattr("socket.socket.connect", no_network)
    with pytest.raises(SeedError, match=says):
        read_seed(data, syntax, name="vocabulary")


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY secret SYSTEM "file:///etc/passwd">',
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">',
        '<!ENTITY % remote SYSTEM "http://evil.example/x.dtd"> %remote;',
    ],
)
def test_xml_entities_are_refused(declared):
    data = f"""<?xml version="1.0"?><!DOCTYPE r [{declared}]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
                 xmlns:skos="http://www.w3.org/2004/02/skos/core#">
        <skos:Concept rdf:about="urn:a"><skos:prefLabel>A</skos:prefLabel></skos:Concept></rdf:RDF>"""
    with pytest.raises(SeedError, match="XML entities"):
        read_seed(data.encode(), "rdfxml")


def test_a_circle_of_broader_links_is_refused_by_name():
    text = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:a> a skos:Concept ; skos:prefLabel "A"@en ; skos:broader <urn:b> .
        <urn:b> a skos:Concept ; skos:prefLabel "B"@en ; skos:broader <urn:a> ."""
    with pytest.raises(SeedError, match="circle"):
        read_seed(text.encode(), "turtle")


def test_a_base_that_is_no_uri_is_refused():
    with pytest.raises(ExportError, match="not a uri"):
        ExportContext(base_uri="not a uri")


@given(names)
def test_terms_come_back_from_their_text(name):
    literals = (Literal(name), Literal(name + "\n\t", language="pt-BR"), Literal(name, datatype="urn:x"))
    for term in (*literals, TopicRef(name), Iri("urn:x"), Blank("b0")):
        assert decode_term(encode_term(term)) == term
    assert decode_term("no term") is None
