"""Languages by their ISO 639-1 codes, and which one a corpus is read in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taxocom.errors import SettingsError

ENGLISH = "en"

_LISTED = """
af Afrikaans, ar Arabic, bg Bulgarian, bn Bengali, br Breton, ca Catalan, cs Czech, da Danish, de German, el Greek,
en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fr French, ga Irish, gl Galician,
gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, hy Armenian, id Indonesian, it Italian,
ja Japanese, ko Korean, ku Kurdish, la Latin, lt Lithuanian, lv Latvian, mr Marathi, ms Malay, nl Dutch, no Norwegian,
pl Polish, pt Portuguese, ro Romanian, ru Russian, sk Slovak, sl Slovenian, so Somali, sr Serbian, st Sotho,
sv Swedish, sw Swahili, th Thai, tl Tagalog, tr Turkish, uk Ukrainian, ur Urdu, vi Vietnamese, yo Yoruba, zh Chinese,
zu Zulu
"""
_UNLISTED = """
am Amharic, an Aragonese, as Assamese, az Azerbaijani, ba Bashkir, be Belarusian, cy Welsh, dz Dzongkha, fo Faroese,
fy Frisian, gd Scottish Gaelic, ht Haitian, ig Igbo, is Icelandic, jv Javanese, ka Georgian, kk Kazakh, km Khmer,
kn Kannada, ky Kyrgyz, lb Luxembourgish, lg Ganda, ln Lingala, lo Lao, mg Malagasy, mk Macedonian, ml Malayalam,
mn Mongolian, mt Maltese, my Burmese, ne Nepali, oc Occitan, om Oromo, or Odia, pa Punjabi, ps Pashto, qu Quechua,
rw Kinyarwanda, sa Sanskrit, se Northern Sami, si Sinhala, sn Shona, sq Albanian, ta Tamil, te Telugu, tg Tajik,
tk Turkmen, tt Tatar, ug Uyghur, uz Uzbek, vo Volapük, wa Walloon, xh Xhosa
"""


def _named(listed: str) -> dict[str, str]:
    return dict(item.strip().split(" ", 1) for item in listed.replace("\n", " ").split(","))


# The languages whose stop words we know, in the order of their names.
LANGUAGES: Mapping[str, str] = dict(sorted(_named(_LISTED).items(), key=lambda item: item[1]))
_NAMES = {**_named(_UNLISTED), **LANGUAGES}
# Languages and codes that are read as a near relative: their function words are mostly the same.
RELATIVES: Mapping[str, str] = {
    "nb": "no", "nn": "no", "bs": "hr", "sh": "sr", "wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar", "pcm": "en",
    "grc": "el", "iw": "he", "hbo": "he", "in": "id", "fil": "tl",
}  # fmt: skip
# With less than this share of the documents in one language, a corpus is called mixed.
_MIXED = 0.8


def language_name(code: str) -> str:
    """Return the English name of a language, its code if we know none."""
    return _NAMES.get(code, code)


def known_language(code: str) -> str:
    """Return the code that a language is known by here ("nb" is "no"); a SettingsError for one we do not know."""
    found = code.strip().casefold().replace("_", "-").split("-")[0]
    found = RELATIVES.get(found, found)
    if found in _NAMES:
        return found
    raise SettingsError(
        f"There is no language {code!r}. Give a code of ISO 639-1: {', '.join(sorted(LANGUAGES))}; or none, and it is "
        "detected."
    )


@dataclass(frozen=True)
class LanguageReport:
    """The language that a corpus is read in, and what its documents look like.

    `found` are the languages that were told and the number of documents in each, most first, out of `n_sampled` looked
    at; documents that could not be told are in none. What was indexed before languages were told has the defaults.
    """

    code: str = ENGLISH
    chosen: bool = False
    found: tuple[tuple[str, int], ...] = ()
    n_sampled: int = 0

    @property
    def name(self) -> str:
        """The English name of the language."""
        return language_name(self.code)

    @property
    def has_stop_words(self) -> bool:
        """Whether we know the stop words of the language."""
        return self.code in LANGUAGES

    @property
    def is_doubtful(self) -> bool:
        """Whether a person had better look: the documents do not, or not nearly all, look like this language."""
        return bool(self.n_sampled) and self._n_agreeing < _MIXED * self.n_sampled

    @property
    def _n_agreeing(self) -> int:
        return dict(self.found).get(self.code, 0)

    def said(self) -> str:
        """Say the language and how it was settled, in a few words: "Detected: German (98 of 100 documents)"."""
        if not self.n_sampled:
            return f"{'Chosen' if self.chosen else 'Assumed'}: {self.name}"
        way = "Chosen" if self.chosen else "Detected" if self._n_agreeing else "Assumed"
        said = f"{way}: {self.name} ({self._n_agreeing:,} of {self.n_sampled:,} documents"
        others = [f"{n:,} {language_name(code)}" for code, n in self.found if code != self.code]
        return said + (f"; {', '.join(others)})" if self.is_doubtful and others else ")")

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any] | None) -> LanguageReport:
        """Read a report back from `dataclasses.asdict` and JSON; None is that of a corpus without one."""
        if not plain:
            return cls()
        found = tuple((str(code), int(n)) for code, n in plain["found"])
        return cls(str(plain["code"]), bool(plain["chosen"]), found, int(plain["n_sampled"]))
