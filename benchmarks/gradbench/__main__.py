"""``python -m benchmarks.gradbench``: reads messages, a line each, and answers each with a line."""

from __future__ import annotations

import json
import sys

from benchmarks.gradbench.protocol import respond


def main() -> int:
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(respond(json.loads(line))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
