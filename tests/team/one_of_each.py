"""One decision of every kind that can be carried out on a small tree, and the tree."""

from __future__ import annotations

from taxocom.store import Project
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import reference
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.taxonomy.samples import NEWS as TREE

NEW = TopicNode("new", "New")
ADMIN = "root@example.org"

ONE_OF_EACH: dict[str, d.Decision] = {
    each.kind: each
    for each in (
        d.AcceptTopic(ROOT_ID, NEW, cluster_id="c1"),
        d.AddTopic(ROOT_ID, NEW),
        d.SuggestTopic(ROOT_ID, NEW),
        d.RejectTopic(ROOT_ID, "c1", "goal"),
        d.NameCluster(ROOT_ID, "c1", "goal", ("goal",), "Goals"),
        d.Defer(ROOT_ID, "c1"),
        d.RenameTopic("sport", "Sports"),
        d.RenameTaxonomy("All news"),
        d.MergeTopics("soccer", ("tennis",)),
        d.SplitTopic("law", (TopicNode("a", "Civil law"), TopicNode("b", "Criminal law"))),
        d.MoveTopic("soccer", "law"),
        d.RemoveTopic("soccer"),
        d.MoveTerms("sport", ("goal",), "soccer"),
        d.MoveDocument("d1", "sport"),
        d.MoveDocuments(("d1",), "sport"),
        d.JudgeDocuments("sport", ("d1",), (("d1", "sport"),)),
        d.EditKeywords("sport", ("match",)),
        d.EditAltLabels("sport", ("Games",)),
        d.EditDefinition("sport", "What is played."),
        d.EditScopeNote("sport", "Not chess."),
        d.EditProperties("sport", (("skos:example", "golf"),)),
        d.AddNote("sport", "Look at it again."),
        d.SetStatus("soccer", "draft"),
        d.DeprecateTopic(TREE["soccer"], "tennis"),
        d.RelateTopics("soccer", "courts"),
        d.LinkBroader("soccer", "law"),
        d.MatchConcept("soccer", "exact", "http://www.wikidata.org/entity/Q2736", "association football"),
        d.EditWords("soccer", "de", "Fußball", ("Fussball",), "Ein Spiel mit Füßen."),
        d.EditNotation("soccer", "796.334"),
        d.EditCollection(reference("balls"), "Ball games", ("soccer", "tennis")),
        d.GiveRole("zoe@example.org", "viewer"),
        d.SetRule("second_person", holds=False),
        d.CommentOnTopic("sport", "Is golf a sport?"),
        d.AssignTopic("sport", ADMIN),
        d.Undo(),
        d.Redo(),
    )
}


def take_back(project: Project, decision: d.Decision) -> None:
    """Let an admin bring the project back to where it was before a decision."""
    if isinstance(decision, d.Undo):
        project.redo(author=ADMIN)
    elif not decision.lasts:
        project.undo(author=ADMIN)


__all__ = ["ADMIN", "NEW", "ONE_OF_EACH", "TREE", "take_back"]
