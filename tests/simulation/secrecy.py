"""Every byte that anybody is sent, searched for what they must not know: links, boards, heads, nonces (rules 3.6).

What deal.md §4 allows is worked out here from what was on the wire: the moves that the lobby has acknowledged, the
time, the gaps it has told of. A link is found wherever it stands in a frame: any 16 bytes of it at a multiple of 16 do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.race import Kind, SeatState
from lobby.table import Table
from protocol import messages
from protocol.messages import FromLobby, Phase
from protocol.record import Gap

if TYPE_CHECKING:
    from tests.simulation.world import World

STRIDE = 16
EARLY_MS_MAX = 150  # deal.md 4.1
CELLS_TELLING = 6  # so many tiles are no accident


class Secrets:
    """Knows all that is secret in a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._pieces: dict[bytes, tuple[bytes, int]] = {}  # of links: chain id and number
        self._chains: set[bytes] = set()
        self._shown: dict[tuple[bytes, bytes], int] = {}  # by chain and key: the furthest link given
        self._moves: dict[tuple[bytes, bytes], int] = {}  # by mix and key
        self._gaps: dict[bytes, Gap] = {}  # of the race that runs
        self.found = 0

    def look(self, message: FromLobby, frame: bytes, connections: tuple[int, ...]) -> None:
        """Looks at a frame that is about to be sent."""
        table = self.world.table
        if table is None:
            return
        self._learn(table)
        self._follow(table, message, connections)
        pieces = (self._pieces.get(frame[at : at + STRIDE]) for at in range(0, len(frame) - STRIDE + 1, STRIDE))
        links = {piece for piece in pieces if piece is not None}
        racing = table.phase in (Phase.RACING, Phase.SETTLING, Phase.COUNTDOWN)
        for connection in connections:
            program = self.world.program_of(connection)
            if program is None:
                continue
            key = self.world.keys[connection]
            for chain_id, number in sorted(links):
                self._judge(table, key, chain_id, number, message)
            if racing:
                self._boards(table, key, frame, message)
        self._nonces(frame, message)

    def _follow(self, table: Table, message: FromLobby, connections: tuple[int, ...]) -> None:
        """Notes how many moves the lobby says that it has, and how long it was away."""
        key = self.world.keys[connections[0]]
        if isinstance(message, messages.Ack) and table.run is not None:
            self._moves[table.run.mix, key] = message.moves
        elif isinstance(message, messages.Gapped):
            self._gaps[message.gap.body] = Gap.decode(message.gap.body)
        elif isinstance(message, messages.Welcome):
            self._gaps |= {gap.body: Gap.decode(gap.body) for gap in message.race.gaps}
            if message.own is not None and table.run is not None:
                self._moves[table.run.mix, key] = message.own.moves
        elif isinstance(message, messages.Started):
            self._gaps = {}

    def _learn(self, table: Table) -> None:
        chain = table.dealing.opening.chain
        if chain.chain_id in self._chains:
            return
        assert len(self._chains) < 10_000, "Deals without end"
        self._chains.add(chain.chain_id)
        for number in range(1, chain.length + 1):
            link = chain.link(number)
            for at in range(STRIDE):
                self._pieces[link[at : at + STRIDE]] = (chain.chain_id, number)

    def _judge(self, table: Table, key: bytes, chain_id: bytes, number: int, message: FromLobby) -> None:
        """Fails if this link may not be shown to this one now (deal.md 4.1, 4.2)."""
        self.found += 1
        where = f"link {number} in {type(message).__name__}, to {self._name(key)}"
        run = table.run
        if isinstance(message, messages.Burnt) or run is None or run.opened.deal.chain_id != chain_id:
            assert isinstance(message, messages.Burnt | messages.RecordPiece), where
            live = run is not None and run.opened.deal.chain_id == chain_id
            assert not live or isinstance(message, messages.RecordPiece), f"{where}, of the race that runs"
            return
        if table.phase is Phase.FINISHED:
            assert isinstance(message, messages.RecordPiece), where
            return
        track = table.track_of(key)
        assert track is not None, f"{where}, who has no seat"
        assert isinstance(message, messages.Ack | messages.Link | messages.Welcome), where
        moves, lead = self._moves.get((run.mix, key), 0), run.opened.deal.settings.lead
        assert 8 * (number - 1) <= moves + 1 + lead, f"{where}, after {moves} moves"
        if number <= self._shown.get((chain_id, key), 0):
            return
        self._shown[chain_id, key] = number
        since_ms = self.world.now_ms - run.start_ms
        gaps_ms = sum(gap.to_ms - gap.from_ms for gap in self._gaps.values())
        from_ms = -EARLY_MS_MAX if 8 * number <= lead else 25 * (8 * number - lead) + gaps_ms
        assert since_ms >= from_ms, f"{where}, at {since_ms} ms"
        settings = run.opened.deal.settings
        made = settings.kind == Kind.TARGET and track.game.max_exponent >= settings.target_exponent
        moving = run.live.seats[track.number].state is SeatState.MOVING
        playing = moving and not made and not track.game.stuck
        assert playing, f"{where}, who has finished"

    def _boards(self, table: Table, key: bytes, frame: bytes, message: FromLobby) -> None:
        if table.run is None:
            return
        for track in table.run.tracks:
            mine = track.seat.key == key
            cells = track.game.board.cells
            telling = len(cells) - cells.count(0) >= CELLS_TELLING
            where = f"in {type(message).__name__}, to {self._name(key)}"
            assert not (telling and cells in frame), f"the board of seat {track.number} {where}"
            assert mine or track.log.head not in frame, f"the head of seat {track.number} {where}"
            if isinstance(message, messages.LogPiece) and mine:
                part = bytes(track.log.directions[message.first : message.first + len(message.directions)])
                assert part == message.directions, f"a log that is not {self._name(key)}'s"
        if isinstance(message, messages.LogPiece):
            assert table.track_of(key) is not None, f"a log for {self._name(key)}, who has no seat"

    def _name(self, key: bytes) -> str:
        return next((each.name for each in self.world.programs.values() if each.signer.key == key), "a spy")

    def _nonces(self, frame: bytes, message: FromLobby) -> None:
        if isinstance(message, messages.Started | messages.Welcome | messages.RecordPiece):
            return
        for program in self.world.programs.values():
            trust = program.session.trust
            assert trust is None or not trust._nonce or trust._nonce not in frame, f"{program.name}'s nonce is told"
