"""The one hash of the deal (deal.md, Notation): SHA-256 over a tag and parts that cannot run into each other.

Owns the form of tags and integers. Refuses to know what is hashed: that a part has a fixed length, or its u32
length before it, is the caller's care. Read on in deck.py.
"""

from hashlib import sha256


def digest(tag: str, *parts: bytes) -> bytes:
    """H(tag, parts…), 32 bytes."""
    return sha256(tag_prefix(tag) + b"".join(parts)).digest()


def tag_prefix(tag: str) -> bytes:
    """What H hashes before its parts; for loops that cannot afford `digest`."""
    return b"race2048/1/" + tag.encode() + b"\0"


def u8(x: int) -> bytes:
    """One byte; OverflowError if it does not fit."""
    return x.to_bytes(1, "big")


def u32(x: int) -> bytes:
    """Four bytes, big-endian; OverflowError if it does not fit."""
    return x.to_bytes(4, "big")


def u64(x: int) -> bytes:
    """Eight bytes, big-endian; OverflowError if it does not fit."""
    return x.to_bytes(8, "big")
