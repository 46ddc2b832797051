"""``python -m benchmarks [--only NAME]``: measures, prints tables, and exits with 1 where a target is missed."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks import suite
from benchmarks.figures import Figure, print_table
from benchmarks.problem import Measured
from benchmarks.problems import PROBLEMS

NAMES = ("calls", "elementary", "compile", "memory", "threads")


def main() -> int:
    modules = tuple(dict.fromkeys(name.split(":")[0] for name in PROBLEMS))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        choices=(*modules, *PROBLEMS, *NAMES),
        metavar="NAME",
        action="append",
        help="one benchmark, or all forms of one; may be given again: " + ", ".join((*modules, *NAMES)),
    )
    parser.add_argument(
        "--peers",
        default=sys.executable,
        metavar="PYTHON",
        help="the Python that runs JAX, PyTorch and HIPS autograd, if not this one; what it does not have is left out",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured to this file")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the problems; needs the extra bench")
    options = parser.parse_args()
    chosen = options.only or (*PROBLEMS, *NAMES)
    print(f"{platform.machine()}, Python {platform.python_version()}, one thread unless stated\n")
    problems = [name for name in PROBLEMS if name in chosen or name.split(":")[0] in chosen]
    found = suite.run(problems, options.peers) if problems else []
    tables: dict[str, list[Figure]] = {}
    for name in NAMES:
        if name in chosen:
            benchmark = importlib.import_module(f"benchmarks.{name}")
            tables[name] = benchmark.figures()
            print_table(benchmark.TITLE, tables[name])
    if options.json:
        write_json(options.json, found, tables)
    if options.plot and found:
        suite.plot(found, options.plot)
    held = [*(f for m in found for f in suite.figures(m)), *(f for table in tables.values() for f in table)]
    return 0 if all(figure.met for figure in held) else 1


def write_json(path: Path, found: list[Measured], tables: dict[str, list[Figure]]) -> None:
    others = {name: [asdict(figure) for figure in table] for name, table in tables.items()}
    path.write_text(json.dumps({"problems": suite.as_json(found), **others}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
