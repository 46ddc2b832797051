"""Arrays in lists of lists are written to, and lists of lists take each other's names, by counts of run time."""

import numpy as np
import pytest

import srcgrad

X = np.array([1.3, 0.7, 2.1])


def writes(x: np.ndarray, n: int) -> float:
    rows = [[np.zeros(3), np.zeros(3)], [np.zeros(3), np.zeros(3)]]
    for i in range(n):
        for k in range(3):
            rows[i % 2][(i + 1) % 2][k] += x[k] ** 2
    return np.sum(rows[1][0] ** 2)


def grown_by_a_path(x: np.ndarray, n: int) -> float:
    paths = [[x[0]], [x[1]]]
    for i in range(n):
        longer = [[p[0] * x[2]] for p in paths]
        if x[0] > i:
            paths = longer
    return sum([p[0] ** 2 for p in paths])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_writes_to_arrays_in_lists_of_lists(n: int) -> None:
    """`rows[1][0]` is written to by odd rounds alone: n // 2 of them."""
    assert srcgrad.jit(writes)(X, n) == pytest.approx((n // 2) ** 2 * np.sum(X**4), rel=1e-12)
    np.testing.assert_allclose(srcgrad.grad(writes)(X, n), 4 * (n // 2) ** 2 * X**3, rtol=1e-12)
    np.testing.assert_allclose(srcgrad.hessian(writes)(X, n), np.diag(12 * (n // 2) ** 2 * X**2), rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_list_of_lists_takes_the_name_of_another(n: int) -> None:
    """Of the rounds 0, 1, 2 the branch takes those below x[0] = 1.3."""
    power = 2 * min(n, 2)
    a, b, c = X
    value = (a * a + b * b) * c**power
    gradient = [2 * a * c**power, 2 * b * c**power, (a * a + b * b) * power * c ** (power - 1)]
    assert srcgrad.jit(grown_by_a_path)(X, n) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(srcgrad.grad(grown_by_a_path)(X, n), gradient, rtol=1e-12)
