"""From files to a corpus of term ids; read `indexing.py` first.

`loading` (input/: its formats, columns, documents) → `numbering` (cleaning, tokens, words) → `detection` (languages,
stop_words, seed_phrases, word_forms) → `phrases` → `selection`, `term_quality` → `corpus`, `vocabulary`. Beside them:
`evidence`, `lookup`, `stems`.
"""
