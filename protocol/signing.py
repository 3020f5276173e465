"""Keys and signatures: Ed25519 with a domain in front of everything that is signed (deal.md, Notation).

A signature covers `"race2048/1/sig/" ‖ kind ‖ 00 ‖ context ‖ body`, so a signature of one kind or one race can
never pass for another. Bodies are verified as received. This module knows no layouts; deal.py, movelog.py and
tick.py do. Secret keys enter as 32 bytes: where they come from is the adapters' business.
"""

from __future__ import annotations

import hashlib

from nacl import bindings
from nacl.exceptions import BadSignatureError

DOMAIN = b"race2048/1/sig/"
NO_CONTEXT = bytes(32)  # the handshake and the Deal itself have nothing to refer to yet
FINGERPRINT_CHARACTERS = 16
CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def signed_bytes(kind: str, context: bytes, body: bytes) -> bytes:
    """Returns the exact bytes that a signature of `kind` in `context` (32 bytes) over `body` covers."""
    return DOMAIN + kind.encode("ascii") + b"\x00" + context + body


class Signer:
    """A secret key: signs, and knows its public `key` (32 bytes)."""

    __slots__ = ("_secret", "key")

    def __init__(self, seed: bytes) -> None:
        self.key, self._secret = bindings.crypto_sign_seed_keypair(seed)

    def sign(self, kind: str, context: bytes, body: bytes) -> bytes:
        """Returns the 64-byte signature over `body`."""
        return bindings.crypto_sign(signed_bytes(kind, context, body), self._secret)[:64]


def verify(key: bytes, kind: str, context: bytes, body: bytes, signature: bytes) -> bool:
    """Returns whether `signature` is `key`'s over exactly these bytes."""
    try:
        bindings.crypto_sign_open(signature + signed_bytes(kind, context, body), key)
    except (BadSignatureError, ValueError):
        return False
    return True


def fingerprint(key: bytes) -> str:
    """Returns 80 bits of SHA-256 of a lobby's key in Crockford base32: the `#…` of a link (ux.md §1)."""
    number = int.from_bytes(hashlib.sha256(key).digest()[:10], "big")
    return "".join(CROCKFORD[number >> shift & 31] for shift in range(75, -1, -5))
