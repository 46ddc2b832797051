"""Numbers of NumPy and arrays without axes: a truth as their index takes all or nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import ArgumentTypeError, grad, jit, value_and_grad
from srcgrad.errors import Error
from srcgrad.testing import check_grads


def filled_by_cases(a: float, b: float) -> float:
    """As formulas for arrays are written that also take numbers."""
    r = np.sqrt(np.asarray(a) * b)
    out = np.empty_like(r)
    small = r < 0.1
    out[~small] = np.arctan(r[~small] * 2.0)
    out[~small] += np.sin(out[~small]) * r[~small]
    out[small] = 2.0 * a
    return np.cos(out[()] * b)


def summed(a: float, b: float) -> float:
    r = np.sqrt(a * b)
    return np.sum(r[r > 0.1] * 2.0) + r[()]


def set_where_it_can_be(a: float, b: float) -> float:
    """A number takes no items, and the handler is for that."""
    e, n = a * 1.0, np.sin(b)
    try:
        e[abs(e) < 1e-3] = 0.0
        n[abs(n) < 1e-3] = 0.0
    except TypeError:
        if abs(e) < 1e-3:
            e = 0.0
        if abs(n) < 1e-3:
            n = 0.0
    return np.arctan2(e, n)


PROGRAMS = [filled_by_cases, summed, set_where_it_can_be]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f: Callable[[float, float], float]) -> None:
    for a in (0.3, 0.004):
        assert jit(f, jit=False)(a, 0.5) == pytest.approx(f(a, 0.5), rel=1e-12)
        check_grads(f, (a, 0.5), order=2, modes=("fwd", "rev"), jit=False, atol=1e-5, rtol=1e-4)


def test_compiled() -> None:
    for f in PROGRAMS:
        assert grad(f)(0.3, 0.5) == pytest.approx(grad(f, jit=False)(0.3, 0.5), rel=1e-12)


def first_or_all(a: float, b: float) -> float:
    try:
        c = a[0]  # type: ignore[index]
    except TypeError:
        c = a
    return c * b


def test_a_number_of_pythons_has_no_items() -> None:
    assert grad(first_or_all, argnums=(0, 1), jit=False)(0.3, 0.5) == (0.5, 0.3)
    with pytest.raises(Error, match="a number is indexed"):
        grad(lambda a: a[a > 0.0], jit=False)(0.3)


def test_new_axes_of_numbers() -> None:
    """A number of NumPy's takes ``...`` and ``None`` as an array without axes does; Python's own does not."""

    def joined(x):
        a = np.asarray(x)
        return np.sum(np.concatenate([a[..., np.newaxis], (a * 2.0)[..., None]], axis=-1) ** 2)

    def tables(x):
        a = np.float64(x)
        return a[...] * a[None][0] * np.sum(a[None, None])

    assert value_and_grad(joined, jit=False)(1.5) == (11.25, 15.0)
    assert value_and_grad(tables, jit=False)(1.5) == (3.375, 6.75)
    np.testing.assert_array_equal(grad(joined, jit=False)(np.array([1.0, 2.0])), [10.0, 20.0])
    assert jit(lambda x: np.asarray(x)[None, ..., None], jit=False)(2.0).shape == (1, 1)
    with pytest.raises(ArgumentTypeError, match="a number is indexed"):
        jit(lambda x: x[..., None], jit=False)(2.0)
