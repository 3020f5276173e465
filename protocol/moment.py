"""At which moment a move counts, and how the lobby's own absences move what waits for the clock (rules 5.2, 5.6).

The lobby asks here while a race runs, the verifier when it reads the record; neither knows these rules itself. All
times are milliseconds since the start. How fast moves may follow one another is pace.py's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.race import Outcome, Race, RaceEvent, RaceTerms, Termination, fold
from protocol.limits import Windows
from protocol.record import Gap

GAP_MS_MIN = 2_000  # rules 5.6: what is not longer is no gap
GAPS_MS_MAX = 600_000  # rules 5.6: over ten minutes in sum, and the race is void


def moment(claimed_ms: int, arrival_ms: int, back_ms: int, before_ms: int) -> int:
    """Returns t* of a move: its claim as far as the line explains it, and never before its seat's last event.

    `back_ms` is how far before its arrival a claim may lie (`back_ms_max`), `before_ms` t* of the event before.
    """
    return max(before_ms, min(max(claimed_ms, arrival_ms - back_ms), arrival_ms))


def flushed_at_once(claimed_ms: int, decides: bool, bell_ms: int, windows: Windows) -> bool:
    """Returns whether a move must be sent without waiting for others (deal.md 5.1, rules 5.4).

    `decides`: it makes the target of the race or leaves its player stuck. `bell_ms` is 0 where there is no bell.
    """
    return decides or (bell_ms > 0 and claimed_ms >= bell_ms - windows.bell_flush_ms)


def back_ms_max(line_ms: int, at_once: bool, windows: Windows) -> int:
    """Returns how far before its arrival a move's claim may lie, on a connection whose c is `line_ms`."""
    return line_ms if at_once else line_ms + windows.claim_batch_ms


def moved_by_gaps(terms: RaceTerms, gaps: Sequence[Gap]) -> RaceTerms:
    """Returns the terms with everything that waits for the clock moved by the time the lobby was away.

    The bell moves by each gap that began before it; the windows of draw offers by all gaps, since it is the lobby's
    word anyway when an offer was made and answered.
    """
    bell_ms, away_ms = terms.bell_ms, 0
    for gap in gaps:
        away_ms += gap.to_ms - gap.from_ms
        if gap.from_ms < bell_ms:
            bell_ms += gap.to_ms - gap.from_ms
    return replace(terms, bell_ms=bell_ms, offer_lapse_ms=terms.offer_lapse_ms + away_ms)


def void_gap(gaps: Sequence[Gap]) -> Gap | None:
    """Returns the gap with which the lobby was away for too long in sum: the race is void at its end (rules 5.6)."""
    away_ms = 0
    for gap in gaps:
        away_ms += gap.to_ms - gap.from_ms
        if away_ms > GAPS_MS_MAX:
            return gap
    return None


def fold_with_gaps(
    terms: RaceTerms, streams: Iterable[Iterable[RaceEvent]], void: Gap | None
) -> tuple[Outcome | None, Race]:
    """Returns how a race ended: by its rules (§4), or `void` since the lobby was away for too long (5.6)."""
    if void is not None:
        streams = [[event for event in stream if event.t_ms <= void.from_ms] for stream in streams]
    outcome, race = fold(terms, streams)
    if void is not None and (outcome is None or outcome.t_ms > void.from_ms):
        outcome = Outcome(Termination.VOID, (), void.to_ms)
    return outcome, race
