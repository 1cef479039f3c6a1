"""Libraries that are loaded under a limit on memory are loaded, or there is a MemoryError: nothing waits for ever."""

from __future__ import annotations

import subprocess
import sys

# A child for each limit, forked from a process that has loaded nothing yet. One that asks for memory without end uses
# the processor meanwhile, however busy the machine is, so a limit on that tells it from one that is only slow.
_TRY_ALL = """
import os, resource
from taxocom.jobs.memory_for_libraries import load_numeric_libraries

def attempt(room):
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
    try:
        load_numeric_libraries()
    except (MemoryError, ImportError):
        return 1
    return 0

used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for room in range(0, 576 * 2**20, 64 * 2**20):
    pid = os.fork()
    if pid == 0:
        os._exit(attempt(room))
    print(os.waitpid(pid, 0)[1])
"""


def test_loading_ends_whatever_the_limit_is() -> None:
    tried = subprocess.run([sys.executable, "-c", _TRY_ALL], capture_output=True, text=True, check=True)
    refused, loaded = str(1 << 8), "0"
    endings = tried.stdout.split()
    assert endings[0] == refused
    assert set(endings) <= {refused, loaded}, tried
