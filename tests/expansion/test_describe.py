"""What a person reads of a cluster: the documents that show it, and warnings."""

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.tagging.lexicon import Lexicon
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant, without

SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=30, epochs=3, local_epochs=1))


@pytest.fixture(scope="module")
def planted():
    return plant(n_parents=4, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def seed(planted):
    return without(planted.gold, (planted.gold.children_of(ROOT_ID)[-1].label,))


@pytest.fixture(scope="module")
def expansion(planted, seed):
    embedding = pretrain(planted.corpus, SETTINGS.embedding)
    return expand_node(planted.corpus, seed, ROOT_ID, embedding, settings=SETTINGS, draw_map=False)


def test_typical_documents_use_more_of_the_anchors_than_the_others_do(planted, expansion):
    proposal = expansion.proposal
    ids = list(planted.corpus.document_ids)
    for index, cluster in enumerate(proposal.clusters):
        anchors = planted.corpus.vocabulary.ids_of(anchor.term for anchor in cluster.anchors)
        used = np.asarray((planted.corpus.counts[:, anchors] > 0).sum(axis=1)).ravel()
        members = proposal.documents.documents[proposal.documents.cluster == index]
        typical = [ids.index(document) for document in cluster.typical_documents]
        assert set(typical) <= set(members)
        assert used[typical].min() > np.median(used[members])


def test_words_are_general_beside_those_of_the_known_topics(planted, seed, expansion):
    def warned(topicality):
        evidence = replace(expansion.evidence, topicality=topicality.astype(np.float32))
        proposal = propose(planted.corpus, seed, evidence, settings=SETTINGS)
        return [any("general" in said for said in cluster.warnings) for cluster in proposal.clusters]

    proposal, topicality = expansion.proposal, expansion.evidence.topicality
    (novel,) = (index for index, cluster in enumerate(proposal.clusters) if cluster.kind == "novel")
    own = proposal.terms.cluster == novel
    assert not any(warned(topicality))
    # A node whose terms all point less clearly is no reason to warn; one cluster below its siblings is.
    assert not any(warned(0.5 * np.maximum(topicality, 2 * SETTINGS.min_topicality)))
    assert warned(np.where(own, SETTINGS.min_topicality, np.maximum(topicality, 0.6)))[novel]


@pytest.fixture(scope="module")
def lexicon(planted):
    """One that knows every word of the texts, each somewhere else."""
    words = {term: number for number, term in enumerate(planted.corpus.vocabulary.terms)}
    tokenizer = Tokenizer(WordLevel(words))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    table = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float16)
    files = save({"embedding.weight": table}), tokenizer.to_str().encode()
    return replace(Lexicon.from_bytes(*files, fingerprint="made"), language=planted.corpus.vocabulary.language)


def test_names_by_meaning_are_offered_behind_the_best_by_the_texts_and_kept(planted, seed, expansion, lexicon):
    def proposed(settings=SETTINGS, lexicon=lexicon):
        return propose(planted.corpus, seed, expansion.evidence, settings=settings, lexicon=lexicon)

    (text,), (both,) = proposed(lexicon=None).novel, proposed().novel
    assert text.names_by_meaning == ()
    assert both.names_by_meaning
    assert set(both.names_by_meaning) <= set(both.name_suggestions)
    assert both.name_suggestions[0] == both.label == text.label
    assert both.center_term == text.center_term
    assert both.center_term in planted.corpus.vocabulary
    kept = NodeExpansion.from_parts(*proposed().to_parts())
    assert kept.novel[0].names_by_meaning == both.names_by_meaning
    without_it = replace(SETTINGS, tagging=replace(SETTINGS.tagging, lexicon=False))
    assert proposed(settings=without_it).novel[0].name_suggestions == text.name_suggestions


def test_a_proposal_of_before_has_no_names_by_meaning(expansion):
    metadata, arrays = expansion.proposal.to_parts()
    older = [{k: v for k, v in cluster.items() if k != "names_by_meaning"} for cluster in metadata["clusters"]]
    read = NodeExpansion.from_parts({**metadata, "clusters": older}, arrays)
    assert read.novel[0].names_by_meaning == ()
    assert read.novel[0].name_suggestions == expansion.proposal.novel[0].name_suggestions
