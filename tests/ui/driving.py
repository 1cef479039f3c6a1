"""Pages driven without a browser: every button and component that a page shows, and what a person may do to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[2] / "app.py")


def opened(page: str, curator: str = "Ada", **params: str) -> AppTest:
    """Run a page ("" is home) as somebody who has given a name."""
    app = AppTest.from_file(APP, default_timeout=120)
    if page:
        app.switch_page(f"pages/{page}.py")
    for name, value in params.items():
        app.query_params[name] = value
    app.session_state["taxocom"] = {"curator": curator, "curator-browser": "here"}
    app.run()
    assert not app.exception, app.exception
    return app


@dataclass(frozen=True)
class Deed:
    """Something a person can do on a page: click a button, or tell something through a component."""

    key: str
    event: str = ""
    value: Any = None

    def __str__(self) -> str:
        more = "" if self.value is None else json.dumps(self.value, sort_keys=True)
        return f"{self.key} {more}".strip()

    def do(self, app: AppTest) -> None:
        """Do it and run the page."""
        if not self.event:
            app.button(key=self.key).click().run()
            return
        shown = component(app, self.key)
        states = app._tree.get_widget_states()
        state = states.widgets.add()
        state.id = shown.proto.id
        told = [[data_of(shown)["answered"] + 1, self.value, data_of(shown)["session"]]]
        state.json_value = json.dumps({self.event: told})
        app._run(states)


def component(app: AppTest, key: str) -> Any:
    """Return the component with a key."""
    (found,) = (each for each in app.get("bidi_component") if key_of(each) == key)
    return found


def key_of(shown: Any) -> str:
    return str(shown.proto.id.split("-", 2)[2])


def data_of(shown: Any) -> dict[str, Any]:
    return dict(json.loads(shown.proto.json or "{}"))


def deeds(app: AppTest) -> list[Deed]:
    """Return everything that a page offers to do, one of a kind: of two buttons that differ by a number, the first."""
    found = [Deed(str(button.key)) for button in app.button if not button.disabled and button.key]
    for shown in app.get("bidi_component"):
        told = _TOLD.get(shown.proto.component_name)
        if told is not None:
            found += [Deed(key_of(shown), *each) for each in told(data_of(shown))]
    return found


def _form(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for part in data["parts"]:
        if part["disabled"] or part["refused"]:
            continue
        values = {field["name"]: _typed(field) for field in part["fields"]}
        for button in part["buttons"]:
            if button["refused"]:
                continue
            said = {"part": part["name"], "button": button["name"], "values": values, "changed": list(values)}
            yield "submit", said


def _typed(field: Mapping[str, Any]) -> Any:
    if field["kind"] == "choice":
        return next((value for value in field["options"] if value != field["value"]), field["value"])
    return True if field["kind"] == "tick" else f"{field['value']} typed here".strip()


def _cards(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    novel = [card["id"] for card in data["clusters"] if card["kind"] == "novel"]
    if data.get("locked") or len(novel) < 2:
        return
    first, second = novel[:2]
    known = next((card["id"] for card in data["clusters"] if card["kind"] == "known"), "")
    for kind in ("accept", "reject", "later"):
        yield "action", {"type": kind, "cluster": first, "reason": "typed here"}
    yield "action", {"type": "rename", "cluster": first, "label": "typed here"}
    yield "action", {"type": "move", "cluster": first, "to": data["parents"][1]["id"]}
    if known:
        yield "action", {"type": "merge", "cluster": first, "to": second}
        yield "action", {"type": "remove", "cluster": known, "reason": "typed here"}


def _passages(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if data["targets"]:
        document = data["documents"][0]
        to = next(target["id"] for target in data["targets"] if target["id"] != document["topic"])
        yield "move", {"document": document["id"], "to": to}


def _judging(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "answers", {"yes": [data["documents"][0]["id"]], "no": [data["documents"][1]["id"]]}


def _candidates(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "choose", next(each["n"] for each in data["candidates"] if each["eligible"] and each["n"] != data["using"])


def _novelty(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "threshold", {"value": data["threshold"] / 2, "gesture": 1}


def _map(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "moved", {"terms": [0, 1], "to": "general"}


_TOLD = {
    "taxocom_form": _form,
    "taxocom_cards": _cards,
    "taxocom_passages": _passages,
    "taxocom_judging": _judging,
    "taxocom_candidates": _candidates,
    "taxocom_novelty": _novelty,
    "taxocom_map": _map,
}
