"""Which documents a topic has, told from its name: what the lexicon knows of words that the texts do not use."""
