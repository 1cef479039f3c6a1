"""A language model, if the user has one: it may suggest a name and a sentence for a cluster. Off unless it is named.

Any address that speaks as OpenAI's does will do, on this machine or not: `TAXOCOM_LLM_URL`, `TAXOCOM_LLM_MODEL`, and
`TAXOCOM_LLM_KEY` where a key is asked for. It is sent the terms of a cluster and the sentences on its card, or with
`TAXOCOM_LLM_SENDS=terms` the terms alone; nothing else, and only when a person asks.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from taxocom.errors import DecisionError, InputError
from taxocom.taxonomy.mutable_tree import one_line

PATIENCE = 20.0
"""Seconds that an answer may take; a small model on a laptop needs about half of it."""

_MOST_BYTES = 65_536
_LONGEST_NAME, _LONGEST_SENTENCE = 60, 300
_TERMS, _SENTENCES = 15, 5
_SENDS = ("sentences", "terms")
_TASK = (
    "You name topics for a library. From the terms, and the sentences if there are any, give the topic that they share "
    'a short plain name and define it in one sentence. Answer with JSON alone: {"name": "…", "definition": "…"}'
)


@dataclass(frozen=True)
class SuggestedName:
    """What a model suggests for a cluster; `source` says which model, and where it runs."""

    name: str
    definition: str
    source: str


@dataclass(frozen=True)
class LanguageModel:
    """A model at an address, and what it may be sent."""

    url: str
    model: str
    key: str = ""
    sends: str = "sentences"

    @property
    def source(self) -> str:
        """Which model answers, and where."""
        return f"{self.model} at {urlsplit(self.url).netloc.rpartition('@')[2]}"

    def suggest(self, terms: Sequence[str], sentences: Sequence[str]) -> SuggestedName:
        """Ask for a name and a definition; whatever goes wrong is an InputError in words, and changes nothing."""
        said = {"terms": list(terms[:_TERMS])}
        if self.sends == "sentences":
            said["sentences"] = list(sentences[:_SENTENCES])
        body = {
            "model": self.model,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": _TASK},
                {"role": "user", "content": json.dumps(said, ensure_ascii=False)},
            ],
        }
        return self._understood(self._answer(json.dumps(body).encode()))

    def _answer(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(f"{self.url.rstrip('/')}/chat/completions", body, headers)
        try:
            with _OPENER.open(request, timeout=PATIENCE) as answer:
                return bytes(answer.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise self._unanswered(f"it refused ({error.code})") from error
        except TimeoutError as error:
            raise self._unanswered(f"it took longer than {PATIENCE:.0f} seconds") from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise self._unanswered(f"it cannot be reached ({getattr(error, 'reason', error)})") from error

    def _understood(self, answer: bytes) -> SuggestedName:
        try:
            content = json.loads(answer)["choices"][0]["message"]["content"]
            # Some models put their JSON between fences, or say a word before it.
            found = json.loads(re.search(r"\{.*\}", content, re.DOTALL)[0])  # type: ignore[index]  # no match is caught
            name, definition = one_line(found["name"], "The name"), one_line(found["definition"], "The definition")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, DecisionError) as error:
            raise self._unanswered("its answer makes no sense") from error
        if not 0 < len(name) <= _LONGEST_NAME or not 0 < len(definition) <= _LONGEST_SENTENCE:
            raise self._unanswered("its answer is too long for a name and a sentence")
        return SuggestedName(name, definition, self.source)

    def _unanswered(self, why: str) -> InputError:
        return InputError(f"{self.source} suggests nothing: {why}. Everything is as it was.")


def language_model() -> LanguageModel | None:
    """Return the model that the environment names; None where it names none."""
    url, model = os.environ.get("TAXOCOM_LLM_URL", "").strip(), os.environ.get("TAXOCOM_LLM_MODEL", "").strip()
    if not url:
        return None
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise InputError(f"TAXOCOM_LLM_URL is {url!r}. Give an address such as http://localhost:11434/v1.")
    if not model:
        raise InputError("TAXOCOM_LLM_URL is set, but TAXOCOM_LLM_MODEL is not. Say which model to ask.")
    sends = os.environ.get("TAXOCOM_LLM_SENDS", _SENDS[0])
    if sends not in _SENDS:
        raise InputError(f"TAXOCOM_LLM_SENDS is {sends!r}. Use one of these: {', '.join(_SENDS)}.")
    return LanguageModel(url, model, os.environ.get("TAXOCOM_LLM_KEY", ""), sends)


class _StaysThere(urllib.request.HTTPRedirectHandler):
    """Follows nobody elsewhere: the key and the sentences are for the address that the user gave."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse; the redirect is told as the refusal that it is."""


_OPENER = urllib.request.build_opener(_StaysThere)
