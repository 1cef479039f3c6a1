"""Corpus & seed: the texts, the tree to start from, and whether they fit."""

from taxocom.ui.corpus import corpus_page
from taxocom.ui.runtime import session
from taxocom.ui.shared import jobs_view
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.shared.deciding import mark_seen
from taxocom.ui.shared.overview import look_at

with page("Corpus & seed"):
    project = session.project()
    if project is None:
        corpus_page.new_project()
    else:
        overview = look_at(project, session.expansion, jobs_view.expanding(project))
        corpus_page.show(project, overview)
        mark_seen(project, overview.sequence)
