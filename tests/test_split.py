"""Pullbacks cut in two: same gradients, many times over, and without a second forward sweep."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, vjp
from srcgrad.api.binding import parameters_of
from srcgrad.api.plans import Backward, Forward
from srcgrad.api.specialise import Specialisations
from srcgrad.ir.core import walk
from srcgrad.settings import Options


def elementwise(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(np.exp(x[i]))
    return total


def recurrence(x, n):
    y = x[0]
    for i in range(n):
        y = np.sin(y) * x[i % 3] + y
    return y


def growing(x, n):
    y = x[1]
    while y < 5.0 + x[0] * 0.01:
        y = y * x[2] + 0.5 + 0.1 * np.cos(y)
    return y


def in_place(x, n):
    for i in range(1, x.shape[0]):
        x[i] = np.sin(x[i - 1]) * x[i]
    return x[2] * x[1]


def swapped(x, n):
    u = x.copy()
    v = np.zeros(3)
    for _ in range(n):
        for i in range(3):
            v[i] = np.sin(u[i]) + u[(i + 1) % 3]
        u, v = v, u
    return u[0] * u[1]


def scratch(x, n):
    buffer = np.zeros(3)
    total = 0.0
    for k in range(n):
        for i in range(3):
            buffer[i] = x[i] ** 2 * (k + 1)
        total += np.exp(-buffer[0]) * buffer[1] + buffer[2]
    return total


def branching(x, n):
    if x[0] > 0.5:  # noqa: SIM108
        y = np.sin(x[1]) * x[2]
    else:
        y = np.exp(x[1])
    return y * y


FUNCTIONS = [elementwise, recurrence, growing, in_place, swapped, scratch, branching]
POINT = np.array([0.4, 1.1, 1.3])


@pytest.mark.parametrize("jitted", [True, False], ids=["jit", "plain"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_pullback_agrees_with_gradient(f, jitted) -> None:
    x = POINT.copy()
    expected = grad(f, jit=False)(x, 4)
    result, pullback = vjp(f, x, 4, jit=jitted)
    assert result == pytest.approx(f(POINT.copy(), 4))
    np.testing.assert_array_equal(x, POINT)
    x[:] = np.nan
    for ct in (1.0, 0.0, -2.0, 1.0):
        np.testing.assert_allclose(pullback(ct)[0], ct * expected, rtol=1e-12)


def operations(f, plan) -> list[str]:
    table = Specialisations(f, plan, Options())
    assert table.parameters == parameters_of(f)
    return [op.primitive for op in walk(table.program(table.structures((POINT, 4))).function.body)]


@pytest.mark.parametrize("f", [recurrence, growing, in_place])
def test_backward_does_not_run_forward_again(f) -> None:
    """The sines of the forward sweep are not in the backward part; only their derivatives."""
    loops = [name for name in operations(f, Backward((0,))) if name in ("for", "while")]
    assert len(loops) <= 2  # the reverse loop, and in_place's shadow copy
    assert "while" not in loops
    assert len(operations(f, Forward((0,)))) > 3


def test_forward_source_hands_over_what_backward_needs() -> None:
    text = grad(recurrence).forward_source(POINT, 4)
    assert "return y, " in text
    assert "_bar" not in text


def test_pullbacks_of_one_function_do_not_share() -> None:
    first, one = vjp(recurrence, POINT, 4)
    second, other = vjp(recurrence, POINT + 0.1, 4)
    assert first != second
    expected = [grad(recurrence)(p, 4) for p in (POINT, POINT + 0.1)]
    for pullback, wanted in ((one, expected[0]), (other, expected[1]), (one, expected[0])):
        np.testing.assert_allclose(pullback(1.0)[0], wanted)
