"""Starting from another tree."""

from __future__ import annotations

from taxocom.store import Project
from taxocom.taxonomy.tree import Taxonomy


def replace_seed(project: Project, seed: Taxonomy, *, author: str, why: str = "") -> bool:
    """Replace the seed, and close the proposals made for the old one; return False if it is the same tree."""
    if project.has_seed and not project.sequence and seed == project.seed():
        return False
    project.set_seed(seed, author=author, why=why)
    for record in project.proposals():
        if record.status == "open":
            project.mark_proposal(record.proposal_id, "superseded")
    return True
