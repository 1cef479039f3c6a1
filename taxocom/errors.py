"""Errors a person can act on: each message says what is wrong, where, and the remedy."""

import errno


class TaxocomError(Exception):
    """The root of every error this package raises on purpose; its text is fit to be shown to a user."""


class InputError(TaxocomError):
    """A file cannot be read as what it claims to be; the message names the file, the place and the remedy."""


class SeedError(InputError):
    """A seed tree is not a tree, or has no topic that occurs in the corpus."""


class PreflightError(SeedError):
    """A seed was refused because of what the check against the texts found."""


class ExportError(TaxocomError):
    """A taxonomy cannot be written in the format asked for; the message says what stands in the way."""


class SettingsError(TaxocomError):
    """A setting has a value outside its range."""


class DecisionError(TaxocomError):
    """A decision cannot be applied to this tree; the tree is unchanged."""


class RoleError(TaxocomError):
    """A person's role in the project does not reach as far as what they asked for; nothing was changed."""


class StoreError(TaxocomError):
    """A project cannot be created, opened or written."""


class ConflictError(StoreError):
    """Somebody else decided first; nothing was written. Look at what changed, then decide again."""


class JobError(TaxocomError):
    """A job cannot be submitted, or its worker failed."""


class CancelledError(TaxocomError):
    """The work was cancelled by its owner; raised from inside `Progress.report`."""


# What is raised in place of a MemoryError where a thread cannot be started or a library cannot be mapped.
_LACKING = ("can't start new thread", "Cannot allocate memory", "failed to map segment")


def lacked_memory(error: BaseException | None) -> bool:
    """Tell whether the lack of memory is behind an error, whatever was made of it on the way."""
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        if isinstance(error, (RuntimeError, ImportError, OSError)) and any(words in str(error) for words in _LACKING):
            return True
        error = error.__cause__ or error.__context__
    return False
