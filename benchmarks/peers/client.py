"""Runs the peers of a problem, each in a process of its own, and times them in turn with the gradient here."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.difference import difference
from benchmarks.peers import SYSTEMS
from srcgrad.demo.timing import one_core

TOLERANCE = 1e-8
SECONDS, ROUNDS = 2.0, 3  # for each peer, and at least so many calls
ONE_THREAD = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")},
    "JAX_ENABLE_X64": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Peer:
    """Seconds of a call, of the first one, and of srcgrad's gradient in the same minute; or why there are none."""

    seconds: float = 0.0
    compile: float = 0.0
    ours: float = 0.0
    absent: str = ""


def measure_peers(
    name: str,
    interpreter: str,
    arguments: tuple[Any, ...],
    argnums: tuple[int, ...],
    expected: Any,
    gradient: Callable[[], object],
) -> dict[str, Peer]:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "arguments"
        given.write_bytes(pickle.dumps((tuple(map(plain, arguments)), argnums)))
        result = Path(folder) / "result"
        return {system: measure(name, system, interpreter, given, result, expected, gradient) for system in SYSTEMS}


def plain(argument: Any) -> Any:
    """Named tuples as tuples: a peer's process need not know their classes."""
    return tuple(argument) if isinstance(argument, tuple) else argument


def measure(
    name: str, system: str, interpreter: str, given: Path, result: Path, expected: Any, gradient: Callable[[], object]
) -> Peer:
    """AssertionError if the peer's gradient is another."""
    command = [interpreter, "-m", "benchmarks.peers", name, system, str(given), str(result)]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": root}
    with subprocess.Popen(
        command,
        env=environment,
        cwd=root,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        answer = ask(process)
        if "absent" in answer or "error" in answer:
            return Peer(absent=answer.get("absent") or answer["error"])
        apart = difference(pickle.loads(result.read_bytes()), expected)
        assert apart < TOLERANCE, f"{name}: the gradient of {system} differs by {apart:.1e}"
        of_peer: list[float] = []
        ours: list[float] = []
        end = time.perf_counter() + SECONDS
        with one_core():
            while time.perf_counter() < end or len(ours) < ROUNDS:
                gradient()
                start = time.thread_time()
                gradient()
                ours.append(time.thread_time() - start)
                of_peer.append(ask(process, "go")["seconds"])
        process.communicate()
    return Peer(median(of_peer), answer["compile"], median(ours))


def ask(process: subprocess.Popen[str], line: str = "") -> dict[str, Any]:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    if line:
        print(line, file=process.stdin, flush=True)
    answer = process.stdout.readline()
    if not answer:
        return {"error": (process.stderr.read().strip().splitlines() or ["it ended without a word"])[-1]}
    found: dict[str, Any] = json.loads(answer)
    return found
