"""From files to a corpus of term ids: loading, tokens, phrases, vocabulary, corpus."""
