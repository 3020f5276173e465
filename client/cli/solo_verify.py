"""What `race2048 verify` says of the record of a game alone. Judges nothing: protocol/solo_verdict.py does."""

from __future__ import annotations

import argparse
import sys

from client.data_home import read_file
from client.language import clock, number, printable, say, say_n
from client.solo import choice_of
from client.solo_facts import Alone, alone_of
from client.solo_words import game_words, made_words
from engine.solo import Solo, SoloKind
from protocol.solo import SOLO_BYTES_MAX, Opening, Origin
from protocol.solo_verdict import SoloVerdict, verify_solo

from .exits import DAMAGED, DONE, NO
from .figures import json_line, tile


def verify_alone(path: str, options: argparse.Namespace) -> int:
    """Checks a file and says what came of it; returns 0, 6 if it is damaged, else 1."""
    verdict = verify_solo(read_file(path, SOLO_BYTES_MAX + 1))
    if options.json:
        told: dict[str, object] = {"file": path} if len(options.files) > 1 else {}
        told |= solo_verdict_json(verdict)
        if options.luck:
            from .luck import with_solo_luck

            told = with_solo_luck(told, verdict)
        print(json_line(told))
    elif not options.quiet:
        print(_in_words(verdict, printable(path)), file=sys.stdout if verdict.ok else sys.stderr)
        if options.luck and verdict.ok and verdict.record is not None:
            from .luck import solo_luck_line

            print(solo_luck_line(verdict.record))
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
        told["solo"] = alone_json(alone_of(verdict.record.opening, verdict.solo, verdict.unsigned))
    return told


def alone_json(game: Alone) -> dict[str, object]:
    """Returns what was played and how far it came."""
    made = game.made
    return {
        "name": game.raw_name,
        "key": game.key.hex(),
        "size": game.size,
        "kind": game.kind.name.lower(),
        "target": tile(game.target_exponent) or None,
        "deck": game.origin.name.lower(),
        "text": game.text or None,
        "begun_ms": game.begun_ms,
        "score": game.score,
        "max_tile": tile(game.max_exponent),
        "moves": game.moves,
        "undos": game.undos,
        "t_ms": game.t_ms,
        "stuck": game.stuck,
        "made": None if made is None else {"t_ms": made.t_ms, "moves": made.moves, "undos": made.undos},
        "unsigned": game.unsigned,
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
        return say("On the player's word alone: the times, that no solver helped, and that the deck was not chosen "
                   "among many.")  # fmt: skip
    return say("On the player's word alone: the times, and that no solver helped. The deck could be known before the "
               "game.")  # fmt: skip
