"""Which words are too common to be a term by themselves, and which of them may stand inside a phrase.

English has our own list. Every other language has that of `stopwordsiso`, without the words that have a subject of
their own and with some that it lacks (stop_words_changes.txt).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.tokens import ELIDED, is_word_part, words_of

Words = tuple[str, ...]

# What joins the words of a name: "war of independence", "law and order", "freedom of the press". An article joins only
# behind another of these, since "propose a method" and "solve the problem" are no names.
_CONNECTORS = {
    "en": "of for in and to on",
    "ar": "في من على",
    "bg": "и на за в с от по",
    "ca": "de del dels i en a per",
    "cs": "a v na o pro k z do",
    "da": "og af i for på til med",
    "de": "und der des für von zur zum im in am auf mit",
    "el": "και του της των για με σε στο στη στην",
    "es": "de del y e en a al para por con",
    "fi": "ja",
    "fr": "de du des à au aux en et sur pour",
    "hi": "का के की और में से",
    "hr": "i u na o za od s sa",
    "hu": "és",
    "it": "di del della dello dei degli delle e in a per con da",
    "ja": "の",
    "nl": "van voor en in op met der",
    "no": "og av i for på til med",
    "pl": "i w na do o z dla po",
    "pt": "de do da dos das e em no na para por",
    "ro": "de și şi din pentru la cu al a ale",
    "ru": "и в во на по о об с со для к из от",
    "sk": "a v na o pre k z do",
    "sr": "i u na o za od s sa и у на о за од с са",
    "sv": "och av i för på till med",
    "tr": "ve",
    "uk": "і й та в у на по про з для до від",
}
_ARTICLES = {
    "en": "the a an",
    "ca": "el la els les",
    "de": "die den dem das",
    "es": "el la los las",
    "fr": "le la les",
    "it": "il la lo i gli le",
    "nl": "de het een",
    "pt": "o a os as",
}

_CYRILLIC = str.maketrans("abcčćdđefghijklmnoprsštuvzž", "абцчћдђефгхијклмнопрсштувзж")
_TRADITIONAL = str.maketrans(
    "这个们为与对来会时说过还么让给请谁虽从后当将该据无则并两几关于处别种边开没现进间较连随难须实总问论许应尽归",
    "這個們為與對來會時說過還麼讓給請誰雖從後當將該據無則並兩幾關於處別種邊開沒現進間較連隨難須實總問論許應盡歸",
)


@dataclass(frozen=True)
class StopWords:
    """Words that are no terms.

    `connectors` may stand inside a phrase, never at its edge; `articles` only directly behind a connector. `openers`
    are not among `words`: they may open a phrase ("first order"), but are no terms by themselves either. `phrases` are
    entries of several words, most of them in scripts without spaces: no terms together, whatever each word is. In a
    `folded` list accents do not count.
    """

    words: frozenset[str]
    connectors: frozenset[str]
    articles: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    phrases: frozenset[Words] = frozenset()
    folded: bool = False

    def holds(self, word: str) -> bool:
        """Tell whether a word is one of these."""
        return word in self.words or (self.folded and _without_accents(word) in self.words)

    def bars(self, words: Sequence[str]) -> bool:
        """Tell whether words, those of a name say, are no term together.

        Characters that may be part of a word ("大会") are one all the same, unless just this is listed.
        """
        if tuple(words) in self.phrases:
            return True
        if not words or (len(words) > 1 and all(map(is_word_part, words))):
            return False
        return all(map(self.holds, words))


def stop_words(listed: Sequence[str] | None, language: str = ENGLISH) -> StopWords:
    """Return the words of a user's list as our tokeniser writes them, or those of the language for None.

    We do not know which words of a user's list join names, so any of them may stand inside a phrase.
    """
    if listed is None:
        return english() if language == ENGLISH else _of_language(language)
    words, phrases = _split(listed)
    return StopWords(words, words, phrases=phrases)


@cache
def english() -> StopWords:
    """Return our English list."""
    listed = (resources.files("taxocom.text.language") / "stop_words_en.txt").read_text(encoding="utf-8")
    words, openers = (
        frozenset(word for line in part.splitlines() if not line.startswith("#") for word in words_of(line))
        for part in listed.split("[openers]")
    )
    return StopWords(words, _words("en", _CONNECTORS), _words("en", _ARTICLES), openers)


@cache
def _of_language(language: str) -> StopWords:
    words, phrases = _split(_spelled(language, _listed(language)))
    if language in ("ca", "fr", "it"):
        # The tokeniser takes an elided article off a longer word only: "d'un" comes whole.
        words |= {f"{head}'{word}" for head in ELIDED for word in words if len(word) <= 2}
    connectors = _words(language, _CONNECTORS) if language in _CONNECTORS else words
    return StopWords(
        words | connectors, connectors, _words(language, _ARTICLES), phrases=phrases, folded=language == "el"
    )


def _listed(language: str) -> set[str]:
    """Return the entries of the package for a language, changed as our file has it."""
    from stopwordsiso import stopwords

    listed = _listed("hr") if language == "sr" else set(stopwords(language))
    for sign, entries in _changes().get(language, ()):
        listed = listed | entries if sign == "+" else listed - entries
    return listed


@cache
def _changes() -> dict[str, list[tuple[str, set[str]]]]:
    text = (resources.files("taxocom.text.language") / "stop_words_changes.txt").read_text(encoding="utf-8")
    changes: dict[str, list[tuple[str, set[str]]]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            language, sign, *entries = line.split()
            changes.setdefault(language, []).append((sign, {entry.replace("_", " ") for entry in entries}))
    return changes


def _spelled(language: str, entries: Iterable[str]) -> Iterable[str]:
    """Return the entries in every spelling that texts have, and where the list spells them wrongly, rightly."""
    spell = _SPELLINGS.get(language)
    return [spelling for entry in entries for spelling in (entry, *(spell(entry) if spell else ()))]


def _lithuanian(entry: str) -> list[str]:
    # Part of the list was written in the Baltic code page and read in the Western one.
    try:
        return [entry.encode("latin-1").decode("cp1257")]
    except UnicodeError:
        return []


def _serbian(entry: str) -> list[str]:
    pairs = (("lj", "љ"), ("nj", "њ"), ("dž", "џ"))
    for latin, cyrillic in pairs:
        entry = entry.replace(latin, cyrillic)
    return [entry.translate(_CYRILLIC)]


_SPELLINGS: dict[str, Callable[[str], list[str]]] = {
    # "And" and "so" are written as part of the next word; with a function word they make another.
    "ar": lambda entry: [prefix + entry for prefix in "وف"] if len(entry) > 1 else [],
    "el": lambda entry: [_without_accents(entry.replace("∆", "δ"))],
    "lt": _lithuanian,
    "no": lambda entry: [entry.replace("û", "ø")],
    "ro": lambda entry: [entry.replace("ş", "ș").replace("ţ", "ț"), entry.replace("ș", "ş").replace("ț", "ţ")],
    "sr": _serbian,
    "zh": lambda entry: [entry.translate(_TRADITIONAL)],
}


def _without_accents(word: str) -> str:
    parts = unicodedata.normalize("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def _words(language: str, table: dict[str, str]) -> frozenset[str]:
    return frozenset(table.get(language, "").split())


def _split(entries: Iterable[str]) -> tuple[frozenset[str], frozenset[Words]]:
    found = {tuple(words_of(entry)) for entry in entries}
    return frozenset(words[0] for words in found if len(words) == 1), frozenset(w for w in found if len(w) > 1)
