"""A team at work: ten people who signed in, five minutes on one project, while topics are being expanded.

An admin, six curators and three contributors write notes, definitions and comments, suggest topics, and approve what
another wrote, since approval needs a second person here. Every text is written once and looked for in the log.

`TAXOCOM_BEGIN` names a file that the five minutes wait for, so that a machine that others share can be quiet by then.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from playwright.async_api import Browser, Page, TimeoutError, async_playwright

from benchmarks.people import set_home
from taxocom import jobs
from taxocom.store import Project
from taxocom.taxonomy.decisions import AddNote, AddTopic, CommentOnTopic, EditDefinition, GiveRole, SetRule, SetStatus
from taxocom.taxonomy.decisions import SuggestTopic as Suggest
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from tests.browser.serving import CHROMIUM, FLAGS
from tests.browser.signing_in import Asking, asking_app
from tests.ui.fabricate import fabricate_project

PEOPLE = int(os.environ.get("TAXOCOM_PEOPLE", "10"))
SECONDS = float(os.environ.get("TAXOCOM_SECONDS", "300"))
DOCUMENTS = 4000
_SESSION_SECONDS, _WARM_SECONDS = 15, 30.0
_PATIENCE = 60_000


@dataclass
class Worked:
    """What one person sent, how long each took to be stored, and how often somebody else had decided first."""

    person: str
    role: str
    texts: list[str] = field(default_factory=list)
    approvals: int = 0
    seconds: list[float] = field(default_factory=list)
    n_refused: int = 0


@dataclass
class Expanded:
    """Topics that were expanded one after the other while people worked."""

    n_done: int = 0
    problems: list[str] = field(default_factory=list)


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the project is made up
    """Let them work and return what came of it."""
    with tempfile.TemporaryDirectory(prefix="taxocom-team-") as folder, set_home(Path(folder)) as home:
        project = fabricate_project("Shared", n_documents=DOCUMENTS).project
        desks = [AddTopic(ROOT_ID, TopicNode(_topic(number), f"Desk {number}")) for number in range(PEOPLE)]
        project.record_all(desks, author="Test")
        project.record(GiveRole(_name(0), "admin"), author=_name(0))
        others = [GiveRole(_name(n), _role(n)) for n in range(1, PEOPLE)]  # type: ignore[arg-type]  # roles, as the table has them
        project.record_all([*others, SetRule("second_person", holds=True)], author=_name(0))
        with asking_app(home, Path(folder)) as server:
            return asyncio.run(_measure(server, project))


def _name(number: int) -> str:
    return f"person{number}@example.org"


def _role(number: int) -> str:
    """Return an admin first; of ten people six are curators and three contribute."""
    return "admin" if number == 0 else "contributor" if number % 3 == 2 else "curator"


def _topic(number: int) -> str:
    return topic_id("desk", str(number))


async def _measure(server: Asking, project: Project) -> str:
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        # The first visitor warms the server up, with an expansion beside, and does not count.
        await asyncio.gather(
            _person(browser, server, project, 0, until=time.monotonic() + _WARM_SECONDS),
            asyncio.to_thread(_expand_on, project, Expanded(), threading.Event(), _WARM_SECONDS),
        )
        await asyncio.sleep(2 * _SESSION_SECONDS + 20)
        before = process.memory_info().rss
        pages = await asyncio.gather(*(_signed_in(browser, server, _name(n)) for n in range(PEOPLE)))
        await _wait_to_begin()
        load, until = os.getloadavg()[0], time.monotonic() + SECONDS
        expanded, stop = Expanded(), threading.Event()
        expanding = threading.Thread(target=_expand_on, args=(project, expanded, stop), daemon=True)
        expanding.start()
        work = (_work(page, server, project, n, until) for n, page in enumerate(pages))
        worked = await asyncio.gather(*work)
        stop.set()
        peak = process.memory_info().rss
        await browser.close()
        await asyncio.to_thread(expanding.join, 120)
    await asyncio.sleep(_SESSION_SECONDS + 45)
    return "\n".join(_table(project, worked, expanded, (before, peak, process.memory_info().rss), load))


async def _wait_to_begin() -> None:
    """Wait for the file that says that the machine is quiet now, if one is named."""
    name = os.environ.get("TAXOCOM_BEGIN")
    if name:
        print("All have signed in; waiting for", name, flush=True)
        while not await asyncio.to_thread(Path(name).exists):
            await asyncio.sleep(0.2)


def _expand_on(project: Project, expanded: Expanded, stop: threading.Event, seconds: float = float("inf")) -> None:
    """Expand the whole tree again and again, each time from another random state, until the people leave."""
    ends = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < ends:
        params = {"node_id": ROOT_ID, "random_state": expanded.n_done + len(expanded.problems)}
        job = jobs.submit(project, "expand", params, author=_name(0))
        while not job.is_over:
            if stop.wait(0.5):
                jobs.cancel(project, job.job_id)
                return
            job = jobs.get(project, job.job_id)
        if job.state == "done":
            expanded.n_done += 1
        else:
            expanded.problems.append(job.message)


async def _signed_in(browser: Browser, server: Asking, person: str) -> Page:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE)
    # The provider's page asks for a style sheet from elsewhere.
    await page.route("https://**", lambda route: route.abort())
    await page.goto(server.address)
    asked = page.locator("input[name=sub]")
    while not await asked.count():
        # A page that is drawn again under the pointer hears no click.
        with suppress(TimeoutError):
            await page.get_by_role("button", name="Sign in").click(timeout=5000)
            await asked.wait_for(timeout=10_000)
    await asked.fill(person)
    await page.get_by_role("button", name="Authorize", exact=True).click()
    await page.get_by_role("button", name=person.split("@")[0]).wait_for()
    return page


async def _person(browser: Browser, server: Asking, project: Project, number: int, until: float) -> None:
    page = await _signed_in(browser, server, _name(number))
    await _work(page, server, project, number, until)
    await page.context.close()


async def _work(page: Page, server: Asking, project: Project, number: int, until: float) -> Worked:
    """Write on the own desk, and look at the next one's: comment, suggest, approve."""
    worked, rng = Worked(_name(number), _role(number)), random.Random(number)
    curates, neighbour = worked.role != "contributor", (number + 1) % PEOPLE
    turn = 0
    while time.monotonic() < until:
        turn += 1
        await _open(page, server, project, number)
        if curates:
            await _send(page, worked, "Definition", f"definition {number}/{turn}/{rng.randrange(10**6)}", "Save")
            await page.wait_for_timeout(rng.uniform(500, 3000))
            await _send(page, worked, "Add a note", f"note {number}/{turn}/{rng.randrange(10**6)}", "Add the note")
        else:
            await page.get_by_role("button", name="Suggest a sub-topic").click()
            name = f"suggestion {number}/{turn}/{rng.randrange(10**6)}"
            await _send(page, worked, "Suggested name", name, "Suggest it")
        await page.wait_for_timeout(rng.uniform(500, 3000))
        await _open(page, server, project, neighbour)
        comment = f"comment {number}/{turn}/{rng.randrange(10**6)}"
        await _send(page, worked, "Comment", comment, "Add the comment")
        approve = page.get_by_role("button", name="Approve", exact=True)
        if curates and await approve.count() and await approve.is_enabled():
            before = worked.n_refused
            await _press(page, worked, "Approve")
            worked.approvals += worked.n_refused == before
        await page.wait_for_timeout(rng.uniform(500, 3000))
    return worked


async def _open(page: Page, server: Asking, project: Project, number: int) -> None:
    await page.goto(f"{server.address}/review?project={project.path.name}&node={_topic(number)}")
    # Drawn last, so that everything that can be pressed is there.
    await page.get_by_role("button", name="Deprecate", exact=True).wait_for()


async def _send(page: Page, worked: Worked, label: str, text: str, button: str) -> None:
    await page.get_by_label(label, exact=True).fill(text)
    worked.texts.append(text)
    await _press(page, worked, button)


async def _press(page: Page, worked: Worked, button: str) -> None:
    """Click, wait for the answer, and decide again as long as others decided first."""
    started = time.perf_counter()
    await page.get_by_role("button", name=button, exact=True).click()
    while await page.evaluate("taxocom.unanswered.size"):
        await page.wait_for_timeout(20)
    worked.seconds.append(time.perf_counter() - started)
    again = page.get_by_role("button", name="Try again")
    while await page.get_by_text("Not stored yet").count():
        worked.n_refused += 1
        # The notice may go just now, because another answer came.
        with suppress(TimeoutError):
            await again.first.click(timeout=2000)
        await page.wait_for_timeout(1000)


def _table(
    project: Project, worked: list[Worked], expanded: Expanded, memory: tuple[int, int, int], load: float
) -> list[str]:
    stored = Counter(filter(None, (_text_of(entry.decision) for entry in project.log())))
    sent = [text for each in worked for text in each.texts]
    approved = Counter(e.author for e in project.log() if isinstance(e.decision, SetStatus))
    wrong_approvals = sum(abs(approved[each.person] - each.approvals) for each in worked)
    seconds = sorted(second for each in worked for second in each.seconds)
    before, peak, after = (size / 2**20 for size in memory)
    roles = Counter(each.role for each in worked)
    problems = f"; {len(expanded.problems)} failed: {expanded.problems[0]}" if expanded.problems else ""
    return [
        f"{_listed(f'{n} {role}s' for role, n in roles.items())}, all signed in at a provider of OpenID Connect; "
        f"{SECONDS:.0f} s of work, {len(seconds)} decisions; {expanded.n_done} expansions of {DOCUMENTS:,} documents "
        f"meanwhile{problems}. Load of the machine at the start {load:.1f} on {os.cpu_count()} cores, browsers and "
        "expansions on the same machine.",
        "",
        "| | measured | bar |",
        "|---|---|---|",
        f"| texts lost, of {len(sent)} | {sum(text not in stored for text in sent)} | 0 |",
        f"| texts doubled | {sum(stored[text] > 1 for text in sent)} | 0 |",
        f"| approvals by a second person, lost or doubled, of {sum(each.approvals for each in worked)} "
        f"| {wrong_approvals} | 0 |",
        f"| told that somebody else decided first | {sum(each.n_refused for each in worked)} | |",
        f"| click to answer, median | {seconds[len(seconds) // 2]:.2f} s | |",
        f"| click to answer, 95 in 100 | {seconds[int(len(seconds) * 0.95)]:.2f} s | 2 s |",
        f"| click to answer, slowest | {seconds[-1]:.2f} s | |",
        f"| memory before they came | {before:.0f} MiB | |",
        f"| memory at the end of their work | {peak:.0f} MiB | |",
        f"| memory after they left | {after:.0f} MiB ({after / before - 1:+.0%}) | +20 % |",
    ]


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _text_of(decision: object) -> str:
    match decision:
        case AddNote():
            return decision.note
        case EditDefinition():
            return decision.definition
        case CommentOnTopic():
            return decision.text
        case Suggest():
            return decision.node.label
        case _:
            return ""


if __name__ == "__main__":
    print(run())
