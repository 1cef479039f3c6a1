"""Projects on the disk: the only layer that touches files, the clock and the database."""

from taxocom.store.db.database import DamagedError
from taxocom.store.db.records import (
    Artifact,
    JobRecord,
    ProjectSummary,
    ProposalRecord,
    Release,
    StaleWriterError,
    StoredProposal,
)
from taxocom.store.homes.backup import backup_project, restore_project
from taxocom.store.homes.lifecycle import (
    copy_project,
    create_project,
    delete_project,
    empty_trash,
    find_project,
    open_project,
    preference,
    rename_project,
    set_preference,
    trash_project,
    undelete_project,
)
from taxocom.store.homes.listing import home, home_of, list_deleted, list_projects
from taxocom.store.projects.project import Project

__all__ = [
    "Artifact",
    "DamagedError",
    "JobRecord",
    "Project",
    "ProjectSummary",
    "ProposalRecord",
    "Release",
    "StaleWriterError",
    "StoredProposal",
    "backup_project",
    "copy_project",
    "create_project",
    "delete_project",
    "empty_trash",
    "find_project",
    "home",
    "home_of",
    "list_deleted",
    "list_projects",
    "open_project",
    "preference",
    "rename_project",
    "restore_project",
    "set_preference",
    "trash_project",
    "undelete_project",
]
