"""Iterations run side by side give what they give one after the other: by hand-written and by random programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients, confirm_tangents
from oracle.derivatives import differentiable, reverse
from random_programs import Program, program_of_iterations
from test_random import check

from srcgrad import grad
from srcgrad.differentiate import all_directions
from srcgrad.optimize.lanes import decision, facts, widen
from srcgrad.optimize.lanes.masked import Mask
from srcgrad.optimize.lanes.stacks import StackUse
from srcgrad.settings import Options


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop that may run in lanes does, in blocks of three, in plain Python too."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    monkeypatch.setattr(decision, "is_worth_it", lambda op: op.primitive == "for")
    monkeypatch.setattr(widen, "LANES", 3)
    monkeypatch.setattr(widen, "PITCH", 4)
    monkeypatch.setattr(all_directions, "COLUMNS", 3)
    monkeypatch.setattr(all_directions, "ROWS", 3)
    monkeypatch.setattr(widen, "GROUP", 3)


def mixture(x: Any, means: Any) -> float:
    """Private rows, a running maximum, a sum of exponentials."""
    total = 0.0
    terms = np.empty(means.shape[0])
    for i in range(x.shape[0]):
        for k in range(means.shape[0]):
            s = 0.0
            for a in range(x.shape[1]):
                s += (x[i, a] - means[k, a]) ** 2
            terms[k] = -0.5 * s
        top = terms[0]
        for k in range(1, means.shape[0]):
            if terms[k] > top:
                top = terms[k]
        t = 0.0
        for k in range(means.shape[0]):
            t += math.exp(terms[k] - top)
        total += top + math.log(t)
    return total


def paths(p: Any, z: Any) -> float:
    """A recurrence in every iteration, with a kink."""
    total = 0.0
    for i in range(z.shape[0]):
        v = p[0]
        s = 0.0
        for t in range(z.shape[1]):
            v = v + p[1] * (p[2] - max(v, 0.0)) + 0.3 * math.sqrt(max(v, 0.01)) * z[i, t]
            s += v * z[i, t]
        total += max(s, 0.1 * s)
    return total


def swaps(p: Any, z: Any) -> float:
    """Two carried numbers that change places, a third that keeps the old one."""
    total = 0.0
    for i in range(z.shape[0]):
        a, b, c = z[i, 0], p[0], 0.0
        for t in range(z.shape[1]):
            a, b, c = b * z[i, t], a + p[1], math.sin(a) * b
        total += a * b * c
    return total


def scattered(w: Any, which: Any, x: Any) -> float:
    """Indices that several iterations share: all of their contributions count."""
    total = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for a in range(x.shape[1]):
            s += math.exp(w[which[i], a]) * x[i, a]
        total += s * s
    return total


def own_rows(x: Any, w: Any) -> float:
    """Each iteration overwrites its own row, and reads it again."""
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            y[i, a] = math.exp(x[i, a] * w[a])
            y[i, a] = y[i, a] * y[i, 0]
    return float(np.sum(y * y))


def quadratic_forms(x: Any, means: Any, lower: Any) -> float:
    """A triangle of products in each of several terms: four of its innermost iterations are done at once."""
    total = 0.0
    for i in range(x.shape[0]):
        t = 0.0
        for k in range(means.shape[0]):
            centred = np.empty(x.shape[1])
            for a in range(x.shape[1]):
                centred[a] = x[i, a] - means[k, a]
            s = 0.0
            for a in range(x.shape[1]):
                y = centred[a]
                for b in range(a):
                    y += lower[k, a, b] * centred[b]
                s += y * y
            t += math.exp(-0.1 * s)
        total += math.log(t)
    return total


def branches(x: Any, w: Any) -> float:
    """Branches that iterations take differently, inside loops and around writes."""
    total = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for a in range(x.shape[1]):
            u = w[a]
            if x[i, a] > 0.2:
                s += math.log(x[i, a]) * u
            elif x[i, a] > -0.3:
                s -= x[i, a] * u**2
        if s > 0.0:
            total += s * s
    return total


def triangle(x: Any, low: Any) -> float:
    """Inner loops whose length is the counter of another."""
    total = 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            y = math.exp(x[i, a])
            for b in range(a):
                y += low[a, b] * x[i, b]
            total += y * y
    return total


def backwards(x: Any, w: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        h = 0.0
        for t in range(x.shape[1] - 1, -1, -1):
            h = math.tanh(w[t] * h + x[i, t])
        total += h
    return total


def roots(m: Any, e: float) -> float:
    """Newton's iteration, which each element leaves at its own time; nothing is stored for those that are done."""
    total = 0.0
    for i in range(m.shape[0]):
        x = m[i]
        for _ in range(20):
            d = (x - e * math.sin(x) - m[i]) / (1.0 - e * math.cos(x))
            x -= d
            if abs(d) < 1e-13:
                break
        total += x * x * math.sin(m[i])
    return total


def of_lengths(x: Any, lengths: Any) -> float:
    """A recurrence with a length of its own in each iteration, sometimes none."""
    total = 0.0
    for i in range(x.shape[0]):
        h = x[i]
        s = 0.0
        for t in range(lengths[i]):
            h = math.sin(h) + 0.1 * t
            s += h * x[i]
        total += s * h
    return total


def swapped_arrays(x: Any, lengths: Any) -> float:
    """Private arrays that change places, in each iteration another number of times: not in lanes."""
    total = 0.0
    for i in range(x.shape[0]):
        a, b = np.zeros(2), np.zeros(2)
        a[0] = x[i]
        for _ in range(lengths[i]):
            b[0] = math.sin(a[0]) + a[1]
            b[1] = a[0] * x[i]
            a, b = b, a
        total += a[0] * a[1] + a[0]
    return total


def guarded(x: Any, w: float) -> float:
    """A loop under a branch that iterations take differently."""
    total = 0.0
    for i in range(x.shape[0]):
        h = w
        s = 0.0
        for t in range(x.shape[1]):
            s += x[i, t]
        if s > 0.0:
            for t in range(x.shape[1]):
                h = math.tanh(h * w + x[i, t])
        total += h * s
    return total


def to_tolerance(m: Any, e: float) -> float:
    """Newton's iteration without a limit: what is kept of it lies on stacks, and some begin at the solution."""
    total = 0.0
    for i in range(m.shape[0]):
        x = m[i]
        step = m[i]
        while abs(step) > 1e-13:
            step = (x - e * math.sin(x) - m[i]) / (1.0 - e * math.cos(x))
            x -= step
        total += x * x * math.sin(m[i])
    return total


def indices_inside(e: Any, m: Any) -> float:
    """The same with subscripts inside the iteration; that one array may be too short is checked in front of it all."""
    total = 0.0
    for i in range(m.shape[0]):
        x = m[i]
        step = 1.0
        while abs(step) > 1e-13:
            step = (x - e[i] * math.sin(x) - m[i]) / (1.0 - e[i] * math.cos(x))
            x -= step
        total += x * m[i]
    return total


def steps_to_tolerance(z: Any, p: Any) -> float:
    """An iteration without a limit in each step of a recurrence, of which every second has a branch of its own."""
    total = 0.0
    for i in range(z.shape[0]):
        y = z[i, 0]
        for t in range(z.shape[1]):
            x = y
            while abs(x - p[0] * math.cos(x) - y) > 1e-3:
                x = p[0] * math.cos(x) + y if x > 0.3 else y + p[0] * math.sin(1.5707963 - x) + 1e-5 * x
            y = y + p[1] * x * z[i, t]
        total += y * y
    return total


def halvings(x: Any, w: float) -> float:
    """Loops without a limit inside one another, under a branch, with an integer on a stack."""
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i]
        if u > -0.5:
            k = 0
            while abs(u) > 0.1:
                v = 1.0 + u * u
                while v > 1.05:
                    v = 0.5 * v + w * 0.2 * math.sin(u)
                    k += 1
                u = u * 0.5 * v * math.cos(w) + 0.001 * k
        total += u * u * math.exp(w)
    return total


def wandering(x: Any, w: float) -> float:
    """Branches that are the same for all iterations, which in the reverse sweep are known by what all have kept."""
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i]
        k = 1
        for _ in range(4):
            k = (3 * k + 1) % 5
            for j in range(k):
                u = math.sin(u * w + 0.1 * j) if (j + k) % 2 == 0 else u * math.cos(w * u)
        total += u * u
    return total


def strolling(x: Any, w: float) -> float:
    """The same branches in as many steps as each iteration takes, which keeps them as its own: no lanes."""
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i]
        t = 0
        while u * u < 4.0 and t < 5:
            for j in range(3):
                k = (3 * j + t) % 5
                u = 1.5 * math.sin(u * w + 0.1 * k) if k % 2 == 0 else u * math.cos(w * u) + 0.9
            t += 1
        total += u * u
    return total


def refilled(x: Any, which: Any) -> float:
    """Memory that is the same for all iterations, but read at places of their own; then it changes."""
    total = 0.0
    a = np.empty(3)
    for i in range(x.shape[0]):
        for j in range(3):
            a[j] = 0.5 + j
        v = a[which[i]] * x[i]
        for j in range(3):
            a[j] = v if j == which[i] else 2.0 * a[j]
        for j in range(3):
            total += math.sin(a[j] * x[i])
    return total


def relabelled(x: Any, which: Any) -> float:
    """Whole numbers that are the same for all iterations, until some of them change."""
    total = 0.0
    for i in range(x.shape[0]):
        a = np.zeros(3, np.int64)
        for j in range(3):
            a[j] = j + 1
        k = a[which[i]]
        a[0], a[1], a[2] = 5, 4, 3
        for j in range(a[1]):
            total += math.sin(x[i] * k) * a[j % 3]
    return total


def loops_in_a_branch(x: Any, w: Any, v: Any) -> float:
    """Where only some lanes come, a loop that may not run stands in front of another."""
    total = 0.0
    for i in range(x.shape[0]):
        y, z = np.zeros(w.shape[0]), np.zeros(v.shape[0])
        if x[i] > 0.0:
            for b in range(w.shape[0]):
                y[b] += np.sin(x[i] * w[b])
            for b in range(v.shape[0]):
                z[b] += np.sin(x[i] * v[b])
        for b in range(w.shape[0]):
            total += y[b] * y[b]
        for b in range(v.shape[0]):
            total += z[b] * z[b]
    return total


def one_neighbour(x: Any, w: Any) -> float:
    """Where only some lanes come, all add to one element, whose place is computed there."""
    x = x.copy()
    for i in range(w.shape[0]):
        seen = False
        for j in range(x.shape[0]):
            if seen and x[j] < 0.6:
                x[j] = w[i - 1]
                if i > 1:
                    x[j] += w[i]
            if x[j] > -0.6:
                seen = not seen
    return float(np.sum(x))


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


CASES: dict[Callable[..., float], Callable[[int], tuple[Any, ...]]] = {
    mixture: lambda n: (numbers(n, 2), numbers(4, 2, seed=1)),
    paths: lambda n: (np.array([0.4, 0.2, 0.5]), numbers(n, 4)),
    swaps: lambda n: (np.array([0.4, 0.2]), numbers(n, 4)),
    scattered: lambda n: (numbers(2, 3), np.arange(n) % 2, numbers(n, 3, seed=1)),
    own_rows: lambda n: (0.3 * numbers(n, 3), numbers(3, seed=1)),
    quadratic_forms: lambda n: (numbers(n, 10), numbers(2, 10, seed=1), 0.3 * numbers(2, 10, 10, seed=2)),
    branches: lambda n: (numbers(n, 3), numbers(3, seed=1)),
    triangle: lambda n: (0.3 * numbers(n, 3), numbers(3, 3, seed=1)),
    roots: lambda n: (np.abs(numbers(n)), 0.6),
    to_tolerance: lambda n: (np.abs(numbers(n)) * (np.arange(n) % 4 > 0), 0.6),
    indices_inside: lambda n: (0.1 + 0.05 * numbers(n, seed=1), np.abs(numbers(n))),
    steps_to_tolerance: lambda n: (numbers(n, 3), np.array([0.6, 0.2])),
    halvings: lambda n: (numbers(n), 0.7),
    refilled: lambda n: (numbers(n), np.arange(n) % 3),
    relabelled: lambda n: (numbers(n), np.arange(n) % 3),
    strolling: lambda n: (numbers(n), 0.7),
    wandering: lambda n: (numbers(n), 0.7),
    of_lengths: lambda n: (numbers(n), np.arange(n) % 4),
    swapped_arrays: lambda n: (numbers(n), np.arange(n) % 4),
    loops_in_a_branch: lambda n: (numbers(n), numbers(n % 3, seed=1), numbers(3, seed=2)),
    one_neighbour: lambda n: (numbers(n), numbers(4, seed=1)),
    guarded: lambda n: (numbers(n, 3), 0.7),
    backwards: lambda n: (numbers(n, 3), numbers(3, seed=1)),
}


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("n", [0, 1, 3, 7])
@pytest.mark.parametrize("f", CASES)
def test_gradients(f: Callable[..., float], n: int) -> None:
    confirm_gradients(f, CASES[f](n))


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("f", CASES)
def test_tangents(f: Callable[..., float]) -> None:
    confirm_tangents(f, CASES[f](7))


@pytest.mark.parametrize("f", [mixture, paths, to_tolerance, halvings, quadratic_forms])
def test_jitted(f: Callable[..., float]) -> None:
    args = CASES[f](150)
    wrt = differentiable(args)
    for g, expected in zip(reverse(f, args, wrt, jit=True)[1], reverse(f, args, wrt)[1], strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(
    "f", [f for f in CASES if f not in (of_lengths, swapped_arrays, strolling)]
)  # of lengths that are not known in front
def test_all_of_these_run_in_lanes(f: Callable[..., float]) -> None:
    args = CASES[f](7)
    assert "lanes" in grad(f, differentiable(args), jit=False).source(*args, level="compiled")


def test_an_index_inside_an_iteration_without_limit() -> None:
    e, m = np.full(3, 0.1), np.ones(4)
    with pytest.raises(IndexError, match="index 3 is out of range for an axis of extent 3"):
        grad(indices_inside, jit=False)(e, m)


def test_innermost_iterations_are_done_four_at_once() -> None:
    """And the sums that the adjoint of the means wants are taken once, not for each element of the triangle."""
    args = CASES[quadratic_forms](7)
    text = grad(quadratic_forms, (0, 1, 2)).source(*args, level="compiled")
    assert text.count("lower[k, a, k_1 + 3]\n") == 2  # forward and reverse
    assert text.count("means_bar[k, a] +=") == 1 and "np.uint64(q)] -=" not in text


def in_single_precision(x: Any, means: Any, lower: Any) -> Any:
    """NumPy's functions and numbers of the arguments' type only: all of it is of that type."""
    zero = np.float32(0.0)
    total = zero
    for i in range(x.shape[0]):
        t = zero
        for k in range(means.shape[0]):
            s = zero
            for a in range(x.shape[1]):
                y = x[i, a] - means[k, a]
                for b in range(a):
                    y += lower[a, b] * means[k, b]
                s += y * y
            t += np.exp(-s * np.float32(0.1))
        total += np.log(t) + np.sin(t)
    return total


def test_single_precision_stays_single() -> None:
    """Rows, buffers and elementary functions are of float32, and as exact as float32 is."""
    args = (numbers(40, 6), numbers(3, 6, seed=1), 0.2 * numbers(6, 6, seed=2))
    single = tuple(a.astype(np.float32) for a in args)
    derivative = grad(in_single_precision, (0, 1, 2))
    for g, expected in zip(derivative(*single), reverse(in_single_precision, args, (0, 1, 2))[1], strict=True):
        assert g.dtype == np.float32
        np.testing.assert_allclose(g, expected, rtol=1e-4, atol=1e-5 * np.max(np.abs(expected)))
    text = derivative.source(*single, level="compiled")
    assert "range(lanes)" in text and "buffer(64, np.float32)" in text and "cosf, expf" in text
    assert "np.empty(64)" not in text and "float64" not in text


@pytest.mark.usefixtures("everywhere")
def test_lanes_push_and_pop_in_corresponding_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this rule the reverse sweep would pop on both sides of a branch of which one has pushed."""
    confirm_gradients(strolling, CASES[strolling](5))
    monkeypatch.setattr(StackUse, "corresponds", lambda *_: True)
    with pytest.raises((AssertionError, ValueError, IndexError)):
        confirm_gradients(strolling, CASES[strolling](5))


@pytest.mark.usefixtures("everywhere")
def test_what_is_read_is_read_before_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this rule all lanes would write before each has read what it has yet to read."""
    monkeypatch.setattr(widen.Widening, "overtakes", lambda *_: False)
    with pytest.raises(AssertionError):
        confirm_gradients(relabelled, CASES[relabelled](5))


@pytest.mark.usefixtures("everywhere")
def test_memory_is_the_same_only_where_all_lanes_write_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "writes_alike", lambda *_: True)
    with pytest.raises((AssertionError, KeyError, IndexError)):
        confirm_gradients(refilled, CASES[refilled](5))


@pytest.mark.usefixtures("everywhere", "poisoned")
def test_a_mask_is_settled_in_front_of_what_may_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this rule only the loop over no elements would say which lanes the next one counts for."""
    args = (numbers(7), np.zeros(0), numbers(3))
    confirm_gradients(loops_in_a_branch, args)
    monkeypatch.setattr(Mask, "settle", lambda *_: None)
    with pytest.raises(AssertionError):
        confirm_gradients(loops_in_a_branch, args)


def test_only_compiled_code_runs_in_lanes() -> None:
    derivative = grad(paths)
    args = CASES[paths](7)
    assert "lanes" in derivative.source(*args, level="compiled")
    assert "range(lanes)" not in derivative.source(*args)
    assert "range(lanes)" not in grad(paths, jit=False).source(*args, level="compiled")
    assert "range(lanes)" not in grad(paths, fastmath=False).source(*args, level="compiled")
    assert "range(lanes)" not in grad(paths, lanes=False).source(*args, level="compiled")


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("batch", range(3))
def test_random_programs(batch: int) -> None:
    check(range(10 * batch, 10 * batch + 3))
    check(range(10 * batch, 10 * batch + 7), make=program_of_iterations)


@pytest.mark.slow
@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("batch", range(4, 16))
def test_random_programs_slow(batch: int) -> None:
    check(range(25 * batch, 25 * batch + 10))
    check(range(25 * batch, 25 * batch + 15), make=program_of_iterations)


def many_iterations(seed: int) -> Program:
    """So many that two blocks of lanes are full and one is not."""
    return program_of_iterations(seed, rows=70)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(8))
def test_random_programs_jitted(batch: int) -> None:
    check(range(5 * batch, 5 * (batch + 1)), jit=True, make=many_iterations)
