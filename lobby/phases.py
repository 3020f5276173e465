"""The phases of a table: which messages each takes, which it passes over, and which may follow (architecture.md 3).

A message that a phase passes over was said before its sender could know of the phase, or after the last: it crossed.
"""

from __future__ import annotations

from protocol import messages
from protocol.messages import Phase

_ALWAYS = (messages.Ping, messages.Pong, messages.Leave, messages.AskRecord)
_RACE = (messages.Slice, messages.Seal, messages.Resync, messages.AskLog)
_HOST = (messages.Kick, messages.Allow, messages.Lock, messages.ChangeSettings)
# A line may stand still for longer than an opening and a countdown take: these still come in when the race runs.
_BEFORE_RACE = (
    *_HOST, messages.Sit, messages.Stand, messages.SayReady, messages.Unready, messages.Begin, messages.Again,
    messages.OpenNonce,
)  # fmt: skip

ACCEPTS: dict[Phase, tuple[type, ...]] = {
    Phase.SEATING: (
        *_ALWAYS, *_HOST, messages.Sit, messages.Stand, messages.SayReady, messages.Unready, messages.Begin,
    ),
    Phase.OPENING: (*_ALWAYS, messages.SayReady, messages.OpenNonce, messages.Cancel),
    Phase.COUNTDOWN: (*_ALWAYS, messages.Cancel, messages.AskLog),
    Phase.RACING: (*_ALWAYS, *_RACE),
    Phase.SETTLING: (*_ALWAYS, *_RACE),
    Phase.CLOSING: (*_ALWAYS, messages.Seal, messages.Resync, messages.AskLog),
    Phase.FINISHED: (*_ALWAYS, *_HOST, messages.Again, messages.Stand),
    Phase.CLOSED: (),
}  # fmt: skip

CROSSES: dict[Phase, tuple[type, ...]] = {
    Phase.SEATING: (*_RACE, messages.OpenNonce, messages.Cancel, messages.Again),
    Phase.OPENING: (messages.Unready, messages.Begin, messages.Again, messages.Sit, messages.Stand, *_HOST, *_RACE),
    # Slices and seals: by a clock that is ahead the race has begun (deal.md 5.1, Resync).
    Phase.COUNTDOWN: (*_BEFORE_RACE, messages.Slice, messages.Seal, messages.Resync),
    Phase.RACING: (*_BEFORE_RACE, messages.Cancel),
    Phase.SETTLING: (*_BEFORE_RACE, messages.Cancel),
    Phase.CLOSING: (*_BEFORE_RACE, messages.Cancel, messages.Slice),
    Phase.FINISHED: (
        *_RACE, messages.SayReady, messages.Unready, messages.Begin, messages.OpenNonce, messages.Cancel,
    ),
    Phase.CLOSED: (),
}  # fmt: skip

MOVES: dict[Phase, tuple[Phase, ...]] = {
    Phase.SEATING: (Phase.OPENING, Phase.CLOSED),
    Phase.OPENING: (Phase.COUNTDOWN, Phase.SEATING, Phase.CLOSED),
    Phase.COUNTDOWN: (Phase.RACING, Phase.SEATING, Phase.CLOSED),
    Phase.RACING: (Phase.SETTLING, Phase.CLOSED),
    Phase.SETTLING: (Phase.CLOSING, Phase.CLOSED),
    Phase.CLOSING: (Phase.FINISHED, Phase.CLOSED),
    Phase.FINISHED: (Phase.OPENING, Phase.SEATING, Phase.CLOSED),
    Phase.CLOSED: (),
}

IN_RACE = (Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.CLOSING)
