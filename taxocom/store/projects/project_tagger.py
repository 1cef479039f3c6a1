"""A tagger made from a project: its tree, its texts, and all that people decided about them."""

from __future__ import annotations

from dataclasses import replace

from taxocom import __version__
from taxocom.progress import SILENT, Progress, Span
from taxocom.store import Project
from taxocom.store.disk.clock import stamp, utc_now
from taxocom.store.projects.document_places import document_places, project_witnesses
from taxocom.store.projects.text_tagger import Tagger, parts_of
from taxocom.tagging.fitted import fit_tagger
from taxocom.tagging.tagger_parts import TaggerOrigin
from taxocom.taxonomy.tree import ROOT_ID


def project_tagger(
    project: Project, *, release: str | None = None, use_lexicon: bool = True, progress: Progress = SILENT
) -> Tagger:
    """Fit a tagger to a project as it is now, or as a release has it."""
    frozen = project.release(release) if release else None
    sequence = frozen.sequence if frozen else project.sequence
    corpus = project.corpus()
    witnesses = project_witnesses(project, Span(progress, 0.0, 0.5))
    if not use_lexicon:
        witnesses = replace(witnesses, lexicon=None, meanings=None)
    places = document_places(project, at=sequence)
    broad = {each for each in places.node_ids if each != ROOT_ID and places.tree.children_of(each)}
    fitted = fit_tagger(
        witnesses,
        corpus.vocabulary,
        places.tree,
        teaching=places.teaching(),
        with_documents=frozenset(broad),
        progress=Span(progress, 0.5, 1.0),
    )
    origin = TaggerOrigin(
        project=project.name,
        release=release or "",
        decisions=sequence,
        n_documents=corpus.n_documents,
        # A release is exported unchanged: its date is the day it was frozen.
        made=frozen.at if frozen else stamp(utc_now()),
        made_by=__version__,
    )
    return Tagger.of(parts_of(corpus, witnesses, fitted, origin))
