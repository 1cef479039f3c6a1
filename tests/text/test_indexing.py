"""From documents to a corpus: what is counted, what is kept, and that the same input gives the same corpus."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from taxocom.errors import CancelledError, InputError
from taxocom.settings import TextSettings
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.text.input.research import GivenTerms
from taxocom.text.terms.vocabulary import display, normal_term

SETTINGS = TextSettings(min_count=2)


_EXTRA = ("gradient descent", "supreme court", "football season")


def news(n: int = 60) -> list[Document]:
    """Make documents about three subjects, with words that come back and words that do not."""
    rng = np.random.default_rng(0)
    subjects = [
        "neural networks learn by gradient descent on deep neural networks",
        "the court of appeal heard the supreme court and its judges",
        "a football match and a football team, the football season",
    ]
    filler = ["often", "green", "stone", "river", "paper", "seven", "window", "yellow", "lamp", "garden"]
    return [
        Document(
            f"d{number}",
            f"{subjects[number % 3]}. {' '.join(rng.choice(filler, 6))} {_EXTRA[number % 3]}. Number {number}!",
            title=f"Report {number}",
            labels=("all", str(number % 3)),
            date="2020-01-01",
        )
        for number in range(n)
    ]


def index(folder: Path, documents: list[Document], **options: object) -> Corpus:
    folder.mkdir()
    build_corpus(documents, folder, **({"settings": SETTINGS} | options))  # type: ignore[arg-type]
    return open_corpus(folder)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return index(tmp_path_factory.mktemp("indexing") / "corpus", news())


def test_a_document_comes_back_as_it_was(corpus: Corpus) -> None:
    for number, document in enumerate(news()):
        assert corpus.document_ids[number] == document.document_id
        assert corpus.texts[number] == document.text
        assert corpus.titles[number] == document.title
        assert corpus.labels[number] == document.labels
        assert corpus.dates[number] == document.date
    assert len(corpus.texts) == corpus.n_documents == 60
    assert corpus.texts[-1] == corpus.texts[59]
    assert list(corpus.document_ids[:2]) == ["d0", "d1"]
    with pytest.raises(IndexError):
        corpus.texts[60]


def test_counts_are_those_of_the_tokens(corpus: Corpus) -> None:
    vocabulary = corpus.vocabulary
    assert vocabulary.counts.tolist() == np.bincount(corpus.tokens, minlength=len(vocabulary)).tolist()
    assert corpus.counts.sum() == corpus.n_tokens
    for document in range(corpus.n_documents):
        row = corpus.counts[[document]].toarray().ravel()
        assert {i: c for i, c in enumerate(row.tolist()) if c} == Counter(corpus.terms_of(document).tolist())
    assert vocabulary.document_frequencies.tolist() == (corpus.counts.toarray() > 0).sum(axis=0).tolist()


def test_terms_are_ordered_by_frequency_and_keep_to_the_rules(corpus: Corpus) -> None:
    counts = corpus.vocabulary.counts
    assert (np.diff(counts) <= 0).all()
    assert counts.min() >= SETTINGS.min_count
    for term in corpus.vocabulary.terms:
        words = display(term).split()
        assert len(words) <= SETTINGS.max_words
        assert words[0] not in {"the", "of", "and", "a"}
        assert words[-1] not in {"the", "of", "and", "a"}
        assert normal_term(display(term)) == term
    assert {"the", "number", "7", "d"} & set(corpus.vocabulary.terms) == {"number"}


def test_phrases_are_terms(corpus: Corpus) -> None:
    assert {"gradient_descent", "supreme_court"} <= set(corpus.vocabulary.terms)


def test_large_arrays_are_mapped_and_read_only(corpus: Corpus) -> None:
    assert not corpus.tokens.flags.writeable
    assert not corpus.counts.data.flags.writeable
    assert is_mapped(corpus.tokens)
    assert is_mapped(corpus.counts.data)
    assert is_mapped(corpus.counts.indices)


def is_mapped(array: np.ndarray) -> bool:
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(getattr(base, "obj", base), pa.Buffer)


def test_titles_are_indexed(corpus: Corpus) -> None:
    assert corpus.vocabulary.counts[corpus.vocabulary.id_of("report")] == 60


def test_the_same_input_gives_the_same_corpus(tmp_path: Path, corpus: Corpus) -> None:
    again = index(tmp_path / "again", news())
    assert again.fingerprint == corpus.fingerprint
    assert again.vocabulary.terms == corpus.vocabulary.terms
    assert again.tokens.tolist() == corpus.tokens.tolist()


@pytest.mark.parametrize("what", ["text", "labels", "settings", "seed"])
def test_the_fingerprint_tells_what_went_in(tmp_path: Path, corpus: Corpus, what: str) -> None:
    documents, options = news(), {}
    if what == "text":
        documents[5] = replace(documents[5], text=documents[5].text + " more")
    elif what == "labels":
        documents[5] = replace(documents[5], labels=("other",))
    elif what == "settings":
        options["settings"] = replace(SETTINGS, min_count=3)
    else:
        options["seed_phrases"] = ["football"]
    assert index(tmp_path / "other", documents, **options).fingerprint != corpus.fingerprint


def test_the_order_of_documents_changes_no_term(tmp_path: Path, corpus: Corpus) -> None:
    turned = index(tmp_path / "turned", news()[::-1])
    assert turned.vocabulary.terms == corpus.vocabulary.terms
    assert turned.vocabulary.counts.tolist() == corpus.vocabulary.counts.tolist()


def test_a_document_without_terms_stays_as_an_empty_row(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    report = build_corpus([*news(), Document("odd", "the and of 42")], folder, settings=SETTINGS)
    assert report.n_without_terms == 1
    assert len(open_corpus(folder).terms_of(60)) == 0


def test_seed_phrases_are_terms_in_singular_and_plural(tmp_path: Path) -> None:
    documents = [
        *news(),
        Document("x", "One quantum group."),
        Document("y", "Two Quantum-Groups, and wars of independence"),
    ]
    corpus = index(tmp_path / "corpus", documents, seed_phrases=["Quantum Groups", "war of independence"])
    vocabulary = corpus.vocabulary
    assert vocabulary.counts[vocabulary.id_of("quantum_groups")] == 2
    assert vocabulary.id_of("quantum_group") == vocabulary.id_of("quantum_groups")
    assert "war_of_independence" in vocabulary
    assert vocabulary.integrity[vocabulary.id_of("quantum_groups")] == 1.0
    assert "quantum" not in vocabulary


def test_seed_phrases_win_over_mined_ones(tmp_path: Path) -> None:
    plain = index(tmp_path / "plain", news())
    seeded = index(tmp_path / "seeded", news(), seed_phrases=["networks learn"])
    assert "networks_learn" not in plain.vocabulary
    assert seeded.vocabulary.counts[seeded.vocabulary.id_of("networks_learn")] == 20


def test_a_one_word_name_counts_singular_and_plural_outside_phrases(tmp_path: Path) -> None:
    documents = [*news(), Document("x", "a gun"), Document("y", "some guns")]
    vocabulary = index(tmp_path / "corpus", documents, seed_phrases=["guns"]).vocabulary
    assert vocabulary.counts[vocabulary.id_of("guns")] == 2
    assert "gun" not in vocabulary.terms
    assert vocabulary.id_of("gun") == vocabulary.id_of("guns")


def test_a_one_word_name_is_not_swallowed_by_phrases(tmp_path: Path) -> None:
    plain = index(tmp_path / "plain", news())
    assert "descent" not in plain.vocabulary
    seeded = index(tmp_path / "seeded", news(), seed_phrases=["descent"])
    assert seeded.vocabulary.counts[seeded.vocabulary.id_of("descent")] == 40


def test_a_stop_word_is_no_term_even_as_a_name(tmp_path: Path) -> None:
    assert "it" not in index(tmp_path / "corpus", news(), seed_phrases=["IT", "football"]).vocabulary


def test_a_name_with_numbers_and_letters_is_found(tmp_path: Path) -> None:
    documents = [*news(), Document("x", "COVID-19 and vitamin C")]
    vocabulary = index(tmp_path / "corpus", documents, seed_phrases=["covid 19", "vitamin C"]).vocabulary
    assert {"covid_19", "vitamin_c"} <= set(vocabulary.terms)


def test_names_the_corpus_lacks_are_no_terms(tmp_path: Path) -> None:
    vocabulary = index(tmp_path / "corpus", news(), seed_phrases=["hockey", "ice hockey"]).vocabulary
    assert "hockey" not in vocabulary
    assert "ice_hockey" not in vocabulary


def test_the_vocabulary_is_capped_and_the_seed_stays(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    words = [f"{a}{b}x" for a in "bcdfghjklmnpqrstvwz" for b in "aeiou"] + [
        f"{a}{b}y" for a in "bcdfghjklm" for b in "aeiou"
    ]
    documents = [Document(str(i), " ".join(rng.choice(words, 60))) for i in range(40)] + [
        Document("rare", "seldom seen")
    ]
    corpus = index(tmp_path / "corpus", documents, seed_phrases=["seldom"], settings=replace(SETTINGS, max_terms=100))
    assert len(corpus.vocabulary) == 100
    assert "seldom" in corpus.vocabulary


def test_a_script_without_spaces_gives_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    signs = [chr(0x4E00 + 7 * i) for i in range(150)]
    documents = [
        Document(str(i), "".join(rng.choice(signs, 8)) + "机器学习" + "".join(rng.choice(signs, 8)) + "。")
        for i in range(120)
    ]
    corpus = index(tmp_path / "corpus", documents, settings=replace(SETTINGS, stop_words=()))
    assert "机器学习" in corpus.vocabulary
    assert corpus.vocabulary.counts[corpus.vocabulary.id_of("机器学习")] == 120


def test_given_terms_take_the_place_of_mining(tmp_path: Path) -> None:
    documents = [
        Document(str(i), "deep_learning of Neural_Networks the model_zoo learns deep things") for i in range(5)
    ]
    given_terms = GivenTerms(frozenset({"deep_learning", "neural_networks"}), {"deep_learning": 0.75})
    corpus = index(
        tmp_path / "corpus", documents, given_terms=given_terms, seed_phrases=["Neural Network", "deep things"]
    )
    vocabulary = corpus.vocabulary
    assert {"deep_learning", "neural_network", "deep_things", "learns"} <= set(vocabulary.terms)
    assert vocabulary.integrity[vocabulary.id_of("deep_learning")] == 0.75
    named = {term for term, may in zip(vocabulary.terms, vocabulary.may_name, strict=True) if may}
    assert named == {"deep_learning", "neural_network", "deep_things"}


@pytest.mark.parametrize(
    ("documents", "said"), [([], "no document"), ([Document("a", "only one here")], "one document")]
)
def test_too_few_documents_are_refused(tmp_path: Path, documents: list[Document], said: str) -> None:
    with pytest.raises(InputError, match=said):
        build_corpus(documents, tmp_path)


def test_a_corpus_without_terms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="min_count"):
        build_corpus([Document("a", "every word once"), Document("b", "nothing twice here")], tmp_path)


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="not empty"):
        build_corpus(news(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


class CancelAt:
    """Cancels at the first report of a stage."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def report(self, stage: str, fraction: float) -> None:
        assert 0.0 <= fraction <= 1.0
        if stage.startswith(self.stage):
            raise CancelledError("cancelled")


@pytest.mark.parametrize("stage", ["Reading", "Counting", "Matching", "Finding", "Writing"])
def test_a_cancel_passes_through_and_leaves_nothing_that_opens(tmp_path: Path, stage: str) -> None:
    with pytest.raises(CancelledError):
        build_corpus(news(), tmp_path, settings=SETTINGS, seed_phrases=["supreme court"], progress=CancelAt(stage))
    with pytest.raises(InputError, match="Index the corpus again"):
        open_corpus(tmp_path)


def test_progress_only_grows(tmp_path: Path) -> None:
    fractions: list[float] = []

    class Watch:
        def report(self, stage: str, fraction: float) -> None:
            fractions.append(fraction)

    build_corpus(news(), tmp_path, settings=SETTINGS, seed_phrases=["supreme court"], progress=Watch())
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_texts_become_a_corpus_in_one_call() -> None:
    texts = [document.text for document in news()]
    corpus = Corpus.from_documents([*texts, texts[0], " "], settings=SETTINGS, seed_phrases=["football"])
    assert corpus.n_documents == 60
    assert "football" in corpus.vocabulary


def test_the_temporary_directory_goes_with_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    corpus = Corpus.from_documents(news(), settings=SETTINGS)
    assert len(list(tmp_path.iterdir())) == 1
    del corpus
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_is_replaced_and_not_fatal(tmp_path: Path) -> None:
    documents = [*news(), Document("od\ud800d", "half \udfff here", title="\ud800", labels=("\ud800",))]
    assert index(tmp_path / "corpus", documents).texts[60] == "half ? here"


def test_another_format_version_is_refused(tmp_path: Path) -> None:
    build_corpus(news(), tmp_path, settings=SETTINGS)
    meta = tmp_path / "meta.json"
    meta.write_text(meta.read_text().replace('"format_version": 1', '"format_version": 99'))
    with pytest.raises(InputError, match="format 99"):
        open_corpus(tmp_path)
