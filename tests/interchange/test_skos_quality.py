from __future__ import annotations

from importlib import resources
from pathlib import Path

import pyshacl
import pytest
import rdflib
from rdflib.namespace import DCTERMS, PROV, RDF, SKOS

from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.seed_reading import read_seed
from taxocom.interchange.skos.skos_writing import write_jsonld, write_rdfxml, write_turtle
from tests.interchange.samples import CONTEXT, KITCHEN, TREE

SHAPES = Path(__file__).parent / "data" / "skos_shapes.ttl"
OURS = rdflib.Namespace("urn:taxocom:vocabulary#")
FILM = rdflib.URIRef("https://news.example/topics/film")


def conforms(graph: rdflib.Graph) -> tuple[bool, str]:
    valid, _, text = pyshacl.validate(graph, shacl_graph=str(SHAPES), advanced=True)
    return valid, text


@pytest.mark.parametrize(
    ("tree", "context"), [(TREE, CONTEXT), (TREE, ExportContext()), (read_seed(KITCHEN).taxonomy, ExportContext())]
)
def test_exports_satisfy_the_shapes(tree, context):
    valid, text = conforms(rdflib.Graph().parse(data=write_turtle(tree, context), format="turtle"))
    assert valid, text


@pytest.mark.parametrize(
    "broken",
    [
        "<https://news.example/topics/film> skos:prefLabel 'Movies'@en .",
        "<https://news.example/topics/film> skos:altLabel 'Film & <arts>'@en .",
        "<https://news.example/topics/film> skos:broader <https://news.example/topics/sport> .",
        "<https://news.example/topics/film> a skos:ConceptScheme .",
        "<https://news.example/topics/lost> a skos:Concept .",
    ],
)
def test_the_shapes_notice_what_is_broken(broken):
    graph = rdflib.Graph().parse(data=write_turtle(TREE, CONTEXT), format="turtle")
    graph.parse(data=f"@prefix skos: <{SKOS}> .\n{broken}", format="turtle")
    assert not conforms(graph)[0]


def test_a_topic_says_who_made_it_and_what_from():
    graph = rdflib.Graph().parse(data=write_turtle(TREE, CONTEXT), format="turtle")
    decision = graph.value(FILM, PROV.wasGeneratedBy)
    proposal = graph.value(FILM, PROV.wasDerivedFrom)
    assert str(graph.value(decision, RDF.value)) == "Accepted 'man' under 'News'"
    assert str(graph.value(graph.value(decision, DCTERMS.creator), rdflib.RDFS.label)) == "Ada L."
    assert graph.value(proposal, OURS.novelty).toPython() == 0.75
    assert graph.value(proposal, OURS.randomState).toPython() == 7
    assert str(graph.value(proposal, OURS.settings)) == '{"beta": 2.0}'
    notes = {str(graph.value(note, RDF.value)) for note in graph.objects(FILM, SKOS.changeNote)}
    assert notes == {
        "Accepted 'man' under 'News'",
        "Renamed 'man' to 'Film & <arts>' (it reads better)",
        "Defined 'Film & <arts>'",
    }
    created, modified = graph.value(FILM, DCTERMS.created), graph.value(FILM, DCTERMS.modified)
    assert (created.toPython().minute, modified.toPython().minute) == (0, 2)


def test_old_names_are_alternative_labels_and_anchors_are_not():
    graph = rdflib.Graph().parse(data=write_turtle(TREE, CONTEXT), format="turtle")
    assert set(graph.objects(FILM, SKOS.altLabel)) == {rdflib.Literal("man", lang="en")}
    assert {str(term) for term in graph.objects(FILM, OURS.anchorTerm)} == {"movie", "actor"}
    everything = {str(value) for value in graph.objects()}
    assert "just" not in everything


@pytest.mark.parametrize(
    ("write", "syntax"), [(write_turtle, "turtle"), (write_rdfxml, "rdfxml"), (write_jsonld, "jsonld")]
)
def test_provenance_does_not_come_back_as_topics_or_properties(write, syntax):
    document = read_seed(write(TREE, CONTEXT), syntax)
    assert document.taxonomy == TREE
    assert [problem.code for problem in document.problems] == ["provenance"]


def test_every_word_of_our_own_is_documented():
    text = resources.files("taxocom.interchange.skos").joinpath("vocabulary.ttl").read_text("utf-8")
    vocabulary = rdflib.Graph().parse(data=text, format="turtle")
    graph = rdflib.Graph().parse(data=write_turtle(TREE, CONTEXT), format="turtle")
    used = {term for triple in graph for term in triple if str(term).startswith(str(OURS))}
    assert len(used) > 12
    assert {term for term in used if (term, rdflib.RDFS.comment, None) not in vocabulary} == set()
