"""Dicts and sets whose keys are known at run time only, and objects that are looped over by their methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import UnsupportedError, grad, jvp
from srcgrad.errors import ArgumentTypeError

Array = NDArray[np.float64]
X = np.array([0.31, 0.12, 0.35, 0.57, 0.14, 0.71])
WEIGHTS = {1: 0.5, 3: 0.7, 5: 2.0}


def kinds(x: Array) -> NDArray[np.int64]:
    return (10.0 * x).astype(np.int64)


def sums_by_kind(x: Array) -> float:
    sums = {}
    kind = kinds(x)
    for i in range(len(x)):
        if kind[i] in sums:
            sums[kind[i]] += x[i] ** 2
        else:
            sums[kind[i]] = x[i]
    total = 0.0
    for k in sums:
        total += k * sums[k] ** 2
    for value in sums.values():
        total += np.sin(value)
    for k, value in sums.items():
        total += k * value
    return total + len(sums)


def counted_by_get(x: Array) -> float:
    seen: dict[int, float] = dict()  # noqa: C408  # as users write it
    total = 0.0
    for v in x:
        k = int(10.0 * v)
        total += v**2 * seen.get(k, 0.5)
        seen[k] = seen.get(k, 0.0) + v
    return total


def first_of_each_kind(x: Array) -> float:
    seen = set()
    total = 0.0
    for k, v in zip(kinds(x), x, strict=True):
        if k not in seen:
            seen.add(k)
            total += v**3
    return total + x[0] * len(seen)


def set_of_an_array(x: Array) -> float:
    total = 0.0
    for k in set(kinds(x)):
        total = 0.5 * total + k * x[0]
    return total + max(set(kinds(x))) * x[1]


def operations_on_sets(x: Array) -> float:
    a, b = set(kinds(x)[:3]), {int(10.0 * v) for v in x[2:]}
    both = sorted(a & b)
    named = len(a.union(b)) + len(a.intersection(kinds(x)[1:4])) * x[3] + len(b.difference(a)) * x[4]
    return x[0] * len(a | b) + x[1] ** 2 * len(a - b) + x[2] * both[0] + x[5] * named


def table(x: Array) -> float:
    total = 0.0
    for k, v in zip(kinds(x), x, strict=True):
        if k in WEIGHTS:
            total += WEIGHTS[k] * v**2
        total += WEIGHTS.get(k, 0.25) * v
    return total


def binomials(x: Array) -> float:
    """Memoised by a pair of numbers."""
    known = {}
    n = len(x)
    for i in range(n):
        for j in range(i + 1):
            if j == 0 or j == i:
                known[i, j] = x[i]
            else:
                known[i, j] = known[i - 1, j - 1] + known[(i - 1, j)] * x[0]
    return known[n - 1, n // 2]


def arrays_by_kind(x: Array) -> float:
    rows = {}
    for k, v in zip(kinds(x), x, strict=True):
        rows[k] = v * x if k not in rows else rows[k] + v * x**2
    total = 0.0
    for k in rows:
        total += np.sum(rows[k] ** 2)
    return total


def comprehension(x: Array) -> float:
    squares = {int(10.0 * v): v**2 for v in x}
    return squares[3] * len(squares) + squares.setdefault(5, x[0]) + squares.pop(1) + squares.pop(99, x[2])


class Pair:
    def __init__(self, a: float, b: float, name: str) -> None:
        self.name = name
        self.a, self.b = a, b

    def __iter__(self) -> Iterator[float]:
        yield self.a
        yield self.b


class Doubled:
    def __init__(self, items: list[float]) -> None:
        self.items = items

    def __getitem__(self, k: int) -> float:
        return 2.0 * self.items[k]

    def __setitem__(self, k: int, value: float) -> None:
        self.items[k] = value


def objects(x: Array) -> float:
    total = 0.0
    for v in Pair(x[0], x[1] ** 2, "p"):
        total += v * v
    doubled = Doubled([x[2], x[3]])
    doubled[1] += x[4]
    return total + sum(Pair(x[2], x[3], "q")) ** 2 + doubled[1] ** 2


CASES = [
    sums_by_kind,
    counted_by_get,
    first_of_each_kind,
    set_of_an_array,
    operations_on_sets,
    table,
    binomials,
    arrays_by_kind,
    comprehension,
    objects,
]


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.array([0.3, -0.7, 0.2, 1.1, -0.4, 0.6])
    numeric = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert grad(f, jit=False)(X) @ direction == pytest.approx(numeric, rel=1e-7)
    value, tangent = jvp(f, (X,), (direction,), jit=False)
    assert value == pytest.approx(f(X), rel=1e-13)
    assert tangent == pytest.approx(numeric, rel=1e-7)


@pytest.mark.parametrize("f", [sums_by_kind, first_of_each_kind, binomials])
def test_compiled(f: Callable[[Array], float]) -> None:
    np.testing.assert_allclose(grad(f)(X), grad(f, jit=False)(X), rtol=1e-12)


def test_missing_key() -> None:
    def f(x: float) -> float:
        return WEIGHTS[int(x)] * x

    def g(x: float) -> float:
        held = {}
        held[int(x)] = x
        return held[int(2.0 * x)]

    assert grad(f, jit=False)(3.2) == 0.7
    assert grad(g, jit=False)(0.2) == 1.0
    for h in (f, g):
        with pytest.raises(KeyError):
            grad(h, jit=False)(2.2)


def test_strings_and_numbers_are_not_mixed() -> None:
    def f(x: float) -> float:
        held = {"a": x}
        held[int(x)] = 2.0
        return held["a"]

    with pytest.raises(UnsupportedError, match="a dict key that is not known"):
        grad(f, jit=False)(1.5)


def test_an_object_without_items_is_no_sequence() -> None:
    def f(x: Array) -> float:
        total = 0.0
        for v in Doubled([x[0], x[1]]):
            total += v
        return total

    with pytest.raises(ArgumentTypeError, match="Doubled is no sequence"):
        grad(f, jit=False)(X)
