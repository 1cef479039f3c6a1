"""How known topics explain documents, how that is kept, and where documents go once new topics stand beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from taxocom.numerics.sphere import unit_rows
from taxocom.store.disk.array_file import read_arrays, write_arrays
from taxocom.tagging.explanation import POOR_FIT, Explanation, _smoothed, explain, place_documents
from taxocom.tagging.practice import GATE
from taxocom.tagging.tagger import Teaching, branch_shares, tag
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, topic_id
from tests.expansion.planted import Planted, plant, without


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=4, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def witnesses(planted: Planted) -> Witnesses:
    return read_witnesses(planted.corpus)


@pytest.fixture(scope="module")
def missing(planted: Planted) -> str:
    return planted.gold.children_of(ROOT_ID)[1].label


@pytest.fixture(scope="module")
def gone(planted: Planted, missing: str) -> np.ndarray:
    """The documents of the topic that the tree lacks."""
    return np.array([path[0] == missing for path in planted.paths])


@pytest.fixture(scope="module")
def lacking(planted: Planted, missing: str) -> Taxonomy:
    return without(planted.gold, (missing,))


@pytest.fixture(scope="module")
def found(planted: Planted, witnesses: Witnesses, lacking: Taxonomy) -> Explanation:
    return explain(witnesses, planted.corpus.vocabulary, lacking, ROOT_ID)


def told(found: Explanation, rows: list[int], classes: list[int]) -> Explanation:
    said = found.told.copy()
    said[rows] = classes
    return replace(found, told=said)


def test_the_documents_of_a_missing_topic_are_explained_less_than_those_of_any_known_one(
    planted: Planted, found: Explanation, gone: np.ndarray
) -> None:
    own = np.array([path[0] for path in planted.paths])
    levels = {label: found.explained[own == label].mean() for label in set(own)}
    hidden = levels.pop(own[gone][0])
    assert hidden < GATE / 2 < GATE < min(levels.values())


def test_what_fits_poorly_is_mostly_of_the_missing_topic(found: Explanation, gone: np.ndarray) -> None:
    poor = found.fit < POOR_FIT
    assert poor[gone].mean() > 0.8
    assert poor[~gone].mean() < 0.1


def test_a_document_is_smoothed_by_what_all_others_foretell_whatever_it_says_itself(found: Explanation) -> None:
    """Against plain numpy: a ridge regression solved for each document without it."""
    values = found.explained[:, None]
    smoothed = _smoothed(values, found.directions)
    rows = np.hstack([found.directions, np.ones((len(found.directions), 1))]).astype(np.float64)
    for document in range(0, len(rows), 29):
        others = np.arange(len(rows)) != document
        gram = rows[others].T @ rows[others] + np.eye(rows.shape[1])
        foretold = rows[document] @ np.linalg.solve(gram, rows[others].T @ values[others, 0])
        assert smoothed[document, 0] == pytest.approx(foretold, abs=2e-3)


def test_what_lies_between_two_topics_is_explained_by_neither(planted: Planted, witnesses: Witnesses) -> None:
    tree, vocabulary = planted.gold, planted.corpus.vocabulary
    one, other = (
        np.flatnonzero([path[0] == topic.label for path in planted.paths]) for topic in tree.children_of(ROOT_ID)[:2]
    )
    between = witnesses.directions.documents.copy()
    between[one[:8]] = unit_rows(between[one[:8]] + between[other[:8]])
    moved = replace(witnesses, directions=replace(witnesses.directions, documents=between))
    before, after = (explain(each, vocabulary, tree, ROOT_ID) for each in (witnesses, moved))
    assert after.explained[one[:8]].mean() < before.explained[one[:8]].mean() - 0.1
    assert after.explained[one[8:]].mean() > before.explained[one[8:]].mean() - 0.1


def test_with_the_whole_tree_nothing_fits_poorly(planted: Planted, witnesses: Witnesses) -> None:
    whole = explain(witnesses, planted.corpus.vocabulary, planted.gold, ROOT_ID)
    assert (whole.fit < POOR_FIT).mean() < 0.02


def test_an_explanation_says_what_the_tagger_says(
    planted: Planted, witnesses: Witnesses, lacking: Taxonomy, found: Explanation
) -> None:
    tags = tag(witnesses, planted.corpus.vocabulary, lacking)
    assert found.node_ids == tuple(each.node_id for each in tags.classes)
    np.testing.assert_array_equal(found.scores, tags.scores)
    np.testing.assert_array_equal(found.best(), tags.best())
    np.testing.assert_array_equal(found.probabilities(), tags.probabilities())


def test_what_a_person_put_somewhere_is_explained_whatever_it_says(
    planted: Planted, witnesses: Witnesses, lacking: Taxonomy, found: Explanation, gone: np.ndarray
) -> None:
    rows = np.flatnonzero(gone)[:5].tolist()
    leaf = found.node_ids[0]
    teaching = Teaching(placed=dict.fromkeys(rows[:3], leaf), accepted=dict.fromkeys(rows[3:], leaf))
    after = explain(witnesses, planted.corpus.vocabulary, lacking, ROOT_ID, teaching=teaching)
    assert (found.explained[rows] < 1.0).all()
    assert (after.explained[rows] >= 1.0).all()
    assert (found.fit[rows] < 1.0).all()
    assert (after.fit[rows] >= 1.0).all()
    assert (after.best()[rows] == after.node_ids.index(leaf)).all()
    np.testing.assert_allclose(after.shares[rows].sum(axis=1), 1.0)
    assert (after.shares[rows, after.node_ids.index(leaf)] == 1.0).all()


def test_the_same_bytes_on_one_thread_and_two(planted: Planted, witnesses: Witnesses, lacking: Taxonomy) -> None:
    novel = np.where(np.arange(planted.corpus.n_documents) % 9 == 0, 0, -1).astype(np.int32)
    said = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            explanation = explain(witnesses, planted.corpus.vocabulary, lacking, ROOT_ID)
            placed = place_documents(explanation, planted.corpus.counts, novel, 3, 1)
            explanations = [explanation, *(hidden.explanation for hidden in explanation.hidden)]
            arrays = [array for each in explanations for array in each.to_arrays().values()]
            said.append(b"".join(array.tobytes() for array in [*arrays, placed]))
    assert said[0] == said[1]


def test_an_explanation_comes_back_from_the_disk_as_it_was(found: Explanation, tmp_path: Path) -> None:
    known = told(found, [0, 7], [2, 3])
    write_arrays(tmp_path / "kept.npz", {}, known.to_arrays())
    back = Explanation.from_arrays(read_arrays(tmp_path / "kept.npz").arrays)
    assert back.node_ids == known.node_ids
    for name in ("branches", "told", "explained", "fit"):
        np.testing.assert_array_equal(getattr(back, name), getattr(known, name))
    assert back.new_level == pytest.approx(known.new_level)
    for name in ("evidence", "scores", "directions"):
        np.testing.assert_allclose(getattr(back, name), getattr(known, name), rtol=2e-3, atol=2e-3)
    np.testing.assert_array_equal(back.best(), known.best())
    np.testing.assert_allclose(back.probabilities(), known.probabilities(), atol=5e-3)
    # What is kept in halves is whole after one journey: a second changes nothing.
    again = Explanation.from_arrays(back.to_arrays())
    for name in ("evidence", "scores", "directions"):
        np.testing.assert_array_equal(getattr(again, name), getattr(back, name))


@pytest.mark.parametrize("node_ids", [(), ("t1",), ("thème", "主題", "x" * 40)])
def test_topics_of_any_name_and_number_come_back(node_ids: tuple[str, ...]) -> None:
    n = len(node_ids)
    blank, rows = np.zeros((3, n), np.float32), np.zeros(3, np.float32)
    known = Explanation(
        node_ids=node_ids,
        branches=np.arange(n, dtype=np.int32),
        evidence=blank,
        scores=blank,
        told=np.full(3, -1, np.int32),
        explained=rows,
        fit=rows,
        directions=np.zeros((3, 2), np.float32),
        new_level=0.5,
    )
    back = Explanation.from_arrays(known.to_arrays())
    assert back.node_ids == node_ids
    assert back.probabilities().shape == back.shares.shape == (3, n)


def test_without_new_topics_documents_are_where_the_scores_say(planted: Planted, found: Explanation) -> None:
    nothing = np.full(planted.corpus.n_documents, -1, np.int32)
    placed = place_documents(found, planted.corpus.counts, nothing, 3, 0)
    np.testing.assert_allclose(placed, branch_shares(found.probabilities(), found.branches, 3), atol=1e-6)


@pytest.mark.parametrize("n_novel", [0, 1, 2])
def test_placed_shares_add_up_to_1_and_told_documents_stay(
    planted: Planted, found: Explanation, gone: np.ndarray, n_novel: int
) -> None:
    # Two documents of the missing topic and two of others were told to be elsewhere.
    rows = [*np.flatnonzero(gone)[:2].tolist(), *np.flatnonzero(~gone)[:2].tolist()]
    known = told(found, rows, [0, 2, 4, 5])
    novel = np.full(len(gone), -1, np.int32)
    if n_novel:
        novel[gone] = np.arange(gone.sum()) % n_novel
    placed = place_documents(known, planted.corpus.counts, novel, 3, n_novel)
    assert placed.shape == (len(gone), 3 + n_novel)
    np.testing.assert_allclose(placed.sum(axis=1), 1.0, rtol=1e-5)
    assert (placed >= 0).all()
    np.testing.assert_array_equal(placed[rows], np.eye(3 + n_novel, dtype=np.float32)[known.branches[[0, 2, 4, 5]]])


def test_a_new_topic_takes_its_documents_and_leaves_the_others(
    planted: Planted, found: Explanation, gone: np.ndarray
) -> None:
    """Half of a missing topic's documents are found; the other half follows, and no known topic loses its own."""
    half = np.flatnonzero(gone)[::2]
    novel = np.full(len(gone), -1, np.int32)
    novel[half] = 0
    placed = place_documents(found, planted.corpus.counts, novel, 3, 1).argmax(axis=1)
    assert (placed[gone] == 3).mean() > 0.9
    before = found.branches[found.best()]
    assert (placed[~gone] == before[~gone]).mean() > 0.97


def test_the_rest_of_a_missing_topic_follows_the_few_documents_that_were_found(
    planted: Planted, found: Explanation, gone: np.ndarray
) -> None:
    """For want of a better one the others went to known topics; being hardly explained, they do not teach these."""
    novel = np.full(len(gone), -1, np.int32)
    novel[np.flatnonzero(gone)[:8]] = 0
    placed = place_documents(found, planted.corpus.counts, novel, 3, 1).argmax(axis=1)
    assert (placed[gone] == 3).mean() > 0.9
    assert (placed[~gone] == 3).mean() < 0.02


def test_a_document_by_mistake_in_a_new_topic_goes_back_where_it_belongs(
    planted: Planted, found: Explanation, gone: np.ndarray
) -> None:
    strangers = np.flatnonzero(~gone)[:6]
    novel = np.where(gone, 0, -1).astype(np.int32)
    novel[strangers] = 0
    placed = place_documents(found, planted.corpus.counts, novel, 3, 1).argmax(axis=1)
    own = [planted.gold.children_of(ROOT_ID).index(planted.gold[topic_id(planted.paths[row][0])]) for row in strangers]
    known = [number - (number > 1) for number in own]
    assert placed[strangers].tolist() == known


def test_where_nothing_is_known_new_topics_have_what_was_found_in_them(planted: Planted, witnesses: Witnesses) -> None:
    bare = Taxonomy.empty("Bare")
    nothing = explain(witnesses, planted.corpus.vocabulary, bare, ROOT_ID)
    assert nothing.node_ids == ()
    assert not nothing.explained.any()
    novel = np.arange(planted.corpus.n_documents, dtype=np.int32) % 3 - 1
    placed = place_documents(nothing, planted.corpus.counts, novel, 0, 2)
    np.testing.assert_allclose(placed.sum(axis=1), 1.0, rtol=1e-5)
    held = novel >= 0
    np.testing.assert_array_equal(placed[held].argmax(axis=1), novel[held])
    assert placed[held].max(axis=1).min() > 0.99
    np.testing.assert_allclose(placed[~held], 0.5, atol=1e-5)
