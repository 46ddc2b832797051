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


def crossing(a: float, b: float) -> tuple[float, float] | tuple[None, None]:
    if a * b > 0.3:
        return None, None
    return a * b, a + b


def item_of_a_tuple(x: Array) -> float:
    total = 0.0
    for k in range(3):
        s, t = crossing(x[k], x[k + 1])
        if s is not None:
            total += s * t**2
    return total


def place_of(x: Array, limit: float) -> int | None:
    for k in range(x.shape[0]):
        if x[k] > limit:
            return k
    return None


def result_of_a_search(x: Array) -> float:
    total = 0.0
    for limit in (-1.0, 1.0, 1.5, 5.0):
        k = place_of(x, limit)
        total += x[0] * x[1] if k is None else x[k] ** 3
    return total


def squares(x: Array) -> Array | None:
    if x[0] < 0.0:
        return None
    return x**2


def array_or_none(x: Array) -> float:
    found = squares(x)
    if found is not None and found[1] > 0.0:
        return np.sum(found)
    return x[1] * x[2]


def scaled(x: float, factor: float | None = None) -> float:
    return x if factor is None else x * factor**2


def passed_on(x: Array) -> float:
    factor = None
    if x[0] > 0.0:
        factor = x[1]
    return scaled(x[2], factor) + scaled(x[3], factor=factor) + (factor or x[3])


def halved(x: float, n: int) -> float | None:
    if n == 0:
        return None
    rest = halved(0.5 * x, n - 1)
    return x * x if rest is None else rest + x**3


def recursive(x: Array) -> float:
    return halved(x[0], 4) * x[1]


CASES = [
    smallest_square,
    last_row,
    by_branch,
    reset,
    item_of_a_tuple,
    result_of_a_search,
    array_or_none,
    passed_on,
    recursive,
    lambda x: first_above(x, 0.5),
    lambda x: first_above(x, 9.0),
]


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
    for f in (item_of_a_tuple, array_or_none):
        np.testing.assert_allclose(grad(f)(X), grad(f, jit=False)(X), rtol=1e-13)


def test_result_of_the_whole_function() -> None:
    def f(x: float) -> float | None:
        return x * x if x > 0.0 else None

    assert grad(f, jit=False)(1.5) == pytest.approx(3.0)
    with pytest.raises(TypeError, match="is None where a value is needed"):
        grad(f, jit=False)(-1.5)


def test_none_is_no_number() -> None:
    def f(x: Array) -> float:
        best = None
        for v in x:
            if v > 9.0:
                best = v
        return best * 2.0

    with pytest.raises(TypeError, match="'best' is None"):
        grad(f, jit=False)(X)
