"""The luck of the players of a record (docs/luck.md): engine/luck.py asked about every seat.

A game alone is asked about as seat 0 of a race whose mix is the seed of its deck. Where moves were taken back nothing
is said: after an undo the next tile is known, and so nothing shows whether others were.

It is no part of the verdict, and takes much longer: whoever wants it asks for it, of a record that verdict.py has
found true. It is counted over the whole log, what came after the outcome too: those are draws as well.
"""

from __future__ import annotations

from engine.board import Direction
from engine.deck import Chain, DealtDeck
from engine.luck import Luck, luck
from engine.solo import Act
from protocol.deal import Deal, Start
from protocol.record import Record
from protocol.solo import SoloRecord


def luck_of(data: bytes) -> tuple[Luck, ...]:
    """Returns the luck of every seat of a true record, in seat order; what it does with a false one is not said."""
    record = Record.parse(data)
    deal, start = Deal.decode(record.deal.body), Start.decode(record.start.body)
    deck = DealtDeck(Chain(deal.chain_id, record.last_link, deal.chain_length), deal.deck_mix(start.mix))
    size = deal.settings.size
    return tuple(
        luck(size, deck, map(Direction, log.directions), start.mix, seat) for seat, log in enumerate(record.logs)
    )


def solo_luck_of(record: SoloRecord) -> Luck | None:
    """Returns the luck of the player of a true record of a game alone; None if moves were taken back."""
    if Act.UNDO in record.acts:
        return None
    opening = record.opening
    mix = opening.deck if isinstance(opening.deck, bytes) else opening.deck.mix
    directions = (Direction(act - 1) for act in record.acts if act <= Act.LEFT)
    return luck(opening.size, opening.dealt(), directions, mix, 0)
