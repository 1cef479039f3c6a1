from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from planting import evaluated

from taxocom.errors import InputError
from taxocom.evaluation.baselines import BertopicHierarchical, BertopicZeroShot, bertopic_
from taxocom.evaluation.baselines.bertopic_ import BertopicAsShipped, _cut, _parent
from taxocom.taxonomy.tree import ROOT_ID

LEAVES = ("space", "medicine", "baseball", "hockey")


class PlainTopics:
    """Stands in for BERTopic: a document's topic is the planted leaf it names most, hockey's first ten are outliers."""

    def __init__(self, *, embedding_model, zeroshot_topic_list, **others):
        self.embedder = embedding_model
        self.zero_shot = zeroshot_topic_list
        names = self.zero_shot or []
        self.topic_labels_ = {topic: leaf if leaf in names else f"{topic}_{leaf}" for topic, leaf in enumerate(LEAVES)}

    def fit_transform(self, texts, embeddings):
        assert np.linalg.norm(embeddings, axis=1) == pytest.approx(1.0, abs=1e-4)
        assert self.embedder.embed(texts[:3]) == pytest.approx(embeddings[:3], abs=1e-5)
        topics = [int(np.argmax([text.count(leaf) for leaf in LEAVES])) for text in texts]
        outliers = [row for row, topic in enumerate(topics) if topic == 3][:10]
        return [-1 if row in outliers else topic for row, topic in enumerate(topics)], None

    def reduce_outliers(self, texts, topics, *, strategy, embeddings):
        assert strategy == "embeddings"
        return [3 if topic == -1 else topic for topic in topics]

    def hierarchical_topics(self, texts):
        # Deliberately not in the order of distance.
        return pd.DataFrame({"Topics": [[0, 1, 2, 3], [2, 3], [0, 1]], "Distance": [0.9, 0.2, 0.3]})


@pytest.fixture
def plain_topics(monkeypatch):
    known = {
        "bertopic": SimpleNamespace(BERTopic=PlainTopics),
        "bertopic.backend": SimpleNamespace(BaseEmbedder=object),
        "umap": SimpleNamespace(UMAP=dict),
        "hdbscan": SimpleNamespace(HDBSCAN=dict),
    }
    monkeypatch.setattr(bertopic_, "library", known.__getitem__)


def test_the_hierarchical_form_makes_two_levels_of_novel_nodes(plain_topics, planted, hockey_gone):
    report, result = evaluated(BertopicHierarchical(), planted, hockey_gone)
    assert not result.seeded
    assert len(result.taxonomy.children_of(ROOT_ID)) == 2
    assert (report.detection.f1, report.recovery.n_recovered, report.recovery.n_placed) == (1.0, 1, 1)
    assert report.quality.completeness == 1.0


def test_the_zero_shot_form_keeps_the_seed_and_adds_what_is_new_beside_its_kin(plain_topics, planted, hockey_gone):
    report, result = evaluated(BertopicZeroShot(), planted, hockey_gone)
    added = [node for node in result.taxonomy.walk() if node.node_id not in hockey_gone.seed]
    assert [result.taxonomy.parent_of(node.node_id) for node in added] == ["sports"]
    assert (report.detection.f1, report.recovery.n_placed, report.recovery.n_spurious) == (1.0, 1, 0)
    assert set(result.top_terms[added[0].node_id]) <= {"hockey", *(f"hockey{i}" for i in range(11))}


def test_the_form_as_shipped_leaves_outliers_out_and_says_what_it_lacks(plain_topics, planted, hockey_gone):
    words = {word: place for place, word in enumerate(LEAVES)}
    lexicon = SimpleNamespace(
        embed=lambda texts: np.array([[1.0, *(text.count(word) for word in words)] for text in texts], np.float32)
    )
    report, result = evaluated(BertopicAsShipped(lambda: lexicon), planted, hockey_gone)
    assert (report.recovery.n_placed, report.recovery.n_spurious) == (1, 0)
    assert list(result.assigned).count(ROOT_ID) == 10
    assert report.detection.recall < 1.0 == report.detection.precision
    with pytest.raises(InputError, match="make lexicon"):
        evaluated(BertopicAsShipped(lambda: None), planted, hockey_gone)


def test_a_hierarchy_is_cut_where_so_many_groups_are_left():
    merges = [frozenset({1, 2}), frozenset({0, 3}), frozenset({0, 1, 2, 3})]
    assert _cut(merges, 4, 2).tolist() == [0, 1, 1, 0]
    assert _cut(merges, 4, 3).tolist() == [0, 1, 1, 2]


def test_a_new_topic_goes_under_the_parent_whose_leaves_it_joins_first(planted_gold, grow):
    known = {0: "space", 1: "baseball", 2: "hockey"}
    merges = [frozenset({1, 2}), frozenset({1, 2, 3}), frozenset({0, 4, 1, 2, 3})]
    assert _parent(planted_gold, merges, 3, known) == "sports"
    assert _parent(planted_gold, merges, 4, known) == ROOT_ID
    flat = grow({"sale": {}})
    assert _parent(flat, [frozenset({0, 1})], 1, {0: "sale"}) == ROOT_ID
