"""What was measured of a project: each run whole, under a name that says what was asked of what."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from taxocom.errors import StoreError
from taxocom.store.db.records import tree_from_plain, tree_to_plain
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.disk.whole_files import clear_errors
from taxocom.store.projects.project import Project
from taxocom.taxonomy.tree import Taxonomy

RunKind = Literal["evaluate", "stability"]

_RUN = "quality/run/"
_GOLD = "quality/gold"


@dataclass(frozen=True)
class QualityRun:
    """One measurement. The same question asked of the same project has the same `run_id`.

    `settings` are the parameters of its job, `sequence` the last decision that it took into account and `corpus` the
    fingerprint of the texts. `n_done` of `n_planned` parts are in its results; a cancelled run keeps those it has.
    """

    run_id: str
    kind: RunKind
    at: str
    sequence: int
    corpus: str
    settings: Mapping[str, Any]
    n_planned: int
    n_done: int
    artifact: str = field(default="", compare=False)

    @property
    def is_whole(self) -> bool:
        """Whether every part that was planned is done."""
        return self.n_done >= self.n_planned


def run_name(kind: RunKind, settings: Mapping[str, Any], *made_from: str) -> str:
    """Return the name of a run: the same settings and inputs give the same one, so a run can be taken up again."""
    asked = json.dumps([kind, settings, made_from], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def save_run(project: Project, run: QualityRun, results: Mapping[str, Any], *, clock: Clock = utc_now) -> QualityRun:
    """Keep a run with its results, in place of what was kept under its name before."""
    about = {**asdict(run), "at": stamp(clock())}
    about.pop("artifact")
    data = json.dumps({"run": about, "results": results}, ensure_ascii=False, allow_nan=False).encode()
    artifact = project.put_bytes(data, "quality", extension="json", made_from=run.corpus, details=about)
    project.use(_RUN + run.run_id, artifact)
    return QualityRun(**about, artifact=artifact.name)


def quality_runs(project: Project, kind: RunKind) -> list[QualityRun]:
    """Return the runs of a kind, newest first."""
    names = {purpose: name for purpose, name in project.purposes().items() if purpose.startswith(_RUN)}
    kept = {artifact.name: artifact for artifact in project.artifacts()} if names else {}
    runs = [_run(kept[name].details, name) for name in names.values() if name in kept]
    return sorted((run for run in runs if run.kind == kind), key=lambda run: run.at, reverse=True)


def find_run(project: Project, run_id: str) -> QualityRun | None:
    """Return a run by its name, None if it is missing."""
    artifact = project.used_for(_RUN + run_id)
    return None if artifact is None else _run(artifact.details, artifact.name)


def load_results(project: Project, run: QualityRun) -> dict[str, Any]:
    """Read what a run came to."""
    path = project.artifact_path(run.artifact)
    with clear_errors("read", path):
        data = path.read_bytes()
    try:
        return dict(json.loads(data)["results"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} is not a kept measurement ({error!r}). Remove the run and measure again.") from error


def drop_run(project: Project, run_id: str, *, by: str | None = None) -> None:
    """Forget a run; its file goes with the next clean-up. `by` is who asks for it, None for the program."""
    if by is not None:
        project.require("measure", by)
    project.stop_using(_RUN + run_id)


def save_gold(project: Project, gold: Taxonomy, file_name: str, *, by: str | None = None) -> str:
    """Keep a hierarchy to measure against and return its name; the project's own tree stays as it is."""
    if by is not None:
        project.require("measure", by)
    data = json.dumps(tree_to_plain(gold), ensure_ascii=False).encode()
    artifact = project.put_bytes(data, "gold", extension="json", details={"file": file_name})
    project.use(_GOLD, artifact)
    return artifact.name


@dataclass(frozen=True)
class KeptGold:
    """The hierarchy that was given to measure against, the artifact it is kept as and the file it came from."""

    artifact: str
    file_name: str


def kept_gold(project: Project) -> KeptGold | None:
    """Return the hierarchy that was given last, None if none was."""
    artifact = project.used_for(_GOLD)
    return None if artifact is None else KeptGold(artifact.name, str(artifact.details.get("file", "")))


def load_gold(project: Project, name: str) -> Taxonomy:
    """Read a hierarchy that was kept."""
    path = project.artifact_path(name)
    with clear_errors("read", path):
        data = path.read_bytes()
    try:
        return tree_from_plain(json.loads(data), str(path))
    except ValueError as error:
        raise StoreError(f"{path} is not a hierarchy ({error}). Choose the file of the hierarchy again.") from error


def _run(details: Mapping[str, Any], artifact: str) -> QualityRun:
    try:
        return QualityRun(**{**details, "artifact": artifact})
    except TypeError as error:
        raise StoreError(f"The artifact {artifact} is not a kept measurement ({error}). Measure again.") from error
