"""client/players.py: computer players as programs."""

from client.bot import NAMES
from client.players import names_for


def test_computer_players_at_one_table_have_different_names():
    assert sorted(names_for(len(NAMES))) == sorted(NAMES)


def test_no_more_names_are_given_than_are_asked_for():
    assert (names_for(0), len(names_for(3))) == ([], 3)
