"""Whether what the coach of `race2048 train` calls clearly worse is worse, by size: `python -m bench coaching`.

Boards are those of a casual player's games on the texts "coach 0", "coach 1" …, every so many moves. On each, every
legal move is judged as `train` judges it, and then the game is played on from all of them, on the same tiles to come,
by a player who looks no further than one slide: how much room does it have over the next moves? So a loss that the
solver reckons in empty cells meets empty cells that were counted, by somebody who does not know the solver's opinion.

Nothing here takes time into account: it is the same on every machine.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from client.coaching import OPENING_TILES, clearly_cells
from client.level import LEVELS, Level, Thought
from engine.board import SIZES, Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.prospect import prospect_of
from engine.solver import HINT_NODES, search

EVERY = {3: 9, 4: 29, 5: 47, 6: 59, 8: 83}  # moves between two boards
BOARDS_A_GAME = 20
DECKS = 12  # tiles to come
MOVES = 40  # that the room is counted over
STEPS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # empty cells


class Seen(NamedTuple):
    """A board: what each legal move loses, in cells; the room that came of it on each deck; who would make which."""

    losses: dict[Direction, float]
    rooms: dict[Direction, list[float]]
    moves: dict[str, Direction]


def chosen(board: Board, level: Level) -> Direction:
    """The move that a computer player of a level makes."""
    thought = Thought(board, level, 0)
    while not thought.go_on():
        pass
    assert thought.move is not None, "the board is not stuck"
    return thought.move


def boards(size: int) -> Iterator[Board]:
    """Boards of a casual player's games."""
    for number in range(1_000):
        game = Game(size, SoloDeck(seed_of_text(f"coach {number}")))
        found = 0
        while not game.board.stuck and found < BOARDS_A_GAME:
            legal = [way for way in Direction if game.board.slide(way) is not None]
            tiles = len(game.board.cells) - game.board.empties
            if game.moves % EVERY[size] == EVERY[size] - 1 and len(legal) > 1 and tiles > OPENING_TILES:
                found += 1
                yield game.board
            game.move(chosen(game.board, LEVELS[1]))


def room(board: Board, first: Direction, deck: SoloDeck) -> float:
    """The mean number of empty cells over the next moves, none once the board is stuck."""
    total, way = 0, first
    for draw in range(MOVES):
        slid = board.slide(way)
        assert slid is not None, "the move is legal"
        board = slid[0].spawn(*deck.draw(draw))
        total += board.empties
        best = search(board, 0).best
        if best is None:
            break
        way = best
    return total / MOVES


def seen(board: Board) -> Seen:
    """A board as the bench needs it."""
    values = search(board, HINT_NODES).values
    decks = [SoloDeck(seed_of_text(f"to come {number}")) for number in range(DECKS)]
    return Seen(
        {way: (max(values.values()) - value) / prospect_of(board.size).cell_worth for way, value in values.items()},
        {way: [room(board, way, deck) for deck in decks] for way in values},
        {level.name: chosen(board, level) for level in LEVELS},
    )


def worse(each: Seen, way: Direction) -> float:
    """How much less room a move left than the best one, on average over the decks."""
    best = min(each.losses, key=each.losses.__getitem__)
    return sum(a - b for a, b in zip(each.rooms[best], each.rooms[way], strict=True)) / DECKS


def report(size: int, found: Sequence[Seen]) -> None:
    """By how much is lost: how many moves of each level do so, and the room that was left where another was better."""
    print(f"{size}×{size}, {len(found)} boards; the coach says clearly worse from {clearly_cells(size):g} cells on")
    for least, most in zip(STEPS, (*STEPS[1:], 1e9), strict=True):
        pairs = [(each, way) for each in found for way, loss in each.losses.items() if least <= loss < most]
        lost = [worse(each, way) for each, way in pairs]
        told = "no move"
        if lost:
            told = (
                f"{sum(lost) / len(lost):+5.2f} cells less room, in {sum(each > 0 for each in lost) / len(lost):4.0%}"
            )
        shares = []
        for level in LEVELS:
            bad = sum(each.losses[each.moves[level.name]] >= least for each in found)
            shares.append(f"{level.name} {bad / len(found):5.1%}")
        print(
            f"  from {least:4g} cells: {len(lost):4} moves, {told}; so much and more lose {', '.join(shares)}",
            flush=True,
        )


def main(*, quick: bool) -> None:
    for size in SIZES:
        report(size, [seen(board) for board, _ in zip(boards(size), range(10 if quick else 100), strict=False)])
