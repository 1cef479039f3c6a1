"""What vocabularies have beyond a tree: decided here, kept on the way out and back, and fit for SKOS."""

from __future__ import annotations

from pathlib import Path

import pyshacl
import pytest
import rdflib
from rdflib.namespace import DCTERMS, OWL, SKOS

from taxocom.errors import DecisionError
from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.plain.json_format import write_json
from taxocom.interchange.seed_reading import read_seed
from taxocom.interchange.skos.integrity import check_integrity
from taxocom.interchange.skos.skos_writing import write_jsonld, write_rdfxml, write_turtle
from taxocom.interchange.tables.table import write_table_csv
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import reference
from taxocom.taxonomy.tree import Taxonomy
from taxocom.taxonomy.vocabulary_sayings import (
    Collection,
    Words,
    also_under,
    collections_of,
    deprecated_of,
    matches_of,
    related_to,
    words_of,
)
from tests.taxonomy.samples import NEWS

DATA = Path(__file__).parent / "data"
WIKIDATA = "http://www.wikidata.org/entity/Q2736"
BALLS = reference("balls")
DECIDED: tuple[d.Decision, ...] = (
    d.RelateTopics("soccer", "courts"),
    d.LinkBroader("tennis", "law"),
    d.MatchConcept("soccer", "exact", WIKIDATA, "association football"),
    d.MatchConcept("law", "close", "http://eurovoc.europa.eu/523"),
    d.EditWords("soccer", "de", "Fußball", ("Fussball",), "Ein Spiel mit Füßen."),
    d.EditWords("soccer", "fr", "football"),
    d.EditNotation("soccer", "796.334"),
    d.EditCollection(BALLS, "Ball games", ("soccer", "tennis")),
    d.AddTopic("sport", d.AddTopic("sport", NEWS["soccer"].but(node_id="footie", label="Footie")).node),
    d.DeprecateTopic(NEWS["soccer"].but(node_id="footie", label="Footie"), "soccer"),
)


def decided(tree: Taxonomy, *decisions: d.Decision) -> Taxonomy:
    for decision in decisions:
        tree = d.apply(tree, decision)
    return tree


FULL = decided(NEWS, *DECIDED)


def test_what_was_decided_is_there():
    soccer = FULL["soccer"]
    assert related_to(soccer) == ["courts"]
    assert related_to(FULL["courts"]) == ["soccer"]
    assert also_under(FULL["tennis"]) == ["law"]
    assert matches_of(soccer) == [("exact", WIKIDATA)]
    assert words_of(soccer) == {"de": Words("Fußball", ("Fussball",), "Ein Spiel mit Füßen."), "fr": Words("football")}
    assert soccer.notation == "796.334"
    assert collections_of(FULL) == [Collection(BALLS, "Ball games", ("soccer", "tennis"))]
    (gone,) = deprecated_of(FULL)
    assert (gone.label, gone.replaced_by) == ("Footie", "soccer")
    assert "footie" not in FULL


@pytest.mark.parametrize(
    ("write", "syntax"),
    [
        (lambda tree: write_turtle(tree, ExportContext()), "turtle"),
        (lambda tree: write_rdfxml(tree, ExportContext()), "rdfxml"),
        (lambda tree: write_jsonld(tree, ExportContext()), "jsonld"),
        (write_json, "json"),
        (write_table_csv, "csv"),
    ],
)
def test_it_comes_back_equal(write, syntax):
    assert read_seed(write(FULL), syntax).taxonomy == FULL


def test_the_export_satisfies_the_shapes_and_the_rules():
    graph = rdflib.Graph().parse(data=write_turtle(FULL, ExportContext()), format="turtle")
    valid, _, text = pyshacl.validate(graph, shacl_graph=str(DATA / "skos_shapes.ttl"), advanced=True)
    assert valid, text
    assert check_integrity(FULL).ok
    assert [finding.rule for finding in check_integrity(FULL).findings if finding.severity == "warning"] == []
    (gone,) = graph.subjects(OWL.deprecated, rdflib.Literal(True))
    instead = graph.value(gone, DCTERMS.isReplacedBy)
    assert graph.value(instead, SKOS.prefLabel) == rdflib.Literal("Soccer", lang="en")


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (d.RelateTopics("soccer", "sport"), "one is above the other"),
        (d.RelateTopics("soccer", "soccer"), "the same"),
        (d.RelateTopics("tennis", "law"), "one is above the other"),
        (d.RelateTopics("law", "courts", holds=False), "no such link"),
        (d.LinkBroader("sport", "soccer"), "lies below it"),
        (d.LinkBroader("law", "tennis"), "lies below it"),
        (d.LinkBroader("soccer", "sport"), "already"),
        (d.LinkBroader("soccer", "courts"), "related"),
        (d.MatchConcept("soccer", "close", WIKIDATA), "no other match"),
        (d.MatchConcept("soccer", "close", "Q2736"), "is no URI"),
        (d.EditWords("soccer", "en", "Football"), "language of the tree"),
        (d.EditWords("soccer", "not a tag", "Football"), "no language tag"),
        (d.EditCollection(BALLS, " ", ("soccer",)), "empty"),
        (d.EditCollection(BALLS, "Balls", ("gone",)), "no topic"),
        (d.EditCollection(reference("soccer"), "Balls", ("tennis",)), "cannot stand for"),
        (d.DeprecateTopic(NEWS["soccer"], "soccer"), "replace itself"),
        (d.DeprecateTopic(NEWS.root), "root"),
    ],
)
def test_what_no_vocabulary_may_say_is_refused(decision, said):
    with pytest.raises(DecisionError, match=said):
        d.apply(FULL, decision)


def test_everything_can_be_taken_back():
    bare = decided(
        FULL,
        d.RelateTopics("courts", "soccer", holds=False),
        d.LinkBroader("tennis", "law", holds=False),
        d.MatchConcept("soccer", "exact", WIKIDATA, holds=False),
        d.EditWords("soccer", "de"),
        d.EditWords("soccer", "FR"),
        d.EditNotation("soccer", ""),
        d.EditCollection(BALLS, "Ball games", ()),
    )
    assert bare["soccer"] == NEWS["soccer"]
    assert collections_of(bare) == []


def test_a_second_parent_that_becomes_the_parent_is_said_once():
    moved = d.apply(FULL, d.MoveTopic("tennis", "law"))
    assert also_under(moved["tennis"]) == []


def test_links_to_a_deprecated_topic_go_with_it():
    tree = d.apply(FULL, d.DeprecateTopic(FULL["courts"], "law"))
    assert related_to(tree["soccer"]) == []
    assert [finding for finding in check_integrity(tree).findings if finding.rule == "dangling"] == []


PUBLISHED = {
    "economy.ttl": (
        "Recession",
        "http://vocab.example.org/economy/10010",
        d.EditWords("", "fr", "Récession"),
        (SKOS.prefLabel, rdflib.Literal("Récession", lang="fr")),
    ),
    "farming.ttl": (
        "maize",
        "http://farm.example.org/c_4",
        d.MatchConcept("", "close", "http://www.wikidata.org/entity/Q11575"),
        (SKOS.closeMatch, rdflib.URIRef("http://www.wikidata.org/entity/Q11575")),
    ),
}


@pytest.mark.parametrize("file", PUBLISHED)
def test_a_published_vocabulary_survives_a_change_with_nothing_dropped(file):
    label, uri, change, (name, value) = PUBLISHED[file]
    data = (DATA / file).read_bytes()
    tree = read_seed(data, "turtle").taxonomy
    node = next(node for node in tree.walk() if node.label == label)
    changed = d.apply(tree, d.Decision.from_dict({**change.to_dict(), "node_id": node.node_id}))
    written = write_turtle(changed, ExportContext())
    before = rdflib.Graph().parse(data=data, format="turtle")
    after = rdflib.Graph().parse(data=written, format="turtle")
    added = (rdflib.URIRef(uri), name, value)
    assert added in after
    named = [triple for triple in before if not any(isinstance(term, rdflib.BNode) for term in triple)]
    assert [triple for triple in named if triple not in after] == []
    assert in_order(after) == in_order(before)
    valid, _, text = pyshacl.validate(after, shacl_graph=str(DATA / "skos_shapes.ttl"), advanced=True)
    assert valid, text
    assert read_seed(written, "turtle").taxonomy == changed


def in_order(graph: rdflib.Graph) -> list[list[str]]:
    """Return the members of ordered collections: lists have no names by which they could be compared."""
    return [[str(item) for item in graph.items(first)] for first in graph.objects(None, SKOS.memberList)]
