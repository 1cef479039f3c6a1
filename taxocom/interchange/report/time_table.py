"""The topics over time as part of the report: a small picture and the numbers for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from taxocom.interchange.base.timeline_data import Timeline, TopicLine

_WIDTH, _HEIGHT = 120, 24
_SIGNS = {"new": "★ new", "rising": "▲ rising", "falling": "▼ falling", "gone": "✕ gone", "": ""}


def draw_timeline(found: Timeline | None, text: Callable[[str], str]) -> Iterator[str]:
    """Yield the section; `text` makes a text safe. Without a timeline there is nothing."""
    if found is None:
        return
    first, last = text(found.periods[0]), text(found.periods[-1])
    yield '<h2 id="time">Over time</h2>'
    yield (
        f'<p class="prose">From {first} to {last}, by {found.by}. A flag compares {last} with all before it; if '
        "nothing had changed, at most one table in twenty would have any.</p>"
    )
    yield "<table><thead><tr><th>Topic</th><th>Share</th><th>Documents</th><th>Before</th><th>Now</th><th></th></tr>"
    yield "</thead><tbody>"
    for line in found.lines:
        cells = (
            " / ".join(map(text, line.path)),
            _picture(found, line),
            f"{sum(line.counts):,}",
            f"{line.share_before:.1%}",
            f"{line.share_now:.1%}",
            _SIGNS[line.flag],
        )
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"
    if found.n_undated:
        yield f'<p class="facts">{found.n_undated:,} documents without a date are left out.</p>'


def _picture(found: Timeline, line: TopicLine) -> str:
    shares = found.shares(line)
    most, step = max(shares) or 1.0, (_WIDTH - 4) / max(len(shares) - 1, 1)
    points = " ".join(
        f"{2 + n * step:.1f},{_HEIGHT - 2 - (_HEIGHT - 4) * share / most:.1f}" for n, share in enumerate(shares)
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
