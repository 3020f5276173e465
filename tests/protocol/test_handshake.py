"""protocol/handshake.py: what the signatures of the handshake cover."""

from protocol.handshake import challenge_body, proof_body
from protocol.messages import Role


def test_a_challenge_covers_both_nonces_and_the_protocol():
    assert challenge_body(b"C" * 32, b"L" * 32, 1) == b"C" * 32 + b"L" * 32 + b"\0\0\0\1"


def test_a_proof_covers_lobby_nonce_key_role_and_protocol():
    body = proof_body(b"K" * 32, b"L" * 32, b"P" * 32, Role.WATCHER, 1)
    assert body == b"K" * 32 + b"L" * 32 + b"P" * 32 + b"\2\0\0\0\1"
