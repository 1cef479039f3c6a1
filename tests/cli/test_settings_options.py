"""Settings from the command line: any of them, checked by kind and range before anything runs."""

import pytest

from taxocom.cli.settings_options import expansion_settings
from taxocom.errors import SettingsError
from taxocom.settings import ExpansionSettings, TaggingSettings


def test_nothing_set_is_the_default_and_paper_is_the_papers() -> None:
    assert expansion_settings(()) == ExpansionSettings()
    assert expansion_settings((), paper=True) == ExpansionSettings.paper()


def test_values_are_read_as_the_kind_that_the_setting_has() -> None:
    settings = expansion_settings(
        (
            "novelty_threshold=0.6",
            "embedding.dim=50",
            "tagging.lexicon=false",
            "tagging.lexicon_weight=3",
            "allow_none=False",
            "discovery=terms",
            "threshold_exponent=2",
        )
    )
    assert settings.novelty_threshold == 0.6
    assert settings.embedding.dim == 50
    assert settings.tagging == TaggingSettings(lexicon=False, lexicon_weight=3)
    assert settings.allow_none is False
    assert settings.discovery == "terms"
    assert settings.threshold_exponent == 2
    assert expansion_settings(("threshold_exponent=none",), paper=True).threshold_exponent is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("novelty=1", "There is no setting 'novelty'. Settings: embedding.dim"),
        ("embedding.size=1", "There is no setting 'embedding.size'"),
        ("tagging.weight=1", "There is no setting 'tagging.weight'"),
        ("embedding=1", "embedding is a group of settings. Set them one by one: embedding.dim, "),
        ("tagging=none", "Set them one by one: tagging.lexicon, tagging.lexicon_weight"),
        ("tagging.lexicon=1", "must be true or false"),
        ("tagging.lexicon_weight=101", "must lie between"),
        ("novelty_threshold", "Write NAME=VALUE"),
        ("novelty_threshold=high", "must be a number"),
        ("novelty_threshold=true", "must be a number"),
        ("novelty_threshold=1.5", "must lie between"),
        ("embedding.dim=2.5", "must be a whole number"),
        ("allow_none=1", "must be true or false"),
    ],
)
def test_what_is_no_setting_or_no_value_is_said(change: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        expansion_settings((change,))
