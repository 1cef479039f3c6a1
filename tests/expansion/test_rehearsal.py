"""Practice on a node: known sub-topics are hidden in turn and looked for, without any label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.discovery.gathering import gather_readings
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.rehearsal import rehearse
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from tests.expansion.planted import Planted, plant, without

SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50), n_readings=1)


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=4, n_children=2, n_documents=40)


def gathered(planted: Planted, tree: Taxonomy) -> NodeEvidence:
    embedding = pretrain(planted.corpus, SETTINGS.embedding)
    (reading,) = gather_readings(planted.corpus, tree, ROOT_ID, embedding, settings=SETTINGS)
    return reading


@pytest.fixture(scope="module")
def complete(planted: Planted) -> NodeEvidence:
    return gathered(planted, planted.gold)


def test_topics_with_words_of_their_own_are_all_found_again_and_nothing_else(
    planted: Planted, complete: NodeEvidence
) -> None:
    practice = rehearse(complete, SETTINGS)
    assert {topic.node_id for topic in practice} == {topic.node_id for topic in planted.gold.children_of(ROOT_ID)}
    assert all(topic.is_found and topic.f1 > 0.9 and topic.n_others == 0 for topic in practice)


def test_what_is_missing_for_good_is_found_beside_every_hidden_topic(planted: Planted) -> None:
    missing = planted.gold.children_of(ROOT_ID)[1].label
    practice = rehearse(gathered(planted, without(planted.gold, (missing,))), SETTINGS)
    assert [topic.n_others for topic in practice] == [1, 1, 1]
    assert all(topic.is_found for topic in practice)
    # It counts against practice, which cannot know that it is right.
    assert np.mean([topic.f1 for topic in practice]) < 0.9


def test_a_topic_that_others_hold_as_well_is_not_found(complete: NodeEvidence) -> None:
    assert complete.explanation is not None
    first, *rest = complete.explanation.hidden
    known = replace(first.explanation, fit=np.ones_like(first.explanation.fit), explained=np.ones(len(first.rows)))
    swallowed = replace(
        complete, explanation=replace(complete.explanation, hidden=(replace(first, explanation=known), *rest))
    )
    lost, *others = rehearse(swallowed, SETTINGS)
    assert (lost.is_found, lost.f1, lost.n_others) == (False, 0.0, 0)
    assert all(topic.is_found for topic in others)


def test_with_two_known_topics_there_is_too_little_to_hide(planted: Planted) -> None:
    labels = [topic.label for topic in planted.gold.children_of(ROOT_ID)]
    assert rehearse(gathered(planted, without(planted.gold, (labels[0],), (labels[1],))), SETTINGS) == ()


def test_practice_is_kept_with_a_proposal_if_it_is_asked_for(planted: Planted) -> None:
    embedding = pretrain(planted.corpus, SETTINGS.embedding)
    asked, unasked = (
        expand_node(
            planted.corpus, planted.gold, ROOT_ID, embedding, settings=SETTINGS, draw_map=False, practise=practise
        ).proposal
        for practise in (True, False)
    )
    assert len(asked.practice) == 4
    assert unasked.practice == ()
    assert NodeExpansion.from_parts(*asked.to_parts()).practice == asked.practice
    assert asked.clusters == unasked.clusters
