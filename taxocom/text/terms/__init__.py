"""From words to terms: phrases, which terms are kept, where they stand in a text."""
