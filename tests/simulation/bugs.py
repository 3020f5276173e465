"""Bugs put into the real code on purpose, one at a time: if the simulator does not see one, the simulator is wrong.

Each is a context manager that changes one place of the product. `STORED` names the worlds in which it is known to
show; test_planted.py plays those, and with RACE2048_LONG=1 looks for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from engine import race as engine_race
from engine.race import Left, SeatState
from lobby import journal, lobby, opening, people, presence, racing, resuming, ticking, track
from lobby.entropy import Source
from lobby.events import Said
from lobby.table import Table
from protocol import limits, messages, moment
from protocol.messages import Phase
from protocol.movelog import SealBody
from protocol.record import EventKind

Bug = Callable[[], AbstractContextManager[object]]
BUGS: dict[str, Bug] = {}


def bug(name: str) -> Callable[[Callable[[], Iterator[None]]], Callable[[], Iterator[None]]]:
    """Adds a bug by its name."""

    def add(make: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
        BUGS[name] = contextmanager(make)
        return make

    return add


def around(owner: object, name: str, other: Callable[..., Any]) -> AbstractContextManager[object]:
    """Puts `other` in the place of a function; it is given the right one first."""
    right = getattr(owner, name)
    return patch.object(owner, name, lambda *args, **named: other(right, *args, **named))


# ── who is believed ──────────────────────────────────────────────────────────────────────────────────────────────────


@bug("no signature of a seal is checked")
def _seals() -> Iterator[None]:
    with patch.object(track, "open_seal", lambda signed, key, mix: SealBody.decode(signed.body)):
        yield


@bug("no proof of a key is checked")
def _proofs() -> Iterator[None]:
    with patch.object(lobby, "verify", lambda *args: True):
        yield


@bug("the order of seals is not checked")
def _seal_order() -> Iterator[None]:
    def open_any(right: Callable[..., Any], self: Any, *args: Any) -> Any:
        seals, self.seals = self.seals, 0
        try:
            return right(self, *args)
        finally:
            self.seals = seals

    with around(track.Track, "_open", open_any):
        yield


@bug("a seal may be over another log")
def _heads() -> Iterator[None]:
    def open_any(right: Callable[..., Any], self: Any, signed: Any, moves: int, head: bytes, tick: int) -> Any:
        with suppress(ValueError):
            head = SealBody.decode(signed.body).head
        return right(self, signed, moves, head, tick)

    with around(track.Track, "_open", open_any):
        yield


@bug("moves may come as fast as they like")
def _pace() -> Iterator[None]:
    with patch.object(track, "paced", lambda full_ms, t_ms, windows: full_ms):
        yield


@bug("moves may be claimed for the future")
def _future() -> Iterator[None]:
    def replay(right: Callable[..., Any], self: Any, moves: Any, arrival: Any) -> Any:
        return right(self, moves, replace(arrival, at_ms=1 << 31))

    with around(track.Track, "_replay", replay):
        yield


@bug("a tick may have been seen before it was sent")
def _ticks_seen() -> Iterator[None]:
    def read(right: Callable[..., Any], self: Any, body: bytes) -> Any:
        sent, self.tick_sent = self.tick_sent, 1 << 62
        try:
            return right(self, body)
        finally:
            self.tick_sent = sent

    with around(track.Track, "_read", read):
        yield


@bug("c is a whole round trip")
def _whole_trip() -> Iterator[None]:
    def back(self: people.Line, now_ms: int, windows: Any = limits.WINDOWS) -> int:
        least = self.least_ms(now_ms)
        return 0 if least is None else min(least + windows.claim_spare_ms, windows.claim_back_ms)

    with patch.object(people.Line, "claim_back_ms", back):
        yield


# ── what is on the disk ──────────────────────────────────────────────────────────────────────────────────────────────


@bug("moves are acknowledged before they are written")
def _early_acks() -> Iterator[None]:
    with patch.object(lobby, "_AT_ONCE", (messages.Ping, messages.Pong, messages.Ack)):
        yield


@bug("ticks are told before they are written")
def _early_ticks() -> Iterator[None]:
    with patch.object(lobby, "_AT_ONCE", (messages.Ping, messages.Pong, messages.Ticked)):
        yield


@bug("slices without a seal are not written")
def _unwritten() -> Iterator[None]:
    def row(right: Callable[..., Any], self: Any, event: Any, now_ms: int) -> Any:
        bare = isinstance(event, Said) and isinstance(event.message, messages.Slice) and event.message.seal is None
        return right(self, Said(event.connection, messages.Ping(0)) if bare else event, now_ms)

    with around(journal.Journal, "row", row):
        yield


@bug("tick numbers begin anew after a restart")
def _tick_numbers() -> Iterator[None]:
    def resume(self: ticking.Ticker, epoch: int) -> None:
        self.number = self._after = self.number >> 32 << 32

    with patch.object(ticking.Ticker, "resume", resume):
        yield


@bug("a countdown goes on after a restart")
def _countdown_goes_on() -> Iterator[None]:
    with patch.object(resuming, "_put_away", lambda table, now_ms: None):
        yield


# ── what waits for the clock ─────────────────────────────────────────────────────────────────────────────────────────


@bug("a window goes on for one who is back")
def _window() -> Iterator[None]:
    def back(right: Callable[..., Any], self: Any, one: Any, now_ms: int) -> None:
        until_ms = one.lost_until_ms
        right(self, one, now_ms)
        one.lost_until_ms = until_ms

    with around(racing.RaceRun, "back", back):
        yield


@bug("a window is half as long")
def _half_window() -> Iterator[None]:
    def gone(right: Callable[..., Any], self: Any, one: Any, now_ms: int) -> None:
        right(self, one, now_ms)
        one.lost_until_ms -= self.windows.away_ms // 2 if one.lost_until_ms else 0

    with around(racing.RaceRun, "gone", gone):
        yield


@bug("windows are not moved by a gap")
def _windows_stand() -> Iterator[None]:
    def move(self: track.Track, gap_ms: int) -> None:
        self.gaps_ms += gap_ms
        self.moved_ms += gap_ms

    with patch.object(track.Track, "move_windows", move):
        yield


@bug("the bell is not moved by a gap")
def _bell_stands() -> Iterator[None]:
    with patch.object(racing, "moved_by_gaps", lambda terms, gaps: terms):
        yield


@bug("a lobby that was stopped was not away")
def _no_gap() -> Iterator[None]:
    with patch.object(Table, "_look_for_gap", lambda self, run, now_ms: None):
        yield


@bug("a lobby that is told to end keeps no table")
def _not_kept() -> Iterator[None]:
    def drain(right: Callable[..., Any], self: Any, *, forever: bool) -> None:
        journals, self._journals = self._journals, {}
        right(self, forever=forever)
        self._journals = journals

    with around(lobby.Lobby, "_drain", drain):
        yield


@bug("a settling is restarted by what comes in it")
def _settling() -> Iterator[None]:
    def hear(right: Callable[..., Any], self: Table, event: Any, now_ms: int) -> None:
        right(self, event, now_ms)
        if self.phase is Phase.SETTLING:
            self.phase_ends_ms = now_ms + self.windows.settle_ms

    with around(Table, "_hear", hear):
        yield


@bug("a settling is told of")
def _told_of() -> Iterator[None]:
    def decided(self: Any, now_ms: int, seats: Any) -> None:
        self._tell(self.ticker.decided(now_ms, self._presences(), seats))

    with patch.object(racing.RaceRun, "_decided", decided):
        yield


@bug("a table is never too empty")
def _never_empty() -> Iterator[None]:
    with patch.object(presence.Presence, "deserted", lambda self, now_ms, racing: False):
        yield


# ── how a race ends ──────────────────────────────────────────────────────────────────────────────────────────────────


@bug("a stuck seat is forfeited")
def _stuck_forfeits() -> Iterator[None]:
    def look(right: Callable[..., Any], self: Any, one: Any, now_ms: int) -> None:
        due_ms = one.away_until_ms
        if due_ms and now_ms >= due_ms and self.live.seats[one.number].state is SeatState.STUCK:
            one.lost_until_ms = one.idle_until_ms = 0
            left = Left(one.stamp(due_ms - self.start_ms), one.number, SeatState.FORFEITED)
            self._happened(left, EventKind.FORFEITED)
        right(self, one, now_ms)

    with around(racing.RaceRun, "_look_at_windows", look):
        yield


@bug("nobody looks again when a seat leaves")
def _not_again() -> Iterator[None]:
    def apply(right: Callable[..., Any], self: Any, event: Any) -> None:
        stirred = self._stirred
        right(self, event)
        if isinstance(event, Left):
            self._stirred = stirred

    with around(engine_race.Race, "apply", apply):
        yield


@bug("a move does not cancel an offer")
def _offer_stays() -> Iterator[None]:
    def move(right: Callable[..., Any], self: Any, event: Any) -> None:
        right(self, event._replace(tick_seen=-1))

    with around(engine_race.Race, "_move", move):
        yield


@bug("an offer outlives its maker")
def _offer_outlives() -> Iterator[None]:
    def leave(right: Callable[..., Any], self: Any, event: Any) -> None:
        offer = self.offer
        right(self, event)
        self.offer = self.offer or offer

    with around(engine_race.Race, "_leave", leave):
        yield


@bug("an equal score leads")
def _equal_leads() -> Iterator[None]:
    def leads(self: Any, mover: int, in_race: Any) -> bool:
        return all(self.seats[mover].score >= self.seats[each].score for each in in_race if each != mover)

    with patch.object(engine_race.Race, "_leads", leads):
        yield


@bug("of equals the first has won")
def _first_of_equals() -> Iterator[None]:
    with around(engine_race.Race, "_highest", lambda right, self, in_race: right(self, in_race)[:1]):
        yield


@bug("a gap of eleven minutes is no matter")
def _no_void() -> Iterator[None]:
    with patch.object(racing, "void_gap", lambda gaps: None), patch.object(moment, "void_gap", lambda gaps: None):
        yield


# ── what is seen ─────────────────────────────────────────────────────────────────────────────────────────────────────


@bug("a link comes too early")
def _early_link() -> Iterator[None]:
    with around(track.Track, "link_allowed", lambda right, self, since_ms: right(self, since_ms) + 1):
        yield


@bug("links go to everyone")
def _links_for_all() -> Iterator[None]:
    with patch.object(racing.RaceRun, "_send", lambda self, one, message: self.out.send(self._audience(), message)):
        yield


@bug("a player is given a rival's log")
def _rivals_log() -> Iterator[None]:
    def piece(right: Callable[..., Any], self: Any, one: Any, first: int) -> Any:
        return right(self, self.tracks[one.number - 1], first)

    with around(racing.RaceRun, "log_piece", piece):
        yield


@bug("figures are told five times a second")
def _often() -> Iterator[None]:
    with patch.object(ticking, "TICK_INTERVAL_MS", 200):
        yield


@bug("a decided event tells everyone's figures")
def _all_figures() -> Iterator[None]:
    def decided(right: Callable[..., Any], self: Any, now_ms: int, presences: Any, seats: Any) -> Any:
        return right(self, now_ms, presences, range(len(presences)))

    with around(ticking.Ticker, "decided", decided):
        yield


@bug("a burnt chain is dealt again")
def _same_chain() -> Iterator[None]:
    def deal(right: Callable[..., Any], self: Any, settings: Any) -> None:
        entropy = self._entropy
        if self._burnt:
            known = {16: self.chain.chain_id, 32: self.chain.link(self.chain.length)}
            self._entropy = Source(lambda size: known[size])
        right(self, settings)
        self._entropy = entropy

    with around(opening.Opening, "_deal", deal):
        yield
