"""What every test stands on."""

from hypothesis import settings

# The machines are shared: how long one example takes says nothing about the code.
settings.register_profile("race2048", deadline=None)
settings.load_profile("race2048")
