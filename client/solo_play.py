"""A game alone and its save, brought together: what is done is on the disk before it is drawn, and why if it is not.

Owns which game is resumed, when one begins and what becomes of the one before. Knows the wall clock and the system's
entropy; the moments of a game are handed in, since a screen has its own clock. Rules are engine/solo.py's, files
solo_store.py's. `prepare` does what can wait until a first picture is there.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum

from client.best_store import BestStore, before_hints, last_choice, remember_choice
from client.bests import Best, clean_of, pair_of, sort_of
from client.hint_store import HintStore
from client.solo import Choice, SoloGame, choice_of, usual_choice
from client.solo_store import Found, Save, SoloStore, Trouble
from engine.board import Direction
from engine.deck import SECRET_BYTES, daily_text, seed_of_text
from engine.solo import Act, SoloKind
from protocol.limits import KEY_BYTES
from protocol.solo import Opening, Origin, RaceDeckPapers, encode_seal

_SLOTS = {Origin.CHANCE: "game", Origin.TEXT: "game", Origin.DAILY: "daily", Origin.GHOST: "ghost"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shall be played. `choice` is None for whatever there is, else what was played last.

    `text` is what the deck is made from, if its origin is TEXT, or the date if it is DAILY; `deck` that of a ghost.
    """

    choice: Choice | None = None
    origin: Origin = Origin.CHANCE
    text: str = ""
    deck: bytes | RaceDeckPapers = b""
    new: bool = False


class Tell(Enum):
    """What a person is to be told of the save; `Told.detail` has the path or the reason."""

    UNSAVED = "unsaved"
    SAVED_AGAIN = "saved-again"
    BUSY = "busy"
    TORN = "torn"
    DAMAGED = "damaged"
    FOREIGN = "foreign"
    NEWER = "newer"
    BESTS = "bests"


@dataclass(frozen=True, slots=True)
class Told:
    """Something to be told once."""

    what: Tell
    detail: str = ""


_TROUBLES = {
    Trouble.TORN: Tell.TORN,
    Trouble.DAMAGED: Tell.DAMAGED,
    Trouble.FOREIGN: Tell.FOREIGN,
    Trouble.NEWER: Tell.NEWER,
}


class SoloPlay:
    """A game being played. `offered`: an unfinished game stands in the way of this choice, and the person is asked.

    `told` are things to be told, each once: whoever shows them takes them out. `unsaved` is why the game is not on the
    disk, empty while it is.
    """

    def __init__(self, store: SoloStore, wanted: Wanted, name: str = "") -> None:
        self.store = store
        self.bests = BestStore(store)
        self.told: list[Told] = []
        self.unsaved = ""
        self.offered: Choice | None = None
        self.finished: list[str] = []  # the paths of the records of games that have ended
        self.hints = 0  # in this game
        self._before_hints: Best | None = None  # what was reached when the first one was asked for
        self._name = name
        self._wanted = wanted
        self._key = bytes(KEY_BYTES)
        self._save: Save | None = None
        self._begin_or_resume(wanted)

    def prepare(self) -> None:
        """Does what takes longer: the player's key, and bests of games that have ended meanwhile."""
        from client.archive import own_keys

        self._key = self._own_key()
        if self._save is None or not self._save.good:
            self._write_opening()
        self.bests.catch_up(own_keys(self.store.data))
        if self.bests.kept is not None:
            self.told.append(Told(Tell.BESTS, str(self.bests.kept)))

    def best(self) -> Best:
        """Returns the best of games like this, this one included: without undo and hint, as long as there was none."""
        pair = self.bests.bests.of(sort_of(self.game.opening)).with_other(pair_of(self.game.solo, self._before_hints))
        return pair.all if self.game.solo.undos or self.hints else pair.clean

    @property
    def is_on_wanted_deck(self) -> bool:
        """Whether this is the game that was asked for, not one that was found in its place."""
        return self.offered is None and (not self._wanted.deck or self.game.opening.deck == self._wanted.deck)

    # ── what a player does ───────────────────────────────────────────────────────────────────────────────────────

    def push(self, direction: Direction, now_ms: int) -> bool:
        """Makes a move; returns whether it was one."""
        return self._kept(self.game.push(direction, now_ms))

    def do(self, act: Act, now_ms: int) -> bool:
        """Does something else; returns whether it could be done."""
        return self._kept(self.game.do(act, now_ms))

    def take_hint(self) -> None:
        """The player is given a hint: from now on this is a game with help (rules 2.4), and that lasts."""
        if not self.hints:
            self._before_hints = clean_of(self.game.solo)
        self.hints += 1
        HintStore(self.store.directory).note(self.game.opening, self.game.acts)

    def begin(self, choice: Choice, now_ms: int) -> None:
        """Ends the game and begins a new one, on the deck that was asked for, else on one of chance."""
        choice = self._wanted.choice or choice if self._wanted.origin is Origin.GHOST else choice
        asked = replace(self._wanted, choice=choice, new=False)
        self.offered = None
        self._end(now_ms)
        try:
            self._save = self.store.take(_SLOTS[asked.origin], fresh=True).save
        except OSError as error:
            self._lose(error)
        self._open(asked, choice)
        self._write_opening()

    def go_on(self) -> None:
        """The unfinished game is played after all."""
        self.offered = None

    def leave(self, now_ms: int) -> None:
        """The program is left: the game stands where it is, or, if there is nothing more to do in it, has ended."""
        solo = self.game.solo
        if solo.game.stuck or not solo.t_ms + solo.game.moves + solo.undos:
            self._end(now_ms)
            return
        self.do(Act.LEFT_OFF, now_ms)
        save = self._save
        if save is not None:
            self._seal(save)
            save.sync()
            save.release()
        self._save = None

    def sync(self) -> None:
        """Makes what was played last through a power failure."""
        if self._save is not None:
            self._save.sync()

    # ── beginning ────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin_or_resume(self, wanted: Wanted) -> None:
        self.bests.load()
        choice = wanted.choice or last_choice(self.store)
        try:
            found = self.store.take(_SLOTS[wanted.origin])
            self._save = self._taken(found)
            kept = None if found.record is None or found.solo is None else (found.record, found.solo)
        except OSError as error:
            self._lose(error)
            kept = self.store.peek(_SLOTS[wanted.origin])
        if kept is None:
            self._open(wanted, choice)
            return
        record, solo = kept
        self.game = SoloGame(record.opening, solo, len(record.acts))
        hints = HintStore(self.store.directory)
        self.hints = len(hints.of(record.opening))
        self._before_hints = before_hints(record, hints)
        if not self._is_wanted(wanted):
            if self.game.is_unfinished:
                self.offered = choice
            else:
                self._replace(choice)

    def _is_wanted(self, wanted: Wanted) -> bool:
        """Returns whether the game that was found is the one that shall be played."""
        opening = self.game.opening
        if wanted.new or self.game.solo.ended or (wanted.choice is not None and wanted.choice != choice_of(opening)):
            return False
        if wanted.origin is Origin.CHANCE:
            return wanted.choice is None or opening.origin is Origin.CHANCE
        deck = wanted.deck if wanted.origin is Origin.GHOST else seed_of_text(_text(wanted, opening.size))
        return (opening.origin, opening.deck) == (wanted.origin, deck)

    def _replace(self, choice: Choice) -> None:
        """Puts away a game in which nothing can be done any more, or nothing was."""
        self.offered = choice
        self._key = self._own_key()
        self.begin(choice, 0)

    def _open(self, wanted: Wanted, choice: Choice) -> None:
        """Deals a new game; it is not on the disk yet."""
        self.hints = 0
        self._before_hints = None
        text = _text(wanted, choice.size)
        deck = wanted.deck or (seed_of_text(text) if text else chance_deck())
        self.game = SoloGame(
            Opening(
                size=choice.size,
                kind=choice.kind,
                target_exponent=choice.target_exponent,
                origin=wanted.origin,
                deck=deck,
                key=self._key,
                name=self._name,
                text=text,
                begun_ms=time.time_ns() // 1_000_000,
            )
        )

    def _own_key(self) -> bytes:
        """Returns a key of this person, made if there is none; one that nobody knows if it could not be kept."""
        from client.archive import own_keys
        from client.store import StoreError, default_name, take_identity
        from protocol.signing import Signer

        self._name = self._name or default_name()
        try:
            first = self.store.data / "keys" / "1.key"
            if not first.exists():
                take_identity(self.store.data).release()
            seed = first.read_bytes()
            if len(seed) == SECRET_BYTES:
                return Signer(seed).key
        except (StoreError, OSError):
            pass
        return next(iter(sorted(own_keys(self.store.data))), Signer(os.urandom(SECRET_BYTES)).key)

    def _write_opening(self) -> None:
        """Writes the beginning of a new game, and of what was played in it before there was a key."""
        game = self.game
        if self._key != game.opening.key or self._name != game.opening.name:
            game.opening = replace(game.opening, key=self._key, name=self._name)
        self._keep(game.opening.encode())
        if game.opening.origin is Origin.CHANCE:
            remember_choice(self.store, choice_of(game.opening))

    def _taken(self, found: Found) -> Save:
        if found.busy:
            self.told.append(Told(Tell.BUSY))
        if found.trouble is not None:
            self.told.append(Told(_TROUBLES[found.trouble], str(found.kept)))
        return found.save

    # ── keeping and ending ───────────────────────────────────────────────────────────────────────────────────────

    def _kept(self, entry: bytes) -> bool:
        if entry:
            self._keep(entry)
        return bool(entry)

    def _keep(self, data: bytes) -> None:
        save = self._save
        if save is None:
            return
        if save.append(data):
            if self.unsaved:
                self.told.append(Told(Tell.SAVED_AGAIN))
            self.unsaved = ""
        else:
            self._lose(OSError(0, save.error))

    def _lose(self, error: OSError) -> None:
        """The game is not on the disk: this is told once, and play goes on."""
        if not self.unsaved:
            self.told.append(Told(Tell.UNSAVED, error.strerror or str(error)))
        self.unsaved = error.strerror or str(error)

    def _seal(self, save: Save) -> None:
        """Signs what was played, if the key that it was begun with is still here."""
        from client.archive import own_seeds
        from protocol.signing import Signer
        from protocol.solo_verdict import sign_solo

        signers = [Signer(seed) for seed in own_seeds(self.store.data)]
        signer = next((signer for signer in signers if signer.key == self.game.opening.key), None)
        if signer is not None and not save.error:
            with suppress(OSError):
                save.append(encode_seal(sign_solo(signer, save.digest())))

    def _end(self, now_ms: int) -> None:
        """Ends the game: its record goes to the others, if anything was played in it."""
        save, solo = self._save, self.game.solo
        sort, pair = sort_of(self.game.opening), pair_of(solo, self._before_hints)
        if save is None:
            self.bests.bests.add(sort, pair)  # for as long as the program runs
            return
        self._save = None
        if not solo.t_ms + solo.game.moves + solo.undos:
            save.remove()
            return
        entry = self.game.do(Act.ENDED, now_ms)
        if not save.append(entry):
            self._lose(OSError(0, save.error))
        self._seal(save)
        try:
            path = self.store.archive(save, _stem(self.game.opening))
            self.finished.append(str(path))
            self.bests.count(path.name, sort, pair)
        except OSError as error:
            self._lose(error)
            save.release()


def chance_deck() -> bytes:
    """Returns a deck that nobody has chosen."""
    return os.urandom(SECRET_BYTES)


def _text(wanted: Wanted, size: int) -> str:
    """Returns what a deck is made from; nothing for one of chance or of a ghost."""
    return daily_text(wanted.text, size) if wanted.origin is Origin.DAILY else wanted.text


def _stem(opening: Opening) -> str:
    """Returns what the record of a game is called: "2026-11-30-4x4-2048", "…-3x3-endless-daily"."""
    day = time.strftime("%Y-%m-%d", time.localtime(opening.begun_ms // 1_000))
    about = "endless" if opening.kind is SoloKind.ENDLESS else str(1 << opening.target_exponent)
    origin = "" if opening.origin is Origin.CHANCE else f"-{opening.origin.name.lower()}"
    return f"{day}-{opening.size}x{opening.size}-{about}{origin}"


def wanted_choice(last: Choice, size: int | None, kind: SoloKind | None, target_exponent: int | None) -> Choice | None:
    """Returns what was asked for, the rest as it was played last; None if nothing was."""
    if size is None and kind is None and target_exponent is None:
        return None
    size = last.size if size is None else size
    if target_exponent is not None:
        return Choice(size, SoloKind.CLASSIC, target_exponent)
    return usual_choice(size, last.kind if kind is None else kind)
