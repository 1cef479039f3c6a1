"""The options that say how a corpus is read, shared by every command that reads one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from taxocom.errors import InputError
from taxocom.settings import TextSettings
from taxocom.subprocesses import cores
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.text.language.languages import LanguageReport, known_language

if TYPE_CHECKING:
    from taxocom.progress import Progress
    from taxocom.reading.readers import CorpusLook
    from taxocom.store import Project
    from taxocom.store.projects.corpus_reading import CorpusReading
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.text.corpus import Corpus
    from taxocom.text.input.loading import CorpusSource, LoadingReport

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option("--text-column", multiple=True, metavar="NAME", help="Column(s) of text; several are joined."),
    click.option("--id-column", metavar="NAME", help="Column of ids."),
    click.option("--title-column", metavar="NAME", help="Column of titles."),
    click.option("--label-column", metavar="NAME", help="Column of gold topics: a path joined by /, or a JSON list."),
    click.option("--date-column", metavar="NAME", help="Column of dates."),
    click.option("--encoding", help="Encoding of the text, instead of the one detected."),
    click.option("--skip-unreadable", is_flag=True, help="Leave out and count files that cannot be read."),
    click.option("--min-count", type=int, help="How often a term must occur.", show_default="5"),
    click.option("--max-words", type=int, help="How many words a phrase may have.", show_default="4"),
    click.option("--max-terms", type=int, help="How many terms to keep.", show_default="50000"),
    click.option(
        "--language",
        metavar="CODE",
        help="The language of the texts by its ISO 639-1 code, such as de or zh.",
        show_default="as detected",
    ),
    click.option(
        "--stop-words",
        type=click.Path(path_type=Path),
        help="A file of stop words, one per line, instead of those of the language.",
    ),
)


@dataclass(frozen=True)
class IndexedCorpus:
    """A corpus in a place of its own, and what was met with while it was read."""

    corpus: Corpus
    loading: LoadingReport


@dataclass(frozen=True)
class Reading:
    """What was asked about reading a corpus; None and empty mean: as guessed, as by default."""

    text_column: tuple[str, ...] = ()
    id_column: str | None = None
    title_column: str | None = None
    label_column: str | None = None
    date_column: str | None = None
    encoding: str | None = None
    min_count: int | None = None
    max_words: int | None = None
    max_terms: int | None = None
    language: str | None = None
    stop_words: Path | None = None
    skip_unreadable: bool = False

    def source(self, corpus: Path) -> CorpusSource:
        """Look at the corpus and settle its columns; what is not there or not a corpus is an InputError."""
        from taxocom.reading.files import source_of

        look = self._look(corpus)
        source = source_of(corpus, encoding=self.encoding, skip_unreadable=self.skip_unreadable)
        return source if look.columns is None else source.with_columns(look.columns)

    def _look(self, corpus: Path, before: Mapping[str, Any] | None = None) -> CorpusLook:
        """Look at the corpus from a safe distance, by the columns that were asked for or used before."""
        from taxocom.reading.files import look_at_corpus
        from taxocom.text.input.opening import is_pattern

        if not corpus.exists() and not is_pattern(corpus):
            raise InputError(f"There is no file or folder {corpus}. Check the path of the corpus.")
        look = look_at_corpus(corpus, encoding=self.encoding, skip_unreadable=self.skip_unreadable)
        asked = {
            "text": self.text_column,
            "id": self.id_column,
            "title": self.title_column,
            "label": self.label_column,
            "date": self.date_column,
        }
        given: dict[str, Any] = {key: value for key, value in asked.items() if value}
        if not given and before is None:
            return look
        if look.columns is None:
            raise InputError(f"{corpus} is read as {look.format} and has no columns. Leave out the column options.")
        from taxocom.text.input.columns import Columns

        columns = look.columns if before is None else from_plain(Columns, before, "columns")
        return look_at_corpus(corpus, encoding=self.encoding, columns=replace(columns, **given))

    def settings(self) -> TextSettings:
        """Return the text settings asked for."""
        return from_plain(TextSettings, self._given_settings(), "settings")

    def _given_settings(self) -> dict[str, Any]:
        asked = {"min_count": self.min_count, "max_words": self.max_words, "max_terms": self.max_terms}
        given: dict[str, Any] = {key: value for key, value in asked.items() if value is not None}
        if self.language is not None:
            given["language"] = known_language(self.language)
        if self.stop_words is not None:
            given["stop_words"] = _read_words(self.stop_words)
        return given

    def index(self, corpus: Path, seed: Taxonomy, place: Path, progress: Progress) -> IndexedCorpus:
        """Index a corpus into an empty directory without a project, the names of the seed as terms."""
        from taxocom.taxonomy.preflight import names_and_keywords
        from taxocom.text.corpus import open_corpus
        from taxocom.text.indexing import build_corpus

        source = self.source(corpus)
        documents = source.documents()
        build_corpus(
            documents,
            place,
            settings=self.settings(),
            seed_phrases=names_and_keywords(seed),
            given_terms=source.given_terms,
            processes=cores(),
            progress=progress,
        )
        return IndexedCorpus(open_corpus(place), documents.report)

    def corpus_reading(self, corpus: Path) -> CorpusReading:
        """Return how to read a corpus, with the columns that are asked for or found."""
        from taxocom.store.projects.corpus_reading import CorpusReading

        columns = self._look(corpus).columns
        plain = to_plain(columns) if columns is not None else None
        settings = self._given_settings()
        return CorpusReading(str(corpus.absolute()), plain, self.encoding, settings, self.skip_unreadable)

    def again(self, project: Project, corpus: Path | None) -> CorpusReading:
        """Return how to read the texts of a project again, or other texts: as before, unless an option changes it."""
        from taxocom.workflow.reading_texts import other_texts, same_texts

        before = same_texts(project) if project.has_corpus else None
        if corpus is None and before is None:
            raise InputError(f"The project {project.name!r} has no texts yet. Give them with --corpus.")
        if before is None or (corpus is not None and str(corpus.absolute()) != before.source):
            return other_texts(project, self.corpus_reading(Path(corpus or "")))
        skip = self.skip_unreadable or bool(before.skip_unreadable)
        known = replace(self, encoding=self.encoding or before.encoding, skip_unreadable=skip)
        look = known._look(Path(before.source), before.columns)
        columns = to_plain(look.columns) if look.columns is not None else None
        settings = self.settings_again(project)
        return replace(before, columns=columns, encoding=known.encoding, settings=settings, skip_unreadable=skip)

    def settings_again(self, project: Project) -> dict[str, Any]:
        """Return the settings to read the texts that a project has again: as before, unless an option changes one."""
        from taxocom.workflow.reading_texts import same_texts

        return {**(same_texts(project).settings or {}), **self._given_settings()}


def reading_options(command: Command) -> Command:
    """Give a command the options of `Reading`; it gets them together as the argument `reading`."""

    @functools.wraps(command)
    def with_reading(*args: Any, **kwargs: Any) -> Any:
        asked = {name: kwargs.pop(name) for name in Reading.__dataclass_fields__}
        return command(*args, reading=Reading(**asked), **kwargs)

    wrapped: Any = with_reading
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]  # click's decorators keep the function


def language_line(report: LanguageReport) -> str:
    """Say which language the texts were read in, and what to do where that may be wrong."""
    said = report.said()
    if report.is_doubtful and not report.chosen:
        said += ". If it is another language, give it with --language"
    if not report.has_stop_words:
        said += ". There is no stop word list for it; give one with --stop-words"
    return f"{said}."


def _read_words(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"The stop words {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The stop words {path} are not UTF-8 ({error.reason}). Save them as UTF-8.") from error
    words = (line.strip() for line in lines)
    return tuple(word.casefold() for word in words if word and not word.startswith("#"))
