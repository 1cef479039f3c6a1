"""Export: take the taxonomy anywhere."""

from taxocom.ui.export import export_page
from taxocom.ui.runtime import session
from taxocom.ui.shared.bootstrap import page

with page("Export"):
    export_page.show(session.require_project())
