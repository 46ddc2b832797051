"""Chunks of iterations in threads give what the loop gives, in any order of the chunks and by any number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from agreement import confirm_gradients, confirm_tangents
from random_programs import program_of_iterations
from test_lanes import CASES as LANE_CASES
from test_lanes import numbers
from test_random import check

from srcgrad import grad, jit, value_and_grad
from srcgrad.analysis.exchange import Exchange
from srcgrad.backend import threads_text
from srcgrad.optimize import run_in_threads
from srcgrad.settings import Options


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop that may run in threads does, in plain Python too: three chunks, the last one first."""
    monkeypatch.setattr(Options, "threads", property(lambda options: True))
    monkeypatch.setattr(Options, "reorders", property(lambda options: False))
    monkeypatch.setattr(run_in_threads, "_is_worth_it", lambda op, around: op.primitive == "for")
    monkeypatch.setattr(run_in_threads, "CHUNKS", 3)
    backwards = tuple(text.replace("prange(chunks)", "reversed(range(chunks))") for text in threads_text.TEXTS)
    monkeypatch.setattr(threads_text, "TEXTS", backwards)
    monkeypatch.setattr(run_in_threads, "ENOUGH", 1)
    monkeypatch.setattr(run_in_threads, "FEW", 10**6)


def pairs(x: Any) -> float:
    """Each iteration adds to what others add to."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            d = x[i] - x[j]
            total += math.exp(-d * d)
    return total


def histogram(x: Any, w: Any) -> float:
    """Sums into a few places, read behind the loop."""
    h = np.zeros(3)
    for i in range(x.shape[0]):
        h[i % 3] += x[i] * w[i % 3]
    return float(np.sum(h * h))


def shifted(x: Any) -> float:
    """Own elements by a counter and something constant."""
    n = x.shape[0]
    y = np.zeros(n + 2)
    for i in range(n):
        y[i + 2] = math.sin(x[i])
        y[i + 2] = y[i + 2] * x[i]
    return float(np.sum(y * y))


def running(x: Any) -> float:
    """Not independent: an iteration reads what the one before it wrote."""
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = math.sin(y[i - 1]) + y[i]
    return float(np.sum(y))


def two_places(x: Any) -> float:
    """Not independent: two iterations write to one element."""
    y = np.zeros(x.shape[0] + 1)
    for i in range(x.shape[0]):
        y[i] += x[i]
        y[i + 1] = x[i] * x[i]
    return float(np.sum(y * y))


def read_sum(x: Any) -> float:
    """Not independent: a sum is read while it grows."""
    h = np.ones(1)
    for i in range(x.shape[0]):
        h[0] += x[i] * h[0] * h[0]
    return float(h[0])


def relaxation(x: Any, w: Any) -> float:
    """A loop of independent iterations inside a sequential one."""
    u = x.copy()
    v = np.zeros(x.shape)
    for _ in range(3):
        for i in range(x.shape[0]):
            for a in range(x.shape[1]):
                v[i, a] = math.tanh(u[i, a] * w[a])
        for i in range(x.shape[0]):
            for a in range(x.shape[1]):
                u[i, a] = 0.5 * (u[i, a] + v[i, a])
    return float(np.sum(u))


INDEPENDENT: dict[Callable[..., float], Callable[[int], tuple[Any, ...]]] = {
    **LANE_CASES,
    pairs: lambda n: (numbers(n),),
    histogram: lambda n: (numbers(n), numbers(3, seed=1)),
    shifted: lambda n: (numbers(n),),
    relaxation: lambda n: (numbers(n, 3), numbers(3, seed=1)),
}
SEQUENTIAL = {f: lambda n: (0.3 * numbers(n),) for f in (running, two_places, read_sum)}
CASES = INDEPENDENT | SEQUENTIAL


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("f", CASES)
def test_gradients(f: Callable[..., float], n: int) -> None:
    confirm_gradients(f, CASES[f](n))


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("f", CASES)
def test_tangents(f: Callable[..., float]) -> None:
    confirm_tangents(f, CASES[f](7))


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("f", INDEPENDENT)
def test_independent_iterations_run_in_threads(f: Callable[..., float]) -> None:
    assert "_in_threads(" in jit(f, jit=False).source(*INDEPENDENT[f](7), level="compiled")


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("f", SEQUENTIAL)
def test_a_rule_dropped_gives_wrong_numbers(f: Callable[..., float], monkeypatch: pytest.MonkeyPatch) -> None:
    """What an iteration reads of others matters: without the rule these programs go wrong."""
    args = SEQUENTIAL[f](7)
    assert jit(f, jit=False)(*args) == pytest.approx(f(*args), rel=1e-12)

    def unruly(exchange: Exchange, site: Any, ops: Any) -> bool:
        return True

    monkeypatch.setattr(Exchange, "_sorted_in", unruly)
    assert jit(f, jit=False)(*args) != pytest.approx(f(*args), rel=1e-9)


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("batch", range(3))
def test_random_programs(batch: int) -> None:
    check(range(1000 + 10 * batch, 1003 + 10 * batch))
    check(range(1000 + 10 * batch, 1007 + 10 * batch), make=program_of_iterations)


@pytest.mark.slow
@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("batch", range(4, 16))
def test_random_programs_slow(batch: int) -> None:
    check(range(1000 + 25 * batch, 1010 + 25 * batch))
    check(range(1000 + 25 * batch, 1015 + 25 * batch), make=program_of_iterations)


# Compiled


@pytest.fixture
def all_threads() -> Any:
    yield
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)


def energy(x: Any, w: Any) -> float:
    total = 0.0
    for i in numba.prange(x.shape[0]):
        s = 0.0
        for a in range(x.shape[1]):
            s += math.sin(x[i, a]) * w[a]
        total += s * s
    return total


@pytest.mark.usefixtures("all_threads")
def test_the_number_of_threads_does_not_matter() -> None:
    args = numbers(20_001, 4), numbers(4, seed=1)
    derivative = value_and_grad(energy, argnums=(0, 1), parallel=True)
    assert "energy_chunk_1_in_threads(" in derivative.source(*args, level="compiled")
    found = []
    for threads in {1, numba.config.NUMBA_NUM_THREADS}:
        numba.set_num_threads(threads)
        value, gradients = derivative(*args)
        found.append((value, *(g.tobytes() for g in gradients)))
    assert len(set(found)) == 1
    expected, plain = value_and_grad(energy, argnums=(0, 1), jit=False)(*args)
    assert value == pytest.approx(expected, rel=1e-12)
    for g, e in zip(gradients, plain, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-11, atol=1e-12)


def looked_up(w: Any, which: Any) -> float:
    total = 0.0
    for i in range(which.shape[0]):
        total += math.exp(w[which[i]])
    return total


def test_what_is_raised_in_a_thread_is_raised() -> None:
    which = np.arange(90_000) % 3
    derivative = grad(looked_up, parallel=True)
    np.testing.assert_allclose(derivative(np.zeros(3), which), [30_000.0, 30_000.0, 30_000.0])
    which[77_777] = 5
    with pytest.raises(IndexError, match=r"index 5 is out of range for an axis of extent 3 .*test_threads.py"):
        derivative(np.zeros(3), which)


def test_only_compiled_code_that_is_asked_for_it_has_threads() -> None:
    args = numbers(5, 4), numbers(4, seed=1)
    for derivative in (grad(energy), grad(energy, parallel=True, jit=False)):
        assert "_in_threads" not in derivative.source(*args, level="compiled")
    readable = grad(energy, parallel=True).source(*args)
    assert readable.startswith("# What is compiled runs independent iterations in threads") and "_chunk" not in readable
