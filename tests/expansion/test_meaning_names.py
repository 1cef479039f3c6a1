"""Names by meaning, with a lexicon of a few words in three dimensions: fields, and how much a word names one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from safetensors.numpy import save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from taxocom.expansion.describe.cluster_names import woven
from taxocom.expansion.describe.meaning_names import TopicTerms, names_by_meaning
from taxocom.expansion.describe.naming import NameEvidence
from taxocom.tagging.lexicon import Lexicon
from taxocom.text.terms.vocabulary import Vocabulary

# Sport, politics, and naming a field.
MEANINGS = {
    "goal": (3, 0, 0),
    "match": (3, 0.2, 0),
    "team": (3, 0.1, 0.1),
    "player": (3, 0, 0.2),
    "league": (2.8, 0.1, 0.1),
    "sport": (2, 0, 2),
    "vote": (0, 3, 0),
    "law": (0.2, 3, 0),
    "minister": (0, 3, 0.1),
    "party": (0.1, 3, 0),
    "bill": (0, 2.9, 0),
    "politics": (0, 2, 2),
    "paper": (-1, -1, -3),
    "street": (-2, -2, -3),
    "monday": (-3, -3, -2),
}
SPORT = ("goal", "match", "team", "player", "league")
POLITICS = TopicTerms("politics", ("vote", "law", "minister", "party", "bill"), np.ones(5, dtype=np.float32))


def lexicon() -> Lexicon:
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(MEANINGS)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    table = np.array(list(MEANINGS.values()), dtype=np.float16)
    return Lexicon.from_bytes(save({"embedding.weight": table}), tokenizer.to_str().encode(), fingerprint="made")


def vocabulary(language: str = "en") -> Vocabulary:
    n = len(MEANINGS)
    counts = np.full(n, 50, dtype=np.int32)
    quality = np.full(n, 0.8, dtype=np.float32)
    return Vocabulary(tuple(MEANINGS), counts, counts.copy(), quality, np.ones(n, dtype=bool), language=language)


def evidence(**inside: int) -> NameEvidence:
    """A hundred documents about sport: nearly all use its terms, four say its name, which is no anchor of theirs."""
    counts = np.array([inside.get(word, 60 if word in SPORT else 4 if word == "sport" else 0) for word in MEANINGS])
    return NameEvidence(
        term_ids=np.arange(len(MEANINGS), dtype=np.int32),
        significance=np.where(counts > 0, 0.5, 0.0).astype(np.float32),
        inside=counts,
        outside=np.ones(len(MEANINGS), dtype=np.int64),
        n_inside=100,
        n_outside=900,
        is_member=np.array([word in SPORT for word in MEANINGS]),
    )


def cluster(terms=SPORT) -> TopicTerms:
    return TopicTerms("", terms, np.ones(len(terms), dtype=np.float32))


def names(found=None, known=(POLITICS,), of=None, words=None, **more):
    return names_by_meaning(found or evidence(), words or vocabulary(), lexicon(), known, of or cluster(), **more)


def test_a_name_that_few_texts_say_is_found_by_what_their_words_mean_and_what_the_siblings_are_called():
    assert "sport" in names()


def test_without_a_sibling_nothing_says_of_what_kind_a_name_is():
    assert "sport" not in names(known=())


def test_what_no_text_of_the_cluster_says_is_not_suggested():
    assert "sport" not in names(evidence(sport=0))


def test_names_taken_are_not_suggested_in_any_form():
    assert "sport" not in names(taken=["Sports"])
    assert set(names(taken=["goals"])).isdisjoint({"goal"})


def test_two_names_at_most_and_no_two_variants():
    found = names()
    assert len(found) == 2
    assert len(set(found)) == 2


def test_terms_that_may_not_name_a_topic_are_not_suggested():
    words = vocabulary()
    may_name = np.array([word != "sport" for word in MEANINGS])
    assert "sport" not in names(words=replace(words, may_name=may_name))


def test_a_language_that_the_lexicon_does_not_know_and_a_cluster_of_few_terms_have_none():
    assert names(words=vocabulary("de")) == ()
    assert names(of=cluster(("goal", "match"))) == ()


def test_the_best_name_by_the_texts_stays_first_and_what_it_says_too_is_not_marked():
    offered = woven(["team", "goal", "match"], ["sport", "goals"])
    assert offered.names == ("team", "sport", "goals", "match")
    assert offered.by_meaning == ("sport",)
    assert woven([], ["sport"]).best == "sport"
    assert woven([], []).best == ""
    assert len(woven(["a", "b", "c", "d", "e"], ["f", "g"]).names) == 5
