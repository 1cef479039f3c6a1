"""Export: take the taxonomy anywhere."""

from taxocom.ui import export_page, session
from taxocom.ui.bootstrap import page

with page("Export"):
    export_page.show(session.require_project())
