"""Functions of ``scipy.special`` that are called as C functions, by their address, as Numba needs it."""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
import pytest
import scipy.special
import scipy.stats
from numba.extending import get_cython_function_address

import srcgrad


def _address(name: str) -> int:
    return get_cython_function_address("scipy.special.cython_special", name)


class Ndtr(numba.types.WrapperAddressProtocol):
    def __wrapper_address__(self) -> int:
        return _address("__pyx_fuse_1ndtr")

    def signature(self) -> Any:
        return numba.float64(numba.float64)


gammaln = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(_address("gammaln"))
elsewhere = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(_address("__pyx_fuse_1psi") + 1)
ndtr = Ndtr()


def poisson(mu: Any, counts: Any) -> Any:
    total = 0.0
    for k in counts:
        total += k * np.log(mu) - mu - gammaln(k * mu)
    return total


@numba.njit
def skewed(x: Any, a: Any) -> Any:
    return ndtr(a * x) - 0.5 * x * x


@pytest.mark.parametrize("jit", [False, True])
def test_a_function_pointer(jit: bool) -> None:
    counts = np.array([1.0, 2.0, 4.0])
    expected = np.sum(counts / 1.7 - 1 - counts * scipy.special.digamma(1.7 * counts))
    assert srcgrad.grad(poisson, jit=jit)(1.7, counts) == pytest.approx(expected, rel=1e-12)


def test_an_object_with_an_address() -> None:
    x, a = 0.3, -1.2
    slope = scipy.stats.norm.pdf(a * x)
    assert srcgrad.grad(skewed, (0, 1), jit=False)(x, a) == pytest.approx((a * slope - x, x * slope), rel=1e-10)


def test_any_other_address_is_refused() -> None:
    with pytest.raises(srcgrad.Error, match=r"a function pointer is a C function that is not of scipy\.special"):
        srcgrad.grad(lambda x: elsewhere(x), jit=False)(1.0)
