"""Runs the command line: `python -m client.cli`, as child.py does for computer players."""

import sys

from client.cli import main

if __name__ == "__main__":
    sys.exit(main())
