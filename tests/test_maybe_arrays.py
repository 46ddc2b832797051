"""Arrays that have a value on some paths only: read where they have one, an error of Python's where not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import check_grads, grad, hessian

Array = NDArray[np.float64]
X = np.array([0.3, 1.2, 1.4, 2.1])


def row_of_a_table(x: Array, groups: NDArray[np.int64], table: Array) -> float:
    """The row is looked up where the group changes, as kernels over sorted data do."""
    total = 0.0
    last = -1
    for i in range(x.shape[0]):
        if groups[i] != last:
            k = int(x[i])
            row = table[k : k + 2]
            last = groups[i]
        total += row[0] * x[i] + row[1] ** 2
    return total


def by_branch(x: Array, n: int) -> float:
    if n > 1:
        y = x * x
    return np.sum(y)


def by_loop(x: Array, n: int) -> float:
    for i in range(n):
        y = x ** (i + 1)
    return np.sum(y)


TABLE = np.array([1.0, 3.0, 2.0, 5.0])


@pytest.mark.parametrize("jit", [False, True])
def test_read_where_it_has_a_value(jit: bool) -> None:
    groups = np.array([0, 1, 1, 2])
    check_grads(lambda x, t: row_of_a_table(x, groups, t), (X, TABLE), order=1, modes=("fwd", "rev"))
    by_x, by_table = grad(row_of_a_table, argnums=(0, 2), jit=jit)(X, groups, TABLE)
    np.testing.assert_allclose(by_x, [1.0, 3.0, 3.0, 2.0])
    np.testing.assert_allclose(by_table, [0.3, 2 * 3.0 + 2.6, 2 * 2 * 2.0 + 2.1, 2 * 5.0])


def test_second_derivative() -> None:
    np.testing.assert_allclose(hessian(by_branch, jit=False)(X, 2), 2.0 * np.eye(4))
    np.testing.assert_allclose(grad(by_loop, jit=False)(X, 3), 3.0 * X**2)


@pytest.mark.parametrize(("f", "n"), [(by_branch, 1), (by_loop, 0)])
def test_read_where_it_has_none(f: Callable[[Array, int], float], n: int) -> None:
    with pytest.raises(UnboundLocalError, match="'y'"):
        grad(f, jit=False)(X, n)


def test_first_group_is_not_looked_up() -> None:
    with pytest.raises(UnboundLocalError, match="'row'"):
        grad(row_of_a_table, jit=False)(X, np.array([-1, 1, 1, 2]), TABLE)
