"""Languages and their words: cleaning, tokens, stop words, word forms."""
