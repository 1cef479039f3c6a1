"""Who did what: asked by person, topic and day, for people and as CSV, also of topics that left the tree."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from taxocom.errors import InputError
from taxocom.store import Project, create_project
from taxocom.taxonomy.decisions import CommentOnTopic, DeprecateTopic, RelateTopics, RenameTopic
from taxocom.workflow.audit import Wanted, as_csv, audit, day, topics_to_ask
from tests.taxonomy.samples import NEWS

FIRST = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Four decisions of two people, an hour apart, over midnight."""
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    moments = iter(FIRST + timedelta(hours=hour) for hour in range(100))
    with (
        create_project("News", seed=NEWS, clock=lambda: FIRST) as made,
        Project(made.path, clock=moments.__next__) as p,
    ):
        p.record(RenameTopic("law", "=Justice"), author="Ada", why="plainer")
        p.record(RelateTopics("soccer", "courts"), author="Bob")
        p.record(CommentOnTopic("law", "Agreed."), author="Bob")
        p.record(DeprecateTopic(NEWS["tennis"], "soccer"), author="Ada")
        yield p


def steps(project: Project, **wanted: object) -> list[int]:
    return [line.step for line in audit(project, Wanted(**wanted))]  # type: ignore[arg-type]  # named below


def test_the_log_is_asked_by_person_topic_and_day(project: Project):
    assert steps(project) == [1, 2, 3, 4]
    assert steps(project, person="Bob") == [2, 3]
    assert steps(project, node_id="law") == [1, 3]
    assert steps(project, since=date(2026, 11, 19)) == [2, 3, 4]
    assert steps(project, until=date(2026, 11, 18)) == [1]
    assert steps(project, person="Ada", node_id="tennis", since=date(2026, 11, 19), until=date(2026, 11, 19)) == [4]
    with pytest.raises(InputError, match="Write it like"):
        day("yesterday", "From the day")


def test_a_decision_is_about_both_topics_that_it_names(project: Project):
    assert steps(project, node_id="courts") == [2]
    assert steps(project, node_id="soccer") == [2, 4]


def test_topics_that_left_the_tree_can_be_asked_about(project: Project):
    asked = topics_to_ask(project)
    assert asked["tennis"] == "Tennis (left the tree)"
    assert asked["soccer"] == "Sport › Soccer"
    assert set(asked) >= {node.node_id for node in project.taxonomy().walk()}


def test_the_csv_has_every_column_and_no_formula(project: Project):
    rows = list(csv.DictReader(io.StringIO(as_csv(audit(project, Wanted())).decode("utf-8-sig"))))
    assert [row["person"] for row in rows] == ["Ada", "Bob", "Bob", "Ada"]
    assert rows[0]["why"] == "plainer"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
