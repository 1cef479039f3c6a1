"""A home of its own for every test, the command line as a function, and a small corpus on two topics."""

import json
import shutil
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


def write_corpus(path: Path) -> Path:
    texts = [f"{text} number{i}" for i in range(12) for text in (*SPORT, *LAW)]
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    return path


def write_seed(path: Path) -> Path:
    path.write_text("football\n  goal\ncourt\n  judge\n")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus.jsonl")


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    return write_seed(tmp_path / "seed.txt")


@pytest.fixture(scope="session")
def home_with_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the project `games`, made once and copied for each test that wants it."""
    folder = tmp_path_factory.mktemp("template")
    corpus, seed = write_corpus(folder / "corpus.jsonl"), write_seed(folder / "seed.txt")
    arguments = ["--home", folder / "home", "init", "games", "--corpus", corpus, "--seed", seed, "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", "")
        assert CliRunner().invoke(main, [str(argument) for argument in arguments]).exit_code == 0
    return folder / "home"


@pytest.fixture
def project(home_with_project: Path, home: Path) -> str:
    shutil.copytree(home_with_project, home)
    return "games"
