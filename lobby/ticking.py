"""The public figures of a running race: sampled once a second, told to everyone alike (rules 3.6).

Owns the sample and the numbers of ticks. Whatever a rival could time or count is kept out here: a tick between two
samples repeats the figures of the last one, except those of the seats whose state was just decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.race import Offer, Race
from protocol.limits import TICK_INTERVAL_MS
from protocol.messages import Signed, Ticked
from protocol.signing import Signer
from protocol.tick import EPOCH_SHIFT, OfferFigures, SeatFigures, Tick


@dataclass(frozen=True, slots=True)
class Presence:
    """What a tick tells of a seat beside its figures."""

    deck_used_up: bool
    away_until_ms: int


class Ticker:
    """Makes the ticks of one race. `start_ms` is on the lobby's clock."""

    def __init__(self, signer: Signer, mix: bytes, epoch: int, start_ms: int, race: Race) -> None:
        self._signer = signer
        self._mix = mix
        self._start_ms = start_ms
        self._race = race
        self._sample = [(0, 0, 0)] * len(race.seats)
        self._sample_after_ms = start_ms + TICK_INTERVAL_MS
        self.number = self._after = epoch << EPOCH_SHIFT
        self.last: Signed | None = None
        self.told_ms = 0  # when that was, on the lobby's clock

    def resume(self, epoch: int) -> None:
        """The lobby was restarted: whatever number it may have given before, the next ones are above it."""
        self._after = epoch << EPOCH_SHIFT

    @property
    def next_number(self) -> int:
        """The number that the next tick will have."""
        return max(self.number, self._after) + 1

    @property
    def deadline(self) -> int:
        """When the next sample is due: every second, or the time of a tick would tell when somebody moved."""
        return self._sample_after_ms

    def sample(self, now_ms: int, presences: Sequence[Presence]) -> Ticked | None:
        """Returns the tick with fresh figures if a sample is due and any has changed."""
        if now_ms < self._sample_after_ms:
            return None
        passed = (now_ms - self._start_ms) // TICK_INTERVAL_MS
        self._sample_after_ms = self._start_ms + (passed + 1) * TICK_INTERVAL_MS
        figures = self._figures()
        if figures == self._sample:
            return None
        self._sample = figures
        return self._tick(now_ms, presences)

    def decided(self, now_ms: int, presences: Sequence[Presence], seats: Sequence[int]) -> Ticked:
        """Returns the tick that tells a decided event, with fresh figures for `seats` alone."""
        fresh = self._figures()
        for seat in seats:
            self._sample[seat] = fresh[seat]
        return self._tick(now_ms, presences)

    def _figures(self) -> list[tuple[int, int, int]]:
        return [(seat.score, seat.max_exponent, seat.moves) for seat in self._race.seats]

    def _tick(self, now_ms: int, presences: Sequence[Presence]) -> Ticked:
        self.number = self.next_number
        self.told_ms = now_ms
        seats = tuple(
            SeatFigures(seat.state, *sampled, presence.deck_used_up, presence.away_until_ms)
            for seat, sampled, presence in zip(self._race.seats, self._sample, presences, strict=True)
        )
        body = Tick(self.number, now_ms, seats, self._offer(self._race.offer)).encode()
        self.last = Signed(body, self._signer.sign("tick", self._mix, body))
        return Ticked(self.last)

    def _offer(self, offer: Offer | None) -> OfferFigures | None:
        if offer is None:
            return None
        lapses_ms = self._start_ms + offer.t_ms + self._race.terms.offer_lapse_ms
        return OfferFigures(offer.number, offer.seat, tuple(sorted(offer.agreed)), lapses_ms)
