"""Drawing the map of a proposal: after the proposal is kept, since all that a person judges is there without it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.jobs.pieces import do_pieces, piece
from taxocom.jobs.registry import task
from taxocom.jobs.warming import compile_map, wait_until_compiled
from taxocom.progress import Progress, Span
from taxocom.store import Project
from taxocom.store.disk.array_file import read_arrays, write_arrays
from taxocom.store.disk.whole_files import clear_errors

if TYPE_CHECKING:
    from taxocom.expansion.discovery.node_evidence import NodeEvidence
    from taxocom.expansion.proposals.proposal import NodeExpansion

EVIDENCE = "evidence."
"""What the names of a proposal's evidence begin with among its arrays."""


def map_name(proposal: NodeExpansion, evidence: NodeEvidence) -> str:
    """Return what the map of a proposal is called: the same for whatever has the same map."""
    digest = hashlib.sha256(f"{proposal.corpus_fingerprint} {proposal.random_state}".encode())
    clusters = proposal.documents.cluster, proposal.terms.cluster
    for array in (evidence.documents, evidence.term_ids, evidence.vectors, *clusters):
        digest.update(f" {array.dtype} {array.shape} ".encode() + array.tobytes())
    return digest.hexdigest()


@task("map")
def draw_maps(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Draw the maps of proposals that wait for theirs.

    Parameters: `proposal_ids`, or a single `proposal_id`. On a cluster several maps are drawn side by side.
    """
    proposal_ids = [int(each) for each in params.get("proposal_ids") or [params["proposal_id"]]]
    named = {each: str(project.load_proposal(each).metadata.get("map_to_come", "")) for each in proposal_ids}
    asked = [{"proposal_id": proposal_id} for proposal_id, name in named.items() if name]
    if asked:
        progress.report("Drawing the map", 0.0)
        with project.working_place("maps") as place:
            place.mkdir()
            files = do_pieces(project, "map", asked, place, progress)
            for each, file in zip(asked, files, strict=True):
                project.add_map(named[each["proposal_id"]], read_arrays(file).arrays)
    return {"proposal_ids": proposal_ids}


@piece("map")
def draw_map(project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
    """Draw the map of one proposal and write it to a file."""
    from taxocom.expansion.discovery.node_evidence import NodeEvidence
    from taxocom.expansion.pipeline import places_on_map
    from taxocom.expansion.proposals.proposal import NodeExpansion

    wait_until_compiled("map", Span(progress, 0.0, 0.0))
    progress.report("Drawing the map", 0.1)
    compile_map()
    progress.report("Drawing the map", 0.4)
    stored = project.load_proposal(int(params["proposal_id"]))
    proposal = NodeExpansion.from_parts(stored.metadata, stored.arrays)
    arrays = {name.removeprefix(EVIDENCE): array for name, array in stored.arrays.items() if name.startswith(EVIDENCE)}
    evidence = NodeEvidence.from_arrays(proposal.node_id, tuple(stored.metadata["children"]), arrays)
    places = places_on_map(project.corpus(), proposal, evidence)
    drawn = {"terms.xy": places.terms, "documents.xy": places.documents}
    drawn |= {f"{EVIDENCE}xy": places.terms, f"{EVIDENCE}document_xy": places.documents}
    with clear_errors("write", place):
        write_arrays(place, {}, drawn)
    progress.report("Drawing the map", 1.0)
