"""Ends a server's process group when the planner has died without doing so, by SIGKILL for example.

Run as a script by ``process``, with the group's number and the seconds of grace; no more than the standard library,
without site packages, so that it is up in an instant. Its input is a pipe that only the planner holds: a word on it
means that the planner has seen to everything, its end without a word that there is no planner any more.
"""

import os
import signal
import sys
import time

#: Seconds between two looks.
APART = 0.05


def is_there(group: int) -> bool:
    """Whether anyone is left in the group."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def end(group: int, grace: float) -> None:
    """Its input has ended, so it has time to go by itself; then SIGTERM, time again, SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + grace
        while time.monotonic() < until:
            if not is_there(group):
                return
            time.sleep(APART)
        os.killpg(group, number)


if __name__ == "__main__":
    if not sys.stdin.buffer.read(1):
        end(int(sys.argv[1]), float(sys.argv[2]))
