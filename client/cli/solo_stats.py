"""What `race2048 stats` says of games alone: how many there were of each sort, and the best of them (rules 2.6)."""

from __future__ import annotations

from pathlib import Path

from client.archive import own_keys
from client.best_store import BestStore, open_pairs
from client.bests import Best, Pair, Sort
from client.language import clock, number, say, say_n
from client.solo import Choice
from client.solo_store import SoloStore
from client.solo_words import about_words
from engine.solo import SoloKind
from protocol.solo import Origin

from .figures import tile


def solo_pairs(data: Path) -> list[tuple[Sort, Pair]]:
    """Returns the games alone of this computer by their sorts, unfinished ones included."""
    store = SoloStore(data)
    bests = BestStore(store)
    bests.load()
    bests.catch_up(own_keys(data))
    return sorted(bests.bests.with_games(open_pairs(store)).items())


def solo_stats_json(data: Path) -> list[dict[str, object]]:
    """Returns games alone as they stand in JSON."""
    return [
        {
            "size": sort.size,
            "kind": SoloKind(sort.kind).name.lower(),
            "target": tile(sort.target_exponent) or None,
            "deck": Origin(sort.origin).name.lower(),
            "games": pair.games,
            "without_undo": _best_json(pair.clean),
            "with_undo": _best_json(pair.all),
        }
        for sort, pair in solo_pairs(data)
    ]


def _best_json(best: Best) -> dict[str, object]:
    return {
        "score": best.score,
        "max_tile": tile(best.max_exponent),
        "moves": best.moves if best.is_made else None,
        "t_ms": best.t_ms if best.is_made else None,
    }


def solo_stats_lines(data: Path) -> list[str]:
    """Returns games alone as lines, nothing if there was none."""
    lines: list[str] = []
    for sort, pair in solo_pairs(data):
        games = say_n("{count} game", "{count} games", pair.games)
        lines.append(say("  {game}: {games}", game=_sort_words(sort), games=games))
        lines.append(f"    {_best_words(pair.clean)}")
        if pair.all != pair.clean:
            helped = say("with undo or hint: {best}", best=_best_words(pair.all))
            lines.append(f"    {helped}")
    return [say("Alone"), *lines] if lines else []


def _sort_words(sort: Sort) -> str:
    about = about_words(Choice(sort.size, SoloKind(sort.kind), sort.target_exponent))
    decks = {
        Origin.CHANCE: "",
        Origin.TEXT: say("chosen decks"),
        Origin.DAILY: say("daily decks"),
        Origin.GHOST: say("ghost races"),
    }
    deck = decks[Origin(sort.origin)]
    return say("{game}, {deck}", game=about, deck=deck) if deck else about


def _best_words(best: Best) -> str:
    told = say("best score {score}, largest tile {tile}", score=number(best.score), tile=tile(best.max_exponent))
    if not best.is_made:
        return told
    moves = say_n("{count} move", "{count} moves", best.moves)
    return say("{best}, target after {moves}, in {time}", best=told, moves=moves, time=clock(best.t_ms))
