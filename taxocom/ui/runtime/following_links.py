"""A link that was clicked is followed, whatever looks again meanwhile.

While a page is being run, Streamlit keeps one request in line and folds later ones into it. The page to run and its
address are taken from the later request. So a part of the old page that looks again by a timer, or asks for a new run
with `st.rerun`, would take the place of a link to another page: the click is gone.
"""

from __future__ import annotations

from dataclasses import replace

from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType

_AS_STREAMLIT_HAS_IT = ScriptRequests.request_rerun


def follow_links() -> None:
    """Let no request that nobody clicked for lead away from the page that somebody asked for."""
    # There is no public way to say so; a test holds that this one works.
    ScriptRequests.request_rerun = _request_rerun  # type: ignore[method-assign,assignment]


def _request_rerun(requests: ScriptRequests, wanted: RerunData) -> bool:
    waiting = requests._rerun_data if requests._state == ScriptRequestType.RERUN else None
    if waiting and wanted.page_script_hash != waiting.page_script_hash and not _was_clicked(wanted):
        wanted = replace(
            wanted,
            page_script_hash=waiting.page_script_hash,
            page_name=waiting.page_name,
            query_string=waiting.query_string,
        )
    return _AS_STREAMLIT_HAS_IT(requests, wanted)


def _was_clicked(wanted: RerunData) -> bool:
    """Tell whether a person's browser asked, and not a timer in it; `st.rerun` sends no states of widgets."""
    return wanted.widget_states is not None and not wanted.is_auto_rerun
