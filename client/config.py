"""What a person has chosen once for all: every setting, and which choice counts (ux.md §5).

Owns the table of settings, their types and values, and the order: flag, then RACE2048_* environment, then file, then
default. Pure: the environment and the file's content are handed in; config_file.py knows where the file is and how it
is written, cli/everywhere.py which flags there are. Whoever wants to know a setting asks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TypeAlias

from client.language import later, say

Value: TypeAlias = str | int | bool | None  # None: nothing of one's own is set

ENVIRONMENT = "RACE2048_"
# Not settings: where files are, and what tests are told.
OTHER_VARIABLES = frozenset({"RACE2048_CONFIG", "RACE2048_DATA", "RACE2048_LONG"})
NEAR = 0.7  # how alike two names must be, from 0 to 1, before one is taken for a slip of the other


class Sort(Enum):
    """What kind of value a setting has."""

    CHOICE = auto()  # one of a few words
    NUMBER = auto()  # one of a few numbers
    SWITCH = auto()
    NAME = auto()
    LANGUAGE = auto()
    LOBBY = auto()
    TILE = auto()
    TIME = auto()
    IDLE = auto()
    PORT = auto()
    PACE = auto()


class Source(StrEnum):
    """Where a value comes from, the strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `allowed` are the values of a CHOICE or a NUMBER; a dot in the name means a table of the file."""

    name: str
    sort: Sort
    default: Value
    help: str
    allowed: tuple[str | int, ...] = ()

    @property
    def variable(self) -> str:
        """Its name in the environment: RACE2048_HOST_SIZE."""
        return ENVIRONMENT + self.name.upper().replace(".", "_")


SETTINGS = (
    Setting("name", Sort.NAME, None, later("how the others see you (your login name)")),
    Setting("lang", Sort.LANGUAGE, None, later("the language, as in uk or en (the one of this system)")),
    Setting(
        "palette", Sort.CHOICE, "classic", later("the colours of the tiles"),
        ("classic", "colour-blind", "high-contrast", "mono"),
    ),
    Setting(
        "color", Sort.CHOICE, "auto", later("how many colours are used"),
        ("auto", "true", "256", "16", "mono", "never"),
    ),
    Setting("motion", Sort.CHOICE, "full", later("whether tiles slide, or only appear"), ("full", "reduced", "off")),
    Setting("plain", Sort.SWITCH, default=False, help=later("lines instead of a screen, as for screen readers")),
    Setting("mouse", Sort.SWITCH, default=True, help=later("a drag of the mouse is a swipe, a click chooses")),
    Setting("bell", Sort.SWITCH, default=True, help=later("a bell when a guest sits down and when a race begins")),
    Setting("title", Sort.SWITCH, default=True, help=later("what happens is shown in the title of the window")),
    Setting("notify", Sort.SWITCH, default=True, help=later("the desktop is told where the terminal can do so")),
    Setting(
        "lan", Sort.CHOICE, "on", later("tables are announced and looked for on this network"),
        ("on", "off", "loopback"),
    ),
    Setting("lobby", Sort.LOBBY, None, later("the lobby that you open tables on (one of your own)")),
    Setting("host.size", Sort.NUMBER, 4, later("the board's size"), (3, 4, 5, 6, 8)),
    Setting("host.kind", Sort.CHOICE, "target", later("what is raced for"), ("target", "timed", "endless")),
    Setting("host.target", Sort.TILE, None, later("the tile to be made first (the usual one of the board)")),
    Setting("host.time", Sort.TIME, "3m", later("how long a timed race lasts")),
    Setting("host.idle", Sort.IDLE, "3m", later("who can move and does not for so long counts as away")),
    Setting("host.players", Sort.NUMBER, 4, later("the number of seats"), (2, 3, 4)),
    Setting(
        "host.level", Sort.CHOICE, "casual", later("how strong your computer players are"),
        ("beginner", "casual", "skilled", "master"),
    ),
    Setting("host.pace", Sort.PACE, "4", later("how many moves a second they make")),
    Setting("host.port", Sort.PORT, None, later("the port of your own lobby (2048, or the next free)")),
)  # fmt: skip
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}
_BY_VARIABLE = {setting.variable: setting for setting in SETTINGS}
_SYNONYMS = {"color-blind": "colour-blind", "colorblind": "colour-blind", "truecolor": "true", "24bit": "true"}
_ON, _OFF = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What a screen needs to know of a person's taste."""

    palette: str = "classic"  # "classic", "colour-blind", "high-contrast", "mono"
    color: str = "auto"  # "auto", "true", "256", "16", "mono", "never"
    motion: str = "full"  # "full", "reduced", "off"
    plain: bool = False
    mouse: bool = True
    bell: bool = True
    title: bool = True
    notify: bool = True
    lang: str = ""  # empty: the system's


@dataclass(frozen=True, slots=True)
class Found:
    """A value, and where it comes from."""

    value: Value
    source: Source


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting as it counts now, and what was wrong with what was found: a sentence each."""

    found: Mapping[str, Found]
    problems: tuple[str, ...] = ()

    def value(self, name: str) -> Value:
        """Returns the value that counts."""
        return self.found[name].value

    def own(self, name: str) -> Value:
        """Returns what the person has chosen, None where it is only the default."""
        found = self.found[name]
        return None if found.source is Source.DEFAULT else found.value

    @property
    def preferences(self) -> Preferences:
        """What screens are given."""
        values = {name: self.value(name) for name in Preferences.__slots__}
        return Preferences(**{**values, "lang": values["lang"] or ""})  # type: ignore[arg-type]


def resolve(flags: Mapping[str, Value], environment: Mapping[str, str], file: Mapping[str, object]) -> Settings:
    """Returns what counts. What is wrong in the environment or the file is told and passed over."""
    from_environment, wrong_variables = _from_environment(environment)
    from_file, wrong_entries = _from_file(file)
    found = {}
    for setting in SETTINGS:
        sources = ((flags, Source.FLAG), (from_environment, Source.ENVIRONMENT), (from_file, Source.FILE))
        found[setting.name] = next(
            (Found(values[setting.name], source) for values, source in sources if values.get(setting.name) is not None),
            Found(setting.default, Source.DEFAULT),
        )
    return Settings(found, (*wrong_variables, *wrong_entries))


def _from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Value], list[str]]:
    values: dict[str, Value] = {}
    problems = []
    for variable in sorted(environment):
        if not variable.startswith(ENVIRONMENT) or variable in OTHER_VARIABLES:
            continue
        setting = _BY_VARIABLE.get(variable)
        if setting is None:
            # Other programs may have variables of this kind, too: only what looks like a slip is told.
            near = nearest(
                variable.removeprefix(ENVIRONMENT), [name.removeprefix(ENVIRONMENT) for name in _BY_VARIABLE]
            )
            if near:
                problems.append(unknown_words(variable, ENVIRONMENT + near))
        elif environment[variable] != "":
            values[setting.name] = value = judged(setting, environment[variable])
            if value is None:
                problems.append(wrong_words(setting, environment[variable], variable))
    return values, problems


def _from_file(file: Mapping[str, object]) -> tuple[dict[str, Value], list[str]]:
    values: dict[str, Value] = {}
    problems = []
    for name, raw in entries(file):
        setting = BY_NAME.get(name)
        if setting is None:
            problems.append(unknown_words(name, nearest(name, BY_NAME)))
            continue
        if raw == "" and setting.default is None:  # as in the file that `config edit` begins with
            continue
        values[name] = value = judged(setting, raw)
        if value is None:
            problems.append(wrong_words(setting, raw, name))
    return values, problems


def entries(file: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yields what a file says, the names of tables in front with a dot: "host.size"."""
    for name, raw in file.items():
        if isinstance(raw, Mapping):
            yield from ((f"{name}.{below}", value) for below, value in entries(raw))
        else:
            yield name, raw


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────


def judged(setting: Setting, raw: object) -> Value:
    """Returns what `raw` (a text, or a value of a TOML file) means for this setting, or None if it is not allowed."""
    if setting.sort is Sort.SWITCH:
        word = str(raw).lower()
        return True if word in _ON else False if word in _OFF else None
    is_number = isinstance(raw, int | float) if setting.sort is Sort.PACE else isinstance(raw, int)
    if isinstance(raw, bool) or not (is_number or isinstance(raw, str)):
        return None
    text = str(raw).strip()
    match setting.sort:
        case Sort.CHOICE:
            word = _SYNONYMS.get(text.lower(), text.lower())
            return word if word in setting.allowed else None
        case Sort.NUMBER:
            return next((number for number in setting.allowed if text == str(number)), None)
        case Sort.LANGUAGE:
            return text if text.replace("_", "").replace("-", "").isalnum() and text.isascii() else None
        case Sort.PORT:
            return int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16 else None
        case _:
            return _judged_elsewhere(setting.sort, text)


def _judged_elsewhere(sort: Sort, text: str) -> Value:
    """Asks whoever knows the rule. They take long to import, and few people set any of these."""
    if sort is Sort.NAME:
        from protocol.text import judge_name

        return judge_name(text)
    if sort is Sort.LOBBY:
        from client.link import LinkError, parse_link

        try:
            lobby = parse_link(text)
        except LinkError:
            return None
        return text if not lobby.code else None
    from client.tui.choices import TIME_MS_MAX, TIME_MS_MIN, is_target, parse_duration, parse_idle, parse_pace
    from engine.board import SIZES

    if sort is Sort.TILE:
        return int(text) if text.isascii() and text.isdigit() and is_target(int(text), SIZES[-1]) else None
    if sort is Sort.PACE:
        return None if parse_pace(text) is None else text
    if sort is Sort.IDLE:
        return None if parse_idle(text.lower()) is None else text.lower()
    return None if parse_duration(text, TIME_MS_MIN, TIME_MS_MAX) is None else text.lower()


def allowed_words(setting: Setting) -> str:
    """Returns what can be chosen, in words."""
    match setting.sort:
        case Sort.CHOICE | Sort.NUMBER:
            *others, last = (str(value) for value in setting.allowed)
            return say("{others} or {last}", others=say(", ").join(others), last=last)
        case Sort.TILE | Sort.TIME | Sort.IDLE | Sort.PORT | Sort.PACE:
            return _numbers_words(setting.sort)
        case Sort.SWITCH:
            return say("true or false")
        case Sort.NAME:
            return say("a name of at most 16 columns that can be seen")
        case Sort.LANGUAGE:
            return say("the code of a language, as uk or en")
        case Sort.LOBBY:
            return say("the address of a lobby, as https://lobby.example or 192.168.1.23:2048")


def _numbers_words(sort: Sort) -> str:
    match sort:
        case Sort.TILE:
            return say("a power of two from 8 on")
        case Sort.TIME:
            return say("a time from 1m to 60m, as 3m or 90s")
        case Sort.IDLE:
            return say("a time from 45s to 60m, or off")
        case Sort.PACE:
            return say("a number of moves a second from 0.1 to 35")
        case _:
            return say("a port from 1 to 65535")


def shown(value: Value) -> str:
    """Returns a value as it is typed and printed; empty where nothing is set."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


# ── what is wrong, in words ──────────────────────────────────────────────────────────────────────────────────────


def nearest(name: str, names: Mapping[str, object] | list[str]) -> str:
    """Returns the name that was probably meant, or nothing."""
    from difflib import get_close_matches

    last = {known.rpartition(".")[2]: known for known in names}  # "size" means "host.size"
    if name in last:
        return last[name]
    return next(iter(get_close_matches(name, list(names), 1, NEAR)), "")


def unknown_words(name: str, near: str) -> str:
    """Returns that there is no such setting, and which one was probably meant."""
    if near:
        return say("There is no setting {name}. Did you mean {near}?", name=_printable(name), near=near)
    return say("There is no setting {name}. race2048 config list has them all.", name=_printable(name))


def wrong_words(setting: Setting, raw: object, where: str) -> str:
    """Returns that a value is not allowed, and which are."""
    return say(
        "{where} cannot be {value}. It can be {allowed}.",
        where=where,
        value=_printable(f"“{raw}”" if isinstance(raw, str) else str(raw).lower()),
        allowed=allowed_words(setting),
    )


def _printable(text: str) -> str:
    """Returns a text from a file with what a terminal would obey written as escapes, and cut to a sensible length."""
    shortened = text if len(text) <= 80 else text[:79] + "…"
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in shortened)
