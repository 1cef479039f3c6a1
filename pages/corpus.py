"""Corpus & seed: the texts, the tree to start from, and whether they fit."""

from taxocom.ui import corpus, jobs_view, session
from taxocom.ui.bootstrap import page
from taxocom.ui.deciding import mark_seen
from taxocom.ui.overview import look_at

with page("Corpus & seed"):
    project = session.project()
    if project is None:
        corpus.new_project()
    else:
        overview = look_at(project, session.expansion, jobs_view.expanding(project))
        corpus.show(project, overview)
        mark_seen(project, overview.sequence)
