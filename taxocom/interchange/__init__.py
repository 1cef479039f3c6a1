"""Take a taxonomy anywhere and bring one in from anywhere: pure functions between trees and bytes."""

from taxocom.interchange.bundle import ReplayResult, replay_bundle, write_bundle
from taxocom.interchange.changes import TaxonomyChange, compare
from taxocom.interchange.context import (
    DocumentAssignment,
    ExportContext,
    MapPoint,
    TopicEvidence,
    with_proposed,
    with_rejected,
)
from taxocom.interchange.formats import FORMATS, Format, export
from taxocom.interchange.integrity import IntegrityReport, apply_fixes, check_integrity
from taxocom.interchange.reading import read_seed
from taxocom.interchange.seed_document import Problem, SeedDocument

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
