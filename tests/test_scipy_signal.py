"""Convolutions and filters of ``scipy.signal`` beside SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import signal

from srcgrad import grad, jit
from srcgrad.testing import check_grads

Array = np.ndarray
X = np.array([0.3, 1.2, -0.7, 2.0, 0.4, -1.1, 0.8])
H = np.array([0.5, -0.2, 0.7])

CALLS: list[Callable[[Array, Array], Array]] = [
    lambda x, h: signal.convolve(x, h),
    lambda x, h: signal.convolve(x, h, mode="same"),
    lambda x, h: signal.convolve(h, x, mode="same"),
    lambda x, h: signal.fftconvolve(x, h, "valid"),
    lambda x, h: signal.fftconvolve(x, h[:2], mode="same"),
    lambda x, h: signal.correlate(x, h),
    lambda x, h: signal.correlate(x, h, "same"),
    lambda x, h: signal.correlate(x, h, mode="valid"),
    lambda x, h: signal.lfilter(h, [1.0, -0.4, 0.1], x),
    lambda x, h: signal.lfilter([0.3], np.array([2.0, h[0], h[1]]), x),
    lambda x, h: signal.lfilter(h, 1.5, np.outer(x, h), axis=0),
    lambda x, h: signal.lfilter(h, [1.0, h[1]], np.outer(h, x)),
]


@pytest.mark.parametrize("f", CALLS)
def test_values_and_derivatives(f: Callable[[Array, Array], Array]) -> None:
    assert np.allclose(jit(f, jit=False)(X, H), f(X, H), rtol=1e-12, atol=1e-14)
    check_grads(lambda x, h: np.sum(np.sin(f(x, h))), (X, H), order=1, modes=("fwd", "rev"), jit=False)


def test_compiled() -> None:
    def f(x: Array) -> float:
        return np.sum(signal.lfilter(H, [1.0, -0.4], signal.fftconvolve(x, H, mode="same")) ** 2)

    assert np.allclose(grad(f)(X), grad(f, jit=False)(X), rtol=1e-10)
