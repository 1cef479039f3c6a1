"""What the names of topics say of documents: who says them, in which form, and how much that counts."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom.settings import TaggingSettings, TextSettings
from taxocom.tagging.lexicon import Lexicon, document_vectors, name_vectors
from taxocom.tagging.names import TopicClass, classes_under, name_evidence, name_terms, names_of, says_a_name
from taxocom.tagging.witnesses import MainDirections, Witnesses, damp, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import Vocabulary
from tests.expansion.planted import plant

TEXTS = [
    "hockey hockey hockey pucks",
    "the science of rockets",
    "rocket rocket science",
    "the parliament votes",
    "nothing of interest",
]


def corpus_of(texts: list[str], names: list[str]) -> Corpus:
    return Corpus.from_documents(texts, settings=TextSettings(min_count=1, max_words=3), seed_phrases=names)


def blind(corpus: Corpus) -> Witnesses:
    """The words of the texts alone: no direction, so that evidence is what was counted."""
    damped = damp(corpus.counts)
    nowhere = MainDirections(np.zeros((corpus.n_documents, 1), np.float32), np.zeros((damped.shape[1], 1), np.float32))
    return Witnesses(damped, np.asarray(damped.sum(axis=1), dtype=np.float32).ravel(), nowhere)


def tree_of(*rows: tuple[str, str, tuple[str, ...]]) -> Taxonomy:
    tree = Taxonomy.empty("All")
    for label, parent, keywords in rows:
        tree = tree.with_topic(TopicNode(label, label, keywords=keywords), parent)
    return tree


TREE = tree_of(
    ("sport", ROOT_ID, ()),
    ("hockey", "sport", ("puck",)),
    ("science", ROOT_ID, ()),
    ("rocket", "science", ()),
    ("medicine", "science", ("vaccine",)),
    ("politics", ROOT_ID, ("parliament",)),
)


def vocabulary_of(*terms: str) -> Vocabulary:
    ones = np.ones(len(terms), np.int32)
    return Vocabulary(terms, ones, ones.copy(), np.ones(len(terms), np.float32), np.ones(len(terms), np.bool_))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("group", {"group", "groups", "finite_groups", "group_theory"}),
        ("Groups", {"group", "groups", "finite_groups", "group_theory"}),
        ("finite group", {"finite_groups"}),
        ("Oil", {"oil", "crude_oil"}),
        ("city", {"cities"}),
        ("chess", set()),
        ("?!", set()),
    ],
)
def test_a_name_is_found_in_singular_and_plural_and_inside_longer_phrases(name: str, found: set[str]) -> None:
    vocabulary = vocabulary_of("group", "groups", "finite_groups", "group_theory", "oil", "crude_oil", "boil", "cities")
    assert set(vocabulary.select(name_terms(vocabulary, [name]))) == found


def test_the_terms_of_several_names_are_each_counted_once() -> None:
    vocabulary = vocabulary_of("oil", "crude_oil", "gas")
    assert name_terms(vocabulary, ["oil", "crude oil", "Oils", "gas"]).tolist() == [0, 1, 2]
    assert len(name_terms(vocabulary, [])) == 0


def test_a_document_says_a_name_if_it_says_any_form_of_any_of_them() -> None:
    corpus = corpus_of(TEXTS, ["rocket", "hockey", "parliament"])
    witnesses = blind(corpus)
    assert says_a_name(witnesses, corpus.vocabulary, ["Rockets"]).tolist() == [False, True, True, False, False]
    assert says_a_name(witnesses, corpus.vocabulary, ["puck", "parliaments"]).tolist() == [
        True, False, False, True, False,
    ]  # fmt: skip
    assert not says_a_name(witnesses, corpus.vocabulary, ["chess"]).any()
    assert not says_a_name(witnesses, corpus.vocabulary, []).any()


def test_people_call_a_topic_by_its_name_its_other_names_and_its_keywords() -> None:
    node = TopicNode("t", "Football", "ball", keywords=("goal",), alt_labels=("Soccer",))
    assert set(names_of(node)) == {"Football", "Soccer", "goal"}


def test_the_answers_are_the_leaves_each_with_the_child_it_lies_in() -> None:
    tree = tree_of(("a", ROOT_ID, ()), ("a1", "a", ()), ("a2", "a", ()), ("b", ROOT_ID, ()))
    assert classes_under(tree, ROOT_ID) == [TopicClass("a1", 0), TopicClass("a2", 0), TopicClass("b", 1)]
    assert classes_under(tree, "a") == [TopicClass("a1", 0), TopicClass("a2", 1)]
    assert classes_under(tree, "b") == []


def test_a_topic_with_a_single_sub_topic_is_an_answer_beside_it() -> None:
    tree = tree_of(("a", ROOT_ID, ()), ("a1", "a", ()), ("a11", "a1", ()), ("a12", "a1", ()))
    assert [each.node_id for each in classes_under(tree, ROOT_ID)] == ["a", "a11", "a12"]


def test_a_topic_that_people_left_documents_at_is_an_answer_whatever_lies_below_it() -> None:
    tree = tree_of(("a", ROOT_ID, ()), ("a1", "a", ()), ("a2", "a", ()), ("b", ROOT_ID, ()))
    asked = classes_under(tree, ROOT_ID, frozenset({"a", "b", "gone"}))
    assert asked == [TopicClass("a", 0), TopicClass("a1", 0), TopicClass("a2", 0), TopicClass("b", 1)]


def test_evidence_is_the_logarithm_of_mentions_and_the_name_above_counts_three_tenths() -> None:
    corpus = corpus_of(TEXTS, [name for node in TREE.walk() for name in names_of(node)])
    topics = ["hockey", "rocket", "medicine", "politics"]
    found = name_evidence(blind(corpus), corpus.vocabulary, TREE, topics)
    mentions = np.array(
        [[4, 0, 0, 0], [0, 1 + 0.3, 0.3, 0], [0, 2 + 0.3, 0.3, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.float64
    )
    np.testing.assert_allclose(found, np.log1p(mentions), rtol=1e-5, atol=1e-6)


def test_a_word_that_is_also_the_name_above_counts_once_and_in_full() -> None:
    tree = tree_of(("oil", ROOT_ID, ()), ("crude oil", "oil", ("oil",)))
    corpus = corpus_of(["oil here", "crude oil there"], ["oil", "crude oil"])
    found = name_evidence(blind(corpus), corpus.vocabulary, tree, ["crude oil"])
    np.testing.assert_allclose(found, np.log([[2.0], [2.0]]), rtol=1e-6)


def test_a_topic_nobody_mentions_has_no_evidence_and_disturbs_no_other() -> None:
    corpus = corpus_of(TEXTS, ["hockey", "science"])
    witnesses = read_witnesses(corpus)
    tree = tree_of(("hockey", ROOT_ID, ()), ("science", ROOT_ID, ()), ("xylophone", ROOT_ID, ()))
    whole = name_evidence(witnesses, corpus.vocabulary, tree, ["hockey", "xylophone", "science"])
    assert np.isfinite(whole).all()
    assert not whole[:, 1].any()
    part = name_evidence(witnesses, corpus.vocabulary, tree, ["science", "hockey"])
    np.testing.assert_array_equal(whole[:, [2, 0]], part)
    assert name_evidence(witnesses, corpus.vocabulary, tree, []).shape == (len(TEXTS), 0)


def test_texts_near_a_name_in_the_main_directions_hear_it_without_saying_it() -> None:
    planted = plant(n_parents=3, n_children=2, n_documents=60, length=20)
    tree, vocabulary = planted.gold, planted.corpus.vocabulary
    leaves = [node.node_id for node in tree.walk() if not tree.children_of(node.node_id)]
    witnesses = read_witnesses(planted.corpus)
    own = np.array([leaves.index(topic_id(*path)) for path in planted.paths])
    # Of each leaf's texts, those that say no name of theirs.
    said = [says_a_name(witnesses, vocabulary, tree.path_of(leaf)) for leaf in leaves]
    silent = np.flatnonzero([not said[leaf][document] for document, leaf in enumerate(own)])
    assert len(silent) >= 10
    found = name_evidence(witnesses, vocabulary, tree, leaves)[silent]
    right = found[np.arange(len(silent)), own[silent]]
    assert right.mean() > 3 * np.abs(found.mean())
    # By chance it would be one in six.
    assert (found.argmax(axis=1) == own[silent]).mean() > 0.5


def test_the_lexicon_adds_its_cosines_by_their_weight_and_nothing_where_it_is_not_wanted(tiny: Lexicon) -> None:
    texts = ["goal goal match", "vote law", "law law", "match sport"]
    corpus = corpus_of(texts, ["sport", "politics"])
    tree = tree_of(("sport", ROOT_ID, ()), ("politics", ROOT_ID, ()))
    topics = ["sport", "politics"]
    without = blind(corpus)
    meanings = document_vectors(tiny, texts)
    damped, lengths, nowhere = without.damped, without.lengths, without.directions
    knowing = Witnesses(damped, lengths, nowhere, lexicon=tiny, meanings=meanings)

    def said(witnesses: Witnesses, **settings: object) -> np.ndarray:
        return name_evidence(witnesses, corpus.vocabulary, tree, topics, TaggingSettings(**settings))  # type: ignore[arg-type]

    plain = said(without)
    cosines = meanings.cosines(name_vectors(tiny, topics))
    assert np.abs(cosines).max() > 0.5
    np.testing.assert_allclose(said(knowing, lexicon_weight=3.0), plain + 3.0 * cosines, rtol=1e-5)
    np.testing.assert_array_equal(said(knowing, lexicon=False), plain)
    # Nobody says either name but the last text; the lexicon hears them all the same.
    best = said(knowing).argmax(axis=1)
    assert best.tolist() == [0, 1, 1, 0]
