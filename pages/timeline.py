"""Timeline: which topics are new, rising, falling or gone."""

from taxocom.ui.runtime import session
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.timeline import timeline_view

with page("Timeline"):
    timeline_view.show(session.require_project())
