"""What is new, rising, falling or gone: flagged where it is, and hardly ever where nothing has changed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import InputError
from taxocom.interchange.bundle import write_bundle
from taxocom.interchange.report.html_report import write_report
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.batches import NewTexts, append_batch
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.exporting import export_of
from taxocom.store.projects.topic_timeline import (
    ERROR_RATE,
    NOWHERE,
    Since,
    flags,
    periods_of,
    shuffled_probabilities,
    since_when,
    timeline,
)
from tests.store.test_document_places import (
    N_DOCUMENTS,
    POLITICS,
    SPORT,
    mixed_documents,
    read_in,
    theme_of,
    write_texts,
)
from tests.ui.fabricate import seed_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with create_project("News", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", mixed_documents()))
        yield made


def test_the_probability_is_that_of_shuffled_documents() -> None:
    # Five documents, three of them of the topic; the last period has two, both of the topic.
    documents = [True, True, True, False, False]
    draws = [sum(documents[each] for each in chosen) for chosen in combinations(range(5), 2)]
    (p,) = shuffled_probabilities(np.array([[1, 2]]), np.array([3, 2]))
    assert p == pytest.approx(2 * np.mean([drawn >= 2 for drawn in draws]))


def test_shuffled_periods_are_hardly_ever_flagged() -> None:
    rng = np.random.default_rng(0)
    topics = rng.choice(25, 2000, p=rng.dirichlet(np.ones(25)))
    totals = np.array([1500, 300, 200])
    flagged, n_tables = 0, 300
    for _ in range(n_tables):
        period = rng.permutation(np.repeat(np.arange(3), totals))
        counts = np.array([np.bincount(period[topics == topic], minlength=3) for topic in range(25)])
        flagged += any(flags(counts, totals, shuffled_probabilities(counts, totals)))
    # Three standard errors of a rate of one in twenty.
    assert flagged / n_tables < ERROR_RATE + 3 * np.sqrt(ERROR_RATE * (1 - ERROR_RATE) / n_tables)


def test_each_flag_says_what_happened() -> None:
    counts = np.array([[0, 0, 30], [50, 50, 90], [200, 200, 40], [60, 60, 0], [90, 90, 40], [0, 0, 1], [0, 0, 0]])
    totals = np.array([400, 400, 200])
    found = flags(counts, totals, shuffled_probabilities(counts, totals))
    assert found == ["new", "rising", "falling", "gone", "", "", ""]


def test_batches_are_the_periods_and_a_batch_of_one_topic_is_seen(project: Project) -> None:
    sport = [each for each in mixed_documents(300, random_state=3, first=600) if theme_of(each.document_id) == "sport"]
    append_batch(project, NewTexts(sport, True), name="cup", progress=SILENT)
    found = timeline(project)
    lines = {line.node_id: line for line in found.lines}
    assert (found.by, found.periods, found.totals) == ("batch", ("first reading", "cup"), (N_DOCUMENTS, len(sport)))
    assert lines[SPORT].flag == "rising"
    assert lines[POLITICS].flag in ("falling", "gone")
    counts = document_places(project).counts()
    assert all(sum(line.counts) == counts.get(line.node_id, 0) for line in found.lines if line.node_id)
    assert lines[""].path == (NOWHERE,)
    assert [line.p for line in found.flagged()] == sorted(line.p for line in found.flagged())


def test_dates_are_periods_too_and_those_that_cannot_be_read_are_counted(project: Project, tmp_path: Path) -> None:
    rows = [
        {"id": each.document_id, "text": each.text, "date": "soon" if number < 5 else f"2026-0{1 + number % 3}-11"}
        for number, each in enumerate(replace(document) for document in mixed_documents())
    ]
    (tmp_path / "dated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    index(project, {"source": str(tmp_path / "dated.jsonl")}, SILENT)
    found = timeline(project)
    assert (found.by, found.periods, found.n_undated) == ("month", ("2026-01", "2026-02", "2026-03"), 5)
    assert sum(found.totals) == N_DOCUMENTS - 5
    assert timeline(project, by="day").periods[0] == "2026-01-11"
    with pytest.raises(InputError, match="one year"):
        timeline(project, by="year")


def test_a_group_says_since_when_it_comes_and_one_that_always_came_says_nothing(project: Project) -> None:
    assert Since("May", 20, 90, 11.0).said().startswith("More often since May: 20 of 90")
    rng = np.random.default_rng(1)
    for name in ("May", "June"):
        new = mixed_documents(120, random_state=len(name), first=1000 * len(name))
        append_batch(project, NewTexts(new, True), name=name, progress=SILENT)
    periods = periods_of(project)
    start, *later = np.bincount(periods.of_document).tolist()
    early, late = rng.choice(start, 3, replace=False), start + rng.choice(sum(later), 30, replace=False)
    found = since_when(periods, np.concatenate([early, late]).astype(np.int32))
    assert found is not None
    assert (found.period, found.n_since, found.n_documents) == ("May", 30, 33)
    assert found.said().startswith("Mostly since May: 30 of 33 documents, where chance would give")
    drawn = (rng.permutation(len(periods.of_document))[:40].astype(np.int32) for _ in range(60))
    told = [since_when(periods, rows) for rows in drawn]
    # Three standard errors above a rate of one in twenty.
    assert sum(each is not None for each in told) <= 8
    assert since_when(periods, np.zeros(0, dtype=np.int32)) is None


def test_the_report_and_the_bundle_hold_the_timeline_and_a_release_keeps_it(project: Project) -> None:
    before = export_of(project)
    assert before.context.timeline is None
    assert b"Over time" not in write_report(before.taxonomy, before.context)
    append_batch(project, NewTexts(mixed_documents(60, random_state=3, first=600), True), name="<cup>", progress=SILENT)
    project.freeze_release("first", author="Ada")
    out = export_of(project)
    page = write_report(out.taxonomy, out.context).decode()
    assert "Over time" in page
    assert "&lt;cup&gt;" in page
    assert "<cup>" not in page
    with zipfile.ZipFile(io.BytesIO(write_bundle(out.taxonomy, out.context))) as bundle:
        held = json.loads(bundle.read("timeline.json"))
    assert held["periods"] == ["first reading", "<cup>"]
    append_batch(project, NewTexts(mixed_documents(60, random_state=4, first=900), True), name="later", progress=SILENT)
    kept = export_of(project, release="first").context.timeline
    assert kept == out.context.timeline
    assert timeline(project).periods[-1] == "later"


def test_a_project_without_dates_and_batches_says_what_it_needs(project: Project) -> None:
    with pytest.raises(InputError, match="as a batch"):
        timeline(project)
