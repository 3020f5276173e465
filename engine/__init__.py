"""The rules of 2048 and of a race: pure, integer, standard library only."""
