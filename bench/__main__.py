"""`python -m bench NAME …` runs one measurement; README's figures come from here."""

import argparse
import importlib
import sys

BENCHMARKS = {
    "engine": "replays against a naive implementation, in moves/s",
    "lobby": "a lobby under load against node ws and websockets, which only carry the frames",
    "luck": "the luck test on a thousand games of honest bots, and on cheats who see draws ahead",
    "screen": "key to first byte on a terminal, against a minimal prompt_toolkit app",
    "startup": "`race2048 --version`, `--help`, first picture against a bare python and term2048",
    "verify": "`race2048 verify` against a bare python, and the size of records",
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, purpose in BENCHMARKS.items():
        names.add_parser(name, help=purpose).add_argument(
            "--quick", action="store_true", help="fewer runs, for a first look"
        )
    options = parser.parse_args(arguments)
    importlib.import_module(f"bench.{options.name}").main(quick=options.quick)


if __name__ == "__main__":
    main(sys.argv[1:])
