"""What `race2048 verify` says of the record of a game alone. Judges nothing: protocol/solo_verdict.py does."""

from __future__ import annotations

import argparse
import json
import sys

from client.data_home import read_file
from client.language import clock, number, printable, say, say_n
from client.solo import choice_of
from client.solo_words import game_words, made_words
from engine.solo import Solo, SoloKind
from protocol.solo import SOLO_BYTES_MAX, Opening, Origin
from protocol.solo_verdict import SoloVerdict, verify_solo

from .exits import DAMAGED, DONE, NO
from .figures import tile


def verify_alone(path: str, options: argparse.Namespace) -> int:
    """Checks a file and says what came of it; returns 0, 6 if it is damaged, else 1."""
    verdict = verify_solo(read_file(path, SOLO_BYTES_MAX + 1))
    if options.json:
        told = {"file": path} if len(options.files) > 1 else {}
        print(json.dumps(told | solo_verdict_json(verdict), ensure_ascii=False))
    elif not options.quiet:
        print(_in_words(verdict, printable(path)), file=sys.stdout if verdict.ok else sys.stderr)
    return DONE if verdict.ok else DAMAGED if verdict.damaged else NO


def solo_verdict_json(verdict: SoloVerdict) -> dict[str, object]:
    """Returns a verdict in JSON."""
    told: dict[str, object] = {
        "ok": verdict.ok,
        "fault": None if verdict.fault is None else str(verdict.fault),
        "reason": verdict.reason,
        "solo": None,
    }
    if verdict.ok and verdict.record is not None and verdict.solo is not None:
        told["solo"] = game_json(verdict.record.opening, verdict.solo) | {"unsigned": verdict.unsigned}
    return told


def game_json(opening: Opening, solo: Solo) -> dict[str, object]:
    """Returns what was played and how far it came."""
    made = solo.made
    return {
        "name": opening.name,
        "key": opening.key.hex(),
        "size": opening.size,
        "kind": opening.kind.name.lower(),
        "target": tile(opening.target_exponent) or None,
        "deck": opening.origin.name.lower(),
        "text": opening.text or None,
        "begun_ms": opening.begun_ms,
        "score": solo.game.score,
        "max_tile": tile(solo.game.max_exponent),
        "moves": solo.game.moves,
        "undos": solo.undos,
        "t_ms": solo.t_ms,
        "stuck": solo.game.stuck,
        "made": None if made is None else {"t_ms": made.t_ms, "moves": made.moves, "undos": made.undos},
    }


def _in_words(verdict: SoloVerdict, path: str) -> str:
    if verdict.damaged:
        return say("{path}: unreadable or damaged: {reason}", path=path, reason=verdict.reason)
    if not verdict.ok or verdict.record is None or verdict.solo is None:
        return say("{path}: FALSE: {reason}", path=path, reason=verdict.reason)
    opening, solo = verdict.record.opening, verdict.solo
    game = game_words(choice_of(opening), opening.origin, printable(opening.text))
    lines = [say("{path}: true.", path=path), say("A game alone: {game}.", game=game)]
    lines.append(_figures_words(opening, solo))
    if opening.kind is SoloKind.CLASSIC and solo.made is not None:
        lines.append(f"  {made_words(choice_of(opening), solo.made)}")
    if verdict.unsigned:
        lines.append(say_n("  the last act is not signed", "  the last {count} acts are not signed", verdict.unsigned))
    return "\n".join([*lines, _trust_words(opening)])


def _figures_words(opening: Opening, solo: Solo) -> str:
    line = say_n(
        "  {name}: {count} move replayed: {score} ({tile}), {time}",
        "  {name}: {count} moves replayed: {score} ({tile}), {time}",
        solo.game.moves,
        name=printable(opening.name),
        score=number(solo.game.score),
        tile=tile(solo.game.max_exponent),
        time=clock(solo.t_ms),
    )
    if not solo.undos:
        return line
    return say("{line}, {undos}", line=line, undos=say_n("{count} undo", "{count} undos", solo.undos))


def _trust_words(opening: Opening) -> str:
    if opening.origin is Origin.CHANCE:
        return say("On the player's word alone: the times, and that the deck was not chosen among many.")
    return say("On the player's word alone: the times. The deck could be known before the game.")
