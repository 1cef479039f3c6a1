"""A small taxonomy with a history, evidence and documents: what a project has after an afternoon."""

from __future__ import annotations

from pathlib import Path

from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange.base.context import DocumentAssignment, ExportContext, MapPoint, TopicEvidence
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode

KITCHEN = Path(__file__).parent / "data" / "kitchen.ttl"

SEED = Taxonomy.empty("News")
for _id, _label, _parent in (
    ("politics", "Politics", ROOT_ID), ("sport", "Sport", ROOT_ID), ("soccer", "Soccer", "sport"),
    ("old", "Old things", ROOT_ID),
):  # fmt: skip
    SEED = SEED.with_topic(TopicNode(_id, _label, keywords=(_label.lower(),)), _parent)

FILM = TopicNode(
    "film", "man", "man", anchors=(AnchorTerm("movie", 0.9, 0.8, 0.7, 0.6, 0.5), AnchorTerm("actor", 0.7)),
    origin="novel", n_documents=12, concentration=42.5,
)  # fmt: skip
DECISIONS = (
    d.AcceptTopic(ROOT_ID, FILM),
    d.RenameTopic("film", "Film & <arts>"),
    d.EditDefinition("film", "Moving pictures,\nand those who make them."),
    d.RejectTopic(ROOT_ID, "c9", "just", ("just", "time"), "general words"),
    d.RemoveTopic("sport"),
    d.Undo(),
    d.RemoveTopic("old"),
    d.MoveTopic("soccer", ROOT_ID),
)
LOG = tuple(
    d.LoggedDecision(
        number, decision, "Ada L.", f"2026-11-16T10:0{number}:00Z", "it reads better" if number == 1 else ""
    )
    for number, decision in enumerate(DECISIONS)
)
TREE = d.replay(SEED, LOG)
CONTEXT = ExportContext(
    base_uri="https://news.example/topics/",
    author="Ada L.",
    generated="2026-11-16T12:00:00Z",
    version="2026-11",
    seed=SEED,
    log=LOG,
    evidence={
        "film": TopicEvidence(
            passages=(Passage("d1", "The <b>movie</b> had one actor.", ((7, 12),)),),
            novelty=0.75,
            distinctness=0.2,
            stability=0.9,
            settings={"beta": 2.0},
            random_state=7,
            corpus_fingerprint="abc",
            proposed_at="2026-11-16T09:59:00Z",
        )
    },
    documents=(
        DocumentAssignment("d1", "film", 0.5, "=cmd()"),
        DocumentAssignment("d2", "soccer", None),
        DocumentAssignment("d3", "gone", 0.1),
        DocumentAssignment("d4", ROOT_ID, 0.1),
    ),
    map_points=(MapPoint(0.0, 0.0, "movie", "film"), MapPoint(1.0, 2.0, "goal", "soccer"), MapPoint(0.5, 1.0, "just")),
)
