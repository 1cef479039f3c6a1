"""A corpus is read in its own language: it is told, its stop words are no terms, its names are found in the plural."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import SettingsError
from taxocom.settings import TextSettings
from taxocom.text import corpus_files
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.language.detection import detect_language, language_of
from taxocom.text.language.languages import LANGUAGES, LanguageReport, known_language
from taxocom.text.language.stop_words import stop_words
from taxocom.text.language.tokens import words_of
from taxocom.text.language.word_forms import number_forms
from taxocom.text.terms.seed_phrases import phrase_forms, seed_terms
from taxocom.text.terms.vocabulary import display, normal_term
from tests.text.language_texts import ALL, CHINESE, FRENCH, GERMAN, HINDI, OTHERS, Texts

SETTINGS = TextSettings(min_count=2, max_words=1)
# Words of a script without spaces are mined as phrases are.
MINED = TextSettings(min_count=2, max_words=2)


def says(text: str, form: str) -> bool:
    """Whether a form stands in a text: as a word, or anywhere in a script that does not part words."""
    return form in (text if len(words_of(form)) > 1 else words_of(text))


@pytest.fixture(scope="module", params=ALL, ids=lambda texts: texts.code)
def read(request: pytest.FixtureRequest) -> tuple[Texts, Corpus]:
    texts: Texts = request.param
    settings = MINED if texts.code in ("zh", "ja") else SETTINGS
    return texts, Corpus.from_documents(texts.documents(), settings=settings, seed_phrases=texts.seed)


def test_the_language_is_told_and_how_many_documents_are_in_it(read: tuple[Texts, Corpus]) -> None:
    texts, corpus = read
    assert corpus.language == corpus.vocabulary.language == texts.code
    assert corpus.language_report == LanguageReport(texts.code, False, ((texts.code, 12),), 12)


def test_no_stop_word_is_a_term(read: tuple[Texts, Corpus]) -> None:
    texts, corpus = read
    assert {normal_term(word) for word in texts.function_words}.isdisjoint(corpus.vocabulary.terms)
    stops = stop_words(None, texts.code)
    assert [term for term in corpus.vocabulary.terms if stops.bars(words_of(display(term)))] == []


def test_words_with_a_subject_of_their_own_are_terms_in_one_piece(read: tuple[Texts, Corpus]) -> None:
    texts, corpus = read
    assert {normal_term(word) for word in texts.terms} <= set(corpus.vocabulary.terms)


def test_a_name_of_the_seed_is_found_in_the_number_that_the_text_has(read: tuple[Texts, Corpus]) -> None:
    texts, corpus = read
    vocabulary = corpus.vocabulary
    names = {name: vocabulary.id_of(normal_term(name)) for name in texts.seed}
    forms = {form: vocabulary.id_of(normal_term(form)) for form in texts.spelled}
    assert set(names.values()) == set(forms.values())
    for name, term_id in names.items():
        assert term_id is not None
        spelled = {normal_term(name), *(normal_term(form) for form, own in forms.items() if own == term_id)}
        holding = [text for text in corpus.texts if any(says(text, form) for form in spelled)]
        assert vocabulary.document_frequencies[term_id] == len(holding)


@pytest.mark.parametrize("code", OTHERS)
def test_a_sentence_is_told_and_its_small_words_are_stop_words(code: str) -> None:
    text, small = OTHERS[code]
    assert language_of(text) == code
    stops = stop_words(None, code)
    assert [word for word in small.split() if not stops.holds(word)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_on_offer_has_stop_words_of_its_own(code: str) -> None:
    assert stop_words(None, code).words | {word for words in stop_words(None, code).phrases for word in words}


@pytest.mark.parametrize(
    ("code", "subjects"),
    [("de", "Recht Menschen Gott Ordnung"), ("es", "empleo trabajo Estado"), ("it", "città vita mondo"),
     ("ru", "война деньги город Россия"), ("fr", "état parole"), ("pt", "povo trabalho sistema"), ("hi", "घर वर्ग")],
)  # fmt: skip
def test_a_word_with_a_subject_is_no_stop_word(code: str, subjects: str) -> None:
    stops = stop_words(None, code)
    assert [word for word in words_of(subjects) if stops.holds(word)] == []


def test_serbian_is_read_in_both_scripts_and_chinese_in_both_sets_of_characters() -> None:
    assert stop_words(None, "sr").words >= {"nije", "није", "gde", "где", "njihov", "његов"}
    assert {("因", "为"), ("因", "為")} <= stop_words(None, "zh").phrases


def test_a_character_that_is_a_stop_word_may_be_part_of_a_word_and_is_no_term_alone() -> None:
    corpus = Corpus.from_documents(CHINESE.documents(), settings=MINED)
    assert stop_words(None, "zh").holds("中")
    assert "中国" in corpus.vocabulary
    assert "中" not in corpus.vocabulary


def test_a_users_stop_words_win_over_those_of_the_language() -> None:
    settings = replace(SETTINGS, stop_words=("Regierung", "auf dem"))
    corpus = Corpus.from_documents(GERMAN.documents(), settings=settings)
    assert corpus.language == "de"
    assert "die" in corpus.vocabulary
    assert "regierung" not in corpus.vocabulary
    phrases = Corpus.from_documents(GERMAN.documents(), settings=replace(settings, max_words=2)).vocabulary.terms
    assert "auf_dem" not in phrases


def test_combining_marks_stay_inside_words() -> None:
    assert words_of("हिन्दी में लिखी किताबें") == ["हिन्दी", "में", "लिखी", "किताबें"]
    assert words_of("क्\u200dष") == words_of("क्ष")
    assert words_of("काफ\u093cी") == words_of("काफ़ी")
    assert words_of("كِتَابٌ كتـــاب كتاب") == ["كتاب"] * 3
    assert words_of("می\u200cشود") == ["می\u200cشود"]
    assert words_of("İstanbul") == words_of("istanbul")


def test_the_language_is_that_of_the_whole_corpus_and_not_of_its_opening() -> None:
    texts = [*(f"The road to the town was closed in {year}." for year in range(100)), *GERMAN.sentences * 40]
    report = detect_language(texts)
    assert report.code == "de"
    assert dict(report.found)["en"] > 0


def test_a_mixed_corpus_says_so() -> None:
    report = detect_language([*GERMAN.sentences, *FRENCH.sentences[:6]])
    assert report == LanguageReport("de", False, (("de", 12), ("fr", 6)), 18)
    assert report.is_doubtful
    assert report.said() == "Detected: German (12 of 18 documents; 6 French)"


def test_where_no_language_can_be_told_english_is_assumed_and_that_is_said() -> None:
    rng = np.random.default_rng(0)
    syllables = ["ba", "ko", "ri", "tu", "me", "la", "no", "si", "du", "fe"]
    texts = [" ".join("".join(rng.choice(syllables, 3)) for _ in range(20)) for _ in range(60)]
    report = detect_language(texts)
    assert report.code == "en"
    assert report.is_doubtful
    assert report.said().startswith("Assumed: English (0 of 60 documents")


def test_a_language_that_is_chosen_is_kept_and_what_the_texts_look_like_goes_along() -> None:
    corpus = Corpus.from_documents(GERMAN.documents(), settings=replace(SETTINGS, language="nl"))
    assert corpus.language == "nl"
    assert corpus.language_report.said() == "Chosen: Dutch (0 of 12 documents; 12 German)"


def test_what_is_built_is_the_same_whether_the_language_was_told_or_chosen() -> None:
    told, chosen, other = (
        Corpus.from_documents(GERMAN.documents(), settings=replace(SETTINGS, language=language))
        for language in (None, "de", "fr")
    )
    assert told.fingerprint == chosen.fingerprint != other.fingerprint
    assert told.vocabulary.terms == chosen.vocabulary.terms


def test_a_corpus_from_before_languages_were_told_opens_as_english(tmp_path: Path) -> None:
    build_corpus(iter(GERMAN.documents()), tmp_path, settings=SETTINGS)
    meta = json.loads((tmp_path / corpus_files.META).read_text(encoding="utf-8"))
    assert meta["report"].pop("language")["code"] == "de"
    (tmp_path / corpus_files.META).write_text(json.dumps(meta), encoding="utf-8")
    assert open_corpus(tmp_path).language == "en"
    assert open_corpus(tmp_path).language_report.said() == "Assumed: English"


def test_a_language_that_is_none_is_refused_before_anything_is_read() -> None:
    with pytest.raises(SettingsError, match="no language 'xx'"):
        Corpus.from_documents(HINDI.documents(), settings=TextSettings(language="xx"))
    with pytest.raises(SettingsError, match="ISO 639-1"):
        TextSettings(language="German language")
    assert known_language("nb") == known_language("NO") == "no"
    assert known_language("pt-BR") == "pt"


@pytest.mark.parametrize(
    ("code", "singular", "plural"),
    [("de", "buch", "bücher"), ("de", "stadt", "städte"), ("de", "wahl", "wahlen"), ("de", "auto", "autos"),
     ("de", "schule", "schulen"), ("de", "regierung", "regierungen"), ("de", "mitglied", "mitglieder"),
     ("de", "ärztin", "ärztinnen"), ("de", "museum", "museen"), ("de", "ergebnis", "ergebnisse"),
     ("fr", "journal", "journaux"), ("fr", "voiture", "voitures"), ("fr", "bureau", "bureaux"),
     ("es", "nación", "naciones"), ("es", "luz", "luces"), ("es", "coche", "coches"), ("es", "papel", "papeles"),
     ("pt", "eleição", "eleições"), ("pt", "jornal", "jornais"), ("pt", "homem", "homens"), ("pt", "flor", "flores"),
     ("it", "partito", "partiti"), ("it", "banca", "banche"), ("it", "elezione", "elezioni"), ("it", "gioco", "giochi"),
     ("ca", "escola", "escoles"), ("ca", "hospital", "hospitals"), ("nl", "school", "scholen"), ("nl", "man", "mannen"),
     ("nl", "huis", "huizen"), ("nl", "boek", "boeken"), ("nl", "overheid", "overheden"), ("sv", "skola", "skolor"),
     ("sv", "bil", "bilar"), ("da", "skole", "skoler"), ("no", "bil", "biler"), ("tr", "okul", "okullar"),
     ("tr", "ev", "ev"), ("ru", "школа", "школы"), ("ru", "завод", "заводы"), ("ru", "выбор", "выборы"),
     ("uk", "школа", "школи"), ("ar", "جامعة", "جامعات"),
     ("ar", "مستشفى", "مستشفيات"), ("de", "garten", "gärten"), ("hi", "लड़का", "लड़के"), ("hi", "नदी", "नदियाँ")],
)  # fmt: skip
def test_singular_and_plural_lead_to_each_other_in_many_languages(code: str, singular: str, plural: str) -> None:
    assert plural in number_forms(singular, code)
    assert singular in number_forms(plural, code)


@pytest.mark.parametrize(
    ("code", "word", "other"),
    [("de", "note", "not"), ("de", "arbeit", "arbeiter"), ("de", "wahlen", "wählen"), ("fr", "cours", "cour"),
     ("zh", "学", "学s"), ("ja", "テレビ", "テレビs"), ("pl", "dom", "doms"), ("xx", "word", "words")],
)  # fmt: skip
def test_another_word_is_no_form(code: str, word: str, other: str) -> None:
    assert other not in number_forms(word, code)


def test_an_adjective_of_a_german_name_is_bent_with_it() -> None:
    assert ("künstlichen", "intelligenz") in phrase_forms(("künstliche", "intelligenz"), "de")


def test_outside_english_a_name_that_is_given_is_never_a_form_of_another() -> None:
    seeds = seed_terms(["Reis", "Reise", "Reisen"], "de")
    assert seeds.phrases == (("reis",), ("reise",), ("reisen",))
    assert all(seeds.forms[words] == words for words in seeds.phrases)
