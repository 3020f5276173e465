"""How a race stands, as lines and as JSON: for `demo` and `watch --json`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TextIO

from client.view import OfferPicture, SeatPicture, SessionView
from client.words import clock, number, offer_words, outcome_words, say, state_words
from engine.race import Outcome, SeatState
from protocol.messages import Phase

from .figures import outcome_json, seat_json, tile

_RACE = (Phase.RACING, Phase.SETTLING, Phase.CLOSING, Phase.FINISHED)


def standing_json(seat: SeatPicture) -> dict[str, object]:
    """Returns a seat of a running race as it stands in JSON: who is away is not called moving."""
    away = seat.state is SeatState.MOVING and (seat.away_ms is not None or not seat.connected)
    return seat_json(seat) | ({"state": "away"} if away else {})


class Standings:
    """Writes how a race stands whenever that changes: lines, or lines of JSON, or a block that is painted over."""

    def __init__(self, out: TextIO, *, as_json: bool = False, live: bool = False) -> None:
        self._out = out
        self._as_json = as_json
        self._live = live and not as_json
        self._shown: object = None
        self._ended: Outcome | None = None
        self._offer: OfferPicture | None = None
        self._rows = 0

    def event(self, name: str, **values: object) -> None:
        """Writes a line of JSON, if JSON is wanted."""
        if self._as_json:
            self._write(json.dumps({"event": name, **values}, ensure_ascii=False))

    def line(self, text: str) -> None:
        """Writes a line of text, unless JSON is wanted."""
        if not self._as_json:
            self._rows = 0
            self._write(text)

    def show(self, view: SessionView) -> None:
        """Writes what has changed since the last time."""
        seats = [seat for seat in view.seats if seat is not None]
        figures = [(standing_json(seat), "" if self._as_json else state_words(seat)) for seat in seats]
        if view.phase not in _RACE:
            return
        self._show_offer(view.offer)
        if figures == self._shown and view.outcome == self._ended:
            return
        if view.outcome is None or figures != self._shown:
            self._shown = figures
            self.event("standings", t_ms=view.clock_ms or 0, seats=[standing_json(seat) for seat in seats])
            if not self._as_json:
                self._paint(view, seats)
        if view.outcome is not None and view.outcome != self._ended:
            self.event("ended", outcome=outcome_json(view.outcome), seats=[seat_json(seat) for seat in seats])
            self.line(say("{outcome}.", outcome=outcome_words(view.outcome, seats, view.settings)))
        self._ended = view.outcome

    def _show_offer(self, offer: OfferPicture | None) -> None:
        if offer is not None and (self._offer is None or offer.by_seat != self._offer.by_seat):
            self.event("offer", seat=offer.by_seat, lapse_ms=offer.lapse_ms)
            self.line(offer_words(offer))
        self._offer = offer

    def _paint(self, view: SessionView, seats: Sequence[SeatPicture]) -> None:
        time = clock(view.clock_ms or 0)
        texts = [
            say(
                "{name} {score} ({tile}), {state}",
                name=seat.name,
                score=number(seat.score),
                tile=tile(seat.max_exponent),
                state=state_words(seat),
            )
            for seat in seats
        ]
        if not self._live:
            self._write("  ".join([time, *texts]))
            return
        over = f"\x1b[{self._rows}F\x1b[J" if self._rows else ""
        self._write(over + "\n".join([time, *(f"  {text}" for text in texts)]))
        self._rows = 1 + len(texts)

    def _write(self, text: str) -> None:
        print(text, file=self._out, flush=True)
