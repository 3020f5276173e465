"""Every number that both sides must agree on, each with its reason.

Windows that a rule uses are fields of `Windows`, since they stand in the signed Deal (deal.md 3.1): a demo may
deal shorter ones, and a record is judged by its own. Everything else here is fixed for a protocol version.
"""

from __future__ import annotations

import msgspec

PROTOCOL_VERSION = 1
RULES_VERSION = 1
SUBPROTOCOL = "race2048.1"

# Frames. A client never says more than a slice with its seal, or a Ready; the lobby sends record pieces.
CLIENT_FRAME_BYTES_MAX = 4_096
LOBBY_FRAME_BYTES_MAX = 65_536
RECORD_PIECE_BYTES = 16_384
LOG_PIECE_MOVES = 1_024  # what goes back to a client that lost its log, at once
RECORD_BYTES_MAX = 4_194_304  # four logs of 131,070 moves at 3 bytes a move, twice over

KEY_BYTES = 32
SIGNATURE_BYTES = 64
NONCE_BYTES = 32
TABLE_ID_BYTES = 16

NAME_COLUMNS_MAX = 16  # what a rival line has room for at 40 columns
NAME_CHARACTERS_MAX = 64  # before cleaning: combining marks take no columns
CODE_CHARACTERS_MAX = 24  # six digits, more as a lobby fills, with dashes and spaces between

SEATS_MIN, SEATS_MAX = 2, 4
TIME_MS_MIN, TIME_MS_MAX = 5_000, 3_600_000  # rules 3.2 allow 1-60 minutes; a demo may ring sooner
LEAD_DEFAULT, LEAD_STRICT = 96, 16
IDLE_MS_DEFAULT = 180_000

SLICE_MOVES_MAX = 64  # deal.md 5.1
SLICE_INTERVAL_MS = 200  # under claim_batch_ms: a line that is 50 ms late now and then changes no move's t*
SEAL_INTERVAL_MS = 4_000
PING_INTERVAL_MS = 5_000
COUNTDOWN_PINGS = 5  # rules 5.2: enough to know the line before the first move
HANDSHAKE_MS = 5_000  # a connection that is at no table by then is closed,
HANDSHAKE_LATE_MS = 20_000  # or by then at the latest, if the lobby itself is late in hearing it
CODE_DIGITS_MIN = 6  # ux.md §1: every keyboard has them
CODE_SPARSITY = 100_000  # ux.md §1: a guess hits a table less than once in so many
GUESSES_MAX, GUESS_WINDOW_MS = 10, 60_000  # wrong codes from one address
DEAL_INTERVAL_MS = 1_000  # deal.md 3.4: at most one new Deal a second at a table
BURNS_MAX = 3  # deal.md 3.4: a third burn in a row asks the people
TICK_INTERVAL_MS = 1_000  # rules 3.6: public figures change at most once a second
EMPTY_TABLE_MS = 600_000  # rules 3.10: an empty table closes after ten minutes


class Windows(msgspec.Struct, frozen=True, kw_only=True):
    """The windows and limits of rules.md and deal.md that stand in a Deal, in milliseconds unless named."""

    countdown_ms: int = 3_000  # rules 3.5
    cancel_ms: int = 150  # rules 3.5: in the last of the countdown Cancel is refused
    nonce_ms: int = 5_000  # deal.md 3.4
    silent_ms: int = 15_000  # rules 4.6
    away_ms: int = 60_000  # rules 4.6
    idle_warning_ms: int = 30_000  # rules 4.9
    offer_lapse_ms: int = 30_000  # rules 4.8
    offer_wait_ms: int = 10_000  # rules 4.8
    offers_max: int = 5  # rules 4.8, a number of offers
    settle_ms: int = 150  # rules 5.3
    bell_flush_ms: int = 1_000  # rules 5.4
    closing_ms: int = 5_000  # rules 5.3
    claim_back_ms: int = 150  # rules 5.2: the largest c
    claim_spare_ms: int = 10  # rules 5.2: added to half the round trip
    claim_batch_ms: int = 250  # rules 5.2: moves that need not be flushed at once
    claim_ahead_ms: int = 100  # rules 5.2: a later claim is refused
    unsealed_ms: int = 8_000  # deal.md 5.2
    resync_ms: int = 60_000  # deal.md 5.1
    moves_per_s: int = 40  # rules 6.1
    moves_burst: int = 10  # rules 6.1


WINDOWS = Windows()
