"""A draft loses nothing: through the store, through undo and redo, whatever was done to it."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from taxocom.ui.shared.proposal_draft import Draft, DraftHistory, Judgement, Part

CLUSTERS = st.sampled_from(["a", "b", "c", "d"])
STEPS = st.one_of(
    st.tuples(st.just("judged"), CLUSTERS, st.sampled_from([None, Judgement("accept"), Judgement("reject", "why")])),
    st.tuples(st.just("named"), CLUSTERS, st.text(max_size=5), st.just("proposed")),
    st.tuples(st.just("pinned"), st.just(("term", "other")), st.sampled_from(["general", "a", "novel"])),
    st.tuples(st.just("merging"), CLUSTERS, CLUSTERS),
    st.tuples(st.just("splitting"), CLUSTERS),
    st.tuples(st.just("including"), CLUSTERS),
    st.tuples(st.just("excluding"), CLUSTERS),
    st.tuples(st.just("moved_under"), CLUSTERS, st.just("root")),
    st.tuples(st.just("joining"), CLUSTERS, CLUSTERS),
    st.tuples(st.just("parting"), CLUSTERS, st.builds(Part, st.text(max_size=5), st.just(("term", "other")))),
)


def walked(steps: list) -> DraftHistory:
    history = DraftHistory(Draft(1, 0))
    for name, *arguments in steps:
        history = history.then(getattr(history.present, name)(*arguments))
    return history


@given(st.lists(STEPS, max_size=12))
def test_a_draft_survives_the_store(steps: list):
    history = walked(steps)
    assert DraftHistory.from_dict(json.loads(json.dumps(history.to_dict()))) == history


@given(st.lists(STEPS, min_size=1, max_size=12), st.integers(1, 12))
def test_redo_undoes_undo(steps: list, n: int):
    history = walked(steps)
    n = min(n, len(history.past))
    there = history
    for _ in range(n):
        there = there.back()
    for _ in range(n):
        there = there.forward()
    assert there == history


@given(st.lists(STEPS, max_size=12))
def test_undo_reaches_the_beginning(steps: list):
    history = walked(steps)
    while history.past:
        history = history.back()
    assert history.present.is_empty


def test_a_step_after_an_undo_forgets_what_was_undone():
    history = walked([("splitting", "a"), ("splitting", "b")]).back()
    history = history.then(history.present.splitting("c"))
    assert history.forward() == history
    assert history.present.split == ("a", "c")


def test_merges_that_share_a_cluster_become_one_group():
    draft = Draft(1, 0).merging("b", "a").merging("d", "c").merging("c", "b")
    assert [set(group) for group in draft.merged] == [{"a", "b", "c", "d"}]


def test_the_proposed_name_is_no_rename():
    draft = Draft(1, 0).named("a", "Cinema", "Film")
    assert draft.names == {"a": "Cinema"}
    assert draft.named("a", "Film", "Film").is_empty


def test_taking_back_a_verdict_keeps_the_name():
    draft = Draft(1, 0).named("a", "Cinema", "Film").judged("a", Judgement("accept")).moved_under("a", "x")
    assert draft.judged("a", None) == Draft(1, 0, names={"a": "Cinema"})


def test_a_cluster_is_judged_or_goes_into_a_topic_never_both():
    joined = Draft(1, 0).judged("a", None).joining("a", "sport")
    assert joined.judged("a", Judgement("accept")).joined == {}
    assert joined.judged("a", None).is_empty


def test_what_is_left_out_again_leaves_nothing_behind():
    draft = Draft(1, 0).including("a").including("b").including("a")
    assert draft.included == ("a", "b")
    judged = draft.judged("a", Judgement("accept")).named("a", "Cinema", "Film").moved_under("a", "x")
    assert judged.excluding("a") == Draft(1, 0).including("b")


def test_a_draft_of_an_older_version_still_opens():
    plain = DraftHistory(Draft(1, 0).splitting("a")).to_dict()
    del plain["present"]["parted"], plain["present"]["included"]
    assert DraftHistory.from_dict(plain).present == Draft(1, 0).splitting("a")


def test_large_steps_cost_old_ones_and_never_the_last():
    history = DraftHistory(Draft(1, 0))
    for step in range(30):
        terms = tuple(f"term {step} {i}" for i in range(2000))
        history = history.then(history.present.pinned(terms, "general"))
    assert sum(len(step.pins) for step in history.past) <= 60_000
    assert len(history.back().present.pins) == 58_000


@settings(deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_all_that_one_gesture_sets_is_one_step_to_undo(steps: list, thresholds: list):
    history = walked(steps)
    moved = history.then(replace(history.present, threshold=2.0))
    for threshold in thresholds:
        moved = moved.amended(replace(moved.present, threshold=threshold))
    assert moved.present.threshold == thresholds[-1]
    assert moved.back().present == history.present


def test_a_gesture_that_ends_where_it_began_is_no_step():
    history = DraftHistory(Draft(1, 0))
    moved = history.then(replace(history.present, threshold=0.7)).amended(history.present)
    assert moved == history
