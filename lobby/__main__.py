"""Runs a lobby: `python -m lobby`."""

import sys

EXIT_INTERRUPTED = 130  # ux.md §1


def _main() -> int:
    try:
        from lobby.cli import main

        return main()
    except KeyboardInterrupt:  # it is still starting; once it listens, Ctrl-C ends it cleanly
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(_main())
