"""What an engine hands to a person: the proposal, what the person overrode, and how it is accepted."""
