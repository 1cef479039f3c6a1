"""Several readings of a node: whose groups are the same, what they are worth together, and which reading is kept."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.discovery.admission import NOT_FOUND, OtherReadings, Standing, gate_at
from taxocom.expansion.discovery.affinity import Affinity
from taxocom.expansion.discovery.facets import Facets
from taxocom.expansion.discovery.gathering import gather_readings
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.readings import choose_reading
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import Overrides
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.hand_made import explanation_of
from tests.expansion.planted import plant, without

SOUND = Standing(n_documents=200, size_ratio=0.8, own_explained=0.3, distinctness=0.95)
NOT_AGAIN = "it is not found again when the documents are grouped once more"
LESS_CLEAR = "it is less clear when the documents are grouped once more"
SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50))


# --- what the readings say of one group ---


def test_how_well_a_group_is_explained_is_the_median_of_the_own_and_what_the_others_say():
    assert SOUND.explained == 0.3
    assert replace(SOUND, others=(0.5, 0.9)).explained == 0.5
    assert replace(SOUND, others=(0.1, 0.9)).explained == 0.3
    assert replace(SOUND, others=(0.1, 0.2)).explained == 0.2
    assert replace(SOUND, others=(0.9,)).explained == pytest.approx(0.6)
    assert replace(SOUND, others=(0.9, 0.9)).own_explained == 0.3


def test_the_group_in_its_place_is_the_one_with_the_largest_overlap():
    # Of documents 0 to 3 the first reading has three in group 0 (of 4: 3/5) and one in group 1 (of 2: 1/5). In the
    # second reading group 2 has all four and nine more: 4/13 is enough. In the third group 3 has ten more: 4/14 is not.
    groups = np.full((3, 14), -1, dtype=np.int16)
    groups[0, [0, 1, 2, 9]] = 0
    groups[0, [3, 8]] = 1
    groups[1, :13] = 2
    groups[2, :] = 3
    others = OtherReadings(groups, np.array([0.5, 0.25, 1.0, 0.75], dtype=np.float32))
    members = np.arange(14) < 4
    assert others.explained_of(members) == (0.5, 1.0, NOT_FOUND)


def test_of_two_groups_that_overlap_equally_the_less_explained_one_counts():
    groups = np.array([[0, 0, 1, 1], [1, 1, 0, 0]], dtype=np.int16)
    others = OtherReadings(groups, np.array([0.5, 0.25], dtype=np.float32))
    assert others.explained_of(np.ones(4, dtype=bool)) == (0.25, 0.25)


def test_a_reading_without_groups_finds_nothing():
    others = OtherReadings(np.full((2, 4), -1, dtype=np.int16), np.zeros(0, dtype=np.float32))
    assert others.explained_of(np.ones(4, dtype=bool)) == (NOT_FOUND, NOT_FOUND)


def test_a_group_that_no_reading_finds_counts_as_better_explained_than_any_topic():
    assert replace(SOUND, others=(NOT_FOUND, NOT_FOUND)).shortcomings(size_floor=0.1, gate=gate_at(0.0))


def test_why_a_group_is_not_enough_is_said_by_what_the_others_found():
    asked = {"size_floor": 0.1, "gate": 0.7}
    assert replace(SOUND, others=(NOT_FOUND, 0.3)).shortcomings(**asked) == []
    assert replace(SOUND, others=(NOT_FOUND, NOT_FOUND)).shortcomings(**asked) == [NOT_AGAIN]
    assert replace(SOUND, others=(0.8, 0.9)).shortcomings(**asked) == [LESS_CLEAR]
    # What is explained by itself is told so.
    for others in ((0.8, 0.9), (NOT_FOUND, NOT_FOUND)):
        (said,) = replace(SOUND, own_explained=0.75, others=others).shortcomings(**asked)
        assert said.startswith("known topics cover")


# --- which reading is kept ---

N_A_FACET = 20
BY_HAND = ExpansionSettings(size_floor=0.3)


def reading(*free):
    """Make a reading by hand: facets 0 and 1 are those of two known topics, every other has the documents given.

    Twelve blocks of documents; each `free` is the blocks of one more facet, which nothing is confused with.
    """
    labels = np.repeat(np.arange(12) % 2, N_A_FACET)
    for facet, blocks in enumerate(free, start=2):
        labels[np.isin(np.repeat(np.arange(12), N_A_FACET), blocks)] = facet
    n_facets = 2 + len(free)
    evidence = np.zeros((len(labels), n_facets), dtype=np.float32)
    evidence[np.arange(len(labels)), labels] = 5.0
    links = np.full((n_facets, n_facets), -1.0)
    np.fill_diagonal(links, -np.inf)
    blank = np.zeros((0, 2), dtype=np.float32)
    return NodeEvidence(
        node_id=ROOT_ID,
        children=("one", "two"),
        documents=np.arange(len(labels), dtype=np.int32),
        term_ids=np.zeros(0, dtype=np.int32),
        vectors=blank,
        topics=np.eye(2, dtype=np.float32),
        directions=np.eye(2, dtype=np.float32),
        direction_child=np.array([0, 1], dtype=np.int32),
        is_leaf=np.ones(2, dtype=bool),
        topicality=np.zeros(0, dtype=np.float32),
        xy=blank,
        document_xy=blank,
        facets=Facets(
            labels.astype(np.int32),
            np.array([0, 1, *([-1] * len(free))], dtype=np.int32),
            np.zeros((n_facets, 2), dtype=np.float32),
        ),
        affinity=Affinity(links, evidence, np.bincount(labels, minlength=n_facets).astype(np.int32)),
    )


def test_the_reading_with_most_agreed_groups_is_kept():
    poor, rich, alone = reading((0, 1)), reading((0, 1), (2, 3)), reading((2, 3), (4, 5), (6, 7))
    # Both groups of `rich` are found once more, one of the three of `alone`, and the one of `poor`.
    kept = choose_reading([poor, rich, alone], BY_HAND)
    assert kept.facets is rich.facets
    assert kept.others is not None
    assert kept.others.groups.dtype == np.int16
    assert kept.others.explained.dtype == np.float32
    blocks = kept.others.groups[:, ::N_A_FACET]
    assert blocks[0].tolist() == [0, 0, *([-1] * 10)]
    assert blocks[1].tolist() == [-1, -1, 1, 1, 2, 2, 3, 3, -1, -1, -1, -1]


def explained_by(fit, some):
    """Return the reading with its group explained that well by two known topics, and everything else by them wholly."""
    labels = some.facets.labels
    values = np.where(labels == 2, fit, 1.0).astype(np.float32)
    # The group leans to one of them: what is spread over both as everything else is would be general.
    best = np.where(labels == 2, 0, np.arange(len(labels)) // N_A_FACET % 2).astype(np.int32)
    return replace(some, explanation=explanation_of(some.direction_child, best, explained=values, fit=values))


def test_of_equally_many_groups_the_less_explained_ones_win_then_the_earlier_reading():
    # Each has one group; that of `middle` is in the place of both others, which have too little in common. The medians
    # are those of least, middle and middle.
    least, middle, most = (
        explained_by(0.6, reading((0, 1, 2))),
        explained_by(0.4, reading((1, 2, 3, 4))),
        explained_by(0.1, reading((2, 3, 4, 5, 6))),
    )
    assert choose_reading([least, middle, most], BY_HAND).facets is middle.facets
    assert choose_reading([least, most, middle], BY_HAND).facets is most.facets


def test_groups_in_one_place_have_one_median_so_the_earlier_reading_is_kept():
    more, less = explained_by(0.6, reading((0, 1, 2))), explained_by(0.1, reading((0, 1, 2, 3)))
    assert choose_reading([more, less, less], BY_HAND).facets is more.facets
    assert choose_reading([less, more, less], BY_HAND).facets is less.facets


@pytest.mark.parametrize(("explained", "threshold", "finds"), [(0.75, 0.4, True), (0.75, 0.5, False)])
def test_a_reading_is_kept_for_what_the_threshold_of_the_settings_admits(explained, threshold, finds):
    found, nothing = explained_by(explained, reading((0, 1, 2))), explained_by(1.0, reading())
    kept = choose_reading([nothing, found, found], replace(BY_HAND, novelty_threshold=threshold))
    assert kept.facets is (found if finds else nothing).facets


def test_one_reading_is_returned_as_it_is():
    only = reading((0, 1))
    assert choose_reading([only], BY_HAND) is only


# --- the whole step on a planted corpus ---


@pytest.fixture(scope="module")
def planted():
    return plant(n_parents=4, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def seed(planted):
    return without(planted.gold, (planted.gold.children_of(ROOT_ID)[-1].label,))


@pytest.fixture(scope="module")
def embedding(planted):
    return pretrain(planted.corpus, SETTINGS.embedding)


def expand(planted, seed, embedding, settings=SETTINGS, **options):
    return expand_node(planted.corpus, seed, ROOT_ID, embedding, settings=settings, draw_map=False, **options)


@pytest.fixture(scope="module")
def expansion(planted, seed, embedding):
    return expand(planted, seed, embedding)


def stored(evidence):
    return {name: array.tobytes() for name, array in evidence.to_arrays().items()}


def test_one_reading_is_the_first_of_three_and_says_nothing_of_others(planted, seed, embedding):
    options = {"random_state": 5}
    asked = [replace(SETTINGS, n_readings=n) for n in (1, 3)]
    (one,), three = (
        gather_readings(planted.corpus, seed, ROOT_ID, embedding, settings=settings, **options) for settings in asked
    )
    assert len(three) == 3
    assert stored(one) == stored(three[0])
    assert not np.array_equal(three[0].facets.labels, three[1].facets.labels)
    alone = expand(planted, seed, embedding, asked[0], random_state=5)
    assert stored(alone.evidence) == stored(one)
    assert alone.evidence.others is None


def test_the_split_by_terms_reads_once(planted, seed, embedding):
    settings = replace(SETTINGS, discovery="terms", n_readings=3)
    assert len(gather_readings(planted.corpus, seed, ROOT_ID, embedding, settings=settings)) == 1


def test_the_same_random_state_gives_the_same_bytes_on_any_number_of_threads(planted, seed, embedding, expansion):
    again = expand(planted, seed, embedding, threads=2)
    assert stored(again.evidence) == stored(expansion.evidence)
    assert "other_groups" in stored(again.evidence)
    assert [c.cluster_id for c in again.proposal.clusters] == [c.cluster_id for c in expansion.proposal.clusters]


@pytest.mark.parametrize("left", [{}, {"others": None}, {"explanation": None}])
def test_evidence_survives_the_way_to_the_store_and_back(expansion, left):
    evidence = replace(expansion.evidence, **left)
    again = NodeEvidence.from_arrays(evidence.node_id, evidence.children, evidence.to_arrays())
    assert stored(again) == stored(evidence)
    assert (again.others is None) == (evidence.others is None)
    assert (again.explanation is None) == (evidence.explanation is None)
    if evidence.others is not None:
        assert np.array_equal(again.others.groups, evidence.others.groups)
        assert np.array_equal(again.others.explained, evidence.others.explained)
    if evidence.explanation is not None:
        assert again.explanation.node_ids == evidence.explanation.node_ids
        assert np.array_equal(again.explanation.best(), evidence.explanation.best())
        assert np.array_equal(again.explanation.fit, evidence.explanation.fit)


def test_a_split_of_kept_evidence_is_the_proposal_itself(planted, seed, expansion):
    evidence, proposal = expansion.evidence, expansion.proposal
    kept = NodeEvidence.from_arrays(evidence.node_id, evidence.children, evidence.to_arrays())
    again = propose(planted.corpus, seed, kept, settings=SETTINGS)
    assert [c.cluster_id for c in again.clusters] == [c.cluster_id for c in proposal.clusters]
    assert np.array_equal(again.documents.cluster, proposal.documents.cluster)
    assert np.array_equal(again.terms.cluster, proposal.terms.cluster)


def test_a_group_that_no_other_reading_finds_is_not_proposed_and_the_reason_is_said(planted, seed, expansion):
    found = expansion.evidence
    assert len(expansion.proposal.novel) == 1
    unheard = OtherReadings(np.full_like(found.others.groups, -1), np.zeros(0, dtype=np.float32))
    proposal = propose(planted.corpus, seed, replace(found, others=unheard), settings=SETTINGS)
    assert proposal.novel == ()
    assert any(NOT_AGAIN in candidate.reason for candidate in proposal.candidates)


@pytest.mark.parametrize("threshold", [0.45, 0.55])
def test_a_slider_hears_the_other_readings_too(planted, seed, expansion, threshold):
    def novel(others):
        evidence = replace(expansion.evidence, others=others)
        overrides = Overrides(threshold=threshold)
        return propose(planted.corpus, seed, evidence, settings=SETTINGS, overrides=overrides).novel

    said = expansion.evidence.others
    assert len(novel(said)) == 1
    assert novel(OtherReadings(said.groups, np.full_like(said.explained, NOT_FOUND))) == ()


def test_a_cluster_asked_for_by_hand_says_that_it_is_not_found_again(planted, seed, expansion):
    said = expansion.evidence.others
    unheard = OtherReadings(said.groups, np.full_like(said.explained, NOT_FOUND))
    evidence = replace(expansion.evidence, others=unheard)
    (novel,) = propose(planted.corpus, seed, evidence, settings=SETTINGS, overrides=Overrides(n_novel=1)).novel
    assert any(NOT_AGAIN in warning for warning in novel.warnings)
