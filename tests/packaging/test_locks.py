"""What gets installed is locked: every package, by version and by hash, from wherever the reader's pip looks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))


@dataclass(frozen=True)
class Locked:
    """A package of a lock."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def version(self) -> str:
        (only,) = self.requirement.specifier
        assert only.operator == "=="
        return only.version

    @property
    def is_for_here(self) -> bool:
        return self.requirement.marker is None or self.requirement.marker.evaluate()


def logical_lines(name: str) -> list[str]:
    text = re.sub(r"(?m)^\s*#.*\n", "", (ROOT / name).read_text())
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def locked(name: str) -> dict[str, Locked]:
    found = {}
    for line in logical_lines(name):
        requirement, *hashes = line.split(" --hash=")
        package = Locked(Requirement(requirement), tuple(text.strip() for text in hashes))
        found[canonicalize_name(package.requirement.name)] = package
    return found


def asked_for(name: str) -> dict[str, str]:
    """Return the pins of a file that is written by hand, with those of the files that it reads."""
    pins: dict[str, str] = {}
    for line in logical_lines(name):
        if line.startswith("-r "):
            pins |= asked_for(line.removeprefix("-r ").strip())
        else:
            package, version = line.split("==")
            pins[canonicalize_name(package)] = version.strip()
    return pins


def test_every_file_of_requirements_has_its_lock() -> None:
    assert sorted(path.with_suffix(".lock").name for path in ROOT.glob("requirements*.txt")) == LOCKS


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_the_pins_of_its_file(lock: str) -> None:
    versions = {name: package.version for name, package in locked(lock).items()}
    pins = asked_for(lock.replace(".lock", ".txt"))
    assert pins.items() <= versions.items(), "run `make lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_hashes_and_no_place(lock: str) -> None:
    besides = (ROOT / lock).read_text().replace("--hash=", "")
    # An address, a path and an option of pip would each show one of these.
    assert not re.search(r"/|@|--", besides)
    for name, package in locked(lock).items():
        assert package.hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", found) for found in package.hashes), name


def test_locks_that_share_an_environment_agree() -> None:
    app, tests, evaluation = (locked(f"requirements{kind}.lock") for kind in ("", "-dev", "-eval"))
    assert app.keys() <= tests.keys()
    for other in (tests, evaluation):
        assert {name: app[name].version for name in app} == {name: other[name].version for name in app}
    both = tests.keys() & evaluation.keys()
    assert {name: tests[name].version for name in both} == {name: evaluation[name].version for name in both}


def test_what_a_package_needs_is_in_the_lock_too() -> None:
    packages = {name: package for name, package in locked("requirements.lock").items() if package.is_for_here}
    for name in packages:
        for line in metadata.requires(name) or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                needed = packages[canonicalize_name(need.name)]
                assert need.specifier.contains(needed.version, prereleases=True), f"{name} needs {line}"


def test_the_licence_of_everything_that_the_app_runs_on_is_listed() -> None:
    rows = re.findall(r"(?m)^\| (\S+) +\| (\S+) +\| (.+?) +\|$", (ROOT / "LICENSES.md").read_text())
    listed = {canonicalize_name(name): (version, licence) for name, version, licence in rows if name != "Name"}
    here = {name: package.version for name, package in locked("requirements.lock").items() if package.is_for_here}
    assert {name: version for name, (version, _) in listed.items()} == here, "run `make licenses`"
    assert not [name for name, (_, licence) in listed.items() if licence in ("", "UNKNOWN")]


def test_what_is_installed_here_is_what_the_lock_says() -> None:
    for name, package in locked("requirements-dev.lock").items():
        if package.is_for_here:
            assert metadata.version(name) == package.version, name
