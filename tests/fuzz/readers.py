"""Every reader of bytes from strangers, with the files that it reads and the ways to spoil them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from random import Random

from taxocom.interchange import read_seed, replay_bundle
from taxocom.interchange.base.source import Source, bounded_json
from taxocom.interchange.tagger_archive import read_tagger
from taxocom.store.projects.text_tagger import Tagger
from taxocom.taxonomy.decisions import LoggedDecision, replay
from taxocom.text.input.loading import sniff
from tests.fuzz import bombs, mutation, samples
from tests.fuzz.mutation import BYTES, TEXT, Edit, inside_gzip, inside_xz, inside_zip, several
from tests.interchange.samples import SEED
from tests.text import document_samples as documents


@dataclass(frozen=True)
class Reader:
    """A reader, the whole files it starts from, and how they are spoilt.

    `read` is given bytes and an empty folder of its own; `make` gives the files, since some take a moment to make.
    """

    name: str
    read: Callable[[bytes, Path], object]
    make: Callable[[], tuple[bytes, ...]]
    edits: tuple[Edit, ...]
    bombs: tuple[Callable[[], bytes], ...] = ()

    @cached_property
    def files(self) -> tuple[bytes, ...]:
        return self.make()

    def input(self, seed: int, number: int) -> bytes:
        """Return one spoilt file; the first few are the files as they are."""
        if number < len(self.files):
            return self.files[number]
        rng = Random(f"{self.name} {seed} {number}")
        return several(self.edits)(rng.choice(self.files), rng)


def _corpus(name: str, data: bytes, place: Path) -> None:
    file = place / name
    file.write_bytes(data)
    _documents(file)


def _documents(path: Path) -> None:
    source = sniff(path)
    source.preview(5)
    for _ in source.documents():
        pass


def _research(data: bytes, place: Path) -> None:
    """Spoil one of the four files, which the first byte names."""
    spoilt = list(samples.RESEARCH)[data[0] % len(samples.RESEARCH)] if data else "docs.txt"
    for name, whole in samples.RESEARCH.items():
        (place / name).write_bytes(data[1:] if name == spoilt else whole)
    _documents(place)


def _folder(data: bytes, place: Path) -> None:
    for name, whole in samples.FOLDER.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(whole)
    (place / "spoilt.txt").write_bytes(data)
    _documents(place)


def _seed(format_name: str | None, data: bytes, _place: Path) -> None:
    read_seed(data, format_name, name=f"seed.{format_name or 'txt'}").report()


def _bundle(data: bytes, _place: Path) -> None:
    replay_bundle(data).report()


def _decisions(data: bytes, _place: Path) -> None:
    """Read a log as a bundle's is read, and replay what there is."""
    source = Source("the log", data)
    log = []
    for number, line in enumerate(source.text().splitlines()):
        try:
            value = bounded_json(line)
        except ValueError:
            continue
        log.append(LoggedDecision.from_dict(value, f"line {number}"))
    replay(SEED, log)


def _backup(data: bytes, place: Path) -> None:
    from taxocom.store import list_projects, restore_project

    file = place / "backup.zip"
    file.write_bytes(data)
    os.environ["TAXOCOM_HOME"] = str(place / "home")
    try:
        with restore_project(file) as project:
            project.taxonomy()
            project.history()
    finally:
        for summary in list_projects():
            shutil.rmtree(summary.path)


def _tagger(data: bytes, _: Path) -> None:
    Tagger.of(read_tagger(data, "tagger.zip")).tag(samples.TEXTS, n_terms=2)


def _texts() -> Iterator[Reader]:
    yield Reader("csv", partial(_corpus, "a.csv"), lambda: (samples.CSV,), TEXT)
    yield Reader("tsv", partial(_corpus, "a.tsv"), lambda: (samples.TSV,), TEXT)
    yield Reader("jsonl", partial(_corpus, "a.jsonl"), lambda: (samples.JSONL,), (*TEXT, mutation.line_value_replaced))
    yield Reader("lines", partial(_corpus, "a.txt"), lambda: (samples.LINES,), TEXT)
    yield Reader("unnamed text", partial(_corpus, "upload"), lambda: (samples.JSONL, samples.LINES, samples.CSV), TEXT)
    yield Reader("parquet", partial(_corpus, "a.parquet"), _parquet_files, BYTES, bombs.CORPORA)
    in_zip = (*BYTES, *[inside_zip(several(TEXT))] * 9)
    yield Reader("zip", partial(_corpus, "a.zip"), lambda: (samples.ZIP, samples.ZIPPED_TABLE), in_zip)
    yield Reader(
        "gz", partial(_corpus, "a.jsonl.gz"), lambda: (samples.GZ,), (*BYTES[:4], *[inside_gzip(several(TEXT))] * 6)
    )
    yield Reader(
        "xz", partial(_corpus, "a.csv.xz"), lambda: (samples.XZ,), (*BYTES[:4], *[inside_xz(several(TEXT))] * 6)
    )
    yield Reader("folder", _folder, lambda: tuple(samples.FOLDER.values()), TEXT)
    research = tuple(bytes([n]) + data for n, data in enumerate(samples.RESEARCH.values()))
    yield Reader("research", _research, lambda: research, TEXT)


def _document_files() -> Iterator[Reader]:
    pdf = partial(documents.pdf, "The football match was won", "Second page", title="Report")
    for name, make in (
        ("pdf", pdf),
        ("docx", partial(documents.docx, "The match was won.", title="Match", table=("home", "3"))),
        ("html", partial(documents.html, "<h1>Rates</h1><p>The bank <b>raised</b> rates &amp; fees.<br>", "Rates")),
        ("eml", partial(documents.mail, "Shall we meet?", "Meeting")),
        ("mbox", lambda: documents.mailbox(documents.mail("One"), documents.mail("Two", number=2))),
    ):
        edits = (*BYTES, *[inside_zip(several(TEXT))] * 4) if name == "docx" else BYTES if name == "pdf" else TEXT
        yield Reader(name, partial(_corpus, f"a.{name}"), partial(_alone, make), edits)


def _alone(make: Callable[[], bytes]) -> tuple[bytes, ...]:
    return (make(),)


def _parquet_files() -> tuple[bytes, ...]:
    return (*(samples.parquet(packing) for packing in ("none", "zstd", "snappy")), samples.odd_parquet())


def _seeds() -> Iterator[Reader]:
    in_json = (*TEXT, *[mutation.value_replaced] * 4)
    yield _seed_reader("tsv", (), TEXT)
    yield _seed_reader("markdown", (samples.OUTLINE,), TEXT)
    yield _seed_reader("csv", (samples.PATHS, samples.LINKS, samples.LEVELS), TEXT)
    yield _seed_reader("json", (samples.SIMPLE_JSON,), in_json)
    yield _seed_reader("xlsx", (), (*BYTES, *[inside_zip(several(TEXT))] * 9))
    yield _seed_reader("turtle", (samples.KITCHEN_TURTLE,), TEXT)
    yield _seed_reader("rdfxml", (), TEXT)
    yield _seed_reader("jsonld", (), in_json)
    yield Reader("seed of any kind", partial(_seed, None), _seeds_of_any_kind, TEXT)


def _seed_reader(name: str, files: tuple[bytes, ...], edits: tuple[Edit, ...]) -> Reader:
    make = lambda: (samples.exported(name), *files)  # noqa: E731
    return Reader(f"seed {name}", partial(_seed, name), make, edits, bombs.SEEDS.get(name, ()))


def _seeds_of_any_kind() -> tuple[bytes, ...]:
    written = (samples.OUTLINE, samples.PATHS, samples.LINKS, samples.LEVELS)
    return (*written, *(samples.exported(name) for name in ("csv", "json", "tsv", "jsonld")))


def _others() -> Iterator[Reader]:
    inside = inside_zip(several((*BYTES, mutation.value_replaced, mutation.line_value_replaced)))
    yield Reader("bundle", _bundle, lambda: (samples.bundle(),), (*BYTES, *[inside] * 9), bombs.BUNDLES)
    yield Reader("tagger", _tagger, lambda: (samples.tagger(),), (*BYTES, *[inside] * 9))
    decided = (mutation.line_value_replaced,) * 12
    yield Reader("decisions", _decisions, lambda: (samples.DECISIONS,), (*TEXT, *decided))
    forged = inside_zip(several((*BYTES, mutation.value_replaced)), mutation.renew_backup)
    yield Reader("backup", _backup, lambda: (samples.backup(),), (*BYTES, *[forged] * 9))


READERS = {reader.name: reader for reader in (*_texts(), *_document_files(), *_seeds(), *_others())}
