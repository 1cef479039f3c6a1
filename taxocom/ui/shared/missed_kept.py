"""What a person told of missing topics and has not added yet: it waits in the store, under the person's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from taxocom.store import Project
from taxocom.ui.runtime import session
from taxocom.ui.shared import curator
from taxocom.workflow.missing_topic import MissedTopic
from taxocom.workflow.told_together import together

_KEPT, _LEARNT = "missed topic", "missed topic learnt"


@dataclass(frozen=True)
class Learnt:
    """What the last answers changed, what was told before them, and which topic they were about."""

    before: tuple[MissedTopic, ...]
    after: tuple[MissedTopic, ...]
    label: str
    said: str


def kept(project: Project) -> tuple[MissedTopic, ...]:
    """Return what this person told, nothing if it was added or cleared."""
    told = project.preferences(_person()).get(_KEPT)
    if not told:
        return ()
    rows = told.get("told", [told])
    return tuple(together([_read(row) for row in rows]))


def keep(project: Project, wishes: Sequence[MissedTopic]) -> None:
    """Keep what this person told, in place of what was kept; the page then shows it."""
    rows = [asdict(replace(each, beside=())) for each in wishes]
    project.set_preference(_person(), _KEPT, {"told": rows} if rows else None)
    session.turn()


def note_learnt(learnt: Learnt) -> None:
    """Remember what the last answers changed, for as long as nothing else is told."""
    session.state()[_LEARNT] = learnt


def learnt(wishes: Sequence[MissedTopic]) -> Learnt | None:
    """Return what the last answers changed, if they led to these."""
    last: Learnt | None = session.state().get(_LEARNT)
    return last if last is not None and last.after == tuple(wishes) else None


def _person() -> str:
    return curator.name() or curator.browser()


def _read(row: Mapping[str, Any]) -> MissedTopic:
    lists = {name: tuple(row.get(name) or ()) for name in ("words", "documents", "yes", "no")}
    return MissedTopic(label=str(row["label"]), parent_id=str(row["parent_id"]), **lists)
