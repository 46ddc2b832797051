"""Elements that a loop hands on as numbers end up as they would in memory: in random loops, and in users' stencils."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients
from interpreter import run
from random_stencils import extent, random_stencil

from srcgrad import grad, jit
from srcgrad.analysis.verify_sites import verify_sites
from srcgrad.ir.core import Function
from srcgrad.ir.verify import verify
from srcgrad.optimize.add_carried_last import add_carried_last
from srcgrad.optimize.carry_elements import carry_elements
from srcgrad.optimize.hide_rows import hide_rows
from srcgrad.optimize.store_first import store_part_first
from srcgrad.primitives.table import infer
from srcgrad.settings import Options
from srcgrad.testing import check_grads


def after(function: Function, n: int) -> list[np.ndarray]:
    """The number, and the arrays as the function leaves them."""
    rng, size = np.random.default_rng(n), extent(n)
    arrays = [rng.uniform(-1, 1, size), rng.uniform(-1, 1, size), rng.uniform(-1, 1, (size, size))]
    (result,) = run(function, *arrays, n)
    return [np.asarray(result), *arrays]


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_random_stencils(first: int) -> None:
    """The interpreter finds the same before and after, also where a loop is shorter than its stencil is wide."""
    changed = stored = 0
    for seed in range(first, first + 40):
        function = random_stencil(seed)
        carried = carry_elements(function)
        changed += carried is not function
        carried = hide_rows(add_carried_last(carried))
        stored += (last := store_part_first(carried)) is not carried
        carried = last
        verify(carried, infer)
        verify_sites(carried)
        for n in (0, 1, 2, 3, 9):
            for ours, theirs in zip(after(carried, n), after(function, n), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12, err_msg=f"seed {seed}, n {n}")
    assert changed > 20
    assert stored > 1


@pytest.fixture
def carrying(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps that only compiled code goes through, in plain Python too."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))


def heat(u: Any, k: Any) -> float:
    """In place, with fluxes that a second array holds."""
    u, flux = u.copy(), np.empty(u.shape[0])
    for _ in range(3):
        for i in range(u.shape[0] - 1):
            flux[i] = k[i] * (u[i + 1] - u[i]) * u[i]
        for i in range(1, u.shape[0] - 1):
            u[i] += 0.2 * (flux[i] - flux[i - 1])
    return float(np.sum(u * u))


def five_points(u: Any, k: Any) -> float:
    """Out of place, four neighbours, buffers that change places."""
    now, then = u.copy(), np.zeros(u.shape[0])
    for _ in range(3):
        for i in range(2, u.shape[0] - 2):
            then[i] = now[i] * now[i - 2] - k[i] * (now[i - 1] + now[i + 1]) + 0.3 * now[i + 2]
        now, then = then, now
    return float(np.sum(now**3))


def relaxed(u: Any, k: Any) -> float:
    """A recurrence in place, forwards and backwards."""
    u = u.copy()
    for i in range(1, u.shape[0] - 1):
        u[i] = 0.25 * (u[i - 1] * k[i] + u[i + 1])
    for i in range(u.shape[0] - 2, 0, -1):
        u[i] += k[i] * u[i + 1] * u[i - 1]
    return float(np.sum(u * u))


def pairs(u: Any, k: Any) -> float:
    """Steps of two: even elements meet even ones, and odd ones odd ones."""
    u = u.copy()
    for i in range(0, u.shape[0] - 3, 2):
        u[i + 2] += u[i] * k[i + 1]
        u[i + 3] -= u[i + 1] * u[i]
    return float(np.sum(u * u))


def plane(u: Any, k: Any) -> float:
    """Sweeps of Gauss and Seidel over a square."""
    n = int(math.sqrt(u.shape[0]))
    a = u[: n * n].reshape(n, n).copy()
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] * a[i, j - 1] + a[i, j + 1]) + k[j]
    return float(np.sum(a * a))


def triangle(u: Any, k: Any) -> float:
    """The length of the inner loop changes, from nothing on."""
    a = np.zeros(u.shape[0] + 1)
    for i in range(u.shape[0]):
        for j in range(i):
            a[j + 1] += u[i] * a[j] + k[j]
    return float(np.sum(a * a))


PROGRAMS = [heat, five_points, relaxed, pairs, plane, triangle]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 16])
@pytest.mark.usefixtures("carrying")
def test_gradients(f: Callable[..., float], n: int) -> None:
    u, k = np.linspace(-0.8, 1.1, n), np.cos(np.arange(float(n)))
    confirm_gradients(f, (u, k))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.usefixtures("carrying")
def test_they_are_carried(f: Callable[..., float]) -> None:
    assert "carried" in grad(f, jit=False, cache=False).backward_source(np.ones(9), np.ones(9), level="compiled")


@pytest.mark.usefixtures("carrying")
def test_second_derivatives() -> None:
    u, k = np.linspace(-0.8, 1.1, 6), np.cos(np.arange(6.0))
    for f in (five_points, relaxed):
        check_grads(f, (u, k), order=2, jit=False)


def test_compiled_agrees_with_plain() -> None:
    u, k = np.linspace(-0.8, 1.1, 16).astype(np.float32), np.cos(np.arange(16.0)).astype(np.float32)
    for f in (relaxed, plane):
        for ours, plain in zip(grad(f, (0, 1))(u, k), grad(f, (0, 1), jit=False)(u, k), strict=True):
            assert ours.dtype == np.float32
            np.testing.assert_allclose(ours, plain, rtol=2e-5, atol=1e-6)


def backward_rows(u: Any, k: Any) -> float:
    """Rows from the last to the first, each from the one behind it."""
    a = np.outer(u, k)
    for i in range(u.shape[0] - 2, -1, -1):
        for j in range(k.shape[0]):
            a[i, j] += a[i + 1, j] * a[i, j] + u[j]
    return float(np.sum(a * a))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.usefixtures("carrying")
def test_hidden_rows(n: int) -> None:
    u, k = np.linspace(-0.8, 1.1, n), np.cos(np.arange(float(n)))
    confirm_gradients(backward_rows, (u, k))
    assert "row" in grad(backward_rows, jit=False, cache=False).backward_source(u, k, level="compiled")


def triangular_rows(u: Any, k: Any) -> float:
    """Rows of different lengths."""
    a = np.outer(u, k)
    for i in range(u.shape[0] - 1, 0, -1):
        for j in range(i):
            a[i - 1, j] += a[i, j] * a[i, j]
    return float(np.sum(a * a))


@pytest.mark.usefixtures("carrying")
def test_rows_of_different_lengths_are_tested_one_by_one_anyway() -> None:
    u, k = np.linspace(-0.8, 1.1, 5), np.cos(np.arange(5.0))
    confirm_gradients(triangular_rows, (u, k))
    assert "row" not in jit(triangular_rows, jit=False, cache=False).source(u, k, level="compiled").partition("):")[2]


def rotated(z: Any, w: Any) -> float:
    """Complex numbers, in place."""
    a = z.copy()
    for i in range(1, z.shape[0] - 1):
        a[i] = a[i - 1] * w[i] + 0.3 * a[i + 1]
    total = 0.0
    for i in range(z.shape[0]):
        total += a[i].real ** 2 + a[i].imag * a[i].real
    return total


def test_complex_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    z, w = np.linspace(-0.8, 1.1, 6) + 0.5j, np.cos(np.arange(6.0)) - 0.4j
    in_memory = grad(rotated, (0, 1), jit=False, cache=False)(z, w)
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    carried = grad(rotated, (0, 1), jit=False, cache=False)
    assert "carried" in carried.backward_source(z, w, level="compiled")
    for ours, theirs in zip(carried(z, w), in_memory, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    check_grads(rotated, (z, w), order=1, jit=False)


def filtered(x: Any) -> float:
    """A sum whose last term is that of the iteration before, and one that is compensated: it stays as it is."""
    y, total, lost = 0.0, 0.0, 0.0
    for i in range(x.shape[0] - 1):
        y = 0.5 * (x[i] + y + x[i + 1])
        term = y - lost
        new = total + term
        lost = (new - total) - term
        total = new
    return total


@pytest.mark.usefixtures("carrying")
def test_sums_in_another_order() -> None:
    x = np.linspace(-1.0, 1.3, 7)
    confirm_gradients(filtered, (x,))
    text = jit(filtered, jit=False, cache=False).source(x, level="compiled")
    assert "0.5 * (x[i] + x[i + 1]) + 0.5 * y" in text
    assert "new - total - term" in text


def crossing(u: Any) -> float:
    """What an iteration leaves beside it, and what another one finds there by another index."""
    a = u.copy()
    for i in range(3):
        a[i] *= a[2 * i] + 0.5
        a[i + 1] += a[i] * 0.3
    return float(np.sum(a * a))


def other_name(u: Any) -> float:
    """A window over memory that the loop writes to under another name, too."""
    a, b = u.copy(), np.ones(u.shape[0])
    for t in range(2):
        for i in range(3):
            a[i + 1] += a[i] * 0.3
            b[1] *= a[i]
        if t == 0:
            b = a
    return float(np.sum(a * a))


@pytest.mark.parametrize(("f", "rule"), [(crossing, "never_touch"), (other_name, "_Loop.stands_alone")])
@pytest.mark.usefixtures("carrying")
def test_rule_window_stands_alone(f: Callable[..., float], rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right with the rule, wrong without."""
    u = np.array([0.7, -0.4, 1.1, 0.5, 0.9])
    confirm_gradients(f, (u,))
    monkeypatch.setattr(f"srcgrad.analysis.windows.{rule}", lambda *_: True)
    with pytest.raises(AssertionError):
        confirm_gradients(f, (u,))


def test_what_may_raise_is_left_in_memory() -> None:
    """A caller that goes on after an error finds in its array what the iterations until then wrote."""

    def filled(a: Any, m: Any) -> float:
        for i in range(4):
            a[i + 1] += a[i]
            if m[i] > 2.0:
                raise ValueError("stop")
        return 0.0

    a = np.ones(6)
    with pytest.raises(ValueError, match="stop"):
        jit(filled)(a, np.arange(5.0))
    np.testing.assert_array_equal(a, [1.0, 2.0, 3.0, 4.0, 5.0, 1.0])
