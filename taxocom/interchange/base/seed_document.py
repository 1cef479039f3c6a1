"""A taxonomy as it came in, with everything that was noticed on the way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from taxocom.taxonomy.tree import Taxonomy

Severity = Literal["warning", "info"]


@dataclass(frozen=True)
class Problem:
    """Something that was repaired, kept aside or left out on the way in; `code` names the kind for programs."""

    severity: Severity
    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class SeedDocument:
    """A taxonomy that was read from a file, the format it was in, and what a person should know about it."""

    taxonomy: Taxonomy
    format: str
    name: str
    problems: tuple[Problem, ...] = ()

    def report(self) -> str:
        """Return the outcome as plain text, a line a problem."""
        n_topics = len(self.taxonomy)
        lines = [f"{self.name}: {n_topics} {'topic' if n_topics == 1 else 'topics'} read ({self.format})."]
        for problem in self.problems:
            place = f"line {problem.line}: " if problem.line is not None else ""
            lines.append(f"- {problem.severity}: {place}{problem.message}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, without the tree."""
        return {
            "name": self.name,
            "format": self.format,
            "topics": len(self.taxonomy),
            "problems": [asdict(problem) for problem in self.problems],
        }
