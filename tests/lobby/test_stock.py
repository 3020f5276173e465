"""Chains lie ready, and are what they would be if they had been made when they were wanted."""

import asyncio
import itertools

import pytest

from engine.deck import CHAIN_ID_BYTES, CHAIN_LENGTH, Chain
from lobby.entropy import Source
from lobby.stock import STOCK, Stock

PATIENCE_S = 20.0


class Counted:
    """Bytes that are never the same, and how often some were drawn."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.draws = 0

    def __call__(self, size: int) -> bytes:
        self.draws += 1
        return next(self._numbers).to_bytes(size, "big")


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn; the chains of these tests are short."""
    monkeypatch.setattr("lobby.stock.CHAIN_LENGTH", 300)
    return Counted()


async def full(stock: Stock) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while len(stock._ready) < STOCK:  # noqa: ASYNC110 - it is filled in the loop's turns
            await asyncio.sleep(0)


async def test_a_chain_that_lay_ready_is_the_one_that_its_bytes_make(drawn):
    stock = Stock(drawn)
    async with stock.kept_full():
        await full(stock)
    ready, made = stock.chain(300), Source(Counted()).chain(300)
    assert (ready.chain_id, ready.anchor, ready.kept) == (made.chain_id, made.anchor, made.kept)
    assert drawn.draws == 2 * STOCK


async def test_no_chain_is_handed_out_twice_and_the_stock_is_filled_again(drawn):
    stock = Stock(drawn)
    async with stock.kept_full():
        await full(stock)
        first = [stock.chain(300).chain_id for _ in range(STOCK)]
        await full(stock)
        again = [stock.chain(300).chain_id for _ in range(STOCK)]
    assert len({*first, *again}) == 2 * STOCK
    assert drawn.draws == 4 * STOCK


@pytest.mark.parametrize("length", [300, 8])
def test_without_one_that_is_ready_a_chain_is_made_at_once(drawn, length):
    chain = Stock(drawn).chain(length)
    assert chain.anchor == Chain(chain.chain_id, chain.link(length), length).anchor


async def test_a_chain_of_another_length_is_made_at_once_and_leaves_the_stock_as_it_is(drawn):
    stock = Stock(drawn)
    async with stock.kept_full():
        await full(stock)
    assert stock.chain(8).length == 8
    assert len(stock._ready) == STOCK


async def test_who_is_served_meanwhile_waits_for_one_piece_and_not_for_a_chain(drawn, monkeypatch):
    """Everything else on the loop has its turn between two pieces."""
    monkeypatch.setattr("lobby.stock.CHAIN_LENGTH", CHAIN_LENGTH)
    turns = 0

    def turn() -> None:
        nonlocal turns
        turns += 1
        asyncio.get_running_loop().call_soon(turn)

    stock = Stock(drawn)
    async with stock.kept_full():
        turn()
        async with asyncio.timeout(PATIENCE_S):
            while not stock._ready:  # noqa: ASYNC110 - it is filled in the loop's turns
                await asyncio.sleep(0)
    assert turns >= CHAIN_LENGTH // 128
    assert len(stock.chain(CHAIN_LENGTH).chain_id) == CHAIN_ID_BYTES
