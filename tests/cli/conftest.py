"""A home of its own for every test, the command line as a function, and a small corpus on two topics."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from taxocom.cli import main

SPORT = [
    "the football match ended with a goal",
    "a tennis match and a football match",
    "the goal came late in football",
]
LAW = ["the court heard the judge", "a judge in court spoke of law", "law and the court of justice"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("TAXOCOM_HOME", str(folder))
    monkeypatch.setenv("TAXOCOM_AUTHOR", "Ada")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run `taxocom` with these arguments and return what came of it; an error that is not ours fails the test."""

    def invoke(*arguments: object, code: int = 0, input: str | None = None) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    texts = [f"{text} number{i}" for i in range(12) for text in (*SPORT, *LAW)]
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    return path


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    path = tmp_path / "seed.txt"
    path.write_text("football\n  goal\ncourt\n  judge\n")
    return path


@pytest.fixture
def project(run, corpus: Path, seed: Path) -> str:
    run("init", "games", "--corpus", corpus, "--seed", seed, "--quiet")
    return "games"
