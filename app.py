"""The home page: projects, the sample, a new project, a backup to restore."""

from taxocom.ui import home
from taxocom.ui.bootstrap import page

with page("Projects"):
    home.show()
