"""From files to a corpus of term ids; read `indexing.py` first.

`loading` (formats/, columns, documents) → `numbering` (cleaning, tokens, stop_words, words, seed_phrases) → `phrases` →
`selection`, `term_quality` → `corpus`, `vocabulary`. Beside the way: `evidence`, `lookup`, `stems`.
"""
