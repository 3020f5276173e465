"""Runs a lobby: `python -m lobby`."""

import sys

from lobby.cli import main

if __name__ == "__main__":
    sys.exit(main())
