"""Several readings of a node: whose groups are the same, what they are worth together, and which reading is kept."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.affinity import Affinity
from taxocom.expansion.embedding import pretrain
from taxocom.expansion.evidence import NodeEvidence, gather_readings
from taxocom.expansion.facets import Facets
from taxocom.expansion.overrides import Overrides
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.readings import choose_reading
from taxocom.expansion.strength import NOT_FOUND, OtherReadings, Strength
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant, without

SOUND = Strength(n_documents=200, size_ratio=0.8, distinctness=0.95, named=0.05, n_facets=4, link=0.1, below_root=False)
NOT_AGAIN = "it is not found again when the documents are grouped anew"
SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50))


# --- what the readings say of one group ---


def test_log_odds_are_the_median_of_the_own_and_those_of_the_others():
    own = SOUND.own_log_odds
    assert SOUND.log_odds == own
    assert replace(SOUND, others=(own - 1.0, own - 3.0)).log_odds == own - 1.0
    assert replace(SOUND, others=(own + 2.0, own - 3.0)).log_odds == own
    assert replace(SOUND, others=(own + 2.0, own + 1.0)).log_odds == own + 1.0
    assert replace(SOUND, others=(own - 3.0,)).log_odds == pytest.approx(own - 1.5)
    assert replace(SOUND, others=(0.0, 0.0)).own_log_odds == own


def test_the_group_in_its_place_is_the_one_with_the_largest_overlap():
    # Of documents 0 to 3 the first reading has three in group 0 (of 4: 3/5) and one in group 1 (of 2: 1/5). In the
    # second reading group 2 has all four and nine more: 4/13 is enough. In the third group 3 has ten more: 4/14 is not.
    groups = np.full((3, 14), -1, dtype=np.int16)
    groups[0, [0, 1, 2, 9]] = 0
    groups[0, [3, 8]] = 1
    groups[1, :13] = 2
    groups[2, :] = 3
    others = OtherReadings(groups, np.array([1.0, 5.0, 2.0, 3.0], dtype=np.float32))
    members = np.arange(14) < 4
    assert others.log_odds_of(members) == (1.0, 2.0, NOT_FOUND)


def test_of_two_groups_that_overlap_equally_the_stronger_one_counts():
    groups = np.array([[0, 0, 1, 1], [1, 1, 0, 0]], dtype=np.int16)
    others = OtherReadings(groups, np.array([0.5, 1.5], dtype=np.float32))
    assert others.log_odds_of(np.ones(4, dtype=bool)) == (1.5, 1.5)


def test_a_reading_without_groups_finds_nothing():
    others = OtherReadings(np.full((2, 4), -1, dtype=np.int16), np.zeros(0, dtype=np.float32))
    assert others.log_odds_of(np.ones(4, dtype=bool)) == (NOT_FOUND, NOT_FOUND)


def test_why_a_group_is_not_enough_is_said_by_what_the_others_found():
    own = SOUND.own_log_odds
    asked = {"size_floor": 0.1, "admission": own - 0.1}
    assert replace(SOUND, others=(NOT_FOUND, own)).shortcomings(**asked) == []
    assert replace(SOUND, others=(NOT_FOUND, NOT_FOUND)).shortcomings(**asked) == [NOT_AGAIN]
    weaker = replace(SOUND, others=(NOT_FOUND, own - 1.0)).shortcomings(**asked)
    assert weaker == ["it is less clear when the documents are grouped anew"]
    # What is weak by itself is told its own faults.
    assert replace(SOUND, named=0.7, others=(NOT_FOUND, NOT_FOUND)).shortcomings(**asked)[0] not in (NOT_AGAIN, *weaker)


# --- which reading is kept ---

N_A_FACET = 20


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
    none = np.zeros((2, n_facets), dtype=np.int32)
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
        facets=Facets(
            labels.astype(np.int32),
            np.array([0, 1, *([-1] * len(free))], dtype=np.int32),
            np.zeros((n_facets, 2), dtype=np.float32),
        ),
        mentions=none,
        child_mentions=none,
        affinity=Affinity(links, evidence, np.bincount(labels, minlength=n_facets).astype(np.int32)),
    )


def test_the_reading_with_most_agreed_groups_is_kept():
    poor, rich, alone = reading((0, 1)), reading((0, 1), (2, 3)), reading((2, 3), (4, 5), (6, 7))
    # Both groups of `rich` are found once more, one of the three of `alone`, and the one of `poor`.
    kept = choose_reading([poor, rich, alone], ExpansionSettings())
    assert kept.facets is rich.facets
    assert kept.others is not None
    assert kept.others.groups.dtype == np.int16
    assert kept.others.log_odds.dtype == np.float32
    blocks = kept.others.groups[:, ::N_A_FACET]
    assert blocks[0].tolist() == [0, 0, *([-1] * 10)]
    assert blocks[1].tolist() == [-1, -1, 1, 1, 2, 2, 3, 3, -1, -1, -1, -1]


def unsure(some, n_taken):
    """Return the reading with some documents of its group taken for those of a known topic."""
    evidence = some.affinity.evidence.copy()
    evidence[np.flatnonzero(some.facets.labels == 2)[:n_taken], 0] = 9.0
    return replace(some, affinity=replace(some.affinity, evidence=evidence))


def test_of_equally_many_groups_the_surer_ones_win_then_the_earlier_reading():
    # Each has one group; that of `middle` is in the place of both others, which have too little in common. The fewer
    # documents are taken for others, the larger the log-odds: the medians are those of least, middle and middle.
    least, middle, most = (
        unsure(reading((0, 1, 2)), 9),
        unsure(reading((1, 2, 3, 4)), 4),
        reading((2, 3, 4, 5, 6)),
    )
    assert choose_reading([least, middle, most], ExpansionSettings()).facets is middle.facets
    assert choose_reading([least, most, middle], ExpansionSettings()).facets is most.facets


def test_groups_in_one_place_have_one_median_so_the_earlier_reading_is_kept():
    small, large = reading((0, 1)), reading((0, 1, 2))
    assert choose_reading([small, large, large], ExpansionSettings()).facets is small.facets
    assert choose_reading([large, small, large], ExpansionSettings()).facets is large.facets


def test_a_group_too_small_in_another_reading_is_not_found_there():
    full = [reading((0, 1)), reading((0, 1))]
    assert choose_reading(full, ExpansionSettings()).others.log_odds[0] > NOT_FOUND
    assert choose_reading(full, ExpansionSettings(size_floor=0.9)).others.log_odds.tolist() == [NOT_FOUND]


def test_one_reading_is_returned_as_it_is():
    only = reading((0, 1))
    assert choose_reading([only], ExpansionSettings()) is only


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
    options = {"draw_map": False, "random_state": 5}
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
    assert len(gather_readings(planted.corpus, seed, ROOT_ID, embedding, settings=settings, draw_map=False)) == 1


def test_the_same_random_state_gives_the_same_bytes_on_any_number_of_threads(planted, seed, embedding, expansion):
    again = expand(planted, seed, embedding, threads=2)
    assert stored(again.evidence) == stored(expansion.evidence)
    assert "other_groups" in stored(again.evidence)
    assert [c.cluster_id for c in again.proposal.clusters] == [c.cluster_id for c in expansion.proposal.clusters]


@pytest.mark.parametrize("with_others", [True, False])
def test_evidence_survives_the_way_to_the_store_and_back(expansion, with_others):
    evidence = expansion.evidence if with_others else replace(expansion.evidence, others=None)
    again = NodeEvidence.from_arrays(evidence.node_id, evidence.children, evidence.to_arrays())
    assert stored(again) == stored(evidence)
    assert (again.others is not None) == with_others
    if with_others:
        assert np.array_equal(again.others.groups, evidence.others.groups)
        assert np.array_equal(again.others.log_odds, evidence.others.log_odds)


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
    assert novel(OtherReadings(said.groups, np.full_like(said.log_odds, NOT_FOUND))) == ()


def test_a_cluster_asked_for_by_hand_says_that_it_is_not_found_again(planted, seed, expansion):
    said = expansion.evidence.others
    unheard = OtherReadings(said.groups, np.full_like(said.log_odds, NOT_FOUND))
    evidence = replace(expansion.evidence, others=unheard)
    (novel,) = propose(planted.corpus, seed, evidence, settings=SETTINGS, overrides=Overrides(n_novel=1)).novel
    assert any(NOT_AGAIN in warning for warning in novel.warnings)
