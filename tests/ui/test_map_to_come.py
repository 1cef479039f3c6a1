"""A proposal is whole without its map: the page says that it is still to come, and offers to draw it."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom import jobs
from taxocom.store import Project
from taxocom.store.projects.exporting import collect
from taxocom.taxonomy.tree import ROOT_ID
from tests.ui.driving import component, key_of, opened
from tests.ui.fabricate import fabricate_project

_NAME = "ab" * 32


def _without_map(project: Project, proposal_id: int) -> tuple[int, dict[str, np.ndarray]]:
    """Keep a proposal again as the job does, before its map; return its id and the arrays of the map."""
    stored = project.load_proposal(proposal_id)
    places = {name: array for name, array in stored.arrays.items() if name.endswith("xy")}
    record = project.save_proposal(
        ROOT_ID,
        {**stored.metadata, "map_to_come": _NAME},
        {**stored.arrays, **{name: np.zeros_like(array) for name, array in places.items()}},
        sequence=project.sequence,
        settings=stored.record.settings,
        random_state=0,
        summary=stored.record.summary,
    )
    return record.proposal_id, places


def test_the_cards_are_there_first_and_the_map_when_it_is_drawn(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("To come")
    with made.project as project:
        proposal_id, places = _without_map(project, made.proposal_id)
        assert not collect(project, project.taxonomy(), project.sequence).map_points, "a report has no map of nothing"
        asked: list[tuple[str, object]] = []
        monkeypatch.setattr(jobs, "submit", lambda _, kind, params, **__: asked.append((kind, params)))
        page = opened("expand", project=project.path.name)
        shown = [key_of(each) for each in page.get("bidi_component")]
        assert f"cards-{proposal_id}" in shown
        assert f"map-{proposal_id}" not in shown
        assert f"map-{proposal_id}-points" in shown, "the histogram of novelty goes by the points of the map"
        assert any("has no map yet" in each.value for each in page.markdown)
        page.button(key="draw-map").click().run()
        assert asked == [("map", {"proposal_ids": [proposal_id]})]
        job = project.job_table.add("map", {"proposal_ids": [proposal_id]}, "Ada")
        page.run()
        assert any("map is being drawn" in each.value for each in page.markdown)
        assert not page.button(key=f"cancel-{job.job_id}").disabled
        project.add_map(_NAME, places)
        jobs.cancel(project, job.job_id)
        page.run()
        assert component(page, f"map-{proposal_id}")
        assert collect(project, project.taxonomy(), project.sequence).map_points
        assert not any("map is being drawn" in each.value for each in page.markdown)
