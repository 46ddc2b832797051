"""``python -m benchmarks [--only NAME]``: measures, prints tables, and exits with 1 where a target is missed."""

from __future__ import annotations

import argparse
import importlib
import platform
import sys

from benchmarks.figures import print_table

NAMES = ("gmm", "calls", "elementary", "compile", "memory")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=NAMES, action="append", help="one benchmark; may be given again")
    chosen = parser.parse_args().only or NAMES
    print(f"{platform.machine()}, Python {platform.python_version()}, one thread\n")
    missed = []
    for name in chosen:
        benchmark = importlib.import_module(f"benchmarks.{name}")
        figures = benchmark.figures()
        print_table(benchmark.TITLE, figures)
        missed += [f for f in figures if not f.met]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
