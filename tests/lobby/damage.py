"""A write-ahead log, and what a power cut or a dying disk makes of its end."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from random import Random

from lobby.events import Forget, Keep, Persist
from lobby.store import Store

TABLES, ROWS = (1, 2, 3), 30
State = dict[int, tuple[int, bytes, tuple[bytes, ...]]]


def commits() -> list[list[Persist | Keep | Forget]]:
    """What is written, commit by commit: three tables that grow, are kept now and then, and one that is closed."""
    made: list[list[Persist | Keep | Forget]] = []
    for place in range(1, ROWS + 1):
        made += [[Persist(number, place, bytes([number, place]) * (1 + place * 7 % 90))] for number in TABLES]
        if place % 8 == 0:
            made.append([Keep(place % 3 + 1, place, b"picture %d" % place * 40)])
    made.append([Forget(3)])
    return made


def states() -> list[State]:
    """What there is to be read after each commit, nothing first."""
    rows: dict[int, list[bytes]] = {}
    kept: dict[int, tuple[int, bytes]] = {}
    found: list[State] = [{}]
    for commit in commits():
        for write in commit:
            match write:
                case Persist(number, _, row):
                    rows.setdefault(number, []).append(row)
                case Keep(number, place, picture):
                    kept[number] = (place, picture)
                case Forget(number):
                    rows.pop(number)
                    kept.pop(number, None)
        found.append({n: (*kept.get(n, (0, b"")), tuple(r[kept.get(n, (0, b""))[0] :])) for n, r in rows.items()})
    return found


def written(path: Path, image: Path, made: Sequence[Sequence[Persist | Keep | Forget]] = ()) -> Path:
    """Writes all commits and copies the files as they are when the process is killed."""
    store = Store(path)
    store.load()
    news = threading.Condition()
    done = [0]

    def durable(number: int) -> None:
        with news:
            done[0] = number
            news.notify()

    store.start(durable, lambda error: durable(-1))
    for commit in made or commits():
        number = store.submit(commit)
        with news:
            assert news.wait_for(lambda number=number: done[0] == number, 20)  # type: ignore[misc]
    for name in (path.name, f"{path.name}-wal"):
        shutil.copy(path.with_name(name), image / name)
    store.close()
    return image


def damage(log: Path, dice: Random) -> None:
    """Does one thing to the log, more often near its end."""
    content = bytearray(log.read_bytes())
    place = len(content) - 1 - int(len(content) * dice.random() ** 2)
    match dice.randrange(5):
        case 0:
            del content[place:]
        case 1:
            content[place] ^= 1 << dice.randrange(8)
        case 2:
            content[place:] = bytes(len(content) - place)
        case 3:  # blocks of what stood there before
            length = min(512 * dice.randrange(1, 9), len(content) - place)
            content[place : place + length] = dice.randbytes(length)
        case _:  # a block that was never written
            start = place // 4_096 * 4_096
            content[start : start + 4_096] = bytes(len(content[start : start + 4_096]))
    log.write_bytes(content)
