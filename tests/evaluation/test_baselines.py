from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from planting import check_result, evaluated
from scipy import sparse

from taxocom.errors import InputError, SeedError
from taxocom.evaluation.baselines import BASELINES, CoRel, Hlda, JoSH, TaxoGen, common
from taxocom.evaluation.baselines.common import assign_by_weight, class_terms, library, name_ids, skip_gram, tf_idf
from taxocom.evaluation.baselines.corel import Space
from taxocom.evaluation.baselines.taxogen import representativeness
from taxocom.evaluation.baselines.weshclass import WeSHClass, fit_softmax, sample_vmf, sharpened
from taxocom.evaluation.metrics import score_assignment
from taxocom.evaluation.our_system import TaxoCom
from taxocom.evaluation.systems import SystemResult
from taxocom.numerics.vmf import bessel_ratio
from taxocom.progress import SILENT
from taxocom.taxonomy.tree import ROOT_ID, TopicNode


def test_importing_the_baselines_imports_none_of_their_libraries():
    code = (
        "import sys, taxocom.evaluation.baselines\n"
        "print([name for name in ('gensim', 'tomotopy', 'bertopic', 'hdbscan', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_are_unique():
    names = [system.name for system in BASELINES]
    assert len(set(names)) == len(names)


def test_a_missing_library_says_what_to_install():
    with pytest.raises(InputError, match=r"requirements-eval\.lock"):
        library("no_such_library_at_all")


def test_josh_assigns_every_document_to_a_leaf_of_the_seed(planted, hockey_gone):
    report, result = evaluated(JoSH(), planted, hockey_gone)
    assert result.taxonomy == hockey_gone.seed
    assert report.detection.n_predicted == 0
    # Nothing can be right about hockey; of the other three topics, most documents must be.
    assert report.levels[1].micro_f1 > 0.6
    assert set(result.assigned) <= {"space", "medicine", "baseball"}


def test_josh_needs_a_name_that_occurs(planted, grow):
    with pytest.raises(SeedError, match="no leaf topic"):
        JoSH().run(planted, grow({"chemistry": {}}), random_state=0, progress=SILENT)


def test_corel_keeps_the_seed_and_adds_novel_nodes_only(planted, hockey_gone):
    report, result = evaluated(CoRel(), planted, hockey_gone)
    assert all(node.node_id in result.taxonomy for node in hockey_gone.seed.walk())
    added = [node for node in result.taxonomy.walk() if node.node_id not in hockey_gone.seed]
    assert all(node.origin == "novel" for node in added)
    assert report.levels[0].micro_f1 > 0.6


def test_corel_without_a_pair_to_learn_from_returns_the_seed(planted, grow):
    seed = grow({"science": {}, "sports": {}})
    assert CoRel().run(planted, seed, random_state=0, progress=SILENT).taxonomy == seed


def test_corel_describes_a_pair_by_what_its_documents_share(planted):
    space = Space(planted, np.eye(len(planted.vocabulary), 4, dtype=np.float32))
    space_id, moon_id = planted.vocabulary.id_of("science"), planted.vocabulary.id_of("space")
    both = ((planted.counts[:, [space_id]] > 0).multiply(planted.counts[:, [moon_id]] > 0)).sum()
    n_upper, n_lower = planted.vocabulary.document_frequencies[[space_id, moon_id]]
    features = space.features(np.array([[space_id, moon_id]]))
    assert features[0, -3:].tolist() == pytest.approx([both / n_upper, both / n_lower, np.log(n_upper / n_lower)])


def test_taxogen_builds_coherent_clusters(planted, hockey_gone):
    report, result = evaluated(TaxoGen(n_children=2, min_local=50), planted, hockey_gone)
    assert not result.seeded
    assert {result.taxonomy.depth_of(node.node_id) for node in result.taxonomy.walk()} == {1, 2}
    assert report.levels[0].nmi > 0.3
    assert report.quality.coherency > 0.1


def test_representativeness_counted_by_hand():
    # Term 0 only in cluster 0, term 1 in both; cluster 1 has twice the words.
    counts = sparse.csr_array(np.array([[4, 1], [0, 5], [0, 5]]))
    scores = representativeness(counts, np.array([0, 1, 1]), 2)
    words = np.array([5.0, 10.0])
    length = 1.2 * (0.5 + 0.5 * words / 7.5)
    spread = np.array([[1.0, 1.0], [0.0, np.log2(3) / np.log2(3)]])
    tf = np.array([[4.0, 1.0], [0.0, 10.0]])
    relevance = np.exp(3 * spread * tf * 2.2 / (tf + length[:, None]))
    expected = np.sqrt(np.log1p(tf) / np.log(words)[:, None] * relevance / (1 + relevance.sum(axis=0)))
    assert scores.tolist() == [pytest.approx(row.tolist()) for row in expected]
    assert scores[1, 0] == 0.0


def test_hlda_finds_topics_and_places_every_document(planted, hockey_gone):
    report, result = evaluated(Hlda(iterations=100), planted, hockey_gone)
    assert not result.seeded
    assert report.levels[1].nmi > 0.5


def test_our_own_system_gives_what_the_interface_asks(planted, hockey_gone):
    result = TaxoCom().run(planted, hockey_gone.seed, random_state=0, progress=SILENT)
    check_result(result, planted.n_documents)
    assert result.seeded
    assert all(node.node_id in result.taxonomy for node in hockey_gone.seed.walk())


def test_weshclass_sorts_documents_by_keywords_alone(planted, planted_gold):
    terms = {name: [name, *(f"{name}{i}" for i in range(5))] for name in ("space", "medicine", "baseball", "hockey")}
    terms |= {"science": ["science0", "science1"], "sports": ["sports0", "sports1"]}
    result = SystemResult(planted_gold, [ROOT_ID] * planted.n_documents, terms)
    assigned = WeSHClass(n_pseudo=60).classify(planted, result, random_state=0, progress=SILENT)
    standing = {name: (name,) for name in ("science", "sports")}
    standing |= {leaf: (top, leaf) for top, leaf in set(planted.labels)}
    first, second = score_assignment(planted_gold, assigned, planted.labels, standing)
    assert first.micro_f1 > 0.9
    assert second.micro_f1 > 0.9


def test_sharpened_targets_counted_by_hand():
    # Columns sum to 1.4 and 0.6: squares 0.81/1.4, 0.01/0.6 and 0.25/1.4, 0.25/0.6.
    rows = sharpened(np.array([[0.9, 0.1], [0.5, 0.5]]))
    assert rows[0, 0] == pytest.approx(0.81 / 1.4 / (0.81 / 1.4 + 0.01 / 0.6))
    assert rows[1, 0] == pytest.approx((1 / 1.4) / (1 / 1.4 + 1 / 0.6))
    assert rows.sum(axis=1).tolist() == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("concentration", [5.0, 80.0])
def test_vmf_samples_have_the_length_that_their_concentration_gives(concentration):
    direction = np.zeros(20, dtype=np.float32)
    direction[3] = 1.0
    drawn = sample_vmf(direction, concentration, 4000, np.random.default_rng(0))
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(1.0, abs=1e-4)
    mean = drawn.mean(axis=0)
    assert mean[3] == pytest.approx(bessel_ratio(concentration, 20), abs=0.02)
    assert np.abs(np.delete(mean, 3)).max() < 0.02


def test_softmax_regression_reaches_soft_labels_and_heeds_weights():
    features = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    targets = np.array([[0.7, 0.3], [1.0, 0.0], [0.0, 1.0]])
    model = fit_softmax(features, targets, example_weights=np.array([1.0, 3.0, 1.0]), penalty=1e-8, iterations=500)
    chances = np.exp(model.log_probabilities(features))
    assert chances[0].tolist() == pytest.approx([0.7, 0.3], abs=1e-3)
    # The second and third row look the same; their labels are averaged by weight.
    assert chances[1].tolist() == pytest.approx([0.75, 0.25], abs=1e-3)


def test_tf_idf_counted_by_hand(planted):
    weights = tf_idf(planted)
    row, column = 0, int(planted.counts.indices[0])
    idf = np.log(planted.n_documents / planted.vocabulary.document_frequencies)
    dense = planted.counts[[row]].toarray()[0] * idf
    assert weights[row, column] == pytest.approx(dense[column] / np.linalg.norm(dense))


def test_documents_go_to_the_terms_they_weigh_most():
    weights = sparse.csr_array(np.array([[0.5, 0.0, 0.4], [0.0, 0.3, 0.4], [0.0, 0.0, 0.0]]))
    assert assign_by_weight(weights, [np.array([0, 1]), np.array([2])]).tolist() == [0, 1, -1]


def test_class_terms_counted_by_hand():
    counts = sparse.csr_array(np.array([[2, 1], [0, 3], [9, 9]]))
    scores = class_terms(counts, np.array([0, 1, -1]), 2)
    # Three words in each class; term 0 occurs twice in all classes, term 1 four times.
    assert scores[0].tolist() == pytest.approx([2 / 3 * np.log(1 + 3 / 2), 1 / 3 * np.log(1 + 3 / 4)])
    assert scores[1].tolist() == pytest.approx([0.0, np.log(1 + 3 / 4)])


def test_a_topic_is_known_by_its_name_its_center_term_and_its_keywords(planted):
    node = TopicNode("n", "Space", center_term="science", keywords=("space0", "nowhere"))
    assert planted.vocabulary.select(name_ids(planted, node)) == ["science", "space", "space0"]
    # A phrase that is no term is known by its words.
    assert planted.vocabulary.select(name_ids(planted, TopicNode("n", "space hockey"))) == ["space", "hockey"]


def test_the_same_random_state_gives_the_same_space(planted, monkeypatch):
    first = skip_gram(planted, random_state=3, rows=np.arange(100))
    assert np.array_equal(first, skip_gram(planted, random_state=3, rows=np.arange(100)))
    monkeypatch.setattr(common, "_spaces", {})
    whole = skip_gram(planted, random_state=3)
    assert skip_gram(planted, random_state=3, reuse=True) is whole
    again = skip_gram(planted, random_state=3)
    assert again is not whole
    assert np.array_equal(again, whole)
    assert not np.array_equal(whole, skip_gram(planted, random_state=4))
