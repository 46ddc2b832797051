"""A problem of the suite: a function in natural style, its gradient by hand, and how both are measured side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.flags import plain_njit
from srcgrad import grad
from srcgrad.api.derivative import Derivative
from srcgrad.demo.timing import medians, one_core

Array = npt.NDArray[np.float64]
ROUNDS = 5  # at least so many of each are timed


@dataclass(frozen=True)
class Problem:
    """What is differentiated, with respect to which arguments, and who else can.

    ``hand`` is the plain scalar adjoint that one writes first, ``best`` the best that was found by hand: both return
    what ``grad(primal, argnums)`` returns.
    """

    title: str
    primal: Callable[..., float]
    arguments: tuple[Any, ...]
    argnums: int | tuple[int, ...]
    hand: Callable[..., Any]
    best: Callable[..., Any] | None = None
    ratio: float = 3.5  # that the gradient may cost at most, in times of the primal

    def gradient(self) -> Derivative:
        return grad(self.primal, argnums=self.argnums, cache=False)


@dataclass(frozen=True)
class Measured:
    """Seconds of a call, and of the first call; ``error`` is relative, against the gradient by hand."""

    name: str
    title: str
    primal: float
    gradient: float
    hand: float
    best: float
    compile_primal: float
    compile_gradient: float
    error: float
    ratio: float


def measure(name: str, problem: Problem, seconds: float = 2.0) -> Measured:
    """Every gradient is checked before it is timed: AssertionError says which one is wrong."""
    primal, gradient, arguments = plain_njit(problem.primal), problem.gradient(), problem.arguments
    compile_primal, _ = first_call(partial(primal, *arguments))
    compile_gradient, found = first_call(partial(gradient, *arguments))
    by_hand = problem.hand(*arguments)
    error = difference(found, by_hand)
    assert error < 1e-8, f"{name}: the gradient differs from the one by hand by {error:.1e}"
    calls: dict[str, Callable[[], object]] = {
        "primal": partial(primal, *arguments),
        "gradient": partial(gradient, *arguments),
        "hand": partial(problem.hand, *arguments),
    }
    if problem.best is not None:
        apart = difference(problem.best(*arguments), by_hand)
        assert apart < 1e-8, f"{name}: the best gradient by hand differs from the plain one by {apart:.1e}"
        calls["best"] = partial(problem.best, *arguments)
    repeat = repeats(calls["primal"])
    with one_core():
        t = medians(calls, seconds=seconds, least=ROUNDS, repeat=repeat)
    least = min(t["hand"], t.get("best", t["hand"]))
    times = (t["primal"], t["gradient"], t["hand"], least, compile_primal, compile_gradient)
    return Measured(name, problem.title, *times, error, problem.ratio)


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


def difference(a: Any, b: Any) -> float:
    """The largest difference of two gradients, relative to the largest element of each argument's."""
    pairs = zip(a, b, strict=True) if isinstance(b, tuple) else [(a, b)]
    worst = 0.0
    for x, y in pairs:
        worst = max(worst, float(np.max(np.abs(np.asarray(x) - y)) / max(np.max(np.abs(y)), 1e-300)))
    return worst
