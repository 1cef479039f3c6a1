"""Names for things without a name, by what is said of them, so that reading a file twice gives the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from taxocom.taxonomy.statements import Blank, Term, Triple, encode_term

# Things that so many steps do not tell apart are told apart by their order in the file.
_MAX_STEPS = 40


def stably_named(triples: Sequence[Triple]) -> list[Triple]:
    """Return the statements with each blank thing named by a digest of its surroundings.

    The surroundings grow by a step at a time until no more things are told apart by them. Equal ones are numbered as
    they come: which is which then makes no difference. The time is a few passes over the file, whatever it holds;
    finding the one best numbering, as standards for it do, may take for ever on a file that is made for that.
    """
    about: dict[Blank, list[tuple[str, str, Term]]] = {}
    for subject, predicate, value in triples:
        if isinstance(subject, Blank):
            about.setdefault(subject, []).append((">", predicate, value))
        if isinstance(value, Blank):
            about.setdefault(value, []).append(("<", predicate, subject))
    if not about:
        return list(triples)
    digests = dict.fromkeys(about, "")
    n_told_apart = 1
    for _ in range(_MAX_STEPS):
        digests = {thing: _digest(said, digests) for thing, said in about.items()}
        n_now = len(set(digests.values()))
        if n_now == n_told_apart:
            break
        n_told_apart = n_now
    names: dict[Blank, Blank] = {}
    n_seen: dict[str, int] = {}
    for thing, digest in digests.items():
        n_seen[digest] = n_seen.get(digest, 0) + 1
        names[thing] = Blank(f"b{digest[:24]}" + (f"n{n_seen[digest]}" if n_seen[digest] > 1 else ""))
    return [
        Triple(
            names[subject] if isinstance(subject, Blank) else subject,
            predicate,
            names[value] if isinstance(value, Blank) else value,
        )
        for subject, predicate, value in triples
    ]


def _digest(said: Sequence[tuple[str, str, Term]], digests: dict[Blank, str]) -> str:
    parts = sorted(
        f"{way}{predicate} {digests[other] if isinstance(other, Blank) else encode_term(other)}"
        for way, predicate, other in said
    )
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
