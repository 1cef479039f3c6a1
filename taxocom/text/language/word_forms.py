"""The spellings of a word in singular and plural, by language.

Only regular endings are known, and in Russian and Ukrainian those of the cases, since a name hardly ever stands in the
nominative there. A form that is no word costs nothing, it never occurs. A language that is not here has the word as it
is given: a wrong form that is another word would take its documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from taxocom.text.language.languages import ENGLISH

# An s at the end that makes no plural.
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics")
_INVARIANT = frozenset(
    ("news", "series", "species", "means", "goods", "arms", "customs", "headquarters", "diabetes", "always", "perhaps")
)
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"
_SHORTEST_STEM = 3


@lru_cache(maxsize=50_000)
def number_forms(word: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return the spellings of a word in singular and plural, its own first."""
    if language == ENGLISH:
        return _english(word)
    if len(word) < _SHORTEST_STEM or any(map(str.isdigit, word)):
        return (word,)
    own_way = _OWN_WAYS.get(language)
    found = own_way(word) if own_way else _by_rules(word, _RULES.get(language, ()))
    return tuple(dict.fromkeys([word, *(form for form in found if len(form) >= _SHORTEST_STEM)]))


def modifier_forms(word: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return the spellings of a word that stands before the last of a name: where it is an adjective, it goes along."""
    forms = number_forms(word, language)
    if language == "de" and word.endswith("e"):
        forms = (word, *(word + ending for ending in "nrsm"))
    return forms


def _english(word: str) -> tuple[str, ...]:
    if len(word) < 3 or not word.isalpha() or word in _INVARIANT or word.endswith("ics"):
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        return word, word[:-3] + "y", word[:-1]
    if word.endswith("es") and word[:-2].endswith((*_SIBILANTS, "o")):
        return word, word[:-2], word[:-1]
    if word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS):
        return word, word[:-1]
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word, word[:-1] + "ies"
    if word.endswith(_SIBILANTS):
        return word, word + "es"
    return (word, word + "s", word + "es") if word.endswith("o") else (word, word + "s")


class _Rule(NamedTuple):
    """Words that end like `pattern` have `cut` letters taken off and each of `endings` put there, "-" being none."""

    pattern: re.Pattern[str]
    cut: int
    endings: tuple[str, ...]


def _rules(*listed: tuple[str, int, str]) -> tuple[_Rule, ...]:
    return tuple(_Rule(re.compile(f"(?:{ending})$"), cut, tuple(to.split())) for ending, cut, to in listed)


def _by_rules(word: str, rules: tuple[_Rule, ...]) -> list[str]:
    """Return the forms by the first rule that fits."""
    for rule in rules:
        if rule.pattern.search(word):
            stem = word[: len(word) - rule.cut]
            return [stem + ending.replace("-", "") for ending in rule.endings]
    return []


_FRENCH_SINGULAR = (
    r"^(?:cours|fils|pays|temps|corps|mois|bois|bras|cas|sens|avis|poids|repas|discours|concours|recours|secours|univers|"
    r"parcours|palais|relais|prix|paix|voix|choix|croix|gaz|nez)|us|ès"
)
_RUSSIAN_ADJECTIVE = "ые ого ых ому ым ыми ом ая ую ой ое ый"
_RUSSIAN_SOFT_ADJECTIVE = "ие его их ему им ими ем яя юю ей ее ий ого ому ом ая ую ой ое"
_UKRAINIAN_ADJECTIVE = "і ого их ому им ими ій а у ою е ий"

_RULES: dict[str, tuple[_Rule, ...]] = {
    "fr": _rules(
        (_FRENCH_SINGULAR, 0, ""), ("aux", 3, "al ail au aux"), ("eaux|eux", 1, "-"), ("s", 1, "-"), ("x|z", 0, ""),
        ("ail", 3, "ails aux"), ("al", 2, "aux als"), ("eau|eu", 0, "x s"), ("", 0, "s"),
    ),
    "es": _rules(
        ("is", 0, ""), ("ces", 3, "z ce"), ("iones", 4, "ón"), ("[^aeiouáéíóú]es", 2, "- e"), ("[aeiouáéó]s", 1, "-"),
        ("ión", 2, "ones"), ("án", 2, "anes"), ("én", 2, "enes"), ("ín", 2, "ines"), ("és", 2, "eses"),
        ("z", 1, "ces"), ("[aeiouáéó]", 0, "s"), ("[íú]", 0, "es s"), ("", 0, "es"),
    ),
    "pt": _rules(
        ("ões|ães|ãos", 3, "ão"), ("ais", 2, "l"), ("éis|eis", 3, "el"), ("óis", 3, "ol"), ("ns", 2, "m"),
        ("[rzs]es", 2, "-"), ("[aeiouáéíóúãê]s", 1, "-"), ("ão", 2, "ões ães ãos"), ("al", 1, "is"),
        ("el", 2, "éis eis"), ("ol", 2, "óis"), ("il", 1, "s"), ("m", 1, "ns"),
        ("[rzs]", 0, "es"), ("[aeiouáéíóúê]", 0, "s"), ("", 0, ""),
    ),
    "it": _rules(
        ("chi", 3, "co ca"), ("ghi", 3, "go ga"), ("che", 3, "ca"), ("ghe", 3, "ga"), ("co", 1, "hi i"),
        ("go", 1, "hi i"), ("ca|ga", 1, "he"), ("cia|gia", 2, "e ie"), ("io", 1, "-"), ("ma|sta", 1, "i e"),
        ("o", 1, "i"), ("a", 1, "e"), ("e", 1, "i a"), ("i", 1, "o e io"), ("", 0, ""),
    ),
    "ca": _rules(
        ("ques", 4, "ca"), ("gues", 4, "ga"), ("ces", 3, "ça"), ("es", 2, "a e"), ("ons", 3, "ó on"), ("s", 1, "-"),
        ("ca", 2, "ques"), ("ga", 2, "gues"), ("ça", 2, "ces"), ("a", 1, "es"), ("ó", 1, "ons"), ("", 0, "s"),
    ),
    "sv": _rules(
        ("orna", 4, "a"), ("arna|erna", 4, "- e"), ("or", 2, "a"), ("ar", 2, "- e"), ("a", 1, "or orna an"),
        ("e", 1, "ar arna en"), ("", 0, "ar er arna erna en et"),
    ),
    "da": _rules(("erne", 4, "- e"), ("er", 2, "- e"), ("e", 0, "r n rne"), ("", 0, "er e en et erne")),
    "no": _rules(("ene", 3, "- e"), ("er", 2, "- e"), ("e", 0, "r n ne"), ("", 0, "er en et ene a")),
    "tr": _rules(
        ("lar|ler", 3, "-"), ("[aıou][^aeıioöuü]*", 0, "lar ları ların"), ("[eiöü][^aeıioöuü]*", 0, "ler leri lerin")
    ),
    "ru": _rules(
        ("ый|ой|ое|ая|ые", 2, _RUSSIAN_ADJECTIVE), ("ий|ее|яя|[кгхжшщч]ие", 2, _RUSSIAN_SOFT_ADJECTIVE),
        ("ия|ие|ии", 1, "и ю ей й ем я е ям ями ях"), ("[гкхжшщч]а", 1, "и е у ой ей - ам ами ах"),
        ("а", 1, "ы е у ой - ам ами ах"), ("я", 1, "и е ю ей й ь ям ями ях"), ("о", 1, "а у ом е - ам ами ах"),
        ("е", 1, "я ю ем ей ям ями ях"), ("ь", 1, "и ю я ью ем е ей ям ями ях"),
        ("й", 1, "и я ю ем е ев ям ями ях"), ("ы", 1, "- а е у ом ой ов ам ами ах"),
        ("и", 1, "- ь я а е у ю ом ем ов ей ам ям ами ями ах ях"), ("ок", 2, "ки ка ку ком ке ков кам ками ках"),
        ("ец", 2, "цы ца цу цем це цев цам цами цах"), ("[гкхжшщч]", 0, "и а у ом ем е ов ей ам ами ах"),
        ("[бвдзлмнпрстфц]", 0, "ы а у ом ем е ов ев ам ами ах"),
    ),
    "uk": _rules(
        ("ий", 2, _UKRAINIAN_ADJECTIVE), ("[нск]і", 1, _UKRAINIAN_ADJECTIVE), ("ія|ії", 1, "ї ю єю й ям ями ях я"),
        ("а", 1, "и і у ою - ам ами ах"), ("я", 1, "і ю ею ь ям ями ях"), ("о", 1, "а у ом і - ам ами ах"),
        ("ь", 1, "і ю я ем ей ів ям ями ях"), ("и", 1, "- а у ом і ою ів ам ами ах"),
        ("[бвгґджзйклмнпрстфхцчшщ]", 0, "и і а у ом ем ові ів ам ами ах"),
    ),
    "hi": _rules(
        ("ियाँ|ियां|ियों", 4, "ी ि"), ("ओं|एँ|एं", 2, "-"), ("ें|ों", 2, "- ा"), ("े", 1, "ा ों"), ("ा", 1, "े ों ाओं ाएँ"),
        ("[ीि]", 1, "ियाँ ियां ियों"), ("[ूु]", 1, "ुओं ुएँ"), ("", 0, "ें ों"),
    ),
}  # fmt: skip

# German neuter nouns, and some others, with a plural in er; compounds end in them.
_ER_PLURALS = (
    "amt", "bad", "band", "bild", "blatt", "brett", "buch", "bund", "dach", "dorf", "fach", "feld", "geld", "glas",
    "glied", "gras", "gut", "haus", "huhn", "kind", "kleid", "kraut", "land", "lied", "loch", "mann", "mund", "rad",
    "rand", "rind", "schild", "schloss", "tal", "tuch", "volk", "wald", "wort", "wurm",
)  # fmt: skip
# Those whose plural is nothing but bent.
_BENT_PLURALS = (
    "acker", "apfel", "boden", "bruder", "garten", "graben", "hafen", "kasten", "kloster", "laden", "mangel", "mantel",
    "mutter", "nagel", "ofen", "schaden", "tochter", "vater", "vogel",
)  # fmt: skip
_UMLAUTS = (("au", "äu"), ("a", "ä"), ("o", "ö"), ("u", "ü"))
# Nouns that are another word without or with their ending: "Reis" is rice, "Reise" a journey.
_OTHER_WORDS = frozenset(
    ("kohl", "kohlen", "mark", "marken", "massen", "not", "noten", "pol", "polen", "pollen", "reis", "reisen", "toten")
)
_SINGULARS = {
    "innen": "in", "nissen": "nis", "nisse": "nis", "ungen": "ung", "heiten": "heit", "keiten": "keit", "ionen": "ion",
    "schaften": "schaft", "täten": "tät", "iken": "ik", "een": "eum", "ien": "ium",
}  # fmt: skip


def _german(word: str) -> list[str]:
    """Return the plural of a singular and the other way round; an e is not taken off, for "Note" is not "Not"."""
    forms = _german_plurals(word)
    forms += [word.removesuffix(ending) + single for ending, single in _SINGULARS.items() if word.endswith(ending)]
    for bare in (word, word.removesuffix("n")):
        forms += [bare.removesuffix(end) + noun for noun, end in _bent_nouns() if bare.endswith(end)]
        if bare.endswith("e") and (plain := _without_umlaut(bare[:-1])) != bare[:-1]:
            forms.append(plain)
    if word.endswith("en"):
        forms += [word[:-1], *([] if word in _OTHER_WORDS else [word[:-2]])]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        forms.append(word[:-1])
    return forms


@cache
def _bent_nouns() -> tuple[tuple[str, str], ...]:
    plurals = {noun: _umlaut(noun) + "er" for noun in _ER_PLURALS} | {noun: _umlaut(noun) for noun in _BENT_PLURALS}
    return tuple(plurals.items())


def _german_plurals(word: str) -> list[str]:
    if word.endswith("in"):
        return [word + "nen"]
    if word.endswith("nis"):
        return [word + "se", word + "sen", word + "ses"]
    if word.endswith(("um", "us")) and not word.endswith(("aum", "aus")):
        return [word[:-2] + "en", word + "s", word + "e"]
    if word.endswith("e"):
        return [word + "n", word + "s"]
    if word.endswith(_BENT_PLURALS):
        return [word + "n", word + "s", _umlaut(word), _umlaut(word) + "n"]
    if word.endswith(("er", "el", "en")):
        return [word + "n", word + "s"]
    if word.endswith(("a", "i", "o", "u", "y")):
        return [word + "s", *([word[:-1] + "en"] if word.endswith(("a", "o")) else [])]
    if word in _OTHER_WORDS:
        return [word + "s", word + "es"]
    forms = [word + ending for ending in ("e", "en", "s", "es")]
    bent = _umlaut(word)
    forms += [bent + "e", bent + "en"]
    if word.endswith(_ER_PLURALS):
        forms += [bent + "er", bent + "ern"]
    return forms


def _umlaut(word: str) -> str:
    """Return a word with its last a, o, u or au bent, if that is its last vowel but for an ending."""
    found = re.search(r"(au|[aou])([^aeiouäöü]+(?:e[rnl])?)$", word)
    return word[: found.start()] + dict(_UMLAUTS)[found[1]] + found[2] if found else word


def _without_umlaut(word: str) -> str:
    found = re.search(r"(äu|[äöü])([^aeiouäöü]+)$", word)
    return word[: found.start()] + {bent: plain for plain, bent in _UMLAUTS}[found[1]] + found[2] if found else word


_DUTCH_SHORT = re.compile(r"(?<![aeiou])[aeiou]([bdfgklmnprst])$")
_DUTCH_LONG = re.compile(r"(aa|ee|oo|uu)([bdfgklmnprst])$")
_VOICED = {"f": "v", "s": "z"}


def _dutch(word: str) -> list[str]:
    """Return the plural in en and s, with the vowel short or long as it was, and the other way round."""
    if word.endswith("heden"):
        return [word[:-5] + "heid"]
    if word.endswith("en"):
        stem = word[:-2]
        hard = stem[:-1] + {voiced: letter for letter, voiced in _VOICED.items()}.get(stem[-1:], stem[-1:])
        single = stem[:-1] if stem[-1:] == stem[-2:-1] else hard
        return [hard, single, hard[:-2] + 2 * hard[-2:-1] + hard[-1:], stem + "e"]
    if word.endswith("heid"):
        return [word[:-2] + "den"]
    voiced = word[:-1] + _VOICED.get(word[-1], word[-1])
    forms = [word + "en", voiced + "en", word + "s", *([word[:-1]] if word.endswith("s") else [])]
    if found := _DUTCH_SHORT.search(word):
        forms.append(word + found[1] + "en")
    if found := _DUTCH_LONG.search(word):
        forms.append(word[: found.start()] + found[1][0] + voiced[-1] + "en")
    return [word + "n", word + "s"] if word.endswith("e") else forms


def _arabic(word: str) -> list[str]:
    """Return the regular plurals, each with and without the article and what is written with it."""
    bare = word.removeprefix("ال") if len(word) > _SHORTEST_STEM + 1 else word
    if bare.endswith("يات"):
        numbers = [bare, bare[:-3] + "ى", bare[:-2] + "ة"]
    elif bare.endswith("ات"):
        numbers = [bare, bare[:-2] + "ة", bare[:-2]]
    elif bare.endswith(("ون", "ين")) and len(bare) > _SHORTEST_STEM + 1:
        numbers = [bare, bare[:-2], bare[:-2] + "ون", bare[:-2] + "ين"]
    elif bare.endswith(("ة", "ى")):
        numbers = [bare, bare[:-1] + ("ات" if bare.endswith("ة") else "يات")]
    else:
        numbers = [bare, bare + "ات", bare + "ون", bare + "ين"]
    return [prefix + form for form in numbers for prefix in ("", "ال", "وال", "بال", "لل")]


_OWN_WAYS: dict[str, Callable[[str], list[str]]] = {"ar": _arabic, "de": _german, "nl": _dutch}
