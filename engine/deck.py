"""Decks: what draw d is (deal.md 1 and 2).

Owns keys, draws, and the chain of links that commits a lobby to a race deck and hands it out piece by piece.
Refuses to know boards, who may get which link when (deal.md 4), and where a seed is from. Read on in game.py.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from struct import Struct
from typing import Final, NamedTuple, Protocol

from .digest import digest, tag_prefix, u32

DRAWS_PER_LINK: Final = 8
CHAIN_LENGTH: Final = 16_384
SECRET_BYTES: Final = 32  # of a seed, a link, a mix, a key
CHAIN_ID_BYTES: Final = 16

_FOUR_BELOW: Final = 1_844_674_407_370_955_162  # 2^64 / 10, rounded up
_SOLO_DRAWS: Final = 1 << 32  # a draw's number is hashed as u32
LINKS_DEALT_FEW: Final = 8  # enough while a race runs: its players are near each other
_LINKS_DEALT_MANY: Final = 512  # of a deck that one game after the other is replayed on: 4,096 draws, half a megabyte
_LOBBY_STRIDE: Final = 128
_RUNS: Final = 2  # players of one race may be far from each other
_CLIENT_STRIDE: Final = 16
_LINK_PREFIX: Final = tag_prefix("link")
_values_and_lots: Final = Struct(">QQ16x").iter_unpack


class Draw(NamedTuple):
    """The exponent of the tile that spawns, 1 or 2, and the 64-bit lot that picks its cell."""

    exponent: int
    lot: int


_draw: Final = partial(tuple.__new__, Draw)  # Draw(…) takes twice as long


class LinkMissing(LookupError):  # noqa: N818  a state of affairs, not a fault
    """A draw was asked for whose link is not known yet."""


class ChainBroken(ValueError):  # noqa: N818  says what is wrong
    """A link does not belong to the chain its anchor stands for."""


class Deck(Protocol):
    """What a game wants of a deck."""

    @property
    def draw_count(self) -> int:
        """How many draws the deck holds (rules 4.10)."""

    def draw(self, d: int) -> Draw:
        """Draw d, from 0; LinkMissing if its link is not known yet."""


def draws_of_link(key: bytes, i: int) -> tuple[Draw, ...]:
    """The eight draws that link i deals with its key (deal.md 1.2)."""
    first = DRAWS_PER_LINK * (i - 1)
    keyed = sha256(key)
    digests = b""
    for d in range(first, first + DRAWS_PER_LINK):
        hashed = keyed.copy()
        hashed.update(d.to_bytes(4, "big"))
        digests += hashed.digest()
    return tuple([_draw((2 if value < _FOUR_BELOW else 1, lot)) for value, lot in _values_and_lots(digests)])


class _KeyedDeck(ABC):
    """A deck of known length with a key for every link. The draws of the links dealt last are kept."""

    def __init__(self, draw_count: int, links_dealt_max: int = LINKS_DEALT_FEW) -> None:
        self.draw_count: Final = draw_count
        self._links_dealt_max = links_dealt_max
        self._dealt: dict[int, tuple[Draw, ...]] = {}

    def draw(self, d: int) -> Draw:
        """Draw d; LinkMissing if its link is not known yet, ValueError if the deck holds no such draw."""
        return (self._dealt.get(d >> 3) or self._deal(d))[d & 7]

    def _deal(self, d: int) -> tuple[Draw, ...]:
        if not 0 <= d < self.draw_count:
            raise ValueError(f"draw {d} of a deck of {self.draw_count} draws")
        i = 1 + d // DRAWS_PER_LINK
        draws = draws_of_link(self._key(i), i)
        if len(self._dealt) >= self._links_dealt_max:
            del self._dealt[next(iter(self._dealt))]
        self._dealt[i - 1] = draws
        return draws

    @abstractmethod
    def _key(self, i: int) -> bytes:
        """The key of link i."""


class SoloDeck(_KeyedDeck):
    """The deck of a 32-byte seed (deal.md 2.1)."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(_SOLO_DRAWS)
        self._seed = _checked("seed", seed, SECRET_BYTES)

    def _key(self, i: int) -> bytes:
        return digest("solo", self._seed, u32(i))


def seed_of_text(text: str) -> bytes:
    """The seed that a text stands for (deal.md 2.1); UnicodeEncodeError if it holds lone surrogates."""
    encoded = unicodedata.normalize("NFC", text).encode()
    return digest("text", u32(len(encoded)), encoded)


def daily_text(date_iso: str, size: int) -> str:
    """The text of the daily deck of a UTC date, YYYY-MM-DD, and a board size."""
    return f"daily/{date_iso}/{size}"


def link_before(chain_id: bytes, i: int, link: bytes) -> bytes:
    """L[i − 1], given L[i] (deal.md 2.2)."""
    return sha256(_LINK_PREFIX + chain_id + i.to_bytes(4, "big") + link).digest()


def _links_down(chain_id: bytes, i: int, link: bytes, down_to: int) -> list[bytes]:
    """L[i] and those before it: `link_before` again and again."""
    prefix = sha256(_LINK_PREFIX + chain_id)
    links = [link]
    for number in range(i, down_to, -1):
        before = prefix.copy()
        before.update(number.to_bytes(4, "big") + link)
        link = before.digest()
        links.append(link)
    return links


class _Links:
    """The links 0 to `highest` of a chain: every stride-th is kept, others are hashed anew when wanted.

    Links stand one after the other in strings of bytes: as objects they would take six times the memory.
    """

    def __init__(self, chain_id: bytes, stride: int) -> None:
        self.highest = 0
        self._chain_id = chain_id
        self._stride = stride
        self._kept = b""  # links 0, stride, 2 · stride and so on
        self._top = b""  # link `highest`
        self._runs: list[tuple[int, bytes]] = []  # the first link's number and some that were made: wanted upwards

    def keep(self, highest: int, links: Sequence[bytes]) -> None:
        """Takes in the links from a new highest one down to the former."""
        wanted = range(len(self._kept) // SECRET_BYTES * self._stride, highest + 1, self._stride)
        self._kept += b"".join([links[highest - i] for i in wanted])
        self.highest, self._top = highest, links[0]

    @property
    def kept(self) -> bytes:
        """The links that are kept, from the anchor up, and the highest."""
        return self._kept + self._top

    def resume(self, highest: int, kept: bytes) -> None:
        """Takes in what another one kept."""
        self.highest, self._kept, self._top = highest, kept[:-SECRET_BYTES], kept[-SECRET_BYTES:]

    def link(self, i: int) -> bytes:
        """L[i], for 0 ≤ i ≤ highest."""
        for first, run in self._runs:
            at = SECRET_BYTES * (i - first)
            if 0 <= at < len(run):
                return run[at : at + SECRET_BYTES]
        return self._derive_down_to(i)

    def _derive_down_to(self, i: int) -> bytes:
        top = min(i + -i % self._stride, self.highest)
        at = SECRET_BYTES * (top // self._stride)
        last = self._top if top == self.highest else self._kept[at : at + SECRET_BYTES]
        links = _links_down(self._chain_id, top, last, i)
        self._runs = [(i, b"".join(reversed(links))), *self._runs[: _RUNS - 1]]
        return links[-1]


class Chain:
    """A whole chain, made from its last link: what a lobby holds, and what a record tells (deal.md 2.2)."""

    def __init__(self, chain_id: bytes, last: bytes, length: int = CHAIN_LENGTH) -> None:
        self.chain_id: Final = _checked("chain id", chain_id, CHAIN_ID_BYTES)
        self.length: Final = length
        self._links = _Links(chain_id, _LOBBY_STRIDE)
        self._links.keep(length, _links_down(chain_id, length, _checked("last link", last, SECRET_BYTES), 0))
        self.anchor: Final = self._links.link(0)

    @classmethod
    def resumed(cls, chain_id: bytes, length: int, kept: bytes) -> "Chain":
        """The chain whose `kept` this is, in a hundredth of the time it took to make it."""
        chain = object.__new__(cls)
        chain.chain_id, chain.length, chain.anchor = chain_id, length, kept[:SECRET_BYTES]  # type: ignore[misc]
        chain._links = _Links(chain_id, _LOBBY_STRIDE)
        chain._links.resume(length, kept)
        return chain

    @classmethod
    def in_pieces(cls, chain_id: bytes, last: bytes, length: int = CHAIN_LENGTH) -> "Iterator[Chain | None]":
        """Makes a chain for somebody who has other things to do: None after each 128 links, and then the chain."""
        kept, top = [last], length
        while top:
            below = (top - 1) // _LOBBY_STRIDE * _LOBBY_STRIDE
            kept.append(_links_down(chain_id, top, kept[-1], below)[-1])
            top = below
            yield None
        if length % _LOBBY_STRIDE == 0:
            kept.insert(0, last)
        yield cls.resumed(chain_id, length, b"".join(reversed(kept)))

    @property
    def kept(self) -> bytes:
        """Every 128th link, from the anchor up, and the last: what `resumed` takes."""
        return self._links.kept

    def link(self, i: int) -> bytes:
        """L[i]; the anchor is L[0]."""
        if not 0 <= i <= self.length:
            raise ValueError(f"link {i} of a chain of {self.length} links")
        return self._links.link(i)


def seeded_chain_id(seed: bytes) -> bytes:
    """The chain id of a race dealt from a seed (deal.md 2.1)."""
    return digest("chain", _checked("seed", seed, SECRET_BYTES))[:CHAIN_ID_BYTES]


def seeded_chain(seed: bytes, length: int = CHAIN_LENGTH) -> Chain:
    """The chain of a race dealt from a seed, which is also its mix (deal.md 2.1)."""
    return Chain(seeded_chain_id(seed), seed, length)


class DealtDeck(_KeyedDeck):
    """The race deck of one who has the whole chain: lobby and verifier. Draws of `links_dealt_max` links are kept."""

    def __init__(self, chain: Chain, mix: bytes, links_dealt_max: int = _LINKS_DEALT_MANY) -> None:
        super().__init__(DRAWS_PER_LINK * chain.length, links_dealt_max)
        self._chain = chain
        self._mix = _checked("mix", mix, SECRET_BYTES)

    @property
    def known_draws(self) -> int:
        """All of them."""
        return self.draw_count

    def _key(self, i: int) -> bytes:
        return digest("draw", self._mix, u32(i), self._chain.link(i))


class RaceDeck(_KeyedDeck):
    """The race deck of one who has the anchor and is handed links as the race goes on: a client."""

    def __init__(self, chain_id: bytes, anchor: bytes, mix: bytes, length: int = CHAIN_LENGTH) -> None:
        super().__init__(DRAWS_PER_LINK * length)
        self._chain_id = _checked("chain id", chain_id, CHAIN_ID_BYTES)
        self._mix = _checked("mix", mix, SECRET_BYTES)
        self._length = length
        self._links = _Links(chain_id, _CLIENT_STRIDE)
        self._links.keep(0, [_checked("anchor", anchor, SECRET_BYTES)])

    @property
    def known_draws(self) -> int:
        """How many draws can be made, from 0 on."""
        return DRAWS_PER_LINK * self._links.highest

    def extend(self, i: int, link: bytes) -> None:
        """Takes in L[i], and with it every earlier link. An old one is compared with what is known.

        Raises:
            ChainBroken: the link is none of this chain; nothing has changed.
        """
        if not 0 <= i <= self._length or len(link) != SECRET_BYTES:
            raise ChainBroken(f"link {i}, {len(link)} bytes: no link of a chain of {self._length}")
        known = self._links.highest
        meeting = min(i, known)
        links = _links_down(self._chain_id, i, link, meeting)
        if links[-1] != self._links.link(meeting):
            raise ChainBroken(f"link {i} does not lead to link {meeting} that is known")
        if i > known:
            self._links.keep(i, links)

    def _key(self, i: int) -> bytes:
        if i > self._links.highest:
            raise LinkMissing(f"link {i} is not known, only {self._links.highest} of {self._length} are")
        return digest("draw", self._mix, u32(i), self._links.link(i))


def _checked(name: str, secret: bytes, length: int) -> bytes:
    if len(secret) != length:
        raise ValueError(f"a {name} of {len(secret)} bytes: it has {length}")
    return secret
