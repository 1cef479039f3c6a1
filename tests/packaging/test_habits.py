"""What people are asked to do by hand is what the machine does: hooks, hosted runs, the version, the licence."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import taxocom

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def recipe(target: str) -> list[str]:
    (found,) = re.findall(rf"(?m)^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text())
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in found.splitlines()]


def test_hooks_run_what_lint_runs() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook["entry"].replace(" --force-exclude", "") for repo in config["repos"] for hook in repo["hooks"]]
    assert hooks == [re.sub(r" (\.|taxocom)$", "", command) for command in recipe("lint")]
    assert {repo["repo"] for repo in config["repos"]} == {"local"}


@pytest.mark.slow
def test_the_file_of_hooks_is_one() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(ROOT / ".pre-commit-config.yaml")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def test_hosted_runs_do_what_is_done_here_on_every_python_from_the_oldest_on() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    job = workflow["jobs"]["tests"]
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert job["strategy"]["matrix"]["python"] == [oldest, "3.12", "3.13", "3.14"]
    steps = [step["run"] for step in job["steps"] if step.get("run", "").startswith("make")]
    assert [step.split()[1] for step in steps] == ["setup", "lint", "docs", "test"]
    assert workflow["permissions"] == {"contents": "read"}


def test_the_version_and_the_licence_are_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    (newest, date), *_ = re.findall(r"(?m)^## (\d+\.\d+\.\d+) \(([\d-]+)\)", (ROOT / "CHANGELOG.md").read_text())
    assert {newest, citation["version"], PROJECT["project"]["version"]} == {taxocom.__version__}
    assert citation["date-released"].isoformat() == date
    assert citation["license"] == PROJECT["project"]["license"] == "Apache-2.0"


def test_the_floor_of_coverage_holds_for_the_whole_suite_only() -> None:
    # A part of the suite reaches less, so only `make test` asks for it.
    assert "--cov" not in PROJECT["tool"]["pytest"]["ini_options"]["addopts"]
    assert any("--cov" in command for command in recipe("test"))
    assert PROJECT["tool"]["coverage"]["report"]["fail_under"] >= 60
