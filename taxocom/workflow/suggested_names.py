"""What a language model suggested for clusters, kept with their proposals: to look at it again needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.taxonomy.decisions import AcceptTopic
from taxocom.text.terms.vocabulary import display
from taxocom.workflow.language_model import SuggestedName, language_model
from taxocom.workflow.open_proposals import WaitingCluster


def suggest_name(project: Project, waiting: WaitingCluster) -> SuggestedName:
    """Ask the user's model for a name and a definition of a cluster, and keep them with the proposal."""
    model = language_model()
    if model is None:
        raise InputError(
            "No language model is named. Set TAXOCOM_LLM_URL and TAXOCOM_LLM_MODEL to have names suggested; "
            "nothing else needs one."
        )
    cluster = waiting.cluster
    terms = [display(anchor.term) for anchor in cluster.anchors]
    found = model.suggest(terms, [passage.text for passage in cluster.passages])
    project.set_about(**{suggestion_key(waiting): asdict(found)})
    return found


def suggested_names(project: Project, waiting: Sequence[WaitingCluster]) -> dict[str, SuggestedName]:
    """Return what was suggested for clusters, by the key of each; those that nobody asked about are left out."""
    kept, keys = project.about(), map(suggestion_key, waiting)
    return {key: SuggestedName(**kept[key]) for key in keys if key in kept}


def accepted_as_suggested(project: Project, waiting: WaitingCluster, *, parent_id: str = "") -> AcceptTopic:
    """Return the decision that a cluster is a topic under the suggested name, with the definition and its source."""
    found = suggested_names(project, [waiting]).get(suggestion_key(waiting))
    if found is None:
        raise InputError(f"Nothing was suggested for {waiting.label!r}. Ask first: taxocom ask-model PROJECT CLUSTER")
    decision = waiting.accepted(label=found.name, parent_id=parent_id)
    note = f"Name and definition suggested by {found.source}."
    return replace(decision, node=decision.node.but(definition=found.definition, notes=(note,)))


def suggestion_key(waiting: WaitingCluster) -> str:
    """Return what a suggestion for a cluster is kept under; another proposal has other clusters."""
    return f"suggested/{waiting.proposal_id}/{waiting.cluster.cluster_id}"
