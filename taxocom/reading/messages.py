"""What the two processes say to each other, and what may come out of the one that read a stranger's file."""

from __future__ import annotations

import importlib
import io
import pickle
import socket
import struct
from dataclasses import dataclass, field
from typing import Any, Literal

from taxocom import errors
from taxocom.errors import InputError, TaxocomError
from taxocom.settings import ReadingLimits

READ, PREPARE = b"r", b"p"
"""What the server is asked for, a byte each: to start a reader, or to prepare itself for every reader."""
_LENGTH, _ENDED = struct.Struct("<Q"), struct.Struct("<iQ")
_LONGEST = 2**31
_PLAIN = {("builtins", "set"), ("builtins", "frozenset"), ("pathlib", "PosixPath"), ("pathlib", "Path")}


@dataclass(frozen=True)
class Request:
    """What to read: a reader by its name in `taxocom.reading.readers`, and where relative paths start from."""

    reader: str
    arguments: dict[str, Any]
    limits: ReadingLimits
    folder: str
    environment: dict[str, str]


@dataclass(frozen=True)
class Progressed:
    """The reader is at work."""

    stage: str
    fraction: float


@dataclass(frozen=True)
class GoOn:
    """The word that a reader waits for after each sign of progress; if it does not come, nobody wants the file."""


@dataclass(frozen=True)
class Answer:
    """What was read."""

    value: Any


@dataclass(frozen=True)
class Refused:
    """The file was refused: the kind of `TaxocomError` by its name, and its text."""

    kind: str
    message: str

    @classmethod
    def by(cls, error: TaxocomError) -> Refused:
        """Return an error as a message; a kind that only one module knows becomes the general kind above it."""
        known = next(kind.__name__ for kind in type(error).__mro__ if getattr(errors, kind.__name__, None) is kind)
        return cls(known, str(error))

    def error(self) -> TaxocomError:
        """Return the error to raise."""
        kind = getattr(errors, self.kind, InputError)
        return kind(self.message) if issubclass(kind, TaxocomError) else InputError(self.message)


@dataclass(frozen=True)
class Failed:
    """The file could not be read, and no reader said why: for lack of memory, or by a fault of ours."""

    why: Literal["memory", "fault"]
    details: str = ""


@dataclass(frozen=True)
class Ended:
    """How the reading process ended: its exit status as `os.wait4` gives it, and the most memory it held, in bytes."""

    status: int
    memory: int

    def to_bytes(self) -> bytes:
        """Return it as it goes through a pipe."""
        return _ENDED.pack(self.status, self.memory)

    @classmethod
    def from_bytes(cls, data: bytes) -> Ended | None:
        """Return what came through a pipe, None if nothing did."""
        return cls(*_ENDED.unpack(data)) if len(data) == _ENDED.size else None


Said = Progressed | Answer | Refused | Failed


@dataclass
class Line:
    """A line of messages between two processes."""

    socket: socket.socket
    _stream: Any = field(init=False)

    def __post_init__(self) -> None:
        self._stream = self.socket.makefile("rb")

    def say(self, message: object) -> None:
        """Send a message."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self.socket.sendall(_LENGTH.pack(len(data)) + data)

    def hear(self) -> Any:
        """Return the next message, None if there will be no more; what is no message of ours is an UnpicklingError."""
        start = self._stream.read(_LENGTH.size)
        if len(start) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(start)
        if length > _LONGEST:
            raise pickle.UnpicklingError(f"a message of {length} bytes")
        data = self._stream.read(length)
        if len(data) < length:
            return None
        try:
            return _Plain(io.BytesIO(data)).load()
        except Exception as error:
            raise pickle.UnpicklingError(f"not a message: {error}") from error

    def close(self) -> None:
        """Let the other side know that nobody listens."""
        self._stream.close()
        self.socket.close()


class _Plain(pickle.Unpickler):
    """Unpickle data classes of ours and plain values: a message must not be able to call anything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.startswith("taxocom."):
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not expected in a message")
