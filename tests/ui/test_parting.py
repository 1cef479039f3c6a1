"""A known topic is offered in the halves that its documents use apart."""

from dataclasses import replace

import pytest

from taxocom.errors import SettingsError
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.settings import TextSettings
from taxocom.taxonomy.tree import AnchorTerm, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from taxocom.ui.shared.topic_split import suggested_part
from tests.ui.fabricate import Fabricated, fabricate_project

SPORT = topic_id("sport")
FIRST, SECOND = ("sport", "golf", "player", "coach"), ("football", "league", "match", "goal")


@pytest.fixture(scope="module")
def expansion(tmp_path_factory: pytest.TempPathFactory) -> NodeExpansion:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        made: Fabricated = fabricate_project("parting")
        made.project.close()
        return made.expansion


def anchored(expansion: NodeExpansion, terms: tuple[str, ...]) -> NodeExpansion:
    """Let the anchors of the known topic be these."""
    anchors = tuple(AnchorTerm(term, 0.9, 0.9, 0.9, 0.9, 0.9) for term in terms)
    clusters = tuple(
        replace(cluster, center_term="sport", anchors=anchors) if cluster.cluster_id == SPORT else cluster
        for cluster in expansion.clusters
    )
    return replace(expansion, clusters=clusters)


def corpus_of(n: int, sentences: tuple[tuple[str, ...], ...]) -> Corpus:
    said = [" ".join(f"the {word} and" for word in sentences[i % len(sentences)]) for i in range(n)]
    # A word of its own for each, since the same text twice counts once.
    texts = [Document(f"d{i}", f"{text} report{'abcdefghij'[i % 10]}{i}") for i, text in enumerate(said)]
    return Corpus.from_documents(texts, settings=TextSettings(min_count=1, max_words=1))


def test_terms_that_documents_use_apart_are_parted_and_the_center_stays(expansion: NodeExpansion):
    corpus = corpus_of(280, (FIRST, SECOND))
    part = suggested_part(anchored(expansion, (*FIRST, *SECOND)), SPORT, corpus)
    assert set(part.terms) == set(SECOND)
    assert part.label == "football"


def test_the_half_with_the_topics_name_stays_whatever_its_center_is(expansion: NodeExpansion):
    corpus = corpus_of(280, (FIRST, SECOND))
    asked = anchored(expansion, (*SECOND, *FIRST))
    clusters = tuple(replace(c, center_term="goal") if c.cluster_id == SPORT else c for c in asked.clusters)
    assert set(suggested_part(replace(asked, clusters=clusters), SPORT, corpus).terms) == set(SECOND)


def test_the_same_question_gets_the_same_answer(expansion: NodeExpansion):
    corpus = corpus_of(280, (FIRST, SECOND, (*FIRST[:2], *SECOND[:2])))
    asked = anchored(expansion, (*FIRST, *SECOND))
    assert suggested_part(asked, SPORT, corpus) == suggested_part(asked, SPORT, corpus)


def test_too_few_terms_are_said_to_be_too_few(expansion: NodeExpansion):
    corpus = corpus_of(280, (FIRST,))
    with pytest.raises(SettingsError, match="too few"):
        suggested_part(anchored(expansion, FIRST[:3]), SPORT, corpus)
