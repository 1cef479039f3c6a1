"""A draft outlives the proposal that it was about: what others decided first stands beside it."""

from __future__ import annotations

from taxocom.taxonomy.decisions import GiveRole, RejectTopic
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.ui.shared.proposal_draft import Draft, DraftHistory, Judgement
from tests.ui.driving import opened
from tests.ui.fabricate import fabricate_project


def test_my_contrary_verdict_is_there_when_another_was_faster_on_the_last_card(tmp_path, monkeypatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("Faster")
    project, last = made.project, made.expansion.novel[-1]
    draft = Draft(made.proposal_id, project.sequence, judgements={last.cluster_id: Judgement("accept")})
    project.set_preference("Ben", f"draft/{ROOT_ID}", DraftHistory(draft).to_dict())
    project.record_all(
        [RejectTopic(ROOT_ID, each.cluster_id, each.center_term) for each in made.expansion.novel], author="Ada"
    )
    project.mark_proposal(made.proposal_id, "done")
    page = opened("expand", curator="Ben", project=project.path.name)
    told = " ".join(each.value for each in page.markdown)
    assert "Others decided before your draft was committed" in told
    (row,) = (line for line in told.splitlines() if line.startswith(f"| {last.label}"))
    assert "| accept |" in row
    assert "Ada: Rejected" in row
    page.button(key="drop-left-over").click().run()
    assert "Others decided before" not in " ".join(each.value for each in page.markdown)
    assert not project.preferences("Ben")[f"draft/{ROOT_ID}"]
    assert "Others decided" not in " ".join(
        each.value for each in opened("expand", curator="Cleo", project=project.path.name).markdown
    )
    project.close()


def test_a_commit_that_is_refused_leaves_the_proposal_that_others_see(tmp_path, monkeypatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    made = fabricate_project("Refused")
    project, first = made.project, made.expansion.novel[0]
    project.record(GiveRole("Ada", "admin"), author="Ada")
    project.record(GiveRole("Vera", "curator"), author="Ada")
    pins = {first.anchors[-1].term: "general"}
    judged = {each.cluster_id: Judgement("accept") for each in made.expansion.novel}
    draft = Draft(made.proposal_id, project.sequence, pins=pins, judgements=judged)
    project.set_preference("Vera", f"draft/{ROOT_ID}", DraftHistory(draft).to_dict())
    before = [(each.proposal_id, each.status) for each in project.proposals()]
    page = opened("expand", curator="Vera", project=project.path.name)
    # The button is still there on a page that was drawn before the role was taken away.
    project.record(GiveRole("Vera", "viewer"), author="Ada")
    page.button(key="commit").click().run()
    assert "it takes the role" in " ".join(each.value for each in page.warning)
    assert [(each.proposal_id, each.status) for each in project.proposals()] == before
    assert project.sequence == 3
    project.close()
