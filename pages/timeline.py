"""Timeline: which topics are new, rising, falling or gone."""

from taxocom.ui import session, timeline_view
from taxocom.ui.bootstrap import page

with page("Timeline"):
    timeline_view.show(session.require_project())
