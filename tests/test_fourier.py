"""``np.fft`` against NumPy and, for derivatives, against differences; the transform for Numba against NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import srcgrad
from srcgrad import grad, hessian, jvp, vjp
from srcgrad.library.fourier_rows import COMPILED
from srcgrad.testing import check_grads

RNG = np.random.default_rng(0)


def real(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def complex_(*shape: int) -> np.ndarray:
    return real(*shape) + 1j * real(*shape)


# -- the transform itself ------------------------------------------------------------------------------------


def compiled_transform() -> Callable[..., None]:
    namespace: dict[str, Any] = {"np": np}
    exec(COMPILED, namespace)
    found: Callable[..., None] = namespace["transform_rows"]
    return found


def check_transform(transform: Callable[..., None], n: int, tolerance: float) -> None:
    a = complex_(2, n)
    for forward, expected in ((True, np.fft.fft(a)), (False, np.fft.ifft(a, norm="forward"))):
        out = np.empty_like(a)
        transform(a, forward, out)
        np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance * np.max(np.abs(expected)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 9, 12, 25, 30, 61, 62, 67, 71, 128])
def test_transform_for_numba_as_plain_python(n: int) -> None:
    check_transform(compiled_transform(), n, 1e-14)


def test_transform_for_numba() -> None:
    transform = numba.njit(compiled_transform())
    for n in [*range(1, 80), 256, 360, 1009, 2 * 3 * 5 * 7 * 11, 67 * 67, 8191]:
        check_transform(transform, n, 1e-14)


# -- the functions -------------------------------------------------------------------------------------------

CASES: list[tuple[Callable[[Any], Any], np.ndarray]] = [
    (lambda x: np.fft.fft(x), complex_(6)),
    (lambda x: np.fft.fft(x), real(7)),
    (lambda x: np.fft.fft(x, 4), complex_(6)),
    (lambda x: np.fft.fft(x, n=9, axis=0, norm="ortho"), complex_(6, 3)),
    (lambda x: np.fft.fft(x.T), complex_(3, 4)),
    (lambda x: np.fft.fft(x)[::-1], real(67)),
    (lambda x: np.fft.fft([x[0], x[1], 1.0]), real(2)),
    (lambda x: np.fft.fft(x, x.shape[0] // 2), complex_(6)),
    (lambda x: np.fft.ifft(x), complex_(1)),
    (lambda x: np.fft.ifft(x), complex_(5)),
    (lambda x: np.fft.ifft(x, norm="forward", axis=0), real(5, 2)),
    (lambda x: np.fft.rfft(x), real(6)),
    (lambda x: np.fft.rfft(x, 5, axis=0, norm="forward"), real(6, 2)),
    (lambda x: np.fft.irfft(x), complex_(5)),
    (lambda x: np.fft.irfft(x, 7), complex_(4)),
    (lambda x: np.fft.irfft(x, 12, norm="ortho"), complex_(4)),
    (lambda x: np.fft.irfft(x, 1), complex_(4)),
    (lambda x: np.fft.hfft(x), complex_(4)),
    (lambda x: np.fft.hfft(x, 5, norm="ortho"), complex_(4)),
    (lambda x: np.fft.ihfft(x, 5, norm="forward"), real(6)),
    (lambda x: np.fft.fft2(x), complex_(3, 4)),
    (lambda x: np.fft.ifft2(x, (2, 5)), complex_(3, 4)),
    (lambda x: np.fft.fftn(x), real(2, 3, 2)),
    (lambda x: np.fft.fftn(x, (2, 4), axes=(-2, -1)), complex_(2, 3, 3)),
    (lambda x: np.fft.ifftn(x, axes=(0, 2), norm="ortho"), complex_(2, 3, 2)),
    (lambda x: np.fft.rfft2(x), real(3, 4)),
    (lambda x: np.fft.rfftn(x, axes=(1, 0), norm="ortho"), real(3, 4)),
    (lambda x: np.fft.irfft2(x), complex_(3, 3)),
    (lambda x: np.fft.irfftn(x, (4, 5), axes=(1, 0)), complex_(3, 3)),
    (lambda x: np.fft.fftshift(x), complex_(5)),
    (lambda x: np.fft.fftshift(x, axes=1), real(5, 4)),
    (lambda x: np.fft.ifftshift(x), real(5, 4)),
    (lambda x: np.fft.ifftshift(x, axes=(0,)), real(5, 4)),
    (lambda x: np.fft.fftfreq(x.shape[0], 0.5) * x, real(5)),
    (lambda x: np.fft.fftfreq(6) * x, real(6)),
    (lambda x: np.fft.rfftfreq(2 * x.shape[0] - 2, d=0.1) * x, real(4)),
    (lambda x: np.fft.fft(x, norm="ortho"), real(4).astype(np.float32)),
    (lambda x: np.fft.rfft(x), real(4).astype(np.float32)),
    (lambda x: np.fft.ifft(x), complex_(2, 3, 4).astype(np.complex64)),
]
IDS = [str(k) for k in range(len(CASES))]


def is_single(x: np.ndarray) -> bool:
    return x.dtype in (np.float32, np.complex64)


@pytest.mark.parametrize(("f", "x"), CASES, ids=IDS)
def test_value(f: Callable[[Any], Any], x: np.ndarray) -> None:
    found, expected = srcgrad.jit(f, jit=False)(x.copy()), f(x)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5 if is_single(x) else 1e-12, atol=1e-6)


def power(y: Any) -> Any:
    weights = 1.0 + np.cos(np.arange(y.size)).reshape(y.shape)
    return np.sum(weights * np.abs(y) ** 2) + np.sum(np.real(y) * weights) - np.sum(np.imag(y))


@pytest.mark.parametrize(("f", "x"), CASES, ids=IDS)
def test_derivatives(f: Callable[[Any], Any], x: np.ndarray) -> None:
    check_grads(f, (x,), jit=False)
    check_grads(lambda x: power(f(x)), (x,), order=1 if is_single(x) else 2, jit=False)


def test_transform_is_its_own_pullback() -> None:
    z, ct = complex_(6), complex_(6)
    _, pullback = vjp(np.fft.fft, z, jit=False)
    np.testing.assert_allclose(pullback(ct)[0], np.fft.fft(ct))
    _, tangent = jvp(np.fft.ifft, (z,), (ct,), jit=False)
    np.testing.assert_allclose(tangent, np.fft.ifft(ct))


def convolved(x: np.ndarray, kernel: np.ndarray) -> float:
    return np.sum(np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(kernel, x.shape[0]), x.shape[0]) ** 3)


@pytest.mark.parametrize("jit", [False, True])
def test_convolution(jit: bool) -> None:
    """By the convolution theorem: against sums over the signal itself."""
    x, kernel = real(9), real(3)
    y = np.array([sum(kernel[j] * x[i - j] for j in range(3)) for i in range(9)])
    by_x, by_kernel = grad(convolved, argnums=(0, 1), jit=jit)(x, kernel)
    expected = [sum(3 * y[(i + j) % 9] ** 2 * kernel[j] for j in range(3)) for i in range(9)]
    np.testing.assert_allclose(by_x, expected, rtol=1e-11)
    np.testing.assert_allclose(by_kernel, [np.sum(3 * y**2 * np.roll(x, j)) for j in range(3)], rtol=1e-11)


def test_hessian_of_a_power_spectrum() -> None:
    """``sum |FFT x|^2 = n sum x^2``."""
    found = hessian(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), jit=False)(real(5))
    np.testing.assert_allclose(found, 10.0 * np.eye(5), atol=1e-12)


def heat(u: np.ndarray, steps: int) -> float:
    """A spectral solver: each step in Fourier space."""
    k = 2.0 * np.pi * np.fft.fftfreq(u.shape[0])
    for _ in range(steps):
        spectrum = np.fft.fft(u) * np.exp(-0.1 * k**2)
        u = np.fft.ifft(spectrum).real + 0.05 * u * (1.0 - u)
    return np.sum(u**2)


def test_spectral_solver() -> None:
    check_grads(heat, (real(6), 3), order=2, jit=False)


@pytest.mark.parametrize(
    ("f", "x", "error", "message"),
    [
        (lambda x: np.fft.rfft(x), complex_(3), srcgrad.UnsupportedError, "complex numbers"),
        (lambda x: np.fft.fft(x, 0), real(3), ValueError, "data points"),
        (lambda x: np.fft.fft(x), real(0), ValueError, "data points"),
        (lambda x: np.fft.fft(x, norm="unitary"), real(3), TypeError, "Invalid norm"),
        (lambda x: np.fft.fftn(x, (2, 3)), real(3), TypeError, "axes"),
        (lambda x: np.fft.fftn(x, (2, 3), axes=(0,)), real(3, 3), TypeError, "different lengths"),
    ],
)
def test_wrong_arguments(f: Callable[[Any], Any], x: np.ndarray, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        srcgrad.jit(lambda x: np.sum(np.abs(f(x))), jit=False)(x)
