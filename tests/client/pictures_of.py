"""Views for the tests of the screens: a table of four in any phase, with whatever a test changes about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from client.tui.canvas import Canvas, text_of
from client.tui.commands import Ui
from client.tui.paint import paint
from client.tui.palette import CLASSIC, Depth
from client.tui.plan import plan
from client.view import Check, GamePicture, Line, SeatPicture, SessionView
from engine.board import Board
from engine.race import Outcome, SeatState, Termination
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

LINK = "http://192.168.1.23:2048/t/482913#7q4k2m9xb3hd5s8t"
UI = Ui(join=LINK, watch="http://192.168.1.23:2048/w/550174")


def seat(number: int, name: str, **changes: Any) -> SeatPicture:
    values: dict[str, Any] = {
        "you": number == 0, "host": number == 0, "computer": False, "connected": True, "ready": True,
    }  # fmt: skip
    return SeatPicture(seat=number, name=SafeText(name), **{**values, **changes})


SEATS = (
    seat(0, "fox", score=20_412, max_exponent=11, moves=512),
    seat(1, "hare", score=21_612, max_exponent=10, moves=490),
    seat(2, "owl", score=9_004, max_exponent=9, moves=301, computer=True, state=SeatState.STUCK),
    seat(3, "漢字の名前", score=14_880, max_exponent=10, moves=505, connected=False, away_ms=42_300),
)


def board_of(size: int) -> Board:
    return Board.of_cells(size, bytes(number % 18 for number in range(size * size)))


def game(size: int = 4, **changes: Any) -> GamePicture:
    values: dict[str, Any] = {
        "board": board_of(size), "score": 20_412, "moves": 512, "max_exponent": 11, "stuck": False,
        "deck_used_up": False, "unconfirmed": 0, "waiting": False,
    }  # fmt: skip
    return GamePicture(**{**values, **changes})


def view(phase: Phase | None, size: int = 4, players: int = 4, **changes: Any) -> SessionView:
    if phase is None:
        return SessionView(**{"line": Line.CONNECTING, **changes})
    seats: tuple[SeatPicture | None, ...] = SEATS[:players]
    values: dict[str, Any] = {
        "line": Line.ONLINE, "code": "482913", "watch_code": "550174", "my_seat": 0, "i_am_host": True,
        "settings": TableSettings(size=size, seats=players),
    }  # fmt: skip
    if phase in (Phase.RACING, Phase.SETTLING, Phase.CLOSING):
        values |= {"game": game(size), "clock_ms": 83_000}
    if phase is Phase.COUNTDOWN:
        values |= {"countdown_ms": 2_500}
    if phase is Phase.FINISHED:
        seats = tuple(
            replace(each, board=board_of(size), place=each.seat + 1, won=each.seat == 0) for each in SEATS[:players]
        )
        values |= {
            "outcome": Outcome(Termination.TARGET, (0,), 252_000), "check": Check(ok=True, reason=""),
            "record_path": "/home/fox/races/2026-11-30-482913.r2048", "clock_ms": 252_000,
        }  # fmt: skip
    return SessionView(phase=phase, **{**values, "seats": seats, **changes})


def watching(phase: Phase, **changes: Any) -> SessionView:
    seats = tuple(replace(each, you=False) for each in SEATS)
    values: dict[str, Any] = {"seats": seats, "my_seat": None, "i_am_host": False, "game": None}
    return view(phase, **{**values, **changes})


def canvas(picture: SessionView, columns: int = 80, rows: int = 24, ui: Ui = UI, depth: Depth = Depth.TRUE) -> Canvas:
    players = sum(each is not None for each in picture.seats)
    return paint(picture, plan(columns, rows, picture.settings.size, max(players, 2)), CLASSIC[depth], ui)


def screen(picture: SessionView, columns: int = 80, rows: int = 24, ui: Ui = UI) -> str:
    return "\n".join(text_of(canvas(picture, columns, rows, ui)))
