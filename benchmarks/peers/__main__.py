"""``python -m benchmarks.peers PROBLEM SYSTEM ARGUMENTS RESULT``: one system's gradient, timed on request.

``ARGUMENTS`` is a pickled pair: the arguments, and the numbers of those to differentiate by. The gradient goes to
``RESULT``. Then a line of JSON says how long the first call took, and each line that is read is answered by the seconds
of a call.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peers.systems import absent, ready


def main(problem: str, system: str, arguments: Path, result: Path) -> int:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    reason = absent(problem, system)
    if reason:
        say({"absent": reason})
        return 0
    given, argnums = pickle.loads(arguments.read_bytes())
    call, to_numpy = ready(problem, system, given, argnums)
    seconds, found = timed(call)
    result.write_bytes(pickle.dumps(to_numpy(found)))
    say({"compile": seconds})
    for _ in sys.stdin:
        call()
        say({"seconds": timed(call)[0]})
    return 0


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Of all threads: a system may have its own do the work."""
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def say(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
