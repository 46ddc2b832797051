"""A branch by an integer or a truth whose sides have different types: the function is compiled for its value."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, jit, value_and_grad
from srcgrad.errors import UnsupportedError

Array = np.ndarray


def value_or_pair(x: float, full: bool) -> float | tuple[float, float]:
    if full:
        return x * x, 2.0 * x
    return x * x


def by_a_flag(x: float, full: bool) -> float:
    found = value_or_pair(x, full)
    return found[0] + found[1] if full else 3.0 * found


def by_an_order(x: float, order: int) -> float:
    if order > 2 and order < 5:
        y = np.outer([x, x * x], [1.0, x])
    elif order == 2:
        y = np.array([x, 2.0])
    else:
        y = x
    return np.sum(y * x)


def by_two(x: float, order: int, full: bool) -> float:
    y = np.ones(3) * x if order == 1 else x
    z = (y, x) if full else y
    return np.sum(z[0] * x if full else z)


CALLS = [(by_a_flag, True), (by_a_flag, False), (by_an_order, 3), (by_an_order, 2), (by_an_order, 7)]


@pytest.mark.parametrize(("f", "given"), CALLS)
def test_values_and_derivatives(f: Callable[..., float], given: int) -> None:
    for compiled in (False, True) if f is by_a_flag else (False,):
        value, slope = value_and_grad(f, jit=compiled)(0.7, given)
        assert value == pytest.approx(f(0.7, given), rel=1e-12)
        assert slope == pytest.approx((f(0.7 + 1e-6, given) - f(0.7 - 1e-6, given)) / 2e-6, rel=1e-6)


def test_one_object_for_several_values() -> None:
    f = jit(by_two, jit=False)
    for order in (1, 2, 1):
        for full in (True, False):
            assert f(0.7, order, full) == pytest.approx(by_two(0.7, order, full))


def test_a_branch_by_what_is_computed_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="depending on the path"):
        grad(lambda x: np.sum(np.ones(2) * x if x > 0.5 else x), jit=False)(0.7)


def quietly(x: float) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        return x * x


def test_filters_of_warnings_change_nothing() -> None:
    assert grad(quietly, jit=False)(0.7) == pytest.approx(1.4)
