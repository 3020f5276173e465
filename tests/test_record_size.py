"""The record of a race of four to 2048 has at most 16 kB (issue 4), on lines that are not even."""

import os

import pytest

from protocol.messages import TableSettings
from protocol.record import Record
from tests.computers import record_of

BYTES_MAX = 16_384
MOVES = 4_000  # 2048 takes each of four between 930 and 1,000
FIXED_BYTES = 4 + 4 + 1 + 51 + 64  # of a log however long: two counts and the last seal
SEED = "h"  # with these tiles they make it
HELD_BACK_MS = 50  # on average, twenty times a second, each line

# To 256 it is an eighth of the way and of the time; the whole way with ./dev test --long.
EXPONENTS = (8, 11) if os.environ.get("RACE2048_LONG") else (8,)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_a_record_to_2048_has_at_most_16_kb(exponent):
    data = record_of(TableSettings(seats=4, target_exponent=exponent), jitter_ms=HELD_BACK_MS, seed=SEED)
    logs = Record.parse(data).logs
    moves = sum(len(log.directions) for log in logs)
    log_bytes = sum(len(log.encode()) - FIXED_BYTES for log in logs)
    assert any(log.corrections for log in logs), "lines as even as that prove nothing"
    assert len(data) + log_bytes * (MOVES - moves) / moves <= BYTES_MAX


def test_even_lines_leave_nothing_to_correct():
    data = record_of(TableSettings(seats=4, target_exponent=7), seed=SEED)
    assert not any(log.corrections for log in Record.parse(data).logs)
