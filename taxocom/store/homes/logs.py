"""The log of a home: what was done and what went wrong, without a word of what documents say.

It lies in `logs/` of the home, for its owner alone, and begins a new file when one is full. The app, its workers and
the commands write the same file, so turning it over is left to a handler that locks it.
"""

from __future__ import annotations

import logging
import os
import traceback
from contextlib import suppress
from types import TracebackType

from taxocom.store.disk.whole_files import make_private
from taxocom.store.homes.listing import home

SETTING = "TAXOCOM_LOG"
OFF = "off"
LEVELS = ("debug", "info", "warning", "error", OFF)
FILE_NAME = "taxocom.log"
_MAX_BYTES, _N_OLD = 5_000_000, 5
_NAME = "taxocom-home"
_LINE = "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Discreet(logging.Formatter):
    """Tells of an error its kind and its way through the code, and not its message: that may quote a document."""

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802  # logging's name
        error, told = ei[1], list[str]()
        while error is not None:
            told.append("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__)
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\ncaused by\n".join(told)


def start_logging(*, for_server: bool = False, max_bytes: int = _MAX_BYTES) -> None:
    """Write what this process tells into the home's log, at the level that TAXOCOM_LOG names; the usual one is info.

    A server tells it on the terminal too, and makes the home if it is missing: a command that keeps nothing must leave
    nothing. A log that cannot be written stops nobody from working. `debug` writes the messages of errors too.
    """
    level = os.environ.get(SETTING, "").strip().lower() or "info"
    ours = logging.getLogger("taxocom")
    for handler in [handler for handler in ours.handlers if handler.get_name() == _NAME]:
        ours.removeHandler(handler)
        handler.close()
    if level == OFF:
        return
    ours.setLevel(level.upper() if level in LEVELS else logging.INFO)
    handlers: list[logging.Handler] = [logging.StreamHandler()] if for_server else []
    with suppress(OSError):
        if for_server or home().is_dir():
            handlers.append(_file_handler(max_bytes))
    for handler in handlers:
        handler.set_name(_NAME)
        handler.setFormatter(logging.Formatter(_LINE) if level == "debug" else _Discreet(_LINE))
        ours.addHandler(handler)
    if level not in LEVELS:
        ours.warning("%s must be one of %s; info is used.", SETTING, ", ".join(LEVELS))


def _file_handler(max_bytes: int) -> logging.Handler:
    # Loaded here, since a command that only shows its help needs none of it.
    from concurrent_log_handler import ConcurrentRotatingFileHandler

    folder = home() / "logs"
    make_private(folder)
    return ConcurrentRotatingFileHandler(
        folder / FILE_NAME, maxBytes=max_bytes, backupCount=_N_OLD, encoding="utf-8", chmod=0o600
    )
