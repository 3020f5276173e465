"""`race2048 help`: what a command is for, or a page on one topic. A topic is one row of TOPICS.

Owns the texts of the topics, each of which fits a screen of 80×24; rules.py has the rules of the game.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from client.config import SETTINGS, shown
from client.language import later, say

from . import COMMANDS, exits, parser_of, top_help
from .everywhere import add_everywhere, made_parser

WIDTH = 78


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `help` takes."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=say("a command, or one of the topics it lists"))


def run(options: argparse.Namespace) -> int:
    """Prints the help that was asked for; returns the exit code."""
    print(text_about(options.topic) if options.topic is not None else overview())
    return exits.DONE


def text_about(topic: str) -> str:
    """Returns the help on a topic or a command; raises Failure if it is neither."""
    if topic in TOPICS:
        return TOPICS[topic][1]()
    if topic in COMMANDS:
        return parser_of(topic).format_help().rstrip()
    near = get_close_matches(topic, [*TOPICS, *COMMANDS], 1)
    if near:
        message = say("There is no help on {topic}. Did you mean {near}?", topic=repr(topic), near=near[0])
    else:
        message = say("There is no help on {topic}. race2048 help lists what there is.", topic=repr(topic))
    raise exits.Failure(exits.USAGE, message)


def overview() -> str:
    """Returns which topics and commands there is help on."""
    lines = [say("race2048 help TOPIC"), ""]
    lines += [f"  {name:11} {say(purpose)}" for name, (purpose, _) in TOPICS.items()]
    lines += ["", say("race2048 help COMMAND"), ""]
    return "\n".join([*lines, *_columns(list(COMMANDS))])


def _columns(words: list[str]) -> list[str]:
    """Returns words in lines of six."""
    return [
        "  " + "".join(f"{word:12}" for word in words[start : start + 6]).rstrip() for start in range(0, len(words), 6)
    ]


# ── the topics ───────────────────────────────────────────────────────────────────────────────────────────────────


def keys_text() -> str:
    """Returns which keys there are."""
    return say("""\
On a board, all of these at once, and by their place on any keyboard:
  arrows     WASD     ZQSD     HJKL     8 4 6 2     a drag of the mouse

  o          offer a draw, or agree to one      x    refuse it
  R, then y  resign                             t    show the link
  ?          these keys                         Esc  a menu with everything
  u          undo (alone)                       n    new game (alone)
  i          a hint (alone)                     Ctrl-C  leave (asks in a race)
  Tab        the next board

Before a race and after it:
  Enter      what is highlighted                s    start (host)
  r          ready, or not yet                  e    settings (host)
  g          race again                         l    lock the table (host)
  p          take a seat                        1-4  free that seat (host)
  w          give it up and watch               c    copy the link

On the home screen: arrows and Enter, a letter or a number; q quits.
With --plain everything is a word: help lists what can be done now.""")


def exit_codes_text() -> str:
    """Returns every exit code and what it means."""
    meanings = {
        exits.DONE: say("done; losing a race is not an error"),
        exits.NO: say("checked, and the answer is no: a record is false, doctor found a fault"),
        exits.USAGE: say("wrong usage, or this is not a terminal"),
        exits.UNREACHED: say("could not connect, or not listen on the port that was asked for"),
        exits.REFUSED: say("the table said no: it is full, locked or closed"),
        exits.VERSIONS: say("the versions of the two programs do not match"),
        exits.DAMAGED: say("a file is damaged, or cannot be read or written"),
        exits.BUG: say("a bug in race2048: please report it"),
        exits.HANGUP: say("the terminal was closed"),
        exits.INTERRUPTED: say("interrupted with Ctrl-C"),
        exits.PIPE_CLOSED: say("nobody reads the output any more"),
        exits.TERMINATED: say("asked to end by a signal"),
    }
    lines = [f"{code:5}  {meaning}" for code, meaning in meanings.items()]
    return "\n".join([say("What race2048 ends with. These codes never change."), "", *lines])


def options_text() -> str:
    """Returns the options that every command takes."""
    parser = made_parser("race2048", say("Before a command or after it:"))
    add_everywhere(parser, shown=True)
    parser.usage = say("race2048 [OPTION]… [COMMAND …]")
    return parser.format_help().rstrip()


def settings_text() -> str:
    """Returns every setting."""
    lines = [say("race2048 config set NAME VALUE, or RACE2048_NAME=VALUE; a flag counts more."), ""]
    lines += [f"  {each.name:13} {shown(each.default):8} {say(each.help)}" for each in SETTINGS]
    return "\n".join(lines)


def commands_text() -> str:
    """Returns the commands, as `race2048 --help` has them."""
    return top_help()


def internet_text() -> str:
    """Returns how friends elsewhere can come to a table."""
    return say(
        """\
Your computer is the lobby, so friends must be able to reach it; or everybody
meets at a lobby that all can reach. Three ways, the easiest first:

A friend's lobby. Somebody has one on a server: open your table there.
  race2048 host --lobby https://race.example.org
Whoever has the server runs  race2048 lobby  on it.

A tunnel. A tunnel program gives your computer an address on the internet and
passes on what comes there. Let it lead to port 2048, and say the address:
  race2048 host --bind 127.0.0.1 --port 2048 --public-url https://yours.example

A forwarded port. Forward TCP port 2048 in your router to this computer:
  race2048 host --port 2048 --public-url http://your.public.address:2048

Send your friends the whole link that is printed: the part after # is the
fingerprint of the lobby's key, so that nobody else can pass for your lobby.
With http:// others on the way can read along; https:// prevents that.

Whoever runs the lobby can see the whole deck: play where you trust the host."""
    )


def network_text() -> str:
    """Returns how tables are found on this network, and why one is not."""
    return say(
        """\
race2048 host announces its table on this network, so a code is enough here:
  race2048 join 482-913    sits down at this table
  race2048 join            lists the tables here and asks which one
  race2048 tables          only lists them

If a table is not found:
- Guest Wi-Fi often keeps its computers apart: use the ordinary network.
- A VPN takes a computer to another network; Docker has networks of its own.
- A firewall must let through UDP port 5353 (mDNS) and the lobby's TCP port,
  as a rule 2048.
- A host with --no-lan, --lobby or --bind 127.0.0.1 announces nothing.
The link works wherever the computer of the host can be reached.

Everybody on the network can see what is announced (both codes, the host's
name, what is raced for, how many sit there), and can announce what they like:
only the whole link proves that a table is your friend's. RACE2048_LAN=off
switches off both announcing and looking."""
    )


TOPICS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "commands": (later("what there is to do, and the exit codes in short"), commands_text),
    "keys": (later("the keys of every screen"), keys_text),
    "internet": (later("how friends elsewhere can come to your table"), internet_text),
    "network": (later("finding tables on this network, and why one is not found"), network_text),
    "options": (later("what every command takes"), options_text),
    "settings": (later("what can be chosen once for all"), settings_text),
    "exit-codes": (later("what race2048 ends with, for scripts"), exit_codes_text),
}
