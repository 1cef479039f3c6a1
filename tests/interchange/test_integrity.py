from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from rdflib.namespace import RDF, SKOS

from taxocom.interchange.base.source import Source
from taxocom.interchange.skos.integrity import ERRORS, apply_fixes, check_integrity, check_skos
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode
from tests.interchange.samples import TREE
from tests.interchange.trees import full_trees


def tree_with(*statements: tuple[str, str], alt_labels: tuple[str, ...] = ()) -> Taxonomy:
    tree = Taxonomy.empty("News").with_topic(TopicNode("a", "A", definition="a"), ROOT_ID)
    node = TopicNode("b", "B", definition="b", alt_labels=alt_labels, properties=statements)
    return tree.with_topic(node, "a").with_topic(TopicNode("c", "C", definition="c"), "b")


BROKEN = {
    "S9": tree_with((str(RDF.type), f"<{SKOS.ConceptScheme}>")),
    "S13": tree_with(alt_labels=("B",)),
    "S14": tree_with((str(SKOS.prefLabel), '"Bee"@en')),
    "S27": tree_with((str(SKOS.related), "topic:a")),
    "S37": tree_with((str(RDF.type), f"<{SKOS.Collection}>")),
    "S46": tree_with((str(SKOS.exactMatch), "<urn:x>"), (str(SKOS.broadMatch), "<urn:x>")),
    "cycle": tree_with((str(SKOS.broader), "topic:c")),
    "dangling": tree_with((str(SKOS.related), "topic:gone")),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_broken_rule_is_found_and_its_fix_repairs_it(rule):
    tree = BROKEN[rule]
    report = check_integrity(tree)
    (finding,) = (finding for finding in report.findings if finding.rule == rule)
    assert finding.node_id in tree
    assert report.ok is (rule == "dangling")
    for decision in finding.fix.decisions:
        tree = d.apply(tree, decision)
    assert rule not in {finding.rule for finding in check_integrity(tree).findings}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_sound_tree_breaks_no_rule(rule):
    assert check_integrity(tree_with()).findings == ()


def test_all_errors_are_fixed_in_one_go_even_on_one_topic():
    tree = tree_with(
        (str(SKOS.related), "topic:a"),
        (str(SKOS.related), "topic:c"),
        (str(RDF.type), f"<{SKOS.Collection}>"),
        (str(SKOS.prefLabel), '"Bee"@en'),
        ("note", "kept"),
        alt_labels=("B", "Bee"),
    )
    fixed = apply_fixes(tree)
    assert check_integrity(fixed).ok
    assert fixed["b"].properties == (("note", "kept"),)
    assert fixed["b"].alt_labels == ("Bee",)


def test_labels_in_two_places_and_missing_documentation_come_with_drafts():
    tree = Taxonomy.empty("News")
    for node_id, label, parent in (
        ("f", "France", ROOT_ID),
        ("s", "Spain", ROOT_ID),
        ("fe", "Votes", "f"),
        ("se", "votes", "s"),
    ):
        tree = tree.with_topic(TopicNode(node_id, label, anchors=(AnchorTerm("ballot_box", 1.0),)), parent)
    report = check_integrity(tree)
    assert report.ok
    repeated = [finding for finding in report.findings if finding.rule == "duplicate-label"]
    assert [finding.fix.decisions for finding in repeated] == [(d.RenameTopic("se", "votes (Spain)"),)]
    fixed = apply_fixes(tree, rules=("duplicate-label", "undocumented"))
    assert check_integrity(fixed).findings == ()
    assert fixed["fe"].scope_note == "Covers documents about ballot box."


def test_a_foreign_file_is_checked_without_being_imported():
    text = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:a> a skos:Concept ; skos:prefLabel "A"@en , "Aa"@en ; skos:broader <urn:b> .
        <urn:b> a skos:Concept ; skos:prefLabel "B"@en ; skos:broader <urn:a> .
        <urn:c> a skos:Concept ; skos:prefLabel "C"@en ; skos:altLabel "C"@en ."""
    report = check_skos(Source("v.ttl", text.encode()), "turtle")
    rules = [finding.rule for finding in report.findings]
    assert rules[:3] == ["S13", "S14", "cycle"]
    assert {"orphan", "undocumented"} <= set(rules)


def test_the_report_is_markdown_and_data():
    report = check_integrity(BROKEN["S27"])
    text = report.to_markdown()
    assert "| S27 | related concepts are not above or below each other | 1 |" in text
    assert "| S46 | an exact match is not also a broad or related match | none |" in text
    assert "*Fix: drop the link related*" in text
    data = json.loads(json.dumps(report.to_dict()))
    assert data["findings"][0]["fix"]["decisions"][0]["kind"] == "edit_properties"


def test_a_hostile_label_is_shown_and_not_run_in_the_report():
    tree = Taxonomy.empty("News").with_topic(TopicNode("a", "![x](http://evil.example/a.png)<img src=x>"), ROOT_ID)
    text = check_integrity(tree).to_markdown()
    assert "\\!\\[x\\](http://evil.example/a.png)\\<img src=x\\>" in text


@given(full_trees())
@settings(max_examples=20)
def test_fixing_leaves_no_error(tree):
    fixed = apply_fixes(tree)
    assert {finding.rule for finding in check_integrity(fixed).findings}.isdisjoint(ERRORS)


def test_the_sample_is_sound():
    assert check_integrity(TREE).ok
