"""Whole evenings at a lobby, drawn from a seed: real cores, codec and signatures; only sockets, disk, clocks, people.

plan.py draws all knobs of a world; network.py, process.py, programs.py, people.py and cheats.py are what is played;
world.py joins them under a virtual clock. oracles.py looks on, with secrecy.py (every byte), fold.py (every record) and
shadow.py (every race, by the slow model of tests/lobby). bugs.py breaks the product on purpose, so that the oracles
must prove that they see. `python -m tests.simulation --seed N -v` plays one world again.
"""
