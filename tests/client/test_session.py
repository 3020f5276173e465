"""A session against lobbies that cheat, break off, or send nonsense; what an honest one may do never ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from client import actions
from client.actions import Move
from client.events import Acted, Checked, CheckRecord, Connected, Dropped, Received, SaveRecord, Woke
from client.session import OpenTable
from client.trust import Cheat
from client.view import Check, Line
from engine.board import Direction
from protocol import limits, messages
from protocol.deal import Ready, Seats
from protocol.messages import Phase, Role, Signed, TableSettings
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, fingerprint
from protocol.text import SafeText
from tests.client.handmade import SETTINGS, HandLobby, connects, msgspec_replace

STRANGER = Signer(b"s" * 32)
LOBBY = Signer(b"l" * 32)


# ── the lobby's key ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_lobby_that_proves_its_key_is_told_ours_and_asked_for_the_table() -> None:
    lobby = HandLobby()
    assert [type(message).__name__ for message in lobby.connect()] == ["Proof", "Join"]


def test_a_host_opens_a_table_and_comes_back_to_that_one() -> None:
    lobby = HandLobby(goal=OpenTable(SETTINGS))
    assert [type(message).__name__ for message in lobby.connect()] == ["Proof", "Open"]
    lobby.welcome()
    lobby.handle(Dropped("lost"))
    join = lobby.connect()[1]
    assert join == messages.Join("123456", "owl")


def test_a_pinned_fingerprint_that_is_right_is_no_end() -> None:
    lobby = HandLobby(pinned=fingerprint(Signer(b"l" * 32).key))
    lobby.connect()
    assert lobby.session.ending == ""


def test_a_pinned_fingerprint_that_is_wrong_ends_it() -> None:
    lobby = HandLobby(pinned=fingerprint(STRANGER.key))
    assert lobby.connect() == []
    assert lobby.session.ending == "pin"
    assert lobby.over()


@pytest.mark.parametrize(
    ("expected", "pinned", "alarm"),
    [
        ((), "", ""),
        ((LOBBY.key,), "", ""),
        ((STRANGER.key, LOBBY.key), "", ""),
        ((STRANGER.key,), "", "other-key"),
        ((STRANGER.key,), fingerprint(LOBBY.key), ""),
    ],
    ids=["nobody is known", "it is known", "it is one of those known", "another is known", "the link vouches for it"],
)
def test_a_lobby_is_a_surprise_where_another_key_was_known(
    expected: tuple[bytes, ...], pinned: str, alarm: str
) -> None:
    lobby = HandLobby(expected=frozenset(expected), pinned=pinned)
    lobby.connect()
    lobby.welcome()
    view = lobby.session.view(lobby.now_ms)
    assert (view.alarm, view.fingerprint) == (alarm, fingerprint(LOBBY.key))
    assert lobby.session.ending == ""


def test_an_alarm_does_not_pass_with_what_the_person_does() -> None:
    lobby = HandLobby(expected=frozenset({STRANGER.key}))
    lobby.connect()
    lobby.welcome()
    lobby.act(actions.SetReady())
    assert lobby.session.view(lobby.now_ms).alarm == "other-key"


def test_a_lobby_that_has_not_proved_its_key_raises_no_alarm() -> None:
    lobby = HandLobby(expected=frozenset({STRANGER.key}))
    lobby.connect(protocol=99)
    view = lobby.session.view(lobby.now_ms)
    assert (view.alarm, view.fingerprint) == ("", "")


def test_a_challenge_with_a_false_signature_is_from_no_lobby() -> None:
    lobby = HandLobby()
    lobby.handle(Connected())
    shown = SafeText.shown("x")
    challenge = messages.Challenge(b"y" * 32, lobby.signer.key, bytes(64), limits.PROTOCOL_VERSION, shown)
    assert lobby.say(challenge) == []
    assert lobby.session.ending == "not-a-lobby"
    assert lobby.over()


def test_another_protocol_version_ends_it_and_both_versions_are_known() -> None:
    lobby = HandLobby()
    lobby.connect(protocol=99)
    assert lobby.session.ending == Refusal.VERSION
    assert lobby.session.view(lobby.now_ms).lobby_protocol == 99


def test_a_key_that_changed_after_a_reconnect_ends_it() -> None:
    lobby = HandLobby()
    lobby.connect()
    lobby.welcome()
    lobby.handle(Dropped("lost"))
    assert lobby.connect(STRANGER) == []
    assert lobby.session.ending == "cheat:lobby-key"
    assert lobby.over()


def test_a_welcome_from_one_who_has_not_proved_a_key_ends_it() -> None:
    lobby = HandLobby()
    lobby.handle(Connected())
    assert lobby.welcome() == []
    assert lobby.session.ending == "not-a-lobby"


def test_a_welcome_on_a_new_connection_needs_a_new_proof() -> None:
    """Who takes over the address of a lobby that we know does not have its key."""
    lobby = HandLobby()
    lobby.connect()
    lobby.welcome()
    lobby.handle(Dropped("lost"))
    lobby.handle(Connected())
    assert lobby.welcome() == []
    assert lobby.session.ending == "not-a-lobby"


def test_what_else_is_said_before_the_welcome_means_nothing() -> None:
    lobby = HandLobby()
    lobby.connect()
    assert lobby.say(messages.Burnt(bytes(32))) == []
    assert lobby.session.ending == ""


# ── the documents of a deal (deal.md §3) ─────────────────────────────────────────────────────────────────────────────


def cheats(lobby: HandLobby, what: str) -> bool:
    """Whether the session ended for this, saying nothing more."""
    assert lobby.session.ending == f"cheat:{what}"
    return lobby.over()


def seated() -> HandLobby:
    lobby = HandLobby()
    lobby.connect()
    lobby.welcome()
    return lobby


def test_a_deal_with_a_false_signature_is_a_cheat() -> None:
    lobby = seated()
    other = replace(lobby.deal, race_number=2)
    lobby.say(messages.Dealt(lobby.sign("deal", NO_CONTEXT, other.encode(), STRANGER)))
    assert cheats(lobby, "deal-signature")


def test_a_deal_of_another_key_is_a_cheat() -> None:
    lobby = seated()
    lobby.say(messages.Dealt(lobby.sign("deal", NO_CONTEXT, replace(lobby.deal, lobby_key=STRANGER.key).encode())))
    assert cheats(lobby, "deal-key")


def test_a_deal_that_cannot_be_read_is_a_cheat() -> None:
    lobby = seated()
    lobby.say(messages.Dealt(lobby.sign("deal", NO_CONTEXT, b"x")))
    assert cheats(lobby, "deal-layout")


def test_a_deal_with_other_settings_than_the_table_shows_is_not_answered() -> None:
    lobby = HandLobby()
    lobby.deal = replace(lobby.deal, settings=TableSettings(kind=3, target_exponent=0, size=8))
    lobby.deal_signed = lobby.sign("deal", NO_CONTEXT, lobby.deal.encode())
    lobby.connect()
    lobby.welcome()
    assert lobby.act(actions.SetReady()) == []


def test_seats_with_a_false_signature_are_a_cheat() -> None:
    lobby = HandLobby()
    ready = lobby.ready()
    body = Seats((lobby.rival_ready(), ready)).encode()
    lobby.say(messages.SeatsClosed(lobby.sign("seats", lobby.deal_hash, body, STRANGER)))
    assert cheats(lobby, "seats-signature")


def test_seats_with_somebodys_ready_replaced_are_a_cheat() -> None:
    lobby = HandLobby()
    ready = lobby.ready()
    body = Ready(lobby.rival.key, bytes(32), "fox").encode()
    forged = lobby.sign("ready", lobby.deal_hash, body, STRANGER)
    lobby.say(messages.SeatsClosed(lobby.seats(forged, ready)))
    assert cheats(lobby, "seats-ready")


def test_seats_that_cannot_be_read_are_a_cheat() -> None:
    lobby = HandLobby()
    lobby.ready()
    lobby.say(messages.SeatsClosed(lobby.sign("seats", lobby.deal_hash, b"x")))
    assert cheats(lobby, "seats-layout")


def test_more_seats_than_the_table_has_are_a_cheat() -> None:
    lobby = HandLobby()
    two = TableSettings(kind=3, target_exponent=0, seats=2)
    lobby.deal = replace(lobby.deal, settings=two)
    lobby.deal_signed = lobby.sign("deal", NO_CONTEXT, lobby.deal.encode())
    lobby.connect()
    lobby.welcome(lobby.view(settings=two))
    (said,) = lobby.act(actions.SetReady())
    assert isinstance(said, messages.SayReady)
    third = lobby.sign("ready", lobby.deal_hash, Ready(STRANGER.key, bytes(32), "x").encode(), STRANGER)
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(), said.ready, third)))
    assert cheats(lobby, "seats-many")


def test_seats_with_the_own_ready_replaced_are_a_cheat() -> None:
    """Even by one that we have signed ourselves, in another program with our key."""
    lobby = HandLobby()
    lobby.ready()
    body = Ready(lobby.me.key, bytes(32), "owl").encode()
    other = lobby.sign("ready", lobby.deal_hash, body, lobby.me)
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(), other)))
    assert cheats(lobby, "seats-other-ready")


def test_seats_with_a_player_twice_are_a_cheat() -> None:
    lobby = HandLobby()
    lobby.ready()
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(), lobby.rival_ready())))
    assert cheats(lobby, "seats-double")


def test_a_second_list_of_seats_for_one_deal_is_a_cheat() -> None:
    """A lobby that knew our nonce could try lists until it likes the mix."""
    lobby = HandLobby()
    lobby.opened()
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(commitment=bytes(32)), lobby.rival_ready())))
    assert cheats(lobby, "seats-twice")


def test_seats_for_a_deal_that_was_burnt_are_a_cheat() -> None:
    lobby = HandLobby()
    ready = lobby.ready()
    lobby.say(messages.Burnt(lobby.chain.link(64)))
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(), ready)))
    assert cheats(lobby, "seats-without-deal")


def test_the_nonce_is_opened_for_the_own_ready_alone() -> None:
    lobby = HandLobby()
    _seats, nonce = lobby.opened()
    assert len(nonce) == 32


def test_one_who_is_not_dealt_in_opens_nothing() -> None:
    lobby = HandLobby()
    lobby.ready()
    other = Signer(b"o" * 32)
    body = Ready(other.key, bytes(32), "hare").encode()
    seats = lobby.seats(lobby.rival_ready(), lobby.sign("ready", lobby.deal_hash, body, other))
    assert lobby.say(messages.SeatsClosed(seats)) == []
    assert lobby.session.ending == ""


def _starts(lobby: HandLobby, seats: Signed, nonce: bytes) -> dict[str, Signed]:
    q = lobby.rival_nonce
    true = lobby.start(seats, q, nonce)
    return {
        "start-signature": Signed(true.body, bytes(64)),
        "start-layout": Signed(b"x", bytes(64)),
        "start-nonces: one missing": lobby.start(seats, q),
        "start-nonces: a wrong one": lobby.start(seats, b"w" * 32, nonce),
        "start-nonces: in another order": lobby.start(seats, nonce, q),
        "start-mix": lobby.start(seats, q, nonce, mix=b"m" * 32),
    }


@pytest.mark.parametrize(
    "case",
    [
        "start-signature", "start-layout", "start-nonces: one missing", "start-nonces: a wrong one",
        "start-nonces: in another order", "start-mix",
    ],
)  # fmt: skip
def test_a_false_start_is_a_cheat(case: str) -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    lobby.say(messages.Started(_starts(lobby, seats, nonce)[case]))
    assert cheats(lobby, case.partition(":")[0])


def test_a_start_without_seats_is_a_cheat() -> None:
    lobby = HandLobby()
    ready = lobby.ready()
    seats = lobby.seats(lobby.rival_ready(), ready)
    lobby.say(messages.Started(lobby.start(seats, lobby.rival_nonce, b"n" * 32)))
    assert cheats(lobby, "start-nonces")


def test_a_start_without_a_deal_is_a_cheat() -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    lobby.say(messages.Burnt(lobby.chain.link(64)))
    lobby.say(messages.Started(lobby.start(seats, lobby.rival_nonce, nonce)))
    assert cheats(lobby, "start-without-deal")


def test_a_second_start_of_one_race_is_a_cheat() -> None:
    """It would take the moves away that were made."""
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    lobby.say(messages.Started(lobby.start(seats, lobby.rival_nonce, nonce)))
    lobby.say(messages.Started(lobby.start(seats, lobby.rival_nonce, nonce, start_ms=1_000_000)))
    assert cheats(lobby, "start-twice")


@pytest.mark.parametrize("last", [bytes(32), b"e" * 31 + b"f"])
def test_a_burnt_link_that_is_not_the_end_of_the_chain_is_a_cheat(last: bytes) -> None:
    lobby = seated()
    lobby.say(messages.Burnt(last))
    assert cheats(lobby, "burnt-link")


def test_a_burnt_link_that_is_right_is_not() -> None:
    lobby = seated()
    lobby.say(messages.Burnt(lobby.chain.link(64)))
    assert lobby.session.ending == ""


def test_a_deal_that_was_burnt_and_comes_again_is_a_cheat() -> None:
    """Everybody knows that deck."""
    lobby = seated()
    lobby.say(messages.Burnt(lobby.chain.link(64)))
    lobby.say(messages.Dealt(lobby.deal_signed))
    assert cheats(lobby, "deal-again")


def test_deals_that_vanish_while_the_line_is_cut_count_as_burnt() -> None:
    """A lobby must not be able to try one mix after the other by cutting the line (deal.md 3.4)."""
    lobby = HandLobby()
    lobby.ready()
    answered = []
    for _ in range(limits.BURNS_MAX + 1):
        lobby.handle(Dropped("lost"))
        lobby.connect()
        answers = lobby.welcome(deal=lobby.next_deal())
        answered.append(any(isinstance(answer, messages.SayReady) for answer in answers))
    assert answered == [True, True, False, False]


def test_a_third_burnt_deal_in_a_row_asks_the_person() -> None:
    lobby = HandLobby()
    lobby.ready()
    for number in range(limits.BURNS_MAX):
        lobby.say(messages.Burnt(lobby.chain.link(64)))
        answered = lobby.say(messages.Dealt(lobby.next_deal()))
        assert bool(answered) == (number < limits.BURNS_MAX - 1)


# ── the race ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def racing() -> HandLobby:
    lobby = HandLobby()
    lobby.race()
    return lobby


CHEATS_IN_A_RACE: dict[str, tuple[str, Callable[[HandLobby], messages.FromLobby]]] = {
    "a link that is not of the chain": ("link", lambda lobby: messages.Link(13, bytes(32))),
    "a link under another number": ("link", lambda lobby: messages.Link(14, lobby.chain.link(13))),
    "a link beyond the chain": ("link", lambda lobby: messages.Link(65, bytes(32))),
    "a false link in an ack": ("link", lambda lobby: messages.Ack(0, 13, bytes(32))),
    "a link of the wrong length": ("link", lambda lobby: messages.Ack(0, 13, b"")),
    "an ack of moves never made": ("ack", lambda lobby: messages.Ack(9)),
    "a tick signed by another": ("tick-signature", lambda lobby: lobby.tick(signer=STRANGER)),
    "a tick of another number of seats": ("tick-layout", lambda lobby: lobby.tick(seats=3)),
    "a tick that cannot be read": (
        "tick-layout",
        lambda lobby: messages.Ticked(lobby.sign("tick", lobby.mix, b"x")),
    ),
    "a table with settings that none can have": (
        "table",
        lambda lobby: messages.TableChanged(lobby.view(settings=TableSettings(size=7)), 1),
    ),
    "a code that is none": ("table", lambda lobby: messages.TableChanged(lobby.view(code="\x1b]52;c;AA\x07"), 1)),
    "a watch code that is none": ("table", lambda lobby: messages.TableChanged(lobby.view(watch_code="--name=x"), 1)),
    "a seat that is not at the table": ("table", lambda lobby: messages.TableChanged(lobby.view(), 3)),
    "an end without boards": (
        "ended",
        lambda lobby: messages.Ended(
            termination=1, winners=(0,), t_ms=0, standing=(0, 1), states=(0, 0), scores=(0, 0), max_exponents=(1, 1),
            moves=(0, 0), boards=(b"", b""),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHEATS_IN_A_RACE)
def test_a_lobby_that_cheats_in_a_race_ends_it(case: str) -> None:
    lobby = racing()
    what, make = CHEATS_IN_A_RACE[case]
    lobby.say(make(lobby))
    assert cheats(lobby, what)


def test_a_tick_that_goes_back_is_a_cheat() -> None:
    lobby = racing()
    lobby.say(lobby.tick(2))
    lobby.say(lobby.tick(1))
    assert cheats(lobby, "tick-order")


def test_two_ticks_of_one_number_that_differ_are_a_cheat() -> None:
    lobby = racing()
    lobby.say(lobby.tick(2))
    lobby.say(lobby.tick(2, score=4))
    assert cheats(lobby, "tick-order")


def test_the_same_tick_twice_is_not() -> None:
    lobby = racing()
    lobby.say(lobby.tick(2))
    lobby.say(lobby.tick(2))
    assert lobby.session.ending == ""


def test_ticks_that_skip_are_not() -> None:
    """A client that was slow gets the newest alone."""
    lobby = racing()
    lobby.say(lobby.tick(2))
    lobby.say(lobby.tick(9))
    assert lobby.session.ending == ""


def _ended(**changes: object) -> messages.Ended:
    ended = messages.Ended(
        termination=1, winners=(0,), t_ms=9, standing=(0, 1), states=(0, 2), scores=(0, 0), max_exponents=(1, 1),
        moves=(0, 0), boards=(bytes([1, 1, *[0] * 14]), bytes([1, 1, *[0] * 14])),
    )  # fmt: skip
    return msgspec_replace(ended, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"termination": 99}, {"winners": (3,)}, {"standing": (0, 0)}, {"standing": (0, 1, 2)}, {"states": (0, 9)},
        {"scores": (0,)}, {"moves": ()}, {"max_exponents": (1, 1, 1)}, {"boards": (bytes(16),)},
        {"boards": (bytes(16), b"\xff" * 16)}, {"boards": (bytes(16), bytes(9))},
    ],
)  # fmt: skip
def test_an_end_that_cannot_be_is_a_cheat(changes: dict[str, object]) -> None:
    lobby = racing()
    lobby.say(_ended(**changes))
    assert cheats(lobby, "ended")


def test_an_end_that_can_be_is_shown() -> None:
    lobby = racing()
    lobby.say(_ended())
    view = lobby.session.view(lobby.now_ms)
    assert view.phase is Phase.CLOSING
    assert view.outcome is not None
    assert view.outcome.winners == (0,)


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("data", [b"", b"x" * 11])
def test_a_piece_of_the_record_that_was_not_asked_for_is_a_cheat(offset: int, data: bytes) -> None:
    """A lobby cannot keep a client asking for ever."""
    lobby = racing()
    lobby.say(_ended())
    assert lobby.say(messages.RecordReady(10, bytes(32))) == [messages.AskRecord(bytes(32), 0)]
    lobby.say(messages.RecordPiece(bytes(32), offset, data))
    assert cheats(lobby, "record")


def test_a_piece_of_another_record_was_asked_for_before_and_is_passed_over() -> None:
    """The lobby may have the record of the next race ready while an AskRecord for the last one is on its way."""
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, b"a" * 32))
    lobby.say(messages.RecordPiece(b"b" * 32, 0, b"x" * 16))
    assert (lobby.effects, lobby.session.ending) == ([], "")


def test_a_record_that_is_none_is_kept_with_the_ticks_and_said_to_be_false() -> None:
    lobby = racing()
    lobby.say(lobby.tick(1))
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, bytes(32)))
    lobby.say(messages.RecordPiece(bytes(32), 0, b"abc"))
    (saved,) = [effect for effect in lobby.effects if isinstance(effect, SaveRecord)]  # with Deal, Start and the tick
    assert (saved.code, saved.record, saved.ok, len(saved.told)) == ("123456", b"abc", False, 3)
    lobby.session.saved(bytes(32), "there")
    view = lobby.session.view(lobby.now_ms)
    assert view.check is not None
    assert not view.check.ok
    assert view.record_path == "there"


def test_another_record_of_the_same_race_is_a_cheat() -> None:
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, b"a" * 32))
    lobby.say(messages.RecordReady(3, b"b" * 32))
    assert cheats(lobby, "record")


def test_a_deal_that_comes_while_the_record_of_a_race_that_was_never_run_is_announced_is_a_cheat() -> None:
    """A lobby cannot pass over a Deal by saying that it was raced on."""
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, b"a" * 32))
    lobby.say(messages.Dealt(lobby.next_deal(race_number=2, burnt=0, previous_record=b"a" * 32)))
    assert lobby.session.ending == ""
    lobby.say(messages.RecordReady(3, b"b" * 32))
    lobby.say(messages.Dealt(lobby.next_deal(race_number=3, burnt=0, previous_record=b"b" * 32)))
    assert cheats(lobby, "deal-unburnt")


def test_a_false_record_is_not_forgotten_when_the_next_race_is_near() -> None:
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, bytes(32)))
    lobby.say(messages.TableChanged(lobby.view(), 1))
    lobby.say(messages.RecordPiece(bytes(32), 0, b"abc"))
    lobby.session.saved(bytes(32), "there")
    view = lobby.session.view(lobby.now_ms)
    assert (view.phase, view.check) == (Phase.SEATING, None)
    assert view.dispute is not None
    assert (view.dispute.ok, view.dispute.reason, view.dispute_path) == (False, "false", "there")


def checking() -> tuple[HandLobby, CheckRecord]:
    """A session whose record is here whole and still being checked."""
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, bytes(32)))
    effects = lobby.session.handle(Received(messages.RecordPiece(bytes(32), 0, b"abc")), lobby.now_ms)
    (check,) = [effect for effect in effects if isinstance(effect, CheckRecord)]
    return lobby, check


def test_a_record_that_is_being_checked_is_not_asked_for_again() -> None:
    lobby, _ = checking()
    assert lobby.say(messages.RecordReady(3, bytes(32))) == []


def test_pieces_of_a_record_that_is_being_checked_are_passed_over() -> None:
    lobby, _ = checking()
    lobby.say(messages.RecordPiece(bytes(32), 0, b"abc"))
    assert (lobby.effects, lobby.session.ending) == ([], "")


def test_a_record_is_kept_though_the_session_ended_while_it_was_checked() -> None:
    lobby, check = checking()
    lobby.handle(Acted(actions.Leave()))
    assert lobby.session.ending
    kept = lobby.session.handle(Checked(check, Check(ok=True, reason="")), lobby.now_ms)
    assert kept == [SaveRecord("123456", b"abc", ok=True)]


@pytest.mark.parametrize(("number", "asked"), [(2, [messages.AskRecord(b"a" * 32, 0)]), (3, [])])
def test_a_record_that_was_never_announced_is_fetched_if_it_is_that_of_the_race_that_was_seen(
    number: int, asked: list[object]
) -> None:
    lobby = racing()
    lobby.say(_ended())
    lobby.handle(Dropped("lost"))
    lobby.connect()
    next_deal = lobby.next_deal(race_number=number, burnt=0, previous_record=b"a" * 32)
    answers = lobby.welcome(deal=next_deal, record=messages.RecordReady(3, b"a" * 32))
    assert lobby.session.ending == ""
    assert [answer for answer in answers if isinstance(answer, messages.AskRecord)] == asked


@pytest.mark.parametrize(("known", "asked"), [(b"a" * 32, [messages.AskRecord(b"a" * 32, 1)]), (b"b" * 32, [])])
def test_a_record_that_was_cut_off_is_fetched_on_if_the_lobby_still_has_it(known: bytes, asked: list[object]) -> None:
    """The next race has begun; its Deal says which record the lobby has (deal.md 3.1)."""
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, b"a" * 32))
    lobby.say(messages.RecordPiece(b"a" * 32, 0, b"x"))
    lobby.handle(Dropped("lost"))
    lobby.connect()
    next_deal = lobby.next_deal(race_number=2, burnt=0, previous_record=known)
    answers = lobby.welcome(deal=next_deal, record=messages.RecordReady(3, known))
    assert [answer for answer in answers if isinstance(answer, messages.AskRecord)] == asked


def test_a_record_that_was_judged_is_not_fetched_again() -> None:
    lobby = racing()
    lobby.say(_ended())
    lobby.say(messages.RecordReady(3, b"a" * 32))
    lobby.say(messages.RecordPiece(b"a" * 32, 0, b"abc"))
    lobby.handle(Dropped("lost"))
    lobby.connect()
    next_deal = lobby.next_deal(race_number=2, burnt=0, previous_record=b"a" * 32)
    answers = lobby.welcome(deal=next_deal, record=messages.RecordReady(3, b"a" * 32))
    assert not any(isinstance(answer, messages.AskRecord) for answer in answers)


def test_an_hour_of_a_false_clock_makes_no_move_that_cannot_be_written() -> None:
    lobby = racing()
    lobby.session.clock.sample(lobby.now_ms, (1 << 63) - 1, lobby.now_ms)
    lobby.act(Move(Direction.UP))
    lobby.act(Move(Direction.LEFT))
    lobby.act(actions.Resign())
    assert lobby.session.ending == ""


def log_piece_race(directions: bytes = b"", times: tuple[int, ...] = (), moves: int = 3) -> HandLobby:
    """A session that has lost its log, in a race where the lobby has some of it, and is sent a piece."""
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    start = lobby.start(seats, lobby.rival_nonce, nonce, start_ms=lobby.now_ms + 1)
    lobby.handle(Dropped("lost"))
    lobby.connect()
    lobby.now_ms += 5_000
    own = messages.OwnGame(moves=moves, head=bytes(32), seals=1, link_number=12, link=lobby.chain.link(12))
    race = messages.RaceView(seats=seats, start=start)
    answers = lobby.welcome(lobby.view(Phase.RACING), race=race, own=own)
    assert answers[-1] == messages.AskLog(0) or messages.AskLog(0) in answers
    lobby.say(messages.LogPiece(0, directions, times))
    return lobby


@pytest.mark.parametrize(
    ("directions", "times"),
    [
        (b"", ()),
        (b"\x00", ()),
        (b"\x04", (1,)),
        (bytes([0] * 60), tuple(range(60))),
        (bytes([0, 3, 2]), (900, 800, 1_000)),
        (bytes([0, 3, 0, 3]), (1, 2, 3, 4)),
    ],
)
def test_a_piece_of_the_own_log_that_cannot_be_is_a_cheat(directions: bytes, times: tuple[int, ...]) -> None:
    assert cheats(log_piece_race(directions, times), "log")


@pytest.mark.parametrize(("number", "ending"), [(16, ""), (17, "cheat:link-early")])
def test_a_link_that_comes_while_the_own_log_is_on_its_way_is_for_the_moves_of_that_log(
    number: int, ending: str
) -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    start = lobby.start(seats, lobby.rival_nonce, nonce, start_ms=lobby.now_ms + 1)
    lobby.handle(Dropped("lost"))
    lobby.connect()
    own = messages.OwnGame(moves=30, head=bytes(32), seals=1, link_number=15, link=lobby.chain.link(15))
    lobby.welcome(lobby.view(Phase.RACING), race=messages.RaceView(seats=seats, start=start), own=own)
    lobby.say(messages.Link(number, lobby.chain.link(number)))
    assert lobby.session.ending == ending


def test_a_log_beyond_the_links_is_a_cheat() -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    start = lobby.start(seats, lobby.rival_nonce, nonce, start_ms=lobby.now_ms + 1)
    lobby.handle(Dropped("lost"))
    lobby.connect()
    own = messages.OwnGame(moves=30, head=bytes(32), seals=0, link_number=1, link=lobby.chain.link(1))
    lobby.welcome(lobby.view(Phase.RACING), race=messages.RaceView(seats=seats, start=start), own=own)
    lobby.say(messages.LogPiece(0, bytes([0, 3, 2, 1] * 8)[:30], tuple(range(30))))
    assert cheats(lobby, "log")


def test_a_log_without_any_link_is_a_cheat() -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    start = lobby.start(seats, lobby.rival_nonce, nonce, start_ms=lobby.now_ms + 1)
    lobby.handle(Dropped("lost"))
    lobby.connect()
    own = messages.OwnGame(moves=1, head=bytes(32), seals=0, link_number=0, link=b"")
    lobby.welcome(lobby.view(Phase.RACING), race=messages.RaceView(seats=seats, start=start), own=own)
    lobby.say(messages.LogPiece(0, b"\x00", (1,)))
    assert cheats(lobby, "log")


def test_a_seat_in_a_race_that_is_somebody_elses_is_a_cheat() -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    start = lobby.start(seats, lobby.rival_nonce, nonce)
    lobby.handle(Dropped("lost"))
    lobby.connect()
    own = messages.OwnGame(moves=0, head=bytes(32), seals=0, link_number=0, link=b"")
    lobby.welcome(lobby.view(Phase.RACING), seat=0, race=messages.RaceView(seats=seats, start=start), own=own)
    assert cheats(lobby, "table")


# ── what is not for us now means nothing ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "message",
    [
        messages.Link(1, bytes(32)), messages.Ack(3), messages.LogPiece(0, b"", ()), _ended(),
        messages.RecordReady(3, bytes(32)), messages.RecordPiece(bytes(32), 0, b"x"), messages.Refused("slice", 3, 4),
        messages.Drain(), messages.Pong(1, 1),
    ],
)  # fmt: skip
def test_what_belongs_to_a_race_means_nothing_without_one(message: messages.FromLobby) -> None:
    lobby = seated()
    assert lobby.say(message) == []
    assert lobby.session.ending == ""


def test_a_tick_without_a_race_means_nothing() -> None:
    lobby = seated()
    lobby.mix = bytes(32)
    assert lobby.say(lobby.tick()) == []
    assert lobby.session.ending == ""


def test_a_ping_is_answered_with_our_clock() -> None:
    lobby = seated()
    assert lobby.say(messages.Ping(77)) == [messages.Pong(77, lobby.now_ms)]


def test_a_lobby_that_goes_down_is_a_notice_until_the_next_welcome() -> None:
    lobby = seated()
    lobby.say(messages.Drain())
    assert lobby.session.view(lobby.now_ms).notice == "draining"
    lobby.handle(Dropped("lost"))
    lobby.connect()
    lobby.welcome()
    assert lobby.session.view(lobby.now_ms).notice == ""


def test_a_notice_is_gone_with_the_next_action() -> None:
    lobby = seated()
    lobby.say(messages.Refused(Refusal.LOCKED))
    assert lobby.session.view(lobby.now_ms).notice == Refusal.LOCKED
    lobby.act(actions.ToggleLock())
    assert lobby.session.view(lobby.now_ms).notice == ""


@pytest.mark.parametrize("code", list(Refusal))
def test_at_a_table_only_what_closes_it_ends_the_session(code: Refusal) -> None:
    lobby = seated()
    lobby.say(messages.Refused(code))
    final = code in (Refusal.FRAME, Refusal.REPLACED, Refusal.CLOSED, Refusal.BROKEN)
    assert lobby.session.ending == (code if final else "")


@pytest.mark.parametrize("code", [Refusal.NO_TABLE, Refusal.GUESSING, Refusal.NAME, Refusal.PROOF, Refusal.ORDER])
def test_before_a_table_a_refusal_is_the_end(code: Refusal) -> None:
    lobby = HandLobby()
    lobby.connect()
    lobby.say(messages.Refused(code))
    assert lobby.session.ending == code


@pytest.mark.parametrize("code", [Refusal.CAPACITY, Refusal.CROWDED, Refusal.ADDRESS])
def test_want_of_room_is_the_end_for_a_newcomer_only(code: Refusal) -> None:
    newcomer = HandLobby()
    newcomer.connect()
    newcomer.say(messages.Refused(code))
    assert newcomer.session.ending == code
    seated_before = seated()
    seated_before.handle(Dropped("lost"))
    seated_before.connect()
    seated_before.say(messages.Refused(code))
    assert connects(seated_before.handle(Dropped(code))) != []
    seated_before.connect()
    seated_before.welcome()
    assert seated_before.session.line is Line.ONLINE


# ── coming back ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_connection_that_never_was_is_the_end() -> None:
    lobby = HandLobby()
    lobby.handle(Dropped("unreachable"))
    assert lobby.session.ending == "unreachable"


def test_a_lost_connection_is_made_again_at_growing_intervals() -> None:
    lobby = seated()
    waits = [connects(lobby.handle(Dropped("lost")))[0] for _ in range(10)]
    assert lobby.session.line is Line.LOST
    pauses = (100, 300, 600, 1_000, 1_000, 1_000, 2_000, 2_000, 4_000, 4_000)
    assert all(pause <= wait < 2 * pause for wait, pause in zip(waits, pauses, strict=True))


def test_a_session_gives_up_after_ten_minutes() -> None:
    lobby = seated()
    lobby.handle(Dropped("lost"))
    lobby.now_ms += 600_000
    lobby.handle(Dropped("unreachable"))
    assert lobby.session.ending == ""
    lobby.now_ms += 1
    lobby.handle(Dropped("unreachable"))
    assert lobby.session.ending == "unreachable"


@pytest.mark.parametrize("reason", [Refusal.REPLACED, Refusal.CLOSED, Refusal.NO_TABLE])
def test_a_connection_closed_for_good_is_not_made_again(reason: str) -> None:
    lobby = seated()
    assert connects(lobby.handle(Dropped(reason))) == []
    assert lobby.session.ending == reason


@pytest.mark.parametrize("reason", [Refusal.SILENT, Refusal.SLICE, Refusal.DRAINING, "lost", "frame-error"])
def test_a_connection_closed_for_now_is_made_again(reason: str) -> None:
    lobby = seated()
    assert connects(lobby.handle(Dropped(reason))) != []


def test_leaving_says_so_and_is_the_end() -> None:
    lobby = seated()
    assert lobby.act(actions.Leave()) == [messages.Leave()]
    assert lobby.session.ending == "left"
    assert lobby.handle(Woke()) == []


def test_a_new_line_is_measured_at_once_and_then_every_5_s() -> None:
    lobby = seated()
    pings = 0
    for _ in range(60):
        lobby.now_ms += 100
        pings += sum(isinstance(message, messages.Ping) for message in lobby.answers(lobby.handle(Woke())))
    assert pings == 5


def test_a_watcher_is_asked_for_nothing() -> None:
    lobby = HandLobby(role=Role.WATCHER)
    lobby.connect()
    lobby.welcome(seat=None)
    assert lobby.act(actions.SetReady()) == []
    assert lobby.session.deadline is not None


def test_a_view_before_the_welcome_shows_the_line_alone() -> None:
    view = HandLobby().session.view(0)
    assert (view.line, view.phase) == (Line.CONNECTING, None)


def test_a_record_that_is_saved_when_the_race_is_gone_changes_nothing() -> None:
    lobby = seated()
    lobby.session.saved(bytes(32), "there")
    assert lobby.session.view(lobby.now_ms).record_path == ""


def test_a_program_started_again_in_an_opening_has_nothing_to_open() -> None:
    """Its nonce is lost; it is dealt in by its Ready all the same, and the chain will be burnt."""
    lobby = HandLobby()
    lobby.connect()
    body = Ready(lobby.me.key, bytes(32), "owl").encode()
    seats = lobby.seats(lobby.rival_ready(), lobby.sign("ready", lobby.deal_hash, body, lobby.me))
    answers = lobby.welcome(lobby.view(Phase.OPENING), race=messages.RaceView(seats=seats))
    assert not [message for message in answers if isinstance(message, messages.OpenNonce)]
    assert lobby.session.ending == ""


def test_a_reconnect_in_an_opening_opens_the_nonce_again() -> None:
    lobby = HandLobby()
    seats, nonce = lobby.opened()
    lobby.handle(Dropped("lost"))
    lobby.connect()
    answers = lobby.welcome(lobby.view(Phase.OPENING), race=messages.RaceView(seats=seats))
    assert messages.OpenNonce(nonce) in answers


def test_another_name_at_the_table_is_promised_anew() -> None:
    """Who stands up and sits down again may find the name taken."""
    lobby = HandLobby()
    lobby.ready()
    other = lobby.view(seats=(lobby.seat(lobby.rival, "owl"), lobby.seat(lobby.me, "owl (2)")))
    lobby.say(messages.TableChanged(other, 1))
    lobby.act(actions.SetReady(False))
    (said,) = lobby.act(actions.SetReady())
    assert isinstance(said, messages.SayReady)
    assert Ready.decode(said.ready.body).name == "owl (2)"


def test_a_piece_of_a_log_that_nobody_waits_for_means_nothing() -> None:
    lobby = racing()
    assert lobby.say(messages.LogPiece(0, b"\x00", (1,))) == []
    assert lobby.session.ending == ""


def test_an_act_without_a_race_does_nothing() -> None:
    lobby = seated()
    for action in (actions.Agree(), actions.Refuse(), actions.Resign(), Move(Direction.UP)):
        assert lobby.act(action) == []


def test_refusing_without_an_offer_does_nothing() -> None:
    lobby = racing()
    assert lobby.act(actions.Refuse()) == []


def test_every_action_at_a_table_has_its_message() -> None:
    lobby = seated()
    said: dict[actions.Action, messages.FromClient] = {
        actions.Start(): messages.Begin(), actions.Cancel(): messages.Cancel(), actions.Again(): messages.Again(),
        actions.Sit(): messages.Sit(), actions.Stand(): messages.Stand(), actions.Kick(1): messages.Kick(1),
        actions.Allow(): messages.Allow(), actions.ToggleLock(): messages.Lock(locked=True),
        actions.Change(SETTINGS): messages.ChangeSettings(SETTINGS),
    }  # fmt: skip
    assert [lobby.act(action) for action in said] == [[message] for message in said.values()]


def test_an_action_before_there_is_a_table_does_nothing() -> None:
    lobby = HandLobby()
    for action in (actions.SetReady(), actions.ToggleLock(), actions.Start()):
        assert lobby.act(action) == []


def test_cheats_are_named() -> None:
    assert Cheat("x").what == "x"


def test_a_message_of_no_meaning_is_passed_over() -> None:
    lobby = seated()
    lobby.handle(Received(messages.Refused("something new")))
    assert lobby.session.view(lobby.now_ms).notice == "something new"


def test_ready_that_is_said_again_while_it_is_on_its_way_is_not_taken_back() -> None:
    """After a restart the session answers the new Deal by itself; a computer player, or a hasty person, says it too."""
    lobby = seated()
    lobby.act(actions.SetReady())
    said = lobby.act(actions.SetReady())
    assert not [message for message in said if isinstance(message, messages.Unready)]
    assert lobby.session.wants_ready


def test_a_ready_that_was_taken_back_is_not_said_again_by_itself() -> None:
    lobby = HandLobby()
    lobby.ready()
    assert lobby.act(actions.SetReady(False)) == [messages.Unready()]
    lobby.handle(Dropped("lost"))
    lobby.connect()
    assert not [message for message in lobby.welcome() if isinstance(message, messages.SayReady)]


def shown_ready(lobby: HandLobby) -> messages.TableView:
    return lobby.view(seats=(lobby.seat(lobby.rival, "fox"), lobby.seat(lobby.me, "owl", ready=True)))


def lost_when_ready() -> HandLobby:
    """The lobby has shown that we are ready, and now the line is lost."""
    lobby = HandLobby()
    lobby.ready()
    lobby.say(messages.TableChanged(shown_ready(lobby), 1))
    lobby.handle(Dropped("lost"))
    return lobby


def left_out(lobby: HandLobby) -> bool:
    """Whether it is a cheat now to deal to others and not to us."""
    third = lobby.sign("ready", lobby.deal_hash, Ready(STRANGER.key, bytes(32), "x").encode(), STRANGER)
    lobby.say(messages.SeatsClosed(lobby.seats(lobby.rival_ready(), third)))
    return cheats(lobby, "seats-missing")


def test_a_ready_taken_back_while_the_line_was_lost_is_taken_back_when_it_is_back() -> None:
    lobby = lost_when_ready()
    lobby.act(actions.SetReady(False))
    lobby.connect()
    assert messages.Unready() in lobby.welcome(shown_ready(lobby))


def test_a_ready_said_again_after_it_was_taken_back_counts_when_the_line_is_back() -> None:
    lobby = lost_when_ready()
    lobby.act(actions.SetReady(False))
    lobby.act(actions.SetReady())
    lobby.connect()
    assert messages.Unready() not in lobby.welcome(shown_ready(lobby))
    assert left_out(lobby)


def test_a_seat_given_up_while_the_line_was_lost_is_still_ours_and_still_counts() -> None:
    lobby = lost_when_ready()
    lobby.act(actions.Stand())
    lobby.connect()
    lobby.welcome(shown_ready(lobby))
    assert left_out(lobby)


def test_what_was_taken_back_before_another_race_was_dealt_is_not_taken_back_after_it() -> None:
    lobby = seated()
    lobby.act(actions.SetReady(False))
    lobby.say(messages.TableChanged(lobby.view(Phase.OPENING), 1))  # the Deal is answered by itself
    lobby.handle(Dropped("lost"))
    lobby.connect()
    assert messages.Unready() not in lobby.welcome(shown_ready(lobby))


def test_an_unready_that_crossed_with_an_old_picture_is_said_again_when_the_line_is_back() -> None:
    lobby = HandLobby()
    lobby.ready()
    lobby.act(actions.SetReady(False))
    lobby.say(messages.TableChanged(lobby.view(), 1))  # drawn before the lobby had read the Ready
    lobby.handle(Dropped("lost"))
    lobby.connect()
    assert messages.Unready() in lobby.welcome(shown_ready(lobby))
