"""Ratios against a peer, taken in one run: what they are, their table, and whether each keeps above its floor.

Every ratio says how many times better we are than the peer, so that a larger one is always better: of times it is the
peer's over ours, of rates ours over the peer's. The floors are in floors.py.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from bench.floors import FLOORS, Floor

BELOW, UNMEASURED = "BELOW ITS FLOOR", "NOT MEASURED"


class Ratio(NamedTuple):
    """A figure of ours beside a peer's, round by round: the sides took turns."""

    name: str
    unit: str
    ours: Sequence[float]
    peer_name: str
    peer: Sequence[float]
    rounds: Sequence[float]  # how many times better than the peer, in each round

    @property
    def middle(self) -> float:
        """The median over the rounds, which is what is held against the floor."""
        return median(self.rounds)


def of_times(name: str, unit: str, ours: Sequence[float], peer_name: str, peer: Sequence[float]) -> Ratio:
    """The ratio of figures that are the better the smaller they are."""
    rounds = [theirs / mine for mine, theirs in zip(ours, peer, strict=True)]
    return Ratio(name, unit, ours, peer_name, peer, rounds)


def of_rates(name: str, unit: str, ours: Sequence[float], peer_name: str, peer: Sequence[float]) -> Ratio:
    """The ratio of figures that are the better the larger they are."""
    rounds = [mine / theirs for mine, theirs in zip(ours, peer, strict=True)]
    return Ratio(name, unit, ours, peer_name, peer, rounds)


def faults(ratios: Sequence[Ratio], floors: Mapping[str, Floor]) -> list[str]:
    """What is wrong with these ratios: each below its floor by name, and each floor for which nothing was measured."""
    measured = {ratio.name: ratio for ratio in ratios if ratio.rounds}
    found = []
    for name, floor in floors.items():
        ratio = measured.get(name)
        if ratio is None:
            found.append(f"{UNMEASURED}: {name}")
        elif not ratio.middle >= floor.least:  # a figure that is no number is none of ours
            found.append(f"{BELOW}: {name}: {ratio.middle:.2f} × {ratio.peer_name}, floor {floor.least:g}")
    return found


def tell(ratios: Sequence[Ratio], floors: Mapping[str, Floor]) -> None:
    """Prints the table: medians, in brackets the least and the most."""
    rows = [("", "ours", "peer", "ratio", "floor", "goal")]
    for ratio in ratios:
        floor = floors.get(ratio.name)
        rows.append(
            (
                f"{ratio.name}, {ratio.unit}",
                _spread(ratio.ours),
                f"{_spread(ratio.peer)} {ratio.peer_name}",
                _spread(ratio.rounds),
                f"{floor.least:g}" if floor else "",
                f"{floor.goal:g}" if floor else "",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place in (0, 2) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip(), flush=True)


def concluded(bench: str, ratios: Sequence[Ratio]) -> int:
    """Prints the table of a bench and what is wrong with it; returns the exit code."""
    floors = FLOORS.get(bench, {})
    tell(ratios, floors)
    found = faults(ratios, floors)
    for fault in found:
        print(f"{bench}: {fault}", flush=True)
    return 1 if found else 0


def _spread(values: Sequence[float]) -> str:
    return f"{_figure(median(values))} ({_figure(min(values))}–{_figure(max(values))})"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
