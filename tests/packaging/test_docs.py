"""The documentation: it builds without a warning, no link of it is dead, and every command in it is one of ours."""

from __future__ import annotations

import csv
import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import click
import pytest

import taxocom
from taxocom.cli import main
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md"), ROOT / "deploy/README.md"])
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places in it that others may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.places.add(value)
            elif (tag, name) in LOADED and value:
                self.loads.append(value)
            elif tag == "a" and name == "href" and value:
                self.leads.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Links]:
    place = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(place)]
    built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    return {page: Links(page.read_text(encoding="utf-8")) for page in place.rglob("*.html")}


@pytest.mark.slow
def test_every_link_leads_somewhere(site: dict[Path, Links]) -> None:
    assert len(site) > 20
    dead = []
    for page, links in site.items():
        for lead in links.leads:
            if urlsplit(lead).scheme:
                continue
            path, place = urldefrag(lead)
            target = (page.parent / unquote(path)).resolve() if path else page
            found = target in site and (not place or unquote(place) in site[target].places)
            if not (found or (target not in site and target.is_file())):
                dead.append(f"{page.name}: {lead}")
    assert dead == []


@pytest.mark.slow
def test_nothing_is_loaded_from_another_host(site: dict[Path, Links]) -> None:
    foreign = {load for links in site.values() for load in links.loads if urlsplit(load).netloc}
    assert foreign == set()
    sheets = next(iter(site)).parents[0].rglob("*.css")
    assert not [sheet.name for sheet in sheets if re.search(r"url\(.?(https?:)?//", sheet.read_text(encoding="utf-8"))]


@pytest.mark.slow
def test_every_public_name_is_explained(site: dict[Path, Links]) -> None:
    (library,) = (links for page, links in site.items() if page.name == "library.html")
    assert {f"taxocom.{name}" for name in taxocom.__all__ if name != "ROOT_ID"} - library.places == set()


def commands_in(text: str) -> Iterator[str]:
    blocks = re.findall(r"(?ms)^```(?:text|sh|bash|)\n(.*?)^```", text)
    lines = [line for block in blocks for line in block.splitlines()]
    for line in [*lines, *re.findall(r"`(taxocom [^`]+)`", text)]:
        said = re.match(r"\s*(taxocom(?: .*)?)$", line.split("   #")[0].rstrip())
        if said and "…" not in said[1].split()[:2]:
            yield said[1]


def problems_of(command: str) -> list[str]:
    """Return the names in a command line that ours do not know."""
    words = [word for word in shlex.split(command.split(" | ")[0].split(";")[0])[1:] if word not in ("…", "&")]
    found: click.Command = main
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        if name.isupper():
            return []
        if name not in found.commands:
            return [name]
        found = found.commands[name]
    known = {option for parameter in found.params for option in (*parameter.opts, *parameter.secondary_opts)}
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return [option for option in options if option not in known | {"--help", "-h", "--version"}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_that_a_page_shows_is_there(page: Path) -> None:
    wrong = {command: problems_of(command) for command in commands_in(page.read_text(encoding="utf-8"))}
    assert {command: names for command, names in wrong.items() if names} == {}


def test_a_command_that_is_not_there_is_seen() -> None:
    text = "```\ntaxocom expnad my-project   # why\n```\nor `taxocom expand my-project --nothing`"
    assert [problems_of(command) for command in commands_in(text)] == [["expnad"], ["--nothing"]]
    assert sum(1 for page in PAGES for _ in commands_in(page.read_text(encoding="utf-8"))) > 30


def test_every_target_of_make_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    named = {name for page in PAGES for name in re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8"))}
    assert named - targets == set()
    helped = {
        name for line in re.findall(r'@echo "make (.*?)   ', (ROOT / "Makefile").read_text()) for name in line.split()
    }
    assert {name for name in helped if name.islower()} - targets == set()


def test_the_table_of_formats_is_true() -> None:
    rows = re.findall(r"(?m)^\| `([\w-]+)` \| `([\w.]+)` \| (yes|no) \|", (DOCS / "formats.md").read_text())
    formats = taxocom.FORMATS.values()
    assert rows == [(each.name, each.file_name, "yes" if each.readable else "no") for each in formats]


@pytest.mark.slow
def test_the_examples_of_the_library_run() -> None:
    failed = doctest.testfile(str(DOCS / "library.md"), module_relative=False)
    assert failed.attempted > 30
    assert failed.failed == 0


def test_the_examples_in_docstrings_run() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / "taxocom").rglob("*.py")
        if ">>> " in path.read_text(encoding="utf-8")
    ]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
    assert len(results) >= 2
    assert {name: result for name, result in results.items() if result.failed or not result.attempted} == {}


@pytest.mark.slow
@pytest.mark.xdist_group("umap")
def test_the_five_minute_start_runs_as_it_is_written(tmp_path: Path) -> None:
    planted = plant(n_parents=3, n_children=1, n_documents=40)
    *kept, _ = planted.gold.children_of(ROOT_ID)
    (tmp_path / "topics.txt").write_text("\n".join(f"- {topic.label}" for topic in kept) + "\n")
    with (tmp_path / "articles.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text"])
        table.writerows(zip(planted.corpus.document_ids, planted.corpus.texts, strict=True))
    (block,) = re.findall(r"(?ms)^```\n(taxocom init.*?)^```", (DOCS / "start.md").read_text())
    for line in block.splitlines():
        command = [sys.executable, "-m", *shlex.split(line)]
        environment = {**os.environ, "TAXOCOM_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
    assert "skos:Concept" in (tmp_path / "topics.ttl").read_text()
