"""Which of several readings of a node is kept: the one whose novel groups the others find too.

A reading is one cut of a node's documents into facets. Another random start gives other facets, in part other groups,
and other measures of the same group: what one reading finds alone may be an accident (ARCHITECTURE.md, departure 10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taxocom.expansion.discovery.admission import OtherReadings, gate_at
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.novel_groups import NovelGroups, find_novel_groups, weigh_group
from taxocom.settings import ExpansionSettings


def choose_reading(readings: Sequence[NodeEvidence], settings: ExpansionSettings) -> NodeEvidence:
    """Return the reading with the most novel groups that all readings together admit, with what the others say.

    Of readings with equally many it is the one whose groups are explained less in sum, then the earlier one.
    """
    if len(readings) == 1:
        return readings[0]
    found = [find_novel_groups(reading, settings.novelty_threshold) for reading in readings]
    spoken = [_say(reading, groups) for reading, groups in zip(readings, found, strict=True)]
    informed = [
        replace(reading, others=_join(spoken[:number] + spoken[number + 1 :]))
        for number, reading in enumerate(readings)
    ]
    standings = [_standing(reading, groups, settings) for reading, groups in zip(informed, found, strict=True)]
    return informed[standings.index(max(standings))]


def _say(reading: NodeEvidence, groups: NovelGroups) -> OtherReadings:
    """Return what a reading says of its own groups."""
    group_of_facet = np.full(len(reading.facets), -1, dtype=np.int16)
    explained = []
    for number, group in enumerate(groups.novel):
        group_of_facet[list(group)] = number
        explained.append(weigh_group(reading, groups, group).own_explained)
    return OtherReadings(group_of_facet[reading.facets.labels][None], np.array(explained, dtype=np.float32))


def _join(spoken: Sequence[OtherReadings]) -> OtherReadings:
    """Put together what several readings say, their groups numbered on from one to the next."""
    firsts = np.cumsum([0, *(len(each.explained) for each in spoken[:-1])])
    groups = [np.where(each.groups < 0, -1, each.groups + first) for each, first in zip(spoken, firsts, strict=True)]
    return OtherReadings(np.concatenate(groups).astype(np.int16), np.concatenate([each.explained for each in spoken]))


def _standing(reading: NodeEvidence, groups: NovelGroups, settings: ExpansionSettings) -> tuple[int, float]:
    """Return how many groups of a reading are admitted, and how unexplained they are in sum."""
    gate = gate_at(settings.novelty_threshold)
    standings = [weigh_group(reading, groups, group) for group in groups.novel]
    admitted = [
        gate - standing.explained
        for standing in standings
        if not standing.shortcomings(size_floor=settings.size_floor, gate=gate)
    ]
    return len(admitted), sum(admitted)
