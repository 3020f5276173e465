"""`python -m bench NAME …` runs one measurement, `python -m bench` the five that have floors (whole.py).

README's figures come from here. It ends with 1 if a ratio is below its floor, or was not measured (floors.py).
"""

import argparse
import importlib
import sys

from bench import whole

BENCHMARKS = {
    "coaching": "whether what the coach of `train` calls clearly worse leaves less room, on every size",
    "engine": "replays against a naive implementation and term2048, in moves/s, and the memory of a long game",
    "hinted": "how long a key waits on 8×8 while a hint is thought about, and without one",
    "hostile": "five hundred hostile connections: when each is ended, and what honest players notice of it",
    "journal": "rows acknowledged by the lobby's database; a killed lobby with a hundred races, until all are back",
    "lobby": "a lobby under load against node ws and websockets, which only carry the frames",
    "luck": "the luck test on a thousand games of honest bots, and on cheats who see draws ahead",
    "screen": "key to first byte on a terminal, against minimal applications of Textual and prompt_toolkit",
    "solver": "how well the solver plays and in what time, and each level against the one below it",
    "soak": "a hundred tables for half an hour: memory, descriptors and log of their lobby",
    "startup": "`--version`, `--help`, first pictures and `verify` against term2048, Textual and a bare python",
    "verify": "`race2048 verify` against a bare python, and the size of records",
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, for a first look")
    names = parser.add_subparsers(dest="name", metavar="NAME")
    parsers = {name: names.add_parser(name, help=purpose) for name, purpose in BENCHMARKS.items()}
    for each in parsers.values():
        each.add_argument(
            "--quick", action="store_true", default=argparse.SUPPRESS, help="fewer runs, for a first look"
        )
    parsers["solver"].add_argument("--part", choices=("table", "hint", "three", "levels"), help="one table alone")
    parsers["solver"].add_argument("--games", type=int, help="so many games in each table")
    parsers["solver"].add_argument("--from", type=int, default=0, dest="begin", help="the number of the first game")
    parsers["soak"].add_argument("--minutes", type=float, help="for so long after the warm-up")
    parsers["soak"].add_argument("--tables", type=int, dest="at", help="so many")
    parsers["soak"].add_argument("--pause", type=float, help="seconds between two moves of a player")
    options = vars(parser.parse_args(arguments))
    name = options.pop("name")
    if name is None:
        sys.exit(whole.run(**options))
    sys.exit(importlib.import_module(f"bench.{name}").main(**options))


if __name__ == "__main__":
    main(sys.argv[1:])
