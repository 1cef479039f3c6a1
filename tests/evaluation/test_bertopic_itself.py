from __future__ import annotations

import pytest
from planting import evaluated

from taxocom.evaluation.baselines import BertopicHierarchical, BertopicZeroShot


@pytest.mark.slow
@pytest.mark.xdist_group("umap")
def test_bertopic_finds_the_planted_topics_in_both_forms(planted, hockey_gone):
    report, result = evaluated(BertopicHierarchical(), planted, hockey_gone)
    assert report.recovery.n_recovered == 1
    assert {result.taxonomy.depth_of(node.node_id) for node in result.taxonomy.walk()} == {1, 2}
    report, result = evaluated(BertopicZeroShot(), planted, hockey_gone)
    assert report.detection.recall > 0.5
    assert all(node.node_id in result.taxonomy for node in hockey_gone.seed.walk())
