"""What several tests of the client stand on."""

import pytest

from client import cli


@pytest.fixture
def run(capsys):
    """Returns a function that runs a command and returns exit code, stdout and stderr."""

    def command(*words):
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as ended:  # argparse
            code = ended.code if isinstance(ended.code, int) else 1
        said = capsys.readouterr()
        return code, said.out, said.err

    return command
