"""Which colour of the palette a topic or a waiting cluster has: one that it keeps, whatever comes or goes beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from taxocom.taxonomy.tree import accepted_id


def give_slots(ids: Iterable[str], kept: Mapping[str, int]) -> dict[str, int]:
    """Return a place in the palette for each id: the one that it has, or else the first that nobody has."""
    wanted = list(dict.fromkeys(ids))
    found = {each: kept[each] for each in wanted if each in kept}
    taken = set(found.values())
    free = (slot for slot in range(len(wanted) + len(taken)) if slot not in taken)
    return {each: found[each] if each in found else next(free) for each in wanted}


def slots_in_tree(node_id: str, slots: Mapping[str, int], children: Iterable[str]) -> dict[str, int]:
    """Return the places of a proposal's clusters and of the node's topics; those added since have their own."""
    kept = kept_slots(node_id, slots)
    return kept | give_slots([*slots, *children], kept)


def kept_slots(node_id: str, slots: Mapping[str, int]) -> dict[str, int]:
    """Return the places of an earlier proposal's clusters, also under the ids that they have as topics."""
    return {accepted_id(node_id, each): slot for each, slot in slots.items()} | dict(slots)
