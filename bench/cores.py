"""Which core a measured server has, and which one those who load it."""

import os

SERVER_CORE, LOAD_CORE = 0, 1


def pin(pid: int, core: int) -> None:
    """Keeps a process, or with 0 this one, to a core, where the system can do that and has more than one."""
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(pid, {core})
