import pytest

from client.tui.gestures import Swipes, pasted_arrows


def sgr(button: int, x: int, y: int, end: str = "M") -> str:
    return f"\x1b[<{button};{x};{y}{end}"


def legacy(button: int, x: int, y: int) -> str:
    return "\x1b[M" + "".join(chr(32 + value) for value in (button, x, y))


@pytest.mark.parametrize(
    ("columns", "rows", "swipes"),
    [
        (12, 1, ["right"]),
        (-12, -1, ["left"]),
        (2, 5, ["down"]),
        (-2, -5, ["up"]),
        (3, 0, ["right"]),
        (0, 2, ["down"]),
        (2, 0, []),
        (0, 0, []),
        (4, 2, ["right"]),
        (3, 2, ["down"]),
    ],
)
def test_a_drag_is_the_arrow_that_way_and_a_click_is_none(columns: int, rows: int, swipes: list[str]) -> None:
    heard = Swipes()
    assert heard.hear(sgr(0, 20, 10)) == []
    assert heard.hear(sgr(0, 20 + columns, 10 + rows, "m")) == swipes


@pytest.mark.parametrize(
    ("press", "release"),
    [
        (sgr(0, 20, 10), sgr(0, 30, 10, "m")),
        (sgr(4, 20, 10), sgr(4, 30, 10, "m")),
        (legacy(0, 20, 10), legacy(3, 30, 10)),
        ("\x1b[32;20;10M", "\x1b[35;30;10M"),
    ],
    ids=["sgr", "with-shift", "x10", "urxvt"],
)
def test_every_form_in_which_terminals_tell_of_their_mouse_is_understood(press: str, release: str) -> None:
    heard = Swipes()
    heard.hear(press)
    assert heard.hear(release) == ["right"]


@pytest.mark.parametrize(
    "told", [sgr(2, 20, 10), sgr(1, 20, 10), sgr(64, 20, 10), sgr(35, 20, 10), "\x1b[<;;M", "x", ""]
)
def test_other_buttons_the_wheel_and_nonsense_swipe_nothing(told: str) -> None:
    heard = Swipes()
    assert heard.hear(told) == []
    assert heard.hear(sgr(0, 40, 10, "m")) == []


def test_a_release_without_a_press_swipes_nothing() -> None:
    heard = Swipes()
    assert heard.hear(sgr(0, 40, 10, "m")) == []
    heard.hear(sgr(0, 20, 10))
    heard.forget()
    assert heard.hear(sgr(0, 40, 10, "m")) == []


def test_of_a_paste_only_the_arrows_count() -> None:
    text = "\x1b[AR\ny http://x\x1bOB\x1b[1;2C wasd \x1b[5~\x1b[D"
    assert pasted_arrows(text) == ["up", "down", "right", "left"]
