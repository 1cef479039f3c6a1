"""Trees and decisions of every kind, valid and not, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode

IDS = [f"t{number}" for number in range(8)]
ids = st.sampled_from([ROOT_ID, *IDS, "known"])
labels = st.sampled_from(["Film", "film", "Sport", "Law", "War", "Art", "Crime", " ", "bad\x00name", "two\nlines"])
terms = st.lists(st.sampled_from(["goal", "court", "army", "", "film"]), max_size=3).map(tuple)
texts = st.sampled_from(["", "A note.", "Two\nlines", "\x07"])
positions = st.one_of(st.none(), st.integers(-1, 4))
anchors = st.lists(st.builds(AnchorTerm, st.sampled_from(["goal", "court", "army"]), st.floats(0, 1)), max_size=3).map(
    tuple
)
topics = st.builds(
    TopicNode,
    st.sampled_from([*IDS, "", "novel"]),
    labels,
    center_term=st.sampled_from(["", "goal", "court"]),
    keywords=terms,
    anchors=anchors,
    origin=st.sampled_from(["seed", "novel", "manual"]),
    notes=st.lists(texts, max_size=2).map(tuple),
    n_documents=st.one_of(st.none(), st.integers(0, 9)),
)
some_ids = st.lists(ids, max_size=3).map(tuple)
placements = st.lists(st.tuples(ids, ids), max_size=2).map(tuple)
documents = st.lists(st.sampled_from(["d1", "d2", "d 3", "", "two\nlines"]), max_size=3).map(tuple)

plain_decisions = st.one_of(
    st.builds(d.AcceptTopic, ids, topics, positions, st.sampled_from(["", "c1"]), documents),
    st.builds(d.AddTopic, ids, topics, positions),
    st.builds(d.RejectTopic, ids, st.sampled_from(["c1", "c2"]), st.just("goal"), terms, texts),
    st.builds(d.NameCluster, ids, st.just("c1"), st.just("goal"), terms, labels),
    st.builds(d.Defer, ids, st.sampled_from(["c1", "c2"])),
    st.builds(d.RenameTopic, ids, labels),
    st.builds(d.RenameTaxonomy, labels),
    st.builds(d.MergeTopics, ids, some_ids),
    st.builds(d.SplitTopic, ids, st.lists(topics, max_size=3).map(tuple), placements),
    st.builds(d.MoveTopic, ids, ids, positions),
    st.builds(d.RemoveTopic, ids, st.booleans()),
    st.builds(d.MoveTerms, ids, terms, st.one_of(ids, st.sampled_from(["known", "novel", "general"]))),
    st.builds(d.MoveDocument, st.sampled_from(["d1", ""]), ids),
    st.builds(d.MoveDocuments, documents, ids, st.sampled_from(["", "c1"])),
    st.builds(
        d.JudgeDocuments,
        ids,
        st.sampled_from([(), ("d1",)]),
        st.lists(st.tuples(st.sampled_from(["d1", "d2", ""]), ids), max_size=2).map(tuple),
    ),
    st.builds(d.EditKeywords, ids, terms),
    st.builds(d.EditAltLabels, ids, terms),
    st.builds(d.EditDefinition, ids, texts),
    st.builds(d.EditScopeNote, ids, texts),
    st.builds(d.EditProperties, ids, st.lists(st.tuples(labels, texts), max_size=2).map(tuple)),
    st.builds(d.AddNote, ids, texts),
    st.builds(d.SetStatus, ids, st.sampled_from(["approved", "proposed", "rejected"])),
)
steps_back = st.one_of(st.builds(d.Undo, st.integers(0, 4)), st.builds(d.Redo, st.integers(0, 4)))
any_decisions = st.one_of(plain_decisions, plain_decisions, steps_back)


@st.composite
def trees(draw: st.DrawFn) -> Taxonomy:
    """A tree of up to eight topics; siblings may share a label, as they may in a file from elsewhere."""
    nodes = {ROOT_ID: TopicNode(ROOT_ID, "Topics")}
    children: dict[str, tuple[str, ...]] = {}
    for node_id in IDS[: draw(st.integers(0, len(IDS)))]:
        parent = draw(st.sampled_from(list(nodes)))
        label = draw(st.sampled_from(["Film", "film", "Sport", "Law", "War"]))
        nodes[node_id] = TopicNode(node_id, label, keywords=draw(terms), anchors=draw(anchors), origin="novel")
        children[parent] = (*children.get(parent, ()), node_id)
    return Taxonomy(nodes, children)
