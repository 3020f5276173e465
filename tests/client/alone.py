"""Games alone for tests: an opening, a game played for a while, its record, and keys of a person."""

from hashlib import sha256
from pathlib import Path

from client.solo import Choice, SoloGame
from engine.board import Direction
from engine.deck import seed_of_text
from engine.solo import Act, SoloKind
from protocol.signing import Signer
from protocol.solo import Opening, Origin, encode_seal
from protocol.solo_verdict import sign_solo

SEED = bytes(range(32))
FOX = Signer(SEED)
SMALL = Choice(3, SoloKind.CLASSIC, 4)
ENDLESS = Choice(3, SoloKind.ENDLESS, 0)


def opening(choice: Choice = SMALL, text: str = "alone", name: str = "fox", key: bytes = FOX.key) -> Opening:
    return Opening(
        size=choice.size,
        kind=choice.kind,
        target_exponent=choice.target_exponent,
        origin=Origin.TEXT,
        deck=seed_of_text(text),
        key=key,
        name=name,
        text=text,
        begun_ms=1_796_050_000_000,
    )


def legal(game: SoloGame) -> Direction:
    return game.solo.game.board.legal_directions()[0]


class Played:
    """A game and the file that it leaves: `moves` moves, or until it is stuck, 100 ms apart."""

    def __init__(self, choice: Choice = SMALL, moves: int = 10_000, text: str = "alone", name: str = "fox") -> None:
        self.game = SoloGame(opening(choice, text, name))
        self.data = self.game.opening.encode()
        self.now_ms = 0
        for _ in range(moves):
            if self.game.solo.game.stuck:
                break
            self.push()

    def push(self) -> None:
        self.data += self.game.push(legal(self.game), self.now_ms)
        self.now_ms += 100

    def do(self, act: Act) -> None:
        self.data += self.game.do(act, self.now_ms)
        self.now_ms += 100

    def sealed(self, signer: Signer = FOX) -> bytes:
        return self.data + encode_seal(sign_solo(signer, sha256(self.data).digest()))


def with_key(data: Path) -> Path:
    """A data directory in which fox plays."""
    (data / "keys").mkdir(parents=True)
    (data / "keys" / "1.key").write_bytes(SEED)
    return data
