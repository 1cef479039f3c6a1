from __future__ import annotations

import re

from hypothesis import given, settings

from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange import ExportContext, MapPoint, TopicEvidence, export
from taxocom.interchange.report.map_picture import draw_map
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.interchange.pages import Page
from tests.interchange.samples import CONTEXT, TREE
from tests.interchange.trees import full_trees

HOSTILE = "<script>alert(1)</script><img src=http://evil.example/x.png onerror=alert(1)>\"'&\x00"


def page(tree: Taxonomy, context: ExportContext) -> Page:
    read = Page(export(tree, "html", context).decode())
    assert read.open == []
    return read


def test_the_report_shows_everything():
    text = page(TREE, CONTEXT).text
    for said in (
        "News", "2026-11", "Ada L.", "Film & <arts>", "Moving pictures,\nand those who make them.", "movie", "actor",
        "The <b>movie</b> had one actor.", "novelty 0.75", "documents 12", "concentration 42.5", "terms of no topic",
        "Renamed 'man' to 'Film & <arts>'", "it reads better", "found in the corpus",
    ):  # fmt: skip
        assert said in text


def test_a_passage_is_highlighted_where_its_terms_are():
    assert "The &lt;b&gt;<mark>movie</mark>&lt;/b&gt;" in export(TREE, "html", CONTEXT).decode()


def test_nothing_in_the_report_runs_or_reaches_out():
    tree = Taxonomy.empty(HOSTILE.strip("\x00")).with_topic(
        TopicNode("a", HOSTILE, keywords=(HOSTILE,), definition=HOSTILE, alt_labels=(HOSTILE,), notes=(HOSTILE,)),
        ROOT_ID,
    )
    evidence = TopicEvidence(passages=(Passage(HOSTILE, HOSTILE, ((0, 5), (3, 9), (400, 500))),))
    context = ExportContext(
        author=HOSTILE, version=HOSTILE, evidence={"a": evidence}, map_points=(MapPoint(0, 0, HOSTILE, "a"),)
    )
    read = page(tree, context)
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on") or name in ("src", "style")]
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    policy = next(value for name, value in read.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "@import" not in export(tree, "html", context).decode()
    assert "url(" not in export(tree, "html", context).decode()


@given(full_trees())
@settings(max_examples=20)
def test_any_tree_gives_a_well_formed_page_with_working_links(tree):
    read = page(tree, ExportContext(statuses=frozenset({"approved", "proposed", "rejected"})))
    ids = [value for name, value in read.attributes if name == "id"]
    links = [value for name, value in read.attributes if name == "href"]
    assert len(links) == len(tree)
    assert {link[1:] for link in links} <= set(ids)


def test_the_map_stays_inside_its_frame_and_needs_points():
    points = [MapPoint(1e6, -5, "a", "film"), MapPoint(-1e6, 7, "b"), MapPoint(float("nan"), 0, "c")]
    picture = draw_map(TREE, points)
    places = [float(number) for dot in re.findall(r"M(\S+) (\S+)h0", picture) for number in dot]
    assert len(places) == 4
    assert all(0 <= place <= 1000 for place in places)
    assert draw_map(TREE, []) == ""
