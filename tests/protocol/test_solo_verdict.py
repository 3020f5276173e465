"""protocol/solo_verdict.py: which records of games alone are true (SPEC.md, Verifying a game alone)."""

from dataclasses import replace
from hashlib import sha256

import pytest

from engine.solo import Act, SoloKind, act_of
from protocol.signing import Signer
from protocol.solo import SOLO_BYTES_MAX, Opening, Origin, encode_act, encode_seal
from protocol.solo_verdict import SoloFault, sign_solo, verify_solo

FOX, OWL = Signer(bytes(32)), Signer(bytes(range(32)))
OPENING = Opening(
    size=4, kind=SoloKind.CLASSIC, target_exponent=4, origin=Origin.CHANCE, deck=bytes(32), key=FOX.key, name="fox"
)


def sealed(data, signer=FOX):
    return data + encode_seal(sign_solo(signer, sha256(data).digest()))


def game(moves, opening=OPENING):
    """A record of so many moves without a seal, and the game."""
    solo, data = opening.start(), opening.encode()
    for t_ms in range(0, 100 * moves, 100):
        act = act_of(solo.game.board.legal_directions()[0])
        data += encode_act(act, t_ms, solo.t_ms)
        assert solo.apply(act, t_ms)
    return data, solo


def test_a_sealed_game_is_true_and_signed_to_its_end():
    data, solo = game(40)
    verdict = verify_solo(sealed(data))
    assert (verdict.ok, verdict.fault, verdict.unsigned, verdict.damaged) == (True, None, 0, False)
    assert verdict.solo is not None
    assert (verdict.solo.game.board, verdict.solo.game.score) == (solo.game.board, solo.game.score)
    assert verdict.solo.made == solo.made


def test_what_comes_after_the_last_seal_is_true_but_not_signed():
    data, solo = game(10)
    undone = encode_act(Act.UNDO, solo.t_ms + 5, solo.t_ms)
    assert verify_solo(sealed(data) + undone).unsigned == 1
    assert verify_solo(data).unsigned == 10


def test_a_seal_vouches_for_the_seals_before_it():
    data, _ = game(10)
    assert verify_solo(sealed(sealed(data, OWL))).ok


def test_a_seal_of_somebody_else_is_false():
    data, _ = game(10)
    verdict = verify_solo(sealed(data, OWL))
    assert (verdict.ok, verdict.fault, verdict.damaged) == (False, SoloFault.SEAL, False)


def test_a_seal_over_other_bytes_is_false():
    data, _ = game(10)
    signed = bytearray(sealed(data))
    signed[len(data) - 1] ^= 1  # the time of the last move
    assert verify_solo(bytes(signed)).fault is SoloFault.SEAL


def test_a_move_that_moves_nothing_is_false_and_is_named():
    data, solo = game(10)
    blocked = next(act for act in list(Act)[:4] if act - 1 not in solo.game.board.legal_directions())
    verdict = verify_solo(sealed(data + encode_act(blocked, 2_000, solo.t_ms)))
    assert (verdict.ok, verdict.fault) == (False, SoloFault.ACT)
    assert verdict.reason.startswith("entry 11, ")


def test_a_sixth_undo_is_false():
    data, _ = game(10)
    undos = b"".join(encode_act(Act.UNDO, 0, 0) for _ in range(6))
    assert verify_solo(data + undos[:-2]).ok
    assert verify_solo(data + undos).reason == "entry 16, undo, cannot be here"


def test_an_undo_against_a_ghost_is_false():
    data, _ = game(10, replace(OPENING, origin=Origin.GHOST))
    assert verify_solo(data).ok
    assert verify_solo(data + encode_act(Act.UNDO, 0, 0)).fault is SoloFault.ACT


def test_nothing_but_a_seal_follows_the_end():
    data, _ = game(10)
    ended = data + encode_act(Act.ENDED, 0, 0)
    assert verify_solo(sealed(ended)).ok
    assert verify_solo(sealed(ended + encode_act(Act.LEFT_OFF, 0, 0))).fault is SoloFault.ACT


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", SoloFault.NOT_A_RECORD),
        (b"race2048\1", SoloFault.NOT_A_RECORD),
        (b"solo2048\2", SoloFault.VERSION),
        (b"solo2048", SoloFault.LAYOUT),
        (OPENING.encode()[:-1], SoloFault.LAYOUT),
        (OPENING.encode() + b"\1", SoloFault.LAYOUT),
        (b"solo2048\1" + bytes(SOLO_BYTES_MAX), SoloFault.NOT_A_RECORD),
    ],
)
def test_a_file_that_is_no_whole_record_says_nothing_of_anybody(data, fault):
    verdict = verify_solo(data)
    assert (verdict.ok, verdict.fault, verdict.damaged) == (False, fault, True)
    assert verdict.reason


def test_a_game_without_a_move_is_true():
    verdict = verify_solo(OPENING.encode())
    assert (verdict.ok, verdict.unsigned) == (True, 0)
