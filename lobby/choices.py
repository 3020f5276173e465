"""What whoever runs a lobby may choose about who comes, how much of it, and what is logged (docs/limits.md).

Turns words of the command line into an `Admission`; asks the system how many sockets it has to give.
"""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace
from ipaddress import ip_network

from lobby import bounds
from lobby.bounds import Admission, Bounds, Network

log = logging.getLogger(__name__)

LOG_FORMATS = ("text", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what whoever runs a lobby may choose."""
    usual = Bounds()
    parser.add_argument(
        "--max-connections",
        type=_count,
        default=usual.connections_max,
        metavar="N",
        help="at tables together (%(default)s, or as many as this system lets a program have)",
    )
    parser.add_argument("--max-tables", type=_count, default=usual.tables_max, metavar="N", help="(%(default)s)")
    parser.add_argument(
        "--max-per-address",
        type=_count,
        default=usual.connections_per_address,
        metavar="N",
        help="connections from one address, of IPv6 from one /64 (%(default)s); this computer's own are not counted",
    )
    parser.add_argument(
        "--trust-proxy",
        type=_network,
        metavar="NET",
        help="believe the last address in X-Forwarded-For if the connection comes from this address or network",
    )
    parser.add_argument(
        "--metrics",
        type=_metrics_network,
        metavar="NET",
        help="show figures for Prometheus at /metrics to this address or network (to nobody)",
    )
    parser.add_argument(
        "--log-format",
        choices=LOG_FORMATS,
        default=LOG_FORMATS[0],
        metavar="FORMAT",
        help="text, or json: an object a line (text)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log what happens")


def admission_of(options: argparse.Namespace) -> Admission:
    """Returns what was asked for, with no more connections than the system has descriptors for."""
    trusted = () if options.trust_proxy is None else (options.trust_proxy,)
    return Admission(most=_bounds_of(options), trusted=trusted, metrics_for=options.metrics)


def _bounds_of(options: argparse.Namespace) -> Bounds:
    asked = Bounds(
        connections_max=options.max_connections,
        tables_max=options.max_tables,
        connections_per_address=options.max_per_address,
    )
    files_max = descriptors()
    room = asked.connections_max if files_max is None else files_max - bounds.SPARE_SOCKETS - bounds.FILES_SPARE
    if room >= asked.connections_max:
        return asked
    log.warning("this system lets a program have %d files: at most %d connections", files_max, max(room, 1))
    return replace(asked, connections_max=max(room, 1))


def descriptors() -> int | None:
    """Returns how many files and sockets this process may have from now on: all it can get; None if nobody says."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):  # macOS has a lower limit of its own
            return soft
    return None if hard == resource.RLIM_INFINITY else hard


def _count(text: str) -> int:
    count = int(text) if text.isascii() and text.isdigit() else 0
    if count < 1:
        raise argparse.ArgumentTypeError("a count is a whole number above 0")
    return count


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError:
        raise argparse.ArgumentTypeError("an address or a network, such as 127.0.0.1 or 10.0.0.0/8") from None


def _metrics_network(text: str) -> Network:
    """Returns the network, if there is what shows figures."""
    from lobby import metrics

    try:
        metrics.need()
    except metrics.MetricsMissingError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return _network(text)
