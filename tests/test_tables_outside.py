"""Lists and tuples of numbers outside a function, indexed by numbers of the run time: they are read as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, jit, value_and_grad

KNOTS = [float(k) ** 1.2 for k in range(60)]
HEIGHTS = tuple(float(np.sin(0.3 * k)) for k in range(60))
SINES = list(np.sin(np.arange(12.0)))  # of NumPy's numbers, which are strong
NEXT = [(7 * k + 3) % 20 for k in range(20)]
MIXED = [1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9, 10.5]
ROWS = [[float(i * j) for j in range(12)] for i in range(3)]


def interpolated(x: float) -> float:
    i = 1
    while i < len(KNOTS) - 1 and KNOTS[i] < x:
        i += 1
    return HEIGHTS[i - 1] + (HEIGHTS[i] - HEIGHTS[i - 1]) * (x - KNOTS[i - 1]) / (KNOTS[i] - KNOTS[i - 1])


@pytest.mark.parametrize("jitted", [False, True], ids=["plain", "jitted"])
def test_interpolation(jitted: bool) -> None:
    for x in (0.3, 17.7, 100.0):
        value, slope = value_and_grad(interpolated, jit=jitted)(x)
        assert value == interpolated(x)
        assert slope == pytest.approx((interpolated(x + 1e-6) - interpolated(x - 1e-6)) / 2e-6, rel=1e-7)
    assert "KNOTS[i" in grad(interpolated, jit=False).backward_source(0.3)


def test_values_change() -> None:
    table = [0.5] * 12

    def f(x: float, k: int) -> float:
        return table[k] * x

    derivative = grad(f, jit=False)
    assert derivative(1.0, 3) == 0.5
    table[3] = 2.0
    assert derivative(1.0, 3) == 2.0
    table[3:] = [1.5] * 9
    assert derivative(1.0, 11) == 1.5
    table[4] = 7  # type: ignore[assignment]  # an int among floats
    assert derivative(1.0, 4) == 7.0
    assert derivative(1.0, 5) == 1.5


def test_what_the_function_changes_itself() -> None:
    table = [0.5] * 12

    def f(x: float, k: int) -> float:
        own = list(table)
        own[2] = x * x
        return own[k]

    assert grad(f, jit=False)(3.0, 2) == 6.0
    assert grad(f, jit=False)(3.0, 3) == 0.0


def test_numbers_keep_their_classes() -> None:
    def f(x: np.ndarray, k: int) -> np.ndarray:
        return x * HEIGHTS[k] + NEXT[NEXT[k]] // 2

    x = np.ones(2, np.float32)
    found = jit(f, jit=False)(x, 4)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, f(x, 4))

    assert jit(lambda x, k: x * SINES[k], jit=False)(x, 4).dtype == np.float64

    def mixed(k: int) -> float:
        return MIXED[k] / 2

    assert [jit(mixed, jit=False)(k) for k in range(10)] == [mixed(k) for k in range(10)]

    def nested(i: int, j: int) -> float:
        return ROWS[i][j]

    assert jit(nested, jit=False)(2, 11) == 22.0
    with pytest.raises(IndexError):
        jit(nested, jit=False)(2, 12)
    assert jit(nested, jit=False)(-1, -1) == 22.0
