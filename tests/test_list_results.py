"""Functions that return lists of a length known at run time only, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import ArgumentTypeError, grad, jit, jvp, vjp
from srcgrad.errors import Error

X = np.array([1.5, -2.0, 3.0])
MODES = pytest.mark.parametrize("jitted", [False, True], ids=["plain", "jitted"])


def positive_squares(x: np.ndarray) -> list[float]:
    found = []
    for v in x:
        if v > 0.0:
            found.append(v * v)
    return found


def doubled(x: np.ndarray) -> list[float]:
    return [2.0 * v for v in x]


def multiples(x: np.ndarray) -> list[np.ndarray]:
    rows = []
    for i in range(x.shape[0]):
        rows.append(x * x[i])
    return rows


def pairs(x: np.ndarray) -> tuple[list[tuple[float, int]], float]:
    found = []
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            found.append((x[i] ** 3, i))
    return found, np.sum(x)


@MODES
def test_values_are_lists(jitted: bool) -> None:
    assert jit(positive_squares, jit=jitted)(X) == [2.25, 9.0]
    assert jit(doubled, jit=jitted)(X) == [3.0, -4.0, 6.0]
    assert jit(pairs, jit=jitted)(X) == ([(3.375, 0), (27.0, 2)], 2.5)
    rows = jit(multiples, jit=jitted)(X)
    assert isinstance(rows, list)
    np.testing.assert_array_equal(rows, np.outer(X, X))
    assert jit(positive_squares, jit=jitted)(-np.ones(2)) == []


@MODES
def test_pullbacks_take_lists(jitted: bool) -> None:
    result, pullback = vjp(positive_squares, X, jit=jitted)
    assert isinstance(result, list)
    result.append(7.0)  # it is the caller's
    np.testing.assert_allclose(pullback([1.0, 10.0])[0], [3.0, 0.0, 60.0])
    np.testing.assert_allclose(pullback(np.array([1.0, 10.0]))[0], [3.0, 0.0, 60.0])
    np.testing.assert_allclose(pullback([None, 1.0])[0], [0.0, 0.0, 6.0])
    np.testing.assert_allclose(pullback(None)[0], np.zeros(3))
    _, pullback = vjp(pairs, X, jit=jitted)
    np.testing.assert_allclose(pullback(([(1.0, None), (2.0, None)], 0.5))[0], [7.25, 0.5, 54.5])
    _, pullback = vjp(multiples, X, jit=jitted)
    w = np.arange(9.0).reshape(3, 3)
    np.testing.assert_allclose(pullback(list(w))[0], (w + w.T) @ X)
    _, pullback = vjp(positive_squares, -np.ones(2), jit=jitted)
    np.testing.assert_array_equal(pullback([])[0], np.zeros(2))


@MODES
def test_tangents_are_lists(jitted: bool) -> None:
    d = np.array([1.0, 5.0, -1.0])
    assert jvp(positive_squares, (X,), (d,), jit=jitted)[1] == [3.0, -6.0]
    assert jvp(pairs, (X,), (d,), jit=jitted)[1] == ([(6.75, None), (-27.0, None)], 5.0)


def test_items_keep_their_classes() -> None:
    def classes(n: int, x: np.ndarray) -> Any:
        whole, single, flags = [], [], []
        for i in range(n):
            whole.append(i)
            single.append(x[i])
            flags.append(x[i] > 0.0)
        return whole, single, {"flags": flags}

    whole, single, flags = jit(classes, jit=False)(3, X.astype(np.float32))
    assert whole == [0, 1, 2]
    assert {type(k) for k in whole} == {int}
    assert {type(v) for v in single} == {np.float32}
    assert flags == {"flags": [True, False, True]}


def test_a_result_is_an_argument_elsewhere() -> None:
    values = jit(positive_squares, jit=False)(X)
    gradient = grad(lambda v: v[0] * v[1], jit=False)(values)
    assert gradient == [9.0, 2.25]


def test_messages() -> None:
    _, pullback = vjp(positive_squares, X, jit=False)
    with pytest.raises(ArgumentTypeError, match="should be a list of 2"):
        pullback([1.0])
    _, pullback = vjp(pairs, X, jit=False)
    with pytest.raises(ArgumentTypeError, match=r"cotangent\[0\]\[1\] should have 2 parts"):
        pullback(([(1.0, None), (2.0,)], 0.5))
    with pytest.raises(Error, match="list of run-time length"):
        grad(positive_squares, jit=False)(X)

    def inside(x: np.ndarray) -> float:
        return jvp(positive_squares, (x,), (x,))[1][0]

    with pytest.raises(Error, match="returns a list of run-time length"):
        jit(inside, jit=False)(X)


@MODES
def test_lists_of_lists(jitted: bool) -> None:
    def by_loops(x: np.ndarray) -> list[list[float]]:
        rows = []
        for i in range(x.shape[0]):
            row = []
            for j in range(2):
                row.append(x[j] * x[i])
            rows.append(row)
        return rows

    def by_comprehensions(x: np.ndarray) -> list[list[float]]:
        return [[v * w for v in x] for w in x]

    def triangle(x: np.ndarray) -> list[list[float]]:
        rows = []
        for i in range(x.shape[0]):
            row = []
            for j in range(i):
                row.append(x[j])
            rows.append(row)
        return rows

    w = np.arange(9.0).reshape(3, 3)
    result, pullback = vjp(by_comprehensions, X, jit=jitted)
    assert result == np.outer(X, X).tolist()
    np.testing.assert_allclose(pullback(w.tolist())[0], (w + w.T) @ X)
    result, pullback = vjp(by_loops, X, jit=jitted)
    assert result == np.outer(X, X[:2]).tolist()
    narrow = w[:, :2]
    np.testing.assert_allclose(pullback(narrow.tolist())[0], narrow @ X[:2] + np.append(narrow.T @ X, 0.0))
    with pytest.raises(ValueError, match="items of a list have different shapes"):
        jit(triangle, jit=jitted)(X)


def test_an_array_as_a_list() -> None:
    result, pullback = vjp(lambda x: (2.0 * x).tolist(), X, jit=False)
    assert result == [3.0, -4.0, 6.0]
    assert isinstance(result, list)
    np.testing.assert_array_equal(pullback([1.0, 2.0, 3.0])[0], [2.0, 4.0, 6.0])
