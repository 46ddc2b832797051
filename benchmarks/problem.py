"""A problem of the suite: a function in natural style, its gradient by hand, and how both are measured side by side."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.difference import difference
from benchmarks.flags import plain_njit
from benchmarks.peers.client import Peer, measure_peers
from srcgrad import grad
from srcgrad.demo.timing import medians, one_core

Array = npt.NDArray[np.float64]
ROUNDS = 5  # at least so many of each are timed


@dataclass(frozen=True)
class Problem:
    """What is differentiated, with respect to which arguments, and who else can.

    ``hand`` is the plain scalar adjoint that one writes first, ``best`` the best that was found by hand: both return
    what ``grad(primal, argnums)`` returns. So does ``mechanical``.
    """

    title: str
    primal: Callable[..., Any]
    arguments: tuple[Any, ...]
    argnums: int | tuple[int, ...]
    hand: Callable[..., Any]
    best: Callable[..., Any] | None = None
    ratio: float = 3.5  # that the gradient may cost at most, in times of the primal
    plain: Callable[..., float] | None = None  # the primal in a form that Numba takes, where it does not take the other
    mechanical: Callable[..., Any] | None = None  # the gradient in the form that a compiler can make of the plain loop
    derivative: Callable[[], Callable[..., Any]] | None = None  # makes a Jacobian, where no gradient is asked for

    def gradient(self) -> Callable[..., Any]:
        return self.derivative() if self.derivative else grad(self.primal, argnums=self.argnums, cache=False)


@dataclass(frozen=True)
class Measured:
    """Seconds of a call, and of the first call; ``error`` is relative, against the gradient by hand."""

    name: str
    title: str
    primal: float
    gradient: float
    hand: float
    best: float
    mechanical: float | None
    compile_primal: float
    compile_gradient: float
    error: float
    ratio: float
    peak: float | None  # megabytes that a call needs at most, beyond arguments and what it keeps; where known
    peers: dict[str, Peer]

    @property
    def to_mechanical(self) -> float | None:
        return None if self.mechanical is None else self.gradient / self.mechanical

    @property
    def to_best_peer(self) -> float | None:
        """Of the times that were taken in turn with the peer's."""
        return max((p.ours / p.seconds for p in self.peers.values() if not p.absent), default=None)

    @property
    def best_peer(self) -> float | None:
        ratio = self.to_best_peer
        return None if ratio is None else self.gradient / ratio


def measure(name: str, problem: Problem, interpreter: str = sys.executable, seconds: float = 2.0) -> Measured:
    """Every gradient is checked before it is timed: AssertionError says which one is wrong.

    ``interpreter`` is the Python that runs the peers.
    """
    primal, gradient, arguments = plain_njit(problem.plain or problem.primal), problem.gradient(), problem.arguments
    compile_primal, _ = first_call(partial(primal, *arguments))
    compile_gradient, found = first_call(partial(gradient, *arguments))
    peak = peak_of(partial(gradient, *arguments))
    by_hand = problem.hand(*arguments)
    error = difference(found, by_hand)
    assert error < 1e-8, f"{name}: the gradient differs from the one by hand by {error:.1e}"
    calls: dict[str, Callable[[], object]] = {
        "primal": partial(primal, *arguments),
        "gradient": partial(gradient, *arguments),
        "hand": partial(problem.hand, *arguments),
    }
    for form, other in {"best": problem.best, "mechanical": problem.mechanical}.items():
        if other is not None:
            apart = difference(other(*arguments), by_hand)
            assert apart < 1e-8, f"{name}: the {form} gradient by hand differs from the plain one by {apart:.1e}"
            calls[form] = partial(other, *arguments)
    repeat = repeats(calls["primal"])
    with one_core():
        t = medians(calls, seconds=seconds, least=ROUNDS, repeat=repeat)
    least = min(t["hand"], t.get("best", t["hand"]))
    times = (t["primal"], t["gradient"], t["hand"], least, t.get("mechanical"), compile_primal, compile_gradient)
    peers = measure_peers(name, interpreter, problem.arguments, argnums_of(problem), found, calls["gradient"])
    return Measured(name, problem.title, *times, error, problem.ratio, peak, peers)


def argnums_of(problem: Problem) -> tuple[int, ...]:
    return problem.argnums if isinstance(problem.argnums, tuple) else (problem.argnums,)


def repeats(call: Callable[[], object]) -> int:
    """How many calls are timed as one, so that the clock can tell."""
    start = time.thread_time()
    call()
    return max(1, min(1000, int(1e-3 / max(time.thread_time() - start, 1e-6))))


def first_call(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long it takes this thread, and what it returns."""
    start = time.thread_time()
    result = call()
    return time.thread_time() - start, result


def peak_of(call: Callable[[], object]) -> float | None:
    """Linux forgets the peak of this process on request, so that what is read afterwards is what a call needs."""
    forget = Path("/proc/self/clear_refs")
    if not forget.exists():
        return None
    call()
    gc.collect()
    forget.write_text("5")
    before = kilobytes("VmRSS")
    call()
    return max(0.0, (kilobytes("VmHWM") - before) / 1024)


def kilobytes(field: str) -> float:
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) for line in status if line.startswith(field))
