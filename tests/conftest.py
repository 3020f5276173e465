"""What every test stands on."""

import os

from hypothesis import HealthCheck, settings

# The machines are shared: how long one example takes says nothing about the code. Everybody's `./dev test` tries the
# same examples, so that it says the same; --long looks for new ones.
settings.register_profile(
    "race2048",
    deadline=None,
    derandomize=not os.environ.get("RACE2048_LONG"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("race2048")

# Nobody's own settings may decide what a test sees; this file is empty, and cannot be written.
os.environ["RACE2048_CONFIG"] = os.devnull
# Tests read English, whatever the system speaks.
os.environ["LANGUAGE"] = "en"
# No test, and no program that a test starts, has to do with the network around this computer; some say "loopback".
os.environ["RACE2048_LAN"] = "off"
