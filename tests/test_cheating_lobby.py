"""A lobby that deviates from deal.md §3 or §4 in one way: everybody whom it concerns refuses to play, and says why.

What each single check of a client refuses is in client/test_session.py, message by message. Here a whole lobby goes
on as if it were right, so that only noticing the one thing can save the players (issue 4; tests/cheating.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from client.advice import CODES, advice
from client.view import Line
from engine.race import SeatState
from protocol.limits import Windows
from protocol.messages import Burnt, Phase
from tests import cheating
from tests.cheating import CheatingWorld, Deviation
from tests.client.pictures_of import screen

EVERYONE = ("fox", "owl", "hare", "mole")
PLAYERS = EVERYONE[:3]
Scene = Callable[[CheatingWorld, Deviation], None]


@dataclass(frozen=True)
class Case:
    """How a lobby deviates when, and what each client then ends with."""

    scene: Scene
    deviate: Deviation
    what: str
    who: tuple[str, ...] = EVERYONE
    others: dict[str, str] = field(default_factory=dict)

    @property
    def endings(self) -> dict[str, str]:
        return {who: f"cheat:{what}" for who, what in {**dict.fromkeys(self.who, self.what), **self.others}.items()}


BURNT, OVER, CLOSE = cheating.a_deck_is_burnt, cheating.a_race_is_over, cheating.seats_close
RUNS, COUNTDOWN = cheating.a_race_runs, cheating.the_countdown_runs

CASES = {
    # the Deal (3.1)
    "the settings are changed": Case(BURNT, cheating.other_settings, "deal-settings"),
    "the settings are changed by Again": Case(OVER, cheating.other_settings, "deal-settings"),
    "the settings are changed by Again and shown": Case(OVER, cheating.other_settings_shown_too, "deal-settings"),
    "the windows are changed": Case(BURNT, cheating.options(windows=Windows(away_ms=5_000)), "deal-terms"),
    "the windows are changed by Again": Case(OVER, cheating.options(windows=Windows(away_ms=5_000)), "deal-terms"),
    "the deck is made shorter": Case(BURNT, cheating.options(chain_length=32), "deal-terms"),
    "the deck is dealt from a seed": Case(BURNT, cheating.options(seed=b"s" * 32), "deal-terms"),
    "the table is another": Case(BURNT, cheating.other("_table_id", 16), "deal-terms"),
    "the Deal is signed by another": Case(BURNT, cheating.not_signed, "deal-signature"),
    "the number of the race is too high": Case(BURNT, cheating.number("_race_number", 1), "deal-order"),
    "the number of the race is the old one": Case(OVER, cheating.number("_race_number", -1), "deal-order"),
    "the number of a race is left out": Case(OVER, cheating.number("_race_number", 1), "deal-order"),
    "a burnt Deal is not counted": Case(BURNT, cheating.number("_burnt", -1), "deal-order"),
    "a Deal too many is counted as burnt": Case(BURNT, cheating.number("_burnt", 1), "deal-order"),
    "a Deal is counted as burnt after a race": Case(OVER, cheating.number("_burnt", 1), "deal-order"),
    "another Deal came before": Case(BURNT, cheating.other("_previous_deal"), "deal-order"),
    "another Deal was raced on": Case(OVER, cheating.other("_previous_deal"), "deal-order"),
    "another record came before": Case(BURNT, cheating.other("_previous_record"), "deal-order"),
    "another record was announced": Case(OVER, cheating.other("_previous_record"), "deal-order"),
    "a burnt deck is dealt again": Case(BURNT, cheating.same_chain, "deal-again"),
    "a deck that was raced on is dealt again": Case(OVER, cheating.same_chain, "deal-again"),
    "a burnt Deal comes again": Case(BURNT, cheating.same_deal, "deal-again"),
    "a Deal that was raced on comes again": Case(OVER, cheating.same_deal, "deal-again"),
    "a burnt deck is not shown": Case(BURNT, cheating.drop(Burnt), "deal-unburnt"),
    "another deck is shown as burnt": Case(BURNT, cheating.other_burnt_link, "burnt-link"),
    "the deck is shown while it is raced on": Case(RUNS, cheating.the_deck_is_shown, "burnt-late"),
    "one player is told another Deal": Case(
        BURNT, cheating.two_deals, "seats-ready", others={"owl": "seats-signature"}
    ),
    # Seats (3.3)
    "a player's Ready is missing": Case(
        CLOSE,
        cheating.seats(lambda readies, _: [readies[0], readies[2]]),
        "seats-table",
        others={"owl": "seats-missing"},
    ),
    "a player's commitment is altered": Case(CLOSE, cheating.seats(cheating.altered), "seats-ready"),
    "a player's Ready is for the Deal before": Case(BURNT, cheating.readies_of_the_deal_before, "seats-ready"),
    "a player is dealt in twice": Case(CLOSE, cheating.seats(lambda r, _: [r[0], r[1], r[1]]), "seats-double"),
    "the seats are in another order": Case(CLOSE, cheating.seats(lambda r, _: [r[1], r[0], r[2]]), "seats-table"),
    "somebody is dealt in whom nobody sees": Case(CLOSE, cheating.seats(cheating.with_a_stranger), "seats-table"),
    "there are two lists": Case(CLOSE, cheating.two_lists, "seats-twice"),
    "the list is signed by another": Case(
        CLOSE, cheating.seats(lambda readies, _: readies, cheating.STRANGER), "seats-signature"
    ),
    "a list comes for a burnt Deal": Case(BURNT, cheating.after_it_was_burnt("seats"), "seats-without-deal"),
    "not everyone is ready": Case(CLOSE, cheating.one_who_is_not_ready, "seats-table"),
    # Start (3.6)
    "a nonce is missing": Case(
        CLOSE, cheating.start(lambda start: replace(start, nonces=start.nonces[:2])), "start-nonces"
    ),
    "a nonce is altered": Case(
        CLOSE, cheating.start(lambda start: replace(start, nonces=(*start.nonces[:2], bytes(32)))), "start-nonces"
    ),
    "the nonces are in another order": Case(
        CLOSE, cheating.start(lambda start: replace(start, nonces=start.nonces[::-1])), "start-nonces"
    ),
    "the mix is another": Case(CLOSE, cheating.start(lambda start: replace(start, mix=bytes(32))), "start-mix"),
    "the Start is signed by another": Case(
        CLOSE, cheating.start(lambda start: start, cheating.STRANGER), "start-signature"
    ),
    "the race starts before the nonces are opened": Case(
        CLOSE, cheating.start_at_once(with_seats=True), "start-nonces"
    ),
    "the race starts without a list": Case(CLOSE, cheating.start_at_once(with_seats=False), "start-nonces"),
    "there are two Starts": Case(COUNTDOWN, cheating.another_start, "start-twice"),
    "there are two Starts in the race": Case(RUNS, cheating.another_start, "start-twice"),
    "there are two Starts, the table shown as if there were one": Case(
        COUNTDOWN, cheating.another_start_as_if_nothing_had_been, "start-twice"
    ),
    "a burnt Deal is started": Case(BURNT, cheating.after_it_was_burnt("start"), "start-without-deal"),
    # links (§4)
    "a link is none of the chain": Case(
        RUNS, cheating.links(lambda world, number: (number, bytes(32))), "link", who=PLAYERS
    ),
    "a link has another number": Case(
        RUNS, cheating.links(lambda world, number: (number + 1, world.opening.chain.link(number))), "link", who=PLAYERS
    ),
    "a link is beyond the lead": Case(
        RUNS,
        cheating.links(lambda world, number: (number + 1, world.opening.chain.link(number + 1))),
        "link-early",
        who=PLAYERS,
    ),
}


def played(case: Case) -> CheatingWorld:
    world = CheatingWorld()
    case.scene(world, case.deviate)
    return world


@pytest.mark.parametrize("name", CASES)
def test_everyone_whom_a_lobby_deceives_refuses_to_play_and_says_why(name: str) -> None:
    case = CASES[name]
    world = played(case)
    assert world.endings() == case.endings
    for who in case.endings:
        client = world.clients[who]
        view = client.view(world)
        assert view.line is Line.OVER
        assert client.connection is None
        assert client.session.own is None or client.session.deadline is None
        words = advice(view.ending)
        assert view.ending in CODES
        assert str(words) == f"{words.happened} {words.remedy}"  # what `farewell` prints, with or without a screen
        assert words.happened.split()[-1] in " ".join(screen(view).split())


def honest(world: CheatingWorld) -> None:
    """Does nothing."""


@pytest.mark.parametrize("scene", [CLOSE, BURNT, OVER, COUNTDOWN, RUNS])
def test_where_the_lobby_keeps_its_word_everyone_plays_on(scene: Scene) -> None:
    world = CheatingWorld()
    scene(world, honest)
    assert world.endings() == {}
    assert [client.view(world).phase for client in world.everyone] == [Phase.RACING] * 4
    assert [client.view(world).my_seat is None for client in world.everyone] == [False, False, False, True]
    for client in world.everyone[:3]:
        game = client.view(world).game
        assert game is not None
        assert [seat.state for seat in client.view(world).seats if seat] == [SeatState.MOVING] * 3
