"""`race2048 stats`: what you have won and lost, from the true records of this computer alone."""

from __future__ import annotations

import argparse
import json

from client.archive import own_keys, saved_records
from client.language import decimal
from client.store import data_directory
from client.tallying import Stats, Sum, Tally, tally
from client.tui.canvas import columns_of
from client.words import number, say, say_n, settings_words
from protocol.messages import TableSettings

from .exits import DONE
from .export import settings_json
from .figures import tile
from .history import judged_records
from .solo_stats import solo_stats_json, solo_stats_lines

_ROW_COLUMNS = 28
_OPPONENTS_MAX = 20  # are printed; --json has all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `stats` takes."""
    parser.add_argument("--json", action="store_true", help=say("print it as JSON"))


def run(options: argparse.Namespace) -> int:
    """Prints sums over all races; returns 0."""
    data = data_directory()
    races = judged_records(saved_records(data))
    stats = tally((judged.facts for judged in reversed(races)), own_keys(data))
    if options.json:
        print(json.dumps(_as_json(stats) | {"alone": solo_stats_json(data)}, ensure_ascii=False))
    else:
        alone = solo_stats_lines(data)
        print("\n".join([*_lines(stats), *([""] if alone else []), *alone]))
    return DONE


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _as_json(stats: Stats) -> dict[str, object]:
    return {
        "people": _tally_json(stats.people),
        "computers": _tally_json(stats.computers),
        "left_out": {
            "void": stats.void,
            "watched": stats.watched,
            "seeded": stats.seeded,
            "not_true": stats.untrue,
            "alone": stats.alone,
        },
    }


def _sum_json(sums: Sum) -> dict[str, object]:
    return {
        "races": sums.races,
        "wins": sums.wins,
        "draws": sums.draws,
        "losses": sums.losses,
        "percent": sums.percent,
    }


def _tally_json(sums: Tally) -> dict[str, object]:
    opponents = [{"name": each.name, "key": each.key.hex(), **_sum_json(each.sum)} for each in sums.ranked_opponents()]
    return {
        **_sum_json(sums.sum),
        "best_score": sums.best_score,
        "max_tile": tile(sums.max_exponent),
        "moves": sums.moves,
        "moves_per_s": round(sums.moves_per_s, 2),
        "most_moves_per_s": round(sums.most_moves_per_s, 2),
        "streak": sums.streak,
        "longest_streak": sums.longest_streak,
        "kinds": [{"settings": _kind_json(settings_json(kind)), **_sum_json(each)} for kind, each in _ranked(sums)],
        "opponents": opponents,
        "computer_players": _sum_json(sums.computers),
    }


def _kind_json(settings: dict[str, object]) -> dict[str, object]:
    """Returns what races are compared by; seats, lead and idle limit are not of it."""
    return {name: settings[name] for name in ("size", "kind", "target", "time_ms")}


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(stats: Stats) -> list[str]:
    lines = []
    if stats.people.sum.races:
        lines += [say("Against people"), *_tally_lines(stats.people)]
    if stats.computers.sum.races:
        lines += [""] if lines else []
        lines += [say("Against computer players alone"), *_tally_lines(stats.computers)]
    if not lines:
        lines.append(say("There is no race of yours to count yet."))
    left_out = _left_out(stats)
    return [*lines, "", left_out] if left_out else lines


def _tally_lines(sums: Tally) -> list[str]:
    lines = [_row(say("all races"), sums.sum)]
    lines += [_row(settings_words(kind), each) for kind, each in _ranked(sums)]
    best = say(
        "best score {score}, largest tile {tile}, {pace} moves a second (at most {most})",
        score=number(sums.best_score),
        tile=tile(sums.max_exponent),
        pace=decimal(sums.moves_per_s),
        most=decimal(sums.most_moves_per_s),
    )
    lines += [f"  {best}", f"  {_streak_words(sums)}"]
    opponents = sums.ranked_opponents()
    lines += [_row(each.name, each.sum) for each in opponents[:_OPPONENTS_MAX]]
    if len(opponents) > _OPPONENTS_MAX:
        lines.append(say("  {count} more: race2048 stats --json", count=number(len(opponents) - _OPPONENTS_MAX)))
    if opponents and sums.computers.races:
        lines.append(_row(say("computer players"), sums.computers))
    return lines


def _row(what: str, sums: Sum) -> str:
    """Returns a line of sums, its columns under those of the other lines."""
    padded = what + " " * max(_ROW_COLUMNS - columns_of(what), 0)
    return say(
        "  {what} {races}  {won} won  {drawn} drawn  {lost} lost  {percent} %",
        what=padded,
        races=f"{number(sums.races):>5}",
        won=f"{number(sums.wins):>5}",
        drawn=f"{number(sums.draws):>3}",
        lost=f"{number(sums.losses):>5}",
        percent=f"{sums.percent:>3}",
    )


def _streak_words(sums: Tally) -> str:
    if sums.streak < 0:
        now = say_n("{count} lost in a row now", "{count} lost in a row now", -sums.streak)
    else:
        now = say_n("{count} won in a row now", "{count} won in a row now", sums.streak)
    return say("{now}, {longest} at most", now=now, longest=number(sums.longest_streak))


def _left_out(stats: Stats) -> str:
    """Returns which races are not in the sums, empty if all are."""
    counts = {
        say("void"): stats.void,
        say("only watched"): stats.watched,
        say("demos and tests"): stats.seeded,
        say("not true or not readable"): stats.untrue,
        say("against yourself"): stats.alone,
    }
    parts = [say("{count} {what}", count=number(count), what=what) for what, count in counts.items() if count]
    return say("Not counted: {parts}.", parts=say(", ").join(parts)) if parts else ""


def _ranked(sums: Tally) -> list[tuple[TableSettings, Sum]]:
    """Returns what was raced for, most often first."""
    return sorted(sums.by_settings.items(), key=lambda each: (-each[1].races, settings_words(each[0])))
