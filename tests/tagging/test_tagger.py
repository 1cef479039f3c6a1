"""Where a document belongs: to one topic or several, as people said if they did, and how surely."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom.numerics.arrays import UNASSIGNED
from taxocom.tagging.model import Labels
from taxocom.tagging.names import classes_under
from taxocom.tagging.tagger import SURENESS, Tags, Teaching, branch_shares, tag
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import Planted, plant, without


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=3, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def witnesses(planted: Planted) -> Witnesses:
    return read_witnesses(planted.corpus)


def rows_of(planted: Planted, path: tuple[str, ...]) -> list[int]:
    return [row for row, own in enumerate(planted.paths) if own[: len(path)] == path]


def hand_made(*shares: tuple[float, ...]) -> Tags:
    """Tags in a small tree whose probabilities are known: sport (soccer, tennis), law (courts, crime), film."""
    tree = Taxonomy.empty("News")
    for label, parent in (
        *(("sport", ROOT_ID), ("soccer", "sport"), ("tennis", "sport")),
        *(("law", ROOT_ID), ("courts", "law"), ("crime", "law"), ("film", ROOT_ID)),
    ):
        tree = tree.with_topic(TopicNode(label, label), parent)
    scores = (np.log(np.maximum(np.array(shares), 1e-12)) / SURENESS).astype(np.float32)
    classes = tuple(classes_under(tree, ROOT_ID))
    assert [each.node_id for each in classes] == ["soccer", "tennis", "courts", "crime", "film"]
    return Tags(tree, ROOT_ID, classes, scores, scores, Labels.none(len(scores)))


def rounded(topics: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return [(node_id, round(share, 3)) for node_id, share in topics]


def test_a_document_that_belongs_to_several_topics_has_several() -> None:
    tags = hand_made((0.45, 0.01, 0.35, 0.01, 0.18))
    assert rounded(tags.topics_of(0)) == [("soccer", 0.45), ("courts", 0.35)]
    assert rounded(tags.topics_of(0, least=0.1)) == [("soccer", 0.45), ("courts", 0.35), ("film", 0.18)]
    assert rounded(tags.topics_of(0, least=0.4)) == [("soccer", 0.45)]


def test_a_document_that_belongs_to_one_topic_has_one() -> None:
    assert rounded(hand_made((0.02, 0.02, 0.02, 0.92, 0.02)).topics_of(0)) == [("crime", 0.92)]


def test_an_inner_topic_has_the_sum_of_its_sub_topics_and_is_named_where_none_of_them_is_sure() -> None:
    tags = hand_made((0.19, 0.18, 0.05, 0.05, 0.53), (0.31, 0.19, 0.15, 0.15, 0.2))
    assert rounded(tags.topics_of(0)) == [("film", 0.53), ("sport", 0.37)]
    # Where a sub-topic is sure enough, the topic above it says nothing more.
    assert rounded(tags.topics_of(1)) == [("soccer", 0.31), ("law", 0.3), ("film", 0.2)]


def test_where_nothing_is_sure_enough_nothing_is_said() -> None:
    assert hand_made((0.2, 0.2, 0.2, 0.2, 0.2)).topics_of(0, least=0.6) == []


def test_texts_on_two_planted_topics_belong_to_both(planted: Planted) -> None:
    """Two texts put together are of the topics of both, as the tagger ranks them; most plain texts are of one."""
    paths, n = planted.paths, planted.corpus.n_documents
    pairs = [(one, next(row for row in range(one, n) if paths[row][0] != paths[one][0])) for one in range(40)]
    texts = [Document(i, text) for i, text in zip(planted.corpus.document_ids, planted.corpus.texts, strict=True)]
    mixed = [Document(f"both {i}", f"{texts[a].text} {texts[b].text}") for i, (a, b) in enumerate(pairs)]
    names = [node.label for node in planted.gold.walk()]
    corpus = Corpus.from_documents([*texts, *mixed], seed_phrases=names)
    tags = tag(read_witnesses(corpus), corpus.vocabulary, planted.gold)
    n_topics = np.array([len(tags.topics_of(row, least=0.05)) for row in range(corpus.n_documents)])
    assert (n_topics[n:] > 1).mean() > (n_topics[:n] > 1).mean() + 0.4
    likeliest = [{tags.classes[c].node_id for c in np.argsort(-row)[:2]} for row in tags.scores[n:]]
    right = [{topic_id(*paths[a]), topic_id(*paths[b])} for a, b in pairs]
    assert np.mean([found == own for found, own in zip(likeliest, right, strict=True)]) > 0.6


def test_probabilities_add_up_to_1_over_classes_and_over_branches(planted: Planted, witnesses: Witnesses) -> None:
    tags = tag(witnesses, planted.corpus.vocabulary, planted.gold)
    probabilities = tags.probabilities()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-5)
    assert (probabilities >= 0).all()
    np.testing.assert_array_equal(probabilities.argmax(axis=1), tags.best())
    shares = branch_shares(probabilities, tags.branches, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    # The classes of a branch are those of its children, two each.
    np.testing.assert_allclose(shares, probabilities.reshape(-1, 3, 2).sum(axis=2), rtol=1e-5)


def test_planted_documents_are_given_to_their_topics_by_the_names_in_the_tree(
    planted: Planted, witnesses: Witnesses
) -> None:
    tags = tag(witnesses, planted.corpus.vocabulary, planted.gold)
    found = [tags.classes[number].node_id for number in tags.best()]
    assert np.mean([node_id == topic_id(*path) for node_id, path in zip(found, planted.paths, strict=True)]) > 0.97


def test_at_a_node_its_own_sub_topics_are_the_answers(planted: Planted, witnesses: Witnesses) -> None:
    parent = planted.gold.children_of(ROOT_ID)[1]
    rows = np.array(rows_of(planted, (parent.label,)), dtype=np.int32)
    tags = tag(witnesses.of(rows), planted.corpus.vocabulary, planted.gold, node_id=parent.node_id)
    assert [each.branch for each in tags.classes] == [0, 1]
    found = [tags.classes[number].node_id for number in tags.best()]
    own = [topic_id(*planted.paths[row]) for row in rows]
    assert np.mean([node_id == gold for node_id, gold in zip(found, own, strict=True)]) > 0.97


def test_what_people_said_is_the_answer_whatever_the_words_say(planted: Planted, witnesses: Witnesses) -> None:
    elsewhere = planted.gold.children_of(ROOT_ID)[0].node_id
    leaf = planted.gold.children_of(elsewhere)[0].node_id
    strangers = [row for row, path in enumerate(planted.paths) if topic_id(path[0]) != elsewhere][:4]
    teaching = Teaching(
        placed={strangers[0]: leaf, strangers[1]: elsewhere}, accepted=dict.fromkeys(strangers[2:], leaf)
    )
    tags = tag(witnesses, planted.corpus.vocabulary, planted.gold, teaching=teaching)
    said = [tags.classes[number].node_id for number in tags.best()[strangers]]
    # A topic with sub-topics is an answer once a person left a document at it.
    assert said == [leaf, elsewhere, leaf, leaf]
    # How sure the tagger is does not hide that it disagrees.
    assert tags.probabilities()[strangers[0]].argmax() != tags.best()[strangers[0]]


def test_a_persons_word_on_a_document_outweighs_the_cluster_it_was_accepted_with(
    planted: Planted, witnesses: Witnesses
) -> None:
    leaves = [node.node_id for node in planted.gold.walk() if not planted.gold.children_of(node.node_id)]
    tags = tag(
        witnesses,
        planted.corpus.vocabulary,
        planted.gold,
        teaching=Teaching(placed={7: leaves[4]}, accepted={7: leaves[2], 8: leaves[2]}),
    )
    assert [tags.classes[tags.labels.topics[row]].node_id for row in (7, 8)] == [leaves[4], leaves[2]]
    assert tags.labels.weights[7] > tags.labels.weights[8] == 1.0


def test_what_was_said_of_topics_that_are_gone_or_not_asked_about_is_no_label(
    planted: Planted, witnesses: Witnesses
) -> None:
    first, second, _ = planted.gold.children_of(ROOT_ID)
    leaf = planted.gold.children_of(second.node_id)[0].node_id
    teaching = Teaching(placed={0: "gone", 1: leaf, 2: ROOT_ID}, accepted={3: "gone"})
    tags = tag(witnesses, planted.corpus.vocabulary, planted.gold, node_id=first.node_id, teaching=teaching)
    assert (tags.labels.topics == UNASSIGNED).all()
    at_root = tag(witnesses, planted.corpus.vocabulary, planted.gold, teaching=teaching)
    assert np.flatnonzero(at_root.labels.topics >= 0).tolist() == [1]


def test_documents_like_those_that_people_placed_follow_them(planted: Planted, witnesses: Witnesses) -> None:
    """Of two topics that are called alike, each gets the documents that are like those a person put there."""
    missing = [node.label for node in planted.gold.children_of(ROOT_ID)][:2]
    own = [rows_of(planted, (label,)) for label in missing]
    tree = without(planted.gold, *((label,) for label in missing))
    for node_id in ("one", "other"):
        tree = tree.with_topic(TopicNode(node_id, "xylophone"), ROOT_ID)
    placed = dict.fromkeys(own[0][:10], "one") | dict.fromkeys(own[1][:10], "other")
    taught = tag(witnesses, planted.corpus.vocabulary, tree, teaching=Teaching(placed, {}))
    for node_id, rows in zip(("one", "other"), own, strict=True):
        found = [taught.classes[number].node_id for number in taught.best()[rows[10:]]]
        assert np.mean([each == node_id for each in found]) > 0.9


def test_teaching_is_renumbered_for_some_of_the_documents() -> None:
    teaching = Teaching(placed={3: "a", 9: "b"}, accepted={5: "a", 6: "c"})
    among = teaching.among(np.array([9, 5, 1], dtype=np.int32))
    assert (among.placed, among.accepted) == ({0: "b"}, {1: "a"})
    assert teaching.topics() == {"a", "b", "c"}
    assert Teaching.none().among(np.array([1])).topics() == frozenset()


def test_one_topic_alone_and_none_at_all_are_answered_without_learning(planted: Planted, witnesses: Witnesses) -> None:
    label = planted.paths[0][0]
    one = Taxonomy.empty("One").with_topic(TopicNode("only", label), ROOT_ID)
    tags = tag(witnesses, planted.corpus.vocabulary, one)
    np.testing.assert_array_equal(tags.probabilities(), 1.0)
    assert not tags.best().any()
    none = tag(witnesses, planted.corpus.vocabulary, Taxonomy.empty("None"))
    assert none.probabilities().shape == (planted.corpus.n_documents, 0)
    assert none.topics_of(0) == []
