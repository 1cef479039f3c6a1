"""One topic beside the others: learnt from its name, asked about, and taught by yes and no."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom.tagging.lesson import CLEAR, Lesson, answered, learn_new_topics, likeness, to_ask
from taxocom.tagging.tagger import Teaching
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import Planted, plant


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=3, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def witnesses(planted: Planted) -> Witnesses:
    return read_witnesses(planted.corpus)


@pytest.fixture(scope="module")
def missed(planted: Planted) -> TopicNode:
    """A leaf of the planted tree, as if a person had just named it."""
    return next(node for node in planted.gold.walk() if not planted.gold.children_of(node.node_id))


@pytest.fixture(scope="module")
def lesson(planted: Planted, witnesses: Witnesses, missed: TopicNode) -> Lesson:
    return learn_new_topics(witnesses, planted.corpus.vocabulary, planted.gold, [missed.node_id])[0]


def own_rows(planted: Planted, missed: TopicNode) -> set[int]:
    path = planted.gold.path_of(missed.node_id)
    return {row for row, each in enumerate(planted.paths) if tuple(each) == tuple(path)}


def test_a_name_finds_its_documents(planted: Planted, lesson: Lesson, missed: TopicNode) -> None:
    held = set(np.flatnonzero(lesson.lead > CLEAR).tolist())
    own = own_rows(planted, missed)
    assert len(held & own) / len(held | own) > 0.8
    assert (lesson.others >= 0).all()
    assert not lesson.own[lesson.others].any()


def test_likeness_is_a_share_and_the_same_both_ways(witnesses: Witnesses) -> None:
    rows = np.arange(0, witnesses.n_documents, 5, dtype=np.int32)
    alike = likeness(witnesses, rows, rows)
    np.testing.assert_allclose(alike, alike.T, atol=1e-6)
    assert alike.min() >= 0.0
    assert alike.max() <= 1.0 + 1e-5
    np.testing.assert_allclose(likeness(witnesses, None, rows)[rows], alike, atol=1e-6)


def test_only_what_may_be_asked_is_asked_and_nothing_twice(lesson: Lesson, witnesses: Witnesses) -> None:
    among = np.arange(witnesses.n_documents) % 3 == 0
    asked = to_ask(lesson, witnesses, among, 12)
    assert len(set(asked)) == 12
    assert among[asked].all()
    taught = answered(lesson, witnesses, asked[:6], asked[6:])
    assert not set(to_ask(taught, witnesses, among, 12)) & set(asked)
    assert to_ask(lesson, witnesses, np.zeros_like(among), 5) == []


def test_answers_stand_and_speak_for_what_looks_alike(lesson: Lesson, witnesses: Witnesses, planted: Planted) -> None:
    path = next(path for path, row in zip(planted.paths, lesson.lead, strict=True) if row < -CLEAR)
    rows = [row for row, each in enumerate(planted.paths) if each == path]
    told, others = rows[:5], rows[5:]
    before = lesson.lead[others].mean()
    yes = answered(lesson, witnesses, told, [])
    assert (yes.lead[told] > CLEAR).all()
    assert yes.lead[others].mean() > before
    no = answered(lesson, witnesses, [], told)
    assert (no.lead[told] < -CLEAR).all()
    assert no.lead[others].mean() <= before + 1e-3
    later = answered(yes, witnesses, others[:1], [])
    assert later.yes == (*told, others[0])


def test_no_answers_change_nothing(lesson: Lesson, witnesses: Witnesses) -> None:
    np.testing.assert_array_equal(answered(lesson, witnesses, [], []).lead, lesson.lead)


def test_what_people_said_before_is_not_taken(planted: Planted, witnesses: Witnesses, missed: TopicNode) -> None:
    own = sorted(own_rows(planted, missed))
    beside = planted.gold.children_of(planted.gold.parent_of(missed.node_id) or ROOT_ID)
    other = next(node for node in beside if node.node_id != missed.node_id)
    told = Teaching(placed=dict.fromkeys(own[:3], other.node_id), accepted={})
    lesson = learn_new_topics(witnesses, planted.corpus.vocabulary, planted.gold, [missed.node_id], teaching=told)[0]
    assert (lesson.labels.topics[own[:3]] == lesson.node_ids.index(other.node_id)).all()


def test_a_topic_without_any_other_takes_what_its_name_is_said_of(planted: Planted, witnesses: Witnesses) -> None:
    leaf = next(node for node in planted.gold.walk() if not planted.gold.children_of(node.node_id))
    tree = Taxonomy.empty().with_topic(leaf, ROOT_ID)
    lesson = learn_new_topics(witnesses, planted.corpus.vocabulary, tree, [leaf.node_id])[0]
    assert lesson.own.all()
    assert (lesson.others == -1).all()
    held = set(np.flatnonzero(lesson.lead > CLEAR).tolist())
    assert held
    assert held <= own_rows(planted, leaf)


def test_who_says_a_longer_name_is_not_kept_by_the_shorter_one() -> None:
    tail = {"gun control": "law vote senate ban", "gun": "barrel hunt rifle shot", "music": "song band concert guitar"}
    sizes = {"gun control": 15, "gun": 45, "music": 45}
    texts = [
        f"{name} {words} gun number{i % 7}" if name != "music" else f"{name} {words} number{i % 7}"
        for name, words in tail.items()
        for i in range(sizes[name])
    ]
    corpus = Corpus.from_documents(
        [Document(str(i), f"{text} day{i}") for i, text in enumerate(texts)], seed_phrases=[*tail]
    )
    tree = Taxonomy.empty()
    for name in ("gun", "music", "gun control"):
        tree = tree.with_topic(TopicNode(name, name), ROOT_ID)
    lesson = learn_new_topics(read_witnesses(corpus), corpus.vocabulary, tree, ["gun control"])[0]
    own = {row for row, text in enumerate(corpus.texts) if "gun control" in text}
    assert set(np.flatnonzero(lesson.lead > CLEAR).tolist()) == own
