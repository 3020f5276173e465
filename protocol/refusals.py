"""Why a lobby says no: a code for the peer, which the client turns into words for a person (ux.md §1)."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """The codes of `Refused`, and of the reason a connection is closed with. Fixed for a protocol version."""

    FRAME = "frame"  # not a message of this protocol; the connection is closed
    ORDER = "order"  # a message that has no meaning now
    VERSION = "version"  # another protocol version
    PROOF = "proof"  # the handshake's signature is false
    NAME = "name"  # a name that cannot be used
    SETTINGS = "settings"  # settings no table can have
    NO_TABLE = "no-table"  # no table with this code
    GUESSING = "guessing"  # too many wrong codes from this address
    FULL = "full"  # no free seat
    LOCKED = "locked"  # the host has locked the table
    KICKED = "kicked"  # the host has put this key out
    RACING = "racing"  # people sit only between races
    WATCH_CODE = "watch-code"  # who came by the watch code cannot take a seat
    NOT_HOST = "not-host"  # only the host may
    NOT_SEATED = "not-seated"  # only a seated player may
    NOT_READY = "not-ready"  # somebody is not ready, not connected, or nobody else is seated
    TOO_LATE = "too-late"  # the countdown is nearly over
    SIGNATURE = "signature"  # a signed document whose signature or content is not right
    SLICE = "slice"  # moves that are out of order, illegal, late, too fast or too far ahead
    FLOOD = "flood"  # more than the rates allow
    SEAL = "seal"  # a seal that does not fit the log, or is missing
    VOTE = "vote"  # an offer or an answer that the rules do not take now
    NO_RECORD = "no-record"  # there is no record, or no such piece of it
    SILENT = "silent"  # nothing was heard for too long
    REPLACED = "replaced"  # the same key has connected anew
    CLOSED = "closed"  # the table is closed
    CAPACITY = "capacity"  # this lobby is full
    CROWDED = "crowded"  # this table has as many watchers as it can
    ADDRESS = "address"  # too many connections or tables from this address
    DRAINING = "draining"  # this lobby is going down
    DISK = "disk"  # this lobby cannot write any more: nothing is taken, and it goes down
    SPACE = "space"  # this lobby's disk is nearly full: no new race starts
    BROKEN = "broken"  # this lobby has failed at this table: the race is void, and the table is gone
