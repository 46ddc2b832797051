"""Variables that are None until they have a value, and the tests that tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import grad, jvp

Array = NDArray[np.float64]
X = np.array([1.3, -0.4, 0.6, 2.0])


def smallest_square(x: Array) -> float:
    best = None
    for v in x:
        if best is None or v * v < best:
            best = v * v
    return best


def first_above(x: Array, limit: float) -> float:
    found = None
    for k in range(x.shape[0]):
        if found is None and x[k] > limit:
            found = k
    if found is not None:
        return x[found] ** 3
    return 2.0 * x[0]


def last_row(x: Array) -> float:
    kept = None
    total = 0.0
    for i in range(2):
        row = x[2 * i : 2 * i + 2] ** 2
        if kept is not None:
            total += np.sum(kept * row)
        kept = row
    return total


def by_branch(x: Array) -> float:
    scale = None
    if x[0] > 0.0:
        scale = x[1]
    return np.sum(x) if scale is None else scale * x[2]


def reset(x: Array) -> float:
    previous = None
    total = 0.0
    for v in x:
        if v < 0.0:
            previous = None
        else:
            if previous is not None:
                total += previous * v
            previous = v
    return total


CASES = [smallest_square, last_row, by_branch, reset, lambda x: first_above(x, 0.5), lambda x: first_above(x, 9.0)]


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.array([0.3, -0.7, 0.2, 1.1])
    for x in (X, -X):
        numeric = (f(x + 1e-6 * direction) - f(x - 1e-6 * direction)) / 2e-6
        assert np.sum(grad(f, jit=False)(x) * direction) == pytest.approx(numeric, rel=1e-7, abs=1e-9)
        value, tangent = jvp(f, (x,), (direction,), jit=False)
        assert value == pytest.approx(f(x), rel=1e-14)
        assert tangent == pytest.approx(numeric, rel=1e-7, abs=1e-9)


def test_compiled() -> None:
    np.testing.assert_allclose(grad(smallest_square)(X), [0.0, -0.8, 0.0, 0.0])


def test_none_is_no_number() -> None:
    def f(x: Array) -> float:
        best = None
        for v in x:
            if v > 9.0:
                best = v
        return best * 2.0

    with pytest.raises(TypeError, match="'best' is None"):
        grad(f, jit=False)(X)
