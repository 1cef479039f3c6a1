"""Take a taxonomy anywhere and bring one in from anywhere: pure functions between trees and bytes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taxocom.interchange.base.context import (
        DocumentAssignment,
        ExportContext,
        MapPoint,
        TopicEvidence,
        with_proposed,
        with_rejected,
    )
    from taxocom.interchange.base.seed_document import Problem, SeedDocument
    from taxocom.interchange.bundle import ReplayResult, replay_bundle, write_bundle
    from taxocom.interchange.formats import FORMATS, Format, export
    from taxocom.interchange.report.tree_comparison import TaxonomyChange, compare
    from taxocom.interchange.seed_reading import read_seed
    from taxocom.interchange.skos.integrity import IntegrityReport, apply_fixes, check_integrity

__all__ = [
    "FORMATS",
    "DocumentAssignment",
    "ExportContext",
    "Format",
    "IntegrityReport",
    "MapPoint",
    "Problem",
    "ReplayResult",
    "SeedDocument",
    "TaxonomyChange",
    "TopicEvidence",
    "apply_fixes",
    "check_integrity",
    "compare",
    "export",
    "read_seed",
    "replay_bundle",
    "with_proposed",
    "with_rejected",
    "write_bundle",
]

_HOMES = {
    "bundle": ("ReplayResult", "replay_bundle", "write_bundle"),
    "report.tree_comparison": ("TaxonomyChange", "compare"),
    "base.context": (
        *("DocumentAssignment", "ExportContext", "MapPoint", "TopicEvidence"),
        *("with_proposed", "with_rejected"),
    ),
    "formats": ("FORMATS", "Format", "export"),
    "skos.integrity": ("IntegrityReport", "apply_fixes", "check_integrity"),
    "seed_reading": ("read_seed",),
    "base.seed_document": ("Problem", "SeedDocument"),
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: a process that reads a seed needs nothing of what writes one."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"taxocom.interchange.{module}"), name)
    raise AttributeError(f"module 'taxocom.interchange' has no attribute {name!r}")
