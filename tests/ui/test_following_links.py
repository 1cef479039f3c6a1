"""A page that looks again by itself does not undo a click on a link to another page."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit import config
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from taxocom.ui.runtime import access

OLD, NEW, THIRD = "old page", "new page", "third page"


@pytest.fixture(autouse=True)
def _as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve the app for a moment, which is what puts the rule in place; take it back afterwards."""
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    monkeypatch.setattr(config, "get_option", lambda name: name == "server.headless")

    async def serve() -> None:
        async with access.serving(None):
            pass

    # In a thread of its own: the browser tests may have left a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, serve()).result()


def clicked(page: str) -> RerunData:
    return RerunData(query_string=f"at={page}", widget_states=WidgetStates(), page_script_hash=page)


def next_page(*wanted: RerunData) -> tuple[str, str]:
    """Return the page that is run after a line of requests, and its address."""
    requests = ScriptRequests()
    for each in wanted:
        assert requests.request_rerun(each)
    taken = requests.on_scriptrunner_ready().rerun_data
    return taken.page_script_hash, taken.query_string


def test_a_page_that_asks_to_be_run_again_does_not_take_the_place_of_a_link():
    asks_again = RerunData(query_string=f"at={OLD}", page_script_hash=OLD)
    assert next_page(clicked(NEW), asks_again) == (NEW, f"at={NEW}")


def test_a_timer_of_a_part_of_the_page_does_not_take_the_place_of_a_link():
    timer = RerunData(
        query_string=f"at={OLD}",
        widget_states=WidgetStates(),
        page_script_hash=OLD,
        fragment_id="looks again",
        is_auto_rerun=True,
    )
    assert next_page(clicked(NEW), timer) == (NEW, f"at={NEW}")


def test_the_later_of_two_links_is_followed():
    assert next_page(clicked(NEW), clicked(THIRD)) == (THIRD, f"at={THIRD}")


def test_a_link_is_followed_after_the_page_asked_to_be_run_again():
    asks_again = RerunData(query_string=f"at={OLD}", page_script_hash=OLD)
    assert next_page(asks_again, clicked(NEW)) == (NEW, f"at={NEW}")
