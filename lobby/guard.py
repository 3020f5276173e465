"""Who may connect from where, and how much may be said on one connection.

Pure: times are handed in, nothing is sent or closed here; a `Refusal` says why not. What is counted by address is
counted by what one person has: an address of IPv4, a network of 64 bits of IPv6. The numbers are bounds.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from lobby import bounds
from lobby.bounds import Bounds, Network
from lobby.bucket import Bucket
from protocol import messages
from protocol.messages import FromClient
from protocol.refusals import Refusal

_TALK = (
    messages.Sit, messages.Stand, messages.ChangeSettings, messages.SayReady, messages.Unready, messages.Kick,
    messages.Allow, messages.Lock, messages.Begin, messages.Cancel, messages.Again,
)  # fmt: skip


def network_of(address: str) -> str:
    """Returns what is counted as one address: itself, or the /64 of an address of IPv6."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, bounds.IPV6_PREFIX), strict=False))
    return str(parsed or address)


@lru_cache(maxsize=4_096)
def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Returns the address; one of IPv4 in the clothes of IPv6, as a socket for both has it, undressed."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return parsed if isinstance(parsed, IPv4Address) else parsed.ipv4_mapped or parsed


def within(address: str, networks: Sequence[Network]) -> bool:
    """Returns whether the address is in one of the networks."""
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in networks)


def forwarded_for(headers: Sequence[str]) -> str:
    """Returns the last address in the X-Forwarded-For headers, the only one that our own proxy wrote; or nothing."""
    last = headers[-1].rpartition(",")[2].strip() if headers else ""
    if last.startswith("["):  # some add the port: "[2001:db8::1]:443", "192.0.2.1:443"
        last = last[1:].partition("]")[0]
    elif last.count(":") == 1:
        last = last.partition(":")[0]
    return str(_parsed(last) or "")


@dataclass(slots=True)
class _Caller:
    """One address: what it has open, and how quickly it comes."""

    knocks: Bucket  # of sockets
    arrivals: Bucket  # of WebSockets
    sockets: int = 0
    connections: int = 0


class Guard:
    """Counts sockets and connections. `trusted` are the proxies whose word about addresses is taken."""

    def __init__(self, most: Bounds | None = None, *, trusted: Sequence[Network] = ()) -> None:
        self.most = most or Bounds()
        self.sockets = 0
        self._came = 0  # sockets so far
        self._trusted = tuple(trusted)
        self._callers: dict[str, _Caller] = {}
        self._sweep_at = 256  # callers; doubled when all of them are still of use

    @property
    def full(self) -> bool:
        """Whether no socket more is taken from anybody."""
        return self.sockets >= self.most.connections_max + bounds.SPARE_SOCKETS

    @property
    def ended(self) -> int:
        """How many sockets have ended so far, those that were turned away included."""
        return self._came - self.sockets

    def address_of(self, peer: str, forwarded: Sequence[str] = ()) -> str:
        """Returns the address of who really connects: through a trusted proxy, the one that it tells of."""
        return (forwarded_for(forwarded) if self.trusts(peer) else "") or peer

    def trusts(self, peer: str) -> bool:
        """Returns whether this is a proxy whose word is taken."""
        return within(peer, self._trusted)

    def knock(self, peer: str, now_ms: int) -> bool:
        """Returns whether a new socket of this peer is taken; then it is counted until `leave`."""
        self._came += 1
        if self.full:
            return False
        if not self._free(peer):
            caller = self._caller(peer, now_ms)
            most = self.most.connections_per_address + bounds.SPARE_SOCKETS_PER_ADDRESS
            if caller.sockets >= most or not caller.knocks.take(now_ms):
                return False
            caller.sockets += 1
        self.sockets += 1
        return True

    def leave(self, peer: str) -> None:
        """A socket that was taken is closed."""
        self.sockets -= 1
        if not self._free(peer):
            self._callers[network_of(peer)].sockets -= 1

    def enter(self, address: str, now_ms: int) -> Refusal | None:
        """Returns why a WebSocket from this address is refused, or None; then it is counted until `exit`."""
        if within(address, self.most.exempt):
            return None
        caller = self._caller(address, now_ms)
        if caller.connections >= self.most.connections_per_address or not caller.arrivals.take(now_ms):
            return Refusal.ADDRESS
        caller.connections += 1
        return None

    def exit(self, address: str) -> None:
        """A WebSocket that was taken is closed."""
        if not within(address, self.most.exempt):
            self._callers[network_of(address)].connections -= 1

    def _free(self, peer: str) -> bool:
        """Returns whether sockets of this peer are not counted: all that come through a proxy look alike."""
        return within(peer, self.most.exempt) or self.trusts(peer)

    def _caller(self, address: str, now_ms: int) -> _Caller:
        network = network_of(address)
        caller = self._callers.get(network)
        if caller is None:
            if len(self._callers) >= self._sweep_at:
                self._sweep(now_ms)
            caller = self._callers[network] = _Caller(self._arrivals(), self._arrivals())
        return caller

    def _arrivals(self) -> Bucket:
        burst = max(bounds.ARRIVALS_MIN, self.most.connections_per_address)
        return Bucket(burst // bounds.ARRIVALS_S, burst)

    def _sweep(self, now_ms: int) -> None:
        """Forgets the addresses of which there is nothing to remember."""
        self._callers = {
            network: caller
            for network, caller in self._callers.items()
            if caller.sockets or caller.connections or not (caller.knocks.full(now_ms) and caller.arrivals.full(now_ms))
        }
        self._sweep_at = max(256, 2 * len(self._callers))


class Allowance:
    """What one connection may still say. Frames and bytes are counted before anybody reads them.

    A `stranger`, who is at no table, has less at once.
    """

    def __init__(self, *, stranger: bool = False) -> None:
        self._frames = Bucket(bounds.FRAMES_PER_S, bounds.FRAMES_BURST)
        if stranger:
            self._frames = Bucket(bounds.STRANGER_FRAMES_PER_S, bounds.STRANGER_FRAMES_BURST)
        self._bytes = Bucket(bounds.BYTES_PER_S, bounds.STRANGER_BYTES_BURST if stranger else bounds.BYTES_BURST)
        self._talk = Bucket(bounds.TALK_PER_S, bounds.TALK_BURST)
        self._seals = Bucket(bounds.SEALS_PER_S, bounds.SEALS_BURST)

    def bytes_arrived(self, count: int, now_ms: int) -> bool:
        """Returns whether so many bytes may come."""
        return self._bytes.take(now_ms, count)

    def frames_arrived(self, count: int, now_ms: int) -> bool:
        """Returns whether so many frames may come."""
        return self._frames.take(now_ms, count)

    def heard(self, message: FromClient, now_ms: int) -> bool:
        """Returns whether this message may be passed on."""
        if isinstance(message, messages.Slice | messages.Seal):
            return message.seal is None or self._seals.take(now_ms)
        return not isinstance(message, _TALK) or self._talk.take(now_ms)


class Unmasked(ValueError):  # noqa: N818 - says what is wrong
    """A client's frame without a mask (RFC 6455 §5.1: the connection must be closed)."""


class FrameWalk:
    """Counts the frames in a stream by walking over their heads; what is in them it does not look at.

    More than anybody may send at once are not counted: a read has room for forty thousand empty ones.
    """

    __slots__ = ("_head", "_skip")

    def __init__(self) -> None:
        self._head = b""  # a head that is not complete yet
        self._skip = 0  # bytes of a frame that are still to come

    def walk(self, data: bytes) -> int:
        """Returns how many frames begin in these bytes of the stream; raises Unmasked.

        After an answer above FRAMES_BURST the walk has lost its way.
        """
        data, at, frames = self._head + data, self._skip, 0
        while at + 2 <= len(data) and frames <= bounds.FRAMES_BURST:
            masked, length = data[at + 1] & 0x80, data[at + 1] & 0x7F
            if not masked:
                raise Unmasked
            extended = {126: 2, 127: 8}.get(length, 0)
            if at + 2 + extended > len(data):
                break
            if extended:
                length = int.from_bytes(data[at + 2 : at + 2 + extended], "big")
            at += 2 + extended + 4 + length
            frames += 1
        self._head = data[at:]
        self._skip = max(0, at - len(data))
        return frames
