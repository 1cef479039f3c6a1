"""Export: take the taxonomy anywhere."""

from taxocom.ui import export, session
from taxocom.ui.bootstrap import page

with page("Export"):
    export.show(session.require_project())
