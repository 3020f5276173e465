"""`python -m bench NAME …` runs one measurement; README's figures come from here."""

import argparse
import importlib
import sys

BENCHMARKS = {
    "coaching": "whether what the coach of `train` calls clearly worse leaves less room, on every size",
    "engine": "replays against a naive implementation, in moves/s",
    "hostile": "five hundred hostile connections: when each is ended, and what honest players notice of it",
    "journal": "rows acknowledged by the lobby's database; a killed lobby with a hundred races, until all are back",
    "lobby": "a lobby under load against node ws and websockets, which only carry the frames",
    "luck": "the luck test on a thousand games of honest bots, and on cheats who see draws ahead",
    "screen": "key to first byte on a terminal, against a minimal prompt_toolkit app",
    "solver": "how well the solver plays and in what time, and each level against the one below it",
    "soak": "a hundred tables for ten minutes: memory, descriptors and log of their lobby",
    "startup": "`race2048 --version`, `--help`, first picture against a bare python and term2048",
    "verify": "`race2048 verify` against a bare python, and the size of records",
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    parsers = {name: names.add_parser(name, help=purpose) for name, purpose in BENCHMARKS.items()}
    for each in parsers.values():
        each.add_argument("--quick", action="store_true", help="fewer runs, for a first look")
    parsers["solver"].add_argument("--part", choices=("table", "hint", "three", "levels"), help="one table alone")
    parsers["solver"].add_argument("--games", type=int, help="so many games in each table")
    parsers["solver"].add_argument("--from", type=int, default=0, dest="begin", help="the number of the first game")
    parsers["soak"].add_argument("--minutes", type=float, help="for so long")
    parsers["soak"].add_argument("--tables", type=int, dest="at", help="so many")
    parsers["soak"].add_argument("--pause", type=float, help="seconds between two moves of a player")
    options = vars(parser.parse_args(arguments))
    importlib.import_module(f"bench.{options.pop('name')}").main(**options)


if __name__ == "__main__":
    main(sys.argv[1:])
