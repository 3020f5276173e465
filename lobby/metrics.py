"""What a lobby counts of itself, and how Prometheus reads it (docs/limits.md has the names).

Counting is always on: it costs an addition. Only showing the figures needs `prometheus_client`, the extra
`race2048[metrics]`. Nothing here is of one person or one table: no names, keys, codes or addresses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client.core import Metric

MISSING = "--metrics needs prometheus_client: pipx install 'race2048[metrics]', or pip install prometheus_client"
HANDLE_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)  # ends of the buckets


class MetricsMissingError(Exception):
    """prometheus_client is not installed."""


@dataclass(slots=True)
class Tally:
    """What has been counted since the process began."""

    connections: int = 0
    turned_away: int = 0  # sockets that were closed before they could say anything
    messages: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by code: all that a peer was told
    closed: Counter[str] = field(default_factory=Counter)  # by code: connections that the lobby has closed
    slow: int = 0  # connections closed since their peer did not read
    failures: int = 0  # exceptions out of the core: our bugs
    handle_s: float = 0.0
    handled: list[int] = field(default_factory=lambda: [0] * (len(HANDLE_S) + 1))

    def took(self, seconds: float) -> None:
        """One event was handled in so many seconds."""
        self.handle_s += seconds
        self.handled[bisect_left(HANDLE_S, seconds)] += 1


@dataclass(frozen=True, slots=True)
class Census:
    """How many of everything there are now, and how often the disk was written to."""

    connections: int
    at_tables: int
    tables: Mapping[str, int]  # by phase
    commits: int = 0  # of the journal, since the process began


class Collector:
    """The figures in Prometheus' form."""

    def __init__(self, tally: Tally, census: Callable[[], Census]) -> None:
        self._tally = tally
        self._census = census

    def collect(self) -> Iterator[Metric]:
        """Yields every figure, as prometheus_client asks for them."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        census, tally = self._census(), self._tally
        yield GaugeMetricFamily("race2048_connections", "WebSockets now.", census.connections)
        yield GaugeMetricFamily("race2048_at_tables", "WebSockets at a table now.", census.at_tables)
        tables = GaugeMetricFamily("race2048_tables", "Tables now, by phase.", labels=["phase"])
        for phase, count in census.tables.items():
            tables.add_metric([phase], count)
        yield tables
        for name, told, value in (
            ("race2048_connections_opened", "WebSockets taken.", tally.connections),
            ("race2048_sockets_turned_away", "Sockets closed before they could say anything.", tally.turned_away),
            ("race2048_messages", "Messages from clients.", tally.messages),
            ("race2048_slow_readers", "Connections closed since nobody read what was sent.", tally.slow),
            ("race2048_commits", "Commits of the journal: each took many rows to the disk.", census.commits),
            ("race2048_failures", "Errors of the lobby itself.", tally.failures),
        ):
            yield CounterMetricFamily(name, told, value)
        for name, told, codes in (
            ("race2048_refused", "What clients were refused, by code.", tally.refused),
            ("race2048_closed", "Connections that the lobby closed, by code.", tally.closed),
        ):
            family = CounterMetricFamily(name, told, labels=["code"])
            for code, count in codes.items():
                family.add_metric([code], count)
            yield family
        yield self._handling()

    def _handling(self) -> Metric:
        from prometheus_client.core import HistogramMetricFamily

        ends = [*(str(end) for end in HANDLE_S), "+Inf"]
        below = [sum(self._tally.handled[: place + 1]) for place in range(len(ends))]
        family = HistogramMetricFamily("race2048_handle_seconds", "How long one event kept the lobby busy.")
        family.add_metric([], list(zip(ends, below, strict=True)), self._tally.handle_s)
        return family


def need() -> None:
    """Raises MetricsMissingError if there is nothing to show figures with."""
    if find_spec("prometheus_client") is None:
        raise MetricsMissingError(MISSING)


def page(tally: Tally, census: Callable[[], Census]) -> Callable[[], tuple[bytes, str]]:
    """Returns what gives the page and its content type; see `need`."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

    registry = CollectorRegistry()
    registry.register(Collector(tally, census))
    ProcessCollector(registry=registry)
    return lambda: (generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4)
