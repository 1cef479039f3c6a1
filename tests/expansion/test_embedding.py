"""Vectors of a project and of a node: what settings do to them, and how training tells of itself and stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.paper import embedding as module
from taxocom.expansion.paper.embedding import pretrain, train_local
from taxocom.numerics.training import TrainingSettings
from taxocom.settings import EmbeddingSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

SETTINGS = EmbeddingSettings(dim=16, epochs=2, local_epochs=2)


@pytest.fixture(scope="module")
def planted():
    return plant(n_parents=3, n_children=2, n_documents=20)


@pytest.fixture(scope="module")
def pretrained(planted):
    return pretrain(planted.corpus, SETTINGS)


def tune(planted, pretrained, **changes):
    keywords = [
        planted.corpus.vocabulary.ids_of([child.center_term]).astype(np.int32)
        for child in planted.gold.children_of(ROOT_ID)
    ]
    documents = np.arange(planted.corpus.n_documents, dtype=np.int32)
    return train_local(planted.corpus, pretrained, documents, keywords, replace(SETTINGS, **changes))


def trained_with(monkeypatch, work):
    """Return the training settings that some work comes to."""
    seen = []
    train = module.train

    def noted(*arguments, settings, **options):
        seen.append(settings)
        return train(*arguments, settings=settings, **options)

    monkeypatch.setattr(module, "train", noted)
    work()
    return seen


@pytest.mark.parametrize("paper", [False, True])
def test_the_papers_objective_is_a_setting_of_all_training(monkeypatch, planted, pretrained, paper):
    asked = TrainingSettings(epochs=2, margin=SETTINGS.margin, step=SETTINGS.step)
    wanted = asked.to_the_letter() if paper else asked
    settings = replace(SETTINGS, paper_objective=paper)
    assert trained_with(monkeypatch, lambda: pretrain(planted.corpus, settings)) == [wanted]
    assert trained_with(monkeypatch, lambda: tune(planted, pretrained, paper_objective=paper)) == [wanted]


def test_the_papers_objective_gives_other_vectors(planted, pretrained):
    ours, paper = (tune(planted, pretrained, paper_objective=paper) for paper in (False, True))
    assert not np.array_equal(ours.terms, paper.terms)
    assert not np.array_equal(ours.topics, paper.topics)


def test_growing_keywords_moves_topics_and_keywords_alone_start_alike(planted, pretrained):
    grown = tune(planted, pretrained, keywords_grown=3)
    fixed = tune(planted, pretrained)
    assert not np.array_equal(grown.topics, fixed.topics)
    # In the first epoch nothing has grown yet.
    one = {"local_epochs": 1}
    np.testing.assert_array_equal(
        tune(planted, pretrained, keywords_grown=3, **one).terms, tune(planted, pretrained, **one).terms
    )


def test_what_grows_is_of_the_topics_own_words(planted, pretrained):
    """The topics pull the words of their own documents nearer when their keywords grow."""
    grown, fixed = (tune(planted, pretrained, keywords_grown=n, local_epochs=6) for n in (4, 0))
    parents = [child.label for child in planted.gold.children_of(ROOT_ID)]
    counts = planted.corpus.counts
    near = []
    for found in (grown, fixed):
        own = []
        for topic, parent in enumerate(parents):
            rows = [d for d, path in enumerate(planted.paths) if path[0] == parent]
            inside = np.asarray(counts[rows].sum(axis=0)).ravel()
            share = inside / np.maximum(np.asarray(counts.sum(axis=0)).ravel(), 1)
            own.append((found.terms[(share > 0.9) & (inside > 30)] @ found.topics[topic]).mean())
        near.append(np.mean(own))
    assert near[0] > near[1]


def test_pre_training_knows_no_keywords_to_grow(planted, pretrained):
    grown = pretrain(planted.corpus, replace(SETTINGS, keywords_grown=5))
    np.testing.assert_array_equal(grown.terms, pretrained.terms)
