"""Projects that stay open between requests, and the taggers made of them."""

from __future__ import annotations

import threading
from collections import OrderedDict

from taxocom.serving.refusals import RefusalError
from taxocom.store import Project, list_projects, open_project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.project_tagger import project_tagger
from taxocom.store.projects.text_tagger import Tagger

_KEPT_PROJECTS = 16
_KEPT_TAGGERS = 2


class OpenProjects:
    """Opens the projects of the home by their names, each once; a tagger is made again when its project changes."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Project] = OrderedDict()
        self._taggers: Memory[Tagger] = Memory(_KEPT_TAGGERS)
        self._lock = threading.Lock()

    def project(self, name: str) -> Project:
        """Return a project by its name or its directory's name; another name is a RefusalError."""
        with self._lock:
            found = self._open.get(name)
            if found is None or not found.path.is_dir() or name not in (found.path.name, found.name):
                self._open.pop(name, None)
                found = _opened(name)
            self._open[name] = found
            self._open.move_to_end(name)
            while len(self._open) > _KEPT_PROJECTS:
                # Another request may be at work on it, so it closes when the last one lets go.
                self._open.popitem(last=False)
            return found

    def tagger(self, project: Project, release: str | None) -> Tagger:
        """Return the tagger of a project as it is now, or of a release."""
        corpus = project.used_for("corpus")
        if corpus is None:
            raise RefusalError(409, f"The project {project.name!r} has no texts, so there is nothing to learn from.")
        key = (project.path, corpus.name, release or project.sequence)
        return self._taggers.get(key, lambda: project_tagger(project, release=release))


def _opened(name: str) -> Project:
    # What the store says of a wrong name lists all projects and where they lie.
    if not any(name in (each.name, each.path.name) for each in list_projects()):
        raise RefusalError(404, f"There is no project {name!r:.120}. /projects lists them.")
    return open_project(name, by_path=False)
