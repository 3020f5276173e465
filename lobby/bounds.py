"""What one lobby bears, each number with its reason (docs/limits.md tells operators).

Owns every limit that only the lobby keeps; what both sides must agree on is protocol/limits.py. `Bounds` are those that
whoever runs a lobby may choose (choices.py). Refuses to know how they are kept: guard.py and porch.py keep those of
connections, room.py those of tables, connection.py and server.py those of queues and times.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How many of everything there may be. `exempt` networks have no limits of their own, only the whole lobby's."""

    # One core of a slow machine serves 500 racing players, or nearly (bench/README.md, "A lobby under load"): they
    # fill these tables two at each, and the crowd of one table has room beside them. A quick machine serves five times
    # as many: docs/limits.md says how to find out, and what to set.
    tables_max: int = 250
    connections_max: int = 4_608  # at tables: 500 who race, and watchers_per_table
    connections_per_address: int = 64  # a class or a LAN party behind one router; 72 such fill a lobby, not one
    tables_per_address: int = 8  # each takes 13 ms to deal, and stands for 10 minutes after everybody has left
    watchers_per_table: int = 4_096  # what the broadcasts of one table were measured with (performance.md)
    # Exactly these, not all of 127.0.0.0/8: players, tests and demos on this computer come from here.
    exempt: tuple[Network, ...] = (ip_network("127.0.0.1/32"), ip_network("::1/128"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Who may come, and who may see what. `trusted` are the proxies whose word about addresses is taken."""

    most: Bounds = Bounds()
    trusted: tuple[Network, ...] = ()
    metrics_for: Network | None = None  # who may read /metrics


# ── who comes ──

IPV6_PREFIX = 64  # what one household gets; whoever has a /64 has 2^64 addresses
SPARE_SOCKETS = 512  # beyond connections_max: requests for pages, handshakes, and players who come back to their seat
SPARE_SOCKETS_PER_ADDRESS = 16  # beyond connections_per_address: the same, and so that a refusal can be told
ARRIVALS_MIN, ARRIVALS_S = 64, 16  # of one address: all of it may come at once after a restart, and so long after that
OPENINGS_PER_S, OPENINGS_BURST = (
    1,
    2,
)  # of tables, by all: a chain takes 13 ms to make; tables_max in 4 minutes
TALLY_MAX = 64  # players in the tally of a table: all of it goes out with every change there, 130 bytes each
KICKED_MAX = 256  # who may not sit again at a table: a host who frees more than so many seats had better lock it
BROKEN_MAX = 1_000  # codes of tables that have failed, until their players would have given up
COMERS_MAX = 64  # beyond watchers_per_table: who comes by the table code, so that watchers keep no friend out

# ── how much is said, on one connection ──

# A player says 8 frames a second, near the bell up to 45 (rules 6.1), and fetches a record of at most 256 pieces.
FRAMES_PER_S, FRAMES_BURST = 25, 400
BYTES_PER_S, BYTES_BURST = 16_384, 131_072  # 45 slices of 350 bytes in a second; 400 of the small frames above
# Before the Welcome: a request and a handshake are 1,500 bytes, and a browser asks for a page or two. Three frames lead
# to a table; whoever says much more keeps other strangers waiting, players who come back among them.
STRANGER_FRAMES_PER_S, STRANGER_FRAMES_BURST, STRANGER_BYTES_BURST = 4, 16, 16_384
PAUSES = 3  # strangers are served two at a time, 1 ms each; then everybody else has three times as long
PAUSE_S_MAX = 0.05  # so that one who takes long (a table took 13 ms to deal) does not keep others out
IDLE_S = 0.000_25  # three turns of the loop in which nobody said anything take less, and to hear one frame takes more
TALK_PER_S, TALK_BURST = 4, 20  # what everyone at the table is told of: one who holds a key down makes 30 a second
SEALS_PER_S, SEALS_BURST = 4, 40  # 60 µs each to verify; a player seals every four seconds and with every act
LINGER_S = 0.5  # what a flooding peer gets to read why it is closed

# ── queues ──

QUEUE_FRAMES_MAX = 512
QUEUE_BYTES_MAX = 262_144  # four of the largest frames; beyond it the peer does not read
WRITE_AHEAD_BYTES = 16_384  # handed to the transport at a time; what waits here can still be replaced
SOCKET_BUFFER_BYTES = 65_536  # or the kernel would keep up to 4 MB of old ticks for a peer that stalls
BACKLOG = 1_024  # a whole lobby's clients come back at once after a restart
BURST_FRAMES = 16  # read from one peer before the others have their turn
SLICE_CONNECTIONS = 64  # of a broadcast written before the others have their turn

LOG_LINES_PER_S, LOG_LINES_BURST = 50, 500  # 10 kB a second: an attack may not fill the disk with what it is told

# ── lifetimes ──

HEARTBEAT_S = 10.0  # a missing answer is noticed half of this later, so within two heartbeats
KEEPALIVE_S = 3.0  # for a plain request: how long its headers may take, and how long it may idle afterwards
CLOSE_S = 1.0  # what a closing peer gets to take what was sent, and again to say goodbye

ACCEPT_AGAIN_S = 1.0  # after the system had no descriptor more: others end meanwhile

FILES_SPARE = 64  # descriptors that are no sockets: the database, logs, the loop
