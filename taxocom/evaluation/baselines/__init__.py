"""The systems that TaxoCom is compared with. Their libraries are imported when they run (requirements-eval.lock)."""

from __future__ import annotations

from taxocom.evaluation.baselines.bertopic_ import BertopicHierarchical, BertopicZeroShot
from taxocom.evaluation.baselines.corel import CoRel
from taxocom.evaluation.baselines.hlda import Hlda
from taxocom.evaluation.baselines.josh import JoSH
from taxocom.evaluation.baselines.taxogen import TaxoGen
from taxocom.evaluation.systems import System

__all__ = ["BASELINES", "BertopicHierarchical", "BertopicZeroShot", "CoRel", "Hlda", "JoSH", "TaxoGen"]

BASELINES: tuple[System, ...] = (
    Hlda(),
    TaxoGen(),
    JoSH(),
    CoRel(),
    BertopicHierarchical(),
    BertopicZeroShot(),
)
