"""The options that set the engine, shared by every command that runs it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

import click

from taxocom.errors import SettingsError
from taxocom.settings import ExpansionSettings

Command = TypeVar("Command", bound=Callable[..., Any])


def settings_options(command: Command) -> Command:
    """Give a command `--paper` and `--set`; it gets the settings they amount to as the argument `settings`."""

    @click.option("--paper", is_flag=True, help="Follow the paper: all our departures off.")
    @click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any setting, such as novelty_threshold=0.6 or embedding.dim=50; may be given several times.",
    )
    @functools.wraps(command)
    def with_settings(*args: Any, paper: bool, changes: tuple[str, ...], **kwargs: Any) -> Any:
        return command(*args, settings=expansion_settings(changes, paper=paper), **kwargs)

    return with_settings  # type: ignore[return-value]  # click's decorators keep the function


def expansion_settings(changes: tuple[str, ...], *, paper: bool = False) -> ExpansionSettings:
    """Return the default settings, or the paper's, with some changed."""
    values = asdict(ExpansionSettings.paper() if paper else ExpansionSettings())
    for change in changes:
        path, equals, text = change.partition("=")
        if not equals:
            raise SettingsError(f"{change!r} sets nothing. Write NAME=VALUE, such as novelty_threshold=0.6.")
        _put(values, path.strip(), text.strip())
    try:
        return ExpansionSettings.from_dict(values)
    except TypeError as error:
        raise SettingsError(f"The settings do not fit: {error}.") from error


def _put(values: dict[str, Any], path: str, text: str) -> None:
    *above, name = path.split(".")
    place: Any = values
    for part in above:
        place = place.get(part) if isinstance(place, Mapping) else None
    if not isinstance(place, dict) or name not in place:
        raise SettingsError(f"There is no setting {path!r}. Settings: {', '.join(_names(values))}.")
    if isinstance(place[name], Mapping):
        inside = ", ".join(_names(place[name], f"{path}."))
        raise SettingsError(f"{path} is a group of settings. Set them one by one: {inside}.")
    place[name] = _value(path, text, place[name])


def _names(values: Mapping[str, Any], above: str = "") -> list[str]:
    found: list[str] = []
    for name, value in values.items():
        found += _names(value, f"{above}{name}.") if isinstance(value, Mapping) else [above + name]
    return found


def _value(path: str, text: str, before: Any) -> Any:
    if text.casefold() in ("none", "null"):
        return None
    if isinstance(before, str):
        return text
    try:
        value = json.loads(text.casefold())
    except ValueError:
        value = text
    wanted = bool if isinstance(before, bool) else (int, float)
    whole = isinstance(before, int) and not isinstance(before, bool)
    fits = isinstance(value, wanted) and (isinstance(before, bool) or not isinstance(value, bool))
    if not fits or (whole and value != int(value)):
        kind = "true or false" if isinstance(before, bool) else "a whole number" if whole else "a number"
        raise SettingsError(f"{path} is {text!r}; it must be {kind}, such as {before}.")
    return int(value) if whole else value
