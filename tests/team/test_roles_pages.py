"""Every button of every page, pressed as every role: allowed or refused as the table of roles says.

What there is to press is read off the pages as an admin sees them. Each thing is done by somebody whose role was taken
down meanwhile, so that the click arrives though nothing would have offered it; the answer names what the table asks.
"""

from __future__ import annotations

import ast
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from taxocom.errors import RoleError
from taxocom.store import Project, create_project, delete_project, open_project
from taxocom.store.projects.quality_runs import QualityRun, save_run
from taxocom.taxonomy.decisions import (
    AddTopic,
    DeprecateTopic,
    GiveRole,
    MatchConcept,
    MoveDocuments,
    RelateTopics,
    RenameTopic,
    SuggestTopic,
)
from taxocom.taxonomy.roles import ACTIONS, DECISIONS, ROLES, Permission, Role, reaches
from taxocom.taxonomy.team import Team
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from taxocom.ui.shared.bootstrap import SCREENS
from taxocom.workflow.missing_topic import MissedTopic
from tests.ui.driving import Deed, deeds, opened
from tests.ui.fabricate import fabricate_project

ADMIN = "admin"
SPORT, FOOTBALL = topic_id("sport"), topic_id("football")
UI = Path(__file__).parents[2] / "taxocom" / "ui"
TABLE: Mapping[str, Permission] = {**DECISIONS, **ACTIONS}

PAGES = {
    "home": "",
    "corpus": f"node={SPORT}",
    "corpus of a project with a seed alone": "project=Fresh",
    "expand": "",
    "review": f"node={SPORT}",
    "review of a topic with links": f"node={FOOTBALL}",
    "review, queue": "view=Queue",
    "review, questions": "view=Questions",
    "review, history": "view=History",
    "review, compare": "view=Compare",
    "review, deprecated": "view=Deprecated",
    "documents": f"node={SPORT}",
    "documents, teach": f"node={SPORT}&which=Teach",
    "timeline": "",
    "team": "",
    "team, people": "view=People",
    "team, log": "view=Who+did+what",
    "quality": "",
    "quality, stability": "view=Stability",
    "quality, labels": "view=Against+labels",
    "export": "",
}

# What a person keeps for themselves: a draft, a question that waits, where they are. Nobody else sees it.
OWN = {
    "catch-up": "an own draft",
    "dismiss-": "an own notice",
    "drop-draft": "an own draft",
    "drop-left-over": "an own draft",
    "draw": "which topics a measurement would hide",
    "make": "a new project, which belongs to who makes it",
    "missed-": "an own wish that waits to be added",
    "missed_cards.py key": "an own wish, put elsewhere or left out",
    "more-results": "shows more",
    "move-terms": "an own draft",
    "new": "goes to another page",
    "onward": "goes to another topic",
    "open-": "goes to another page",
    "restore": "a new project",
    "sample": "a new project",
    "sign-in-button": "signs in",
    "sign-out": "signs out",
    "step": "undo, redo and discard of an own draft",
    "trash-": "a project so damaged that it has no list of people to ask",
    "try-again": "what was refused is refused again",
    "undelete-": "asked of the project in the trash",
}
# What makes a project has no list of people yet; who types another name is asked as that person.
NOT_PRESSED = ("sample", "make", "restore", "curator-form")
OWN_PARTS = {
    "all": "its buttons ask one by one",
    "miss": "an own wish that waits to be added",
    "more": "its buttons ask one by one",
    "role": "shown to admins alone",
    "rule": "shown to admins alone",
    "who": "asks for a name",
}


class WouldBeDoneError(RoleError):
    """The table let it pass; nothing is written, so that the next can try."""


@dataclass(frozen=True)
class Pressed:
    """What became of a click: what it would have done, or what the table asked for and was not given."""

    needed: str = ""
    allowed: str = ""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project with something of everything, and one with a seed alone; both have a list of people."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(folder))
        patch.setattr("taxocom.ui.shared.bootstrap._prepare", lambda: None)
        with fabricate_project("News").project as project:
            _give_roles(project)
            _fill(project)
        with fabricate_project("Fresh", propose=False).project as fresh:
            _give_roles(fresh)
        with create_project("Old", owner=ADMIN) as old:
            delete_project(old, by=ADMIN)
        yield folder


def _give_roles(project: Project) -> None:
    project.record(GiveRole(ADMIN, "admin"), author=ADMIN)
    project.record_all([GiveRole(role, role) for role in ROLES if role != ADMIN], author=ADMIN)


def _fill(project: Project) -> None:
    gone = TopicNode("gone", "Chess")
    project.record_all(
        [
            RenameTopic(FOOTBALL, "Soccer"),
            SuggestTopic(SPORT, TopicNode("golf", "Golf")),
            AddTopic(SPORT, gone),
            DeprecateTopic(gone, FOOTBALL),
            RelateTopics(FOOTBALL, topic_id("politics")),
            MatchConcept(FOOTBALL, "exact", "http://www.wikidata.org/entity/Q2736", "association football"),
            MoveDocuments(tuple(project.corpus().document_ids[:3]), topic_id("business")),
        ],
        author=ADMIN,
    )
    project.freeze_release("1.0", author=ADMIN)
    asked = {"node_id": ROOT_ID, "n_states": 2}
    fingerprint = project.corpus().fingerprint
    save_run(project, QualityRun("1", "stability", "", project.sequence, fingerprint, asked, 2, 2), {})
    job = project.add_job("expand", {"node_id": ROOT_ID}, ADMIN)
    project.job_table.end(job.job_id, job.attempt, "failed", message="on purpose")
    project.add_job("stability", {"node_id": ROOT_ID}, ADMIN)


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody start a worker, or end a job that has none."""
    monkeypatch.setattr("taxocom.jobs.control._looked_after", lambda _project, job: job)


def page_as(person: str, name: str) -> AppTest:
    script = name.split(",")[0].split(" of ")[0]
    params = {key: values[0] for key, values in parse_qs(PAGES[name]).items()}
    named = {} if script == "home" else {"project": "News"}
    return opened("" if script == "home" else script, person, **{**named, **params})


def shared_rows(home: Path) -> dict[str, object]:
    """Return every row of every project that others can see."""
    found: dict[str, object] = {}
    for file in sorted(home.glob("*/*/project.db")):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            mine = {"preferences", "sqlite_sequence"} | {name for name in names if "seal" in name}
            for name in sorted(set(names) - mine):
                found[f"{file} {name}"] = connection.execute(f"SELECT * FROM {name}").fetchall()
    return found


class Pressing:
    """A page as an admin opened it, on which others press what is there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.app = page_as(ADMIN, name)
        self.deeds = [deed for deed in deeds(self.app) if deed.key not in NOT_PRESSED]

    def press(self, deed: Deed, person: Role) -> Pressed:
        """Do something as somebody, without anything being done, and read what the page says."""
        if deed not in deeds(self.app):
            # Whoever pressed last is not offered it, and Streamlit hears no click on what it did not offer.
            self.app.session_state["taxocom"]["curator"] = ADMIN
            self.app.run()
        if deed not in deeds(self.app):
            # It led to another page.
            self.app = page_as(ADMIN, self.name)
        return self._press(deed, person)

    def _press(self, deed: Deed, person: Role) -> Pressed:
        mine = self.app.session_state["taxocom"]
        mine["curator"] = person
        mine.pop("notice", None)
        deed.do(self.app)
        assert not self.app.exception, (str(deed), self.app.exception)
        said = " ".join(each.value for each in (*self.app.warning, *self.app.error)).replace("\\", "")
        refused = re.search(r"it takes the role '(\w+)' to (.+?)\. Nothing was changed", said)
        if refused:
            ((found, needed),) = [(key, each) for key, each in TABLE.items() if each.words == refused[2]]
            assert needed.role == refused[1]
            return Pressed(needed=found)
        would = re.search(r"would be done: (\w+)", said)
        return Pressed(allowed=would[1] if would else "")


def _told_of(ask):
    def require(self: Team, person: str, action: str) -> None:
        ask(self, person, action)
        if action != "read":
            raise WouldBeDoneError(f"would be done: {action}")

    return require


def least(action: str) -> Role:
    return TABLE[action].role


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", PAGES)
def test_every_button_is_offered_and_done_as_the_table_says(name: str, home: Path, monkeypatch: pytest.MonkeyPatch):
    offered = {role: {str(deed) for deed in deeds(page_as(role, name))} for role in ROLES}
    monkeypatch.setattr(Team, "require", _told_of(Team.require))
    before, page, problems = shared_rows(home), Pressing(name), []
    for deed in page.deeds:
        found = page.press(deed, "viewer")
        if found.allowed:
            problems.append(f"{deed}: a viewer may {found.allowed}")
        if not found.needed:
            continue
        SEEN.setdefault(name, set()).add(found.needed)
        if not page.press(deed, least(found.needed)).allowed:
            problems.append(f"{deed}: refused to a {least(found.needed)}")
        wrong = [role for role in ROLES if (str(deed) in offered[role]) != reaches(role, least(found.needed))]
        if wrong:
            problems.append(f"{deed} ({found.needed}): wrongly offered or not offered to {', '.join(wrong)}")
    assert problems == []
    assert shared_rows(home) == before, "somebody who may not do it has changed something"


SEEN: dict[str, set[str]] = {}


def test_every_page_is_walked():
    walked = {name.split(",")[0].split(" of ")[0] for name in PAGES}
    assert walked == {"home", *(Path(screen.script).stem for screen in SCREENS if screen.needs_project)}


def test_every_button_in_the_code_asks_the_table_or_is_the_person_s_own_affair():
    """Streamlit's buttons ask by `offered`, parts of a form by `refused`; what does neither is listed with a reason."""
    found = []
    for file in sorted(UI.rglob("*.py")):
        for call in [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]:
            called = ast.unparse(call.func)
            given = {keyword.arg for keyword in call.keywords}
            if called == "st.button" and None not in given and not _is_own(file, _key_of(call)):
                found.append(f"{file.name}:{call.lineno} {_key_of(call)}")
            is_part = called == "Part" and len(call.args) >= 3
            if is_part and "refused" not in given and ast.literal_eval(call.args[0]) not in OWN_PARTS:
                found.append(f"{file.name}:{call.lineno} {ast.unparse(call.args[0])}")
    assert found == []


def _is_own(file: Path, key: str) -> bool:
    named = (key, f"{file.name} {key}")
    return any(own in named or (own.endswith("-") and key.startswith(own)) for own in OWN)


def _key_of(call: ast.Call) -> str:
    (key,) = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
    first = key.values[0] if isinstance(key, ast.JoinedStr) else key
    first = first.value if isinstance(first, ast.FormattedValue) else first
    return str(first.value) if isinstance(first, ast.Constant) else ast.unparse(first)


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_contributor_suggests_the_topic_that_they_miss():
    with open_project("News") as project:
        wish = asdict(MissedTopic("Health", ("patient", "doctor"), SPORT))
        project.set_preference("contributor", "missed topic", wish)
        app = page_as("contributor", "expand")
        for _ in range(100):
            if any(button.key == "missed-suggest" for button in app.button):
                break
            time.sleep(0.2)
            app.run()
        assert app.button(key="missed-add").disabled
        app.button(key="missed-suggest").click().run()
        (made,) = [node for node in project.taxonomy().walk() if node.label == "Health"]
        assert (made.status, project.taxonomy().parent_of(made.node_id)) == ("suggested", SPORT)
        assert project.log()[-1].author == "contributor"
        project.undo(author=ADMIN)
