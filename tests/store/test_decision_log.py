from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taxocom.errors import ConflictError, DecisionError, StoreError
from taxocom.store import Project, StaleWriterError, create_project, open_project
from taxocom.store.db.schema import decisions, releases, seeds
from taxocom.store.db.which_database import open_database
from taxocom.taxonomy.decisions import AddTopic, EditKeywords, RemoveTopic, RenameTopic, Undo, replay
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode


def test_a_recorded_decision_is_there_for_whoever_opens_the_project_next(project: Project) -> None:
    logged = project.record(RenameTopic("sport", "Sports"), author="Ada", why="plural")
    with open_project("News") as other:
        assert other.log() == [logged]
        assert (logged.sequence, logged.author, logged.why) == (1, "Ada", "plural")
        assert other.taxonomy()["sport"].label == "Sports"
        assert other.seed()["sport"].label == "Sport"


def test_the_tree_equals_the_replayed_log(project: Project) -> None:
    project.record(AddTopic(ROOT_ID, TopicNode("war", "War")), author="Ada")
    project.record(RenameTopic("war", "Conflict"), author="Ada")
    project.undo(author="Ben")
    assert project.taxonomy() == replay(project.seed(), project.log())
    assert project.taxonomy()["war"].label == "War"


def test_a_refused_decision_writes_nothing(project: Project) -> None:
    with pytest.raises(DecisionError, match="already a topic 'Politics'"):
        project.record(RenameTopic("sport", "Politics"), author="Ada")
    assert project.sequence == 0
    assert project.taxonomy() == project.seed()


def test_several_decisions_are_recorded_together_or_not_at_all(project: Project) -> None:
    good, bad = RenameTopic("sport", "Sports"), RenameTopic("nowhere", "X")
    with pytest.raises(DecisionError, match="nowhere"):
        project.record_all([good, bad], author="Ada")
    assert project.sequence == 0
    assert project.taxonomy()["sport"].label == "Sport"
    both = project.record_all([good, RenameTopic("sport", "Games")], author="Ada")
    assert [entry.sequence for entry in both] == [1, 2]
    assert project.record_all([], author="Ada") == []


def test_a_stale_writer_is_told_who_decided_what(project: Project) -> None:
    with open_project("News") as other:
        other.record(RenameTopic("sport", "Sports"), author="Ben")
    with pytest.raises(StaleWriterError, match=r"Ben: Renamed 'Sport' to 'Sports'") as caught:
        project.record(RenameTopic("sport", "Games"), author="Ada", expected=0)
    assert isinstance(caught.value, ConflictError)
    assert [entry.logged.author for entry in caught.value.changes] == ["Ben"]
    assert project.sequence == 1
    project.record(RenameTopic("sport", "Games"), author="Ada", expected=1)
    assert project.taxonomy()["sport"].label == "Games"


def test_a_writer_ahead_of_the_log_is_refused(project: Project) -> None:
    with pytest.raises(ConflictError, match="step 7"):
        project.record(RenameTopic("sport", "Games"), author="Ada", expected=7)


def test_undo_and_redo_reach_over_processes(project: Project) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    project.record(RemoveTopic("politics"), author="Ada")
    with open_project("News") as other:
        other.undo(2, author="Ben")
        assert other.taxonomy() == project.seed()
    project.redo(author="Ada")
    assert project.taxonomy()["sport"].label == "Sports"
    assert "politics" in project.taxonomy()
    with pytest.raises(DecisionError, match="only 1 can be"):
        project.record(Undo(2), author="Ada")


def test_every_earlier_tree_can_be_had(project: Project) -> None:
    trees = [project.taxonomy()]
    for label in ("Sports", "Games", "Play"):
        project.record(RenameTopic("sport", label), author="Ada")
        trees.append(project.taxonomy())
    assert [project.taxonomy_at(step) for step in range(4)] == trees
    with pytest.raises(StoreError, match="no decision 4; the last one is 3"):
        project.taxonomy_at(4)


def test_changes_since_a_step_are_those_after_it(project: Project) -> None:
    for label in ("A", "B", "C"):
        project.record(RenameTopic("sport", label), author=label)
    assert [entry.author for entry in project.changes_since(1)] == ["B", "C"]
    assert [entry.summary for entry in project.history(2)] == ["Renamed 'B' to 'C'"]
    assert project.people() == ["A", "B", "C"]


def test_a_seed_is_replaced_only_before_the_first_decision(project: Project, seed: Taxonomy) -> None:
    other = seed.without("politics")
    project.set_seed(other, author="Ada", why="shorter")
    assert project.seed() == other == project.taxonomy()
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    with pytest.raises(StoreError, match="1 decisions stand on it"):
        project.set_seed(seed, author="Ada")
    assert project.seed() == other


def test_a_project_without_a_seed_has_an_empty_tree(home: Path) -> None:
    with create_project("Bare") as project:
        assert not project.has_seed
        assert len(project.taxonomy()) == 0
        project.record(AddTopic(ROOT_ID, TopicNode("a", "A")), author="Ada")
        assert [node.label for node in project.taxonomy().walk()] == ["A"]


@pytest.mark.parametrize("table", [decisions, seeds, releases])
def test_the_database_itself_refuses_to_change_the_record(project: Project, table) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    project.freeze_release("first", author="Ada")
    database = open_database(project.path)
    for statement in (table.delete(), table.update().values(author="Eve")):
        with pytest.raises(StoreError, match="never changed"), database.write() as connection:
            connection.execute(statement)
    database.close()
    assert [entry.author for entry in project.log()] == ["Ada"]


def test_the_time_of_a_decision_is_the_clocks(home: Path, clock) -> None:
    with create_project("Timed", clock=clock) as project:
        first = project.record(AddTopic(ROOT_ID, TopicNode("a", "A")), author="Ada")
        second = project.record(AddTopic(ROOT_ID, TopicNode("b", "B")), author="Ada")
    assert first.at.startswith("2026-11-16T12:00:")
    assert first.at < second.at


_LABELS = st.sampled_from(["Sport", "Games", "Politics", "Ärger", "比赛"])
_IDS = st.sampled_from(["sport", "politics", "soccer", "a", "b"])
_DECISIONS = st.one_of(
    st.builds(RenameTopic, _IDS, _LABELS),
    st.builds(RemoveTopic, _IDS, st.booleans()),
    st.builds(EditKeywords, _IDS, st.lists(_LABELS, max_size=2).map(tuple)),
    st.builds(AddTopic, _IDS, st.builds(TopicNode, _IDS, _LABELS)),
    st.builds(Undo, st.integers(1, 3)),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.booleans(), _DECISIONS), max_size=12))
def test_two_handles_on_a_project_always_agree(home: Path, seed: Taxonomy, steps) -> None:
    name = f"Project {sum(1 for _ in (home / 'projects').glob('*')) if home.exists() else 0}"
    with create_project(name, seed=seed) as one, open_project(name) as two:
        for first, decision in steps:
            before = one.sequence
            try:
                (one if first else two).record(decision, author="Ada")
            except DecisionError:
                assert one.sequence == before
        assert one.taxonomy() == two.taxonomy() == replay(seed, one.log())
        assert [entry.sequence for entry in one.log()] == list(range(1, two.sequence + 1))
