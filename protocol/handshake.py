"""What the two signatures of the handshake cover (architecture.md 5.4): each side signs the other's fresh nonce."""

from __future__ import annotations

from engine.digest import u8, u32
from protocol.messages import Role


def challenge_body(client_nonce: bytes, lobby_nonce: bytes, protocol: int) -> bytes:
    """Returns what the lobby signs as "challenge"."""
    return client_nonce + lobby_nonce + u32(protocol)


def proof_body(lobby_key: bytes, lobby_nonce: bytes, key: bytes, role: Role, protocol: int) -> bytes:
    """Returns what a client signs as "proof": for this lobby and this connection only."""
    return lobby_key + lobby_nonce + key + u8(role) + u32(protocol)
