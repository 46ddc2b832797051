"""What a `try` cannot catch is refused with the reason, and with what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import Error, UnsupportedError, jit


def by_index(x):
    items = np.array([x, x * x])
    try:
        return items[int(4.0 * x)]
    except IndexError:
        return 3.0 * x


def by_routine(x):
    try:
        v = np.linalg.solve(np.array([[x, 0.0], [0.0, 1.0]]), np.ones(2))
    except np.linalg.LinAlgError:
        v = np.zeros(2)
    return v[0]


def by_append(x):
    items = []
    try:
        items.append(x)
        items.append(1.0 / x)
    except ZeroDivisionError:
        items.append(2.0)
    return sum(items)


@pytest.mark.parametrize(
    ("f", "reason", "hint"),
    [
        (by_index, "an index that is out of range", r"if i < len\(items\)"),
        (by_routine, "a routine of LAPACK", "before the call"),
        (by_append, "behind other effects", "instead of catching"),
    ],
)
def test_reasons(f, reason, hint):
    with pytest.raises(UnsupportedError, match=reason) as refused:
        jit(f, jit=False)(0.7)
    refused.match(hint)


class Halves:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 0.5
        return self.x


def test_iterator_of_a_class():
    def f(x):
        total = 0.0
        for v in Halves(x, 3):
            total += v
        return total

    with pytest.raises(Error, match="no sequence of items") as refused:
        jit(f, jit=False)(0.7)
    refused.match("Let its __iter__ be a generator")
