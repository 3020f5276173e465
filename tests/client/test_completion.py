"""Completion: the scripts come from the parsers, and shells that are here really complete with them."""

import re
import shutil
import subprocess
from functools import cache

import pytest

from client import cli
from client.cli.completion import PLACES, SHELLS, script
from client.cli.everywhere import own_actions
from client.cli.help import TOPICS
from client.cli.whole import commands_of, whole_parser
from client.config import BY_NAME
from lobby.cli import parser as lobby_parser

PATIENCE_S = 60
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
function=$(complete -p race2048 | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@cache
def script_for(shell):
    return script(shell)


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "race2048.bash"
    path.write_text(script_for("bash"))
    return path


@pytest.fixture
def complete(bash_script):
    """Returns a function that lets bash complete the last of these words."""

    def completed(*words, cwd=None):
        done = subprocess.run(
            ["bash", "--norc", "-c", COMPLETE, "bash", str(bash_script), "race2048", *words],
            capture_output=True, text=True, timeout=PATIENCE_S, check=True, cwd=cwd,
        )  # fmt: skip
        # compopt has nothing to set outside of a real completion
        assert not [line for line in done.stderr.splitlines() if "compopt" not in line]
        return set(done.stdout.split())

    return completed


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([""], set(cli.COMMANDS)),
        (["ho"], {"host"}),
        (["--palette", "mono", "ho"], {"host"}),
        (["--plain", "ho"], {"host"}),
        (["host", "--si"], {"--size"}),
        (["host", "--size", ""], {"3", "4", "5", "6", "8"}),
        (["host", "--kind", "t"], {"target", "timed"}),
        (["--palette", "c"], {"classic", "colour-blind"}),
        (["join", "--motion", ""], {"full", "reduced", "off"}),
        (["config", ""], {"list", "get", "set", "unset", "path", "edit"}),
        (["config", "set", "host.s"], {"host.size"}),
        (["config", "get", ""], set(BY_NAME)),
        (["id", "e"], {"export"}),
        (["help", ""], {*TOPICS, *cli.COMMANDS}),
        (["completion", ""], set(SHELLS)),
        (["lobby", "--pub"], {"--public-url"}),
        (["demo", "--script", "bell"], {"bell", "bell-tie"}),
    ],
)
def test_bash_completes_commands_options_and_values(complete, words, found):
    assert complete(*words) == found


def test_bash_completes_files_where_files_are_meant(complete, tmp_path):
    for name in ("one.r2048", "other.txt"):
        (tmp_path / name).write_text("")
    assert complete("verify", "on", cwd=tmp_path) == {"one.r2048"}
    assert complete("--config", "ot", cwd=tmp_path) == {"other.txt"}


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_a_shell_that_is_here_takes_the_script_without_a_word(shell, tmp_path):
    path = tmp_path / "script"
    path.write_text(script_for(shell))
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_knows_every_command_and_its_options(shell):
    text = script_for(shell)
    for command, parser in commands_of(whole_parser()).items():
        assert re.search(rf"\b{command}\b", text)
        for action in own_actions(parser):
            for flag in action.option_strings:
                name = flag.lstrip("-") if shell == "fish" else flag
                assert name in text


def test_what_is_known_of_the_lobby_is_what_it_takes():
    wanted = {flag for action in own_actions(lobby_parser()) for flag in action.option_strings} - {"-h", "--help"}
    known = {flag for action in own_actions(commands_of(whole_parser())["lobby"]) for flag in action.option_strings}
    assert known == wanted


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    assert capsys.readouterr().out == f"{script_for(shell)}\n"


def test_the_shell_is_known_from_the_environment(monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert cli.main(["completion"]) == 0
    assert capsys.readouterr().out == f"{script_for('fish')}\n"


def test_a_shell_that_is_not_known_is_asked_for(monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/bin/ksh")
    assert cli.main(["completion"]) == 2
    assert "bash, zsh or fish" in capsys.readouterr().err


def test_another_shell_is_usage():
    with pytest.raises(SystemExit) as ended:
        cli.main(["completion", "ksh"])
    assert ended.value.code == 2


def test_help_says_where_each_script_belongs(capsys):
    with pytest.raises(SystemExit):
        cli.main(["completion", "--help"])
    shown = capsys.readouterr().out
    assert all(place in shown for place in PLACES.values())
