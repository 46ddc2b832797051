"""NumPy functions and array code: what the lowered program gives is what NumPy gives."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable

import numpy as np
import pytest
from interpreter import run
from scipy import special

import srcgrad.library.special  # noqa: F401  (fills the registry)
from srcgrad.api.marshal import rebuilder
from srcgrad.frontend.boundary.known import stretched
from srcgrad.frontend.boundary.pytree import describe, flatten
from srcgrad.frontend.lower import lower
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer

RNG = np.random.default_rng(7)
V, W = RNG.normal(size=5), RNG.normal(size=5)
M, N = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))
T = RNG.normal(size=(2, 3, 4))
F = np.asfortranarray(M)
K = np.array([2, 0, -1, 2])
Z = RNG.normal(size=4) + 1j * RNG.normal(size=4)
S = V.astype(np.float32)
EMPTY = np.zeros(0)


def lowered_result(f: Callable[..., object], *arguments: object) -> object:
    """What ``f`` gives when it is lowered and run by the interpreter; arrays are written to in place."""
    names = list(inspect.signature(f).parameters)
    lowered = lower(f, stretched([describe(a, n) for a, n in zip(arguments, names, strict=True)]))
    verify(lowered.function, infer)
    results = run(lowered.function, *(leaf for a in arguments for leaf in flatten(a)))
    return rebuilder(lowered.result)(results[0] if len(results) == 1 else results)


def assert_equal(got: object, expected: object) -> None:
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            assert_equal(g, e)
        return
    if expected is None:
        assert got is None
        return
    assert np.shape(got) == np.shape(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    tolerance = 1e-6 if np.asarray(expected).dtype in (np.float32, np.complex64) else 1e-13
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def check(f: Callable[..., object], *arguments: object) -> None:
    mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with np.errstate(all="ignore"):
        expected = f(*theirs)
    assert_equal(lowered_result(f, *mine), expected)
    for a, b in zip(mine, theirs, strict=True):
        assert_equal(a, b)


def check_each(*cases: tuple[Callable[..., object], tuple[object, ...]]) -> pytest.MarkDecorator:
    ids = [f"{k}-{inspect.getsource(f).strip()[:40]}" for k, (f, _) in enumerate(cases)]
    return pytest.mark.parametrize(("f", "arguments"), cases, ids=ids)


@check_each(
    (lambda x: np.sum(x), (V,)),
    (lambda x: x.sum(), (M,)),
    (lambda x: np.sum(x, axis=0), (M,)),
    (lambda x: np.sum(x, axis=1), (M,)),
    (lambda x: np.sum(x, axis=-1, keepdims=True), (T,)),
    (lambda x: np.sum(x, axis=(0, 2)), (T,)),
    (lambda x: np.sum(x, axis=(0, 1), keepdims=True), (T,)),
    (lambda x: np.sum(x, keepdims=True), (M,)),
    (lambda x: np.sum(x), (S,)),
    (lambda x: np.sum(x, axis=0), (S[:, None],)),
    (lambda x: np.sum(x), (K,)),
    (lambda x: np.sum(x > 0.0), (V,)),
    (lambda x: np.sum(x, axis=0), (F,)),
    (lambda x: np.sum(x), (EMPTY,)),
    (lambda x: np.sum(x, axis=0), (np.zeros((0, 3)),)),
    (lambda x, y: np.sum(np.exp(x) * y), (V, W)),
    (lambda x: np.sum([x, 2.0 * x]), (1.5,)),
    (lambda x: np.prod(x), (V,)),
    (lambda x: np.prod(x, axis=1), (M,)),
    (lambda x: np.prod(x, axis=0), (M,)),
    (lambda x: x.mean(), (V,)),
    (lambda x: np.mean(x, axis=0), (M,)),
    (lambda x: np.mean(x, axis=(0, 1)), (T,)),
    (lambda x: np.mean(x), (K,)),
    (lambda x: np.mean(x), (S,)),
    (lambda x: np.mean(x * x, axis=1, keepdims=True), (M,)),
    (lambda x: np.var(x), (V,)),
    (lambda x: np.var(x, axis=1, ddof=1), (M,)),
    (lambda x: x.std(axis=0), (M,)),
    (lambda x: np.average(x, weights=x * x), (V,)),
    (lambda x: np.any(x > 1.0), (M,)),
    (lambda x: np.all(x > -9.0, axis=0), (M,)),
    (lambda x: np.count_nonzero(x > 0.0), (M,)),
)
def test_reductions(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x: np.max(x), (V,)),
    (lambda x: x.max(axis=1), (M,)),
    (lambda x: np.max(x, axis=0, keepdims=True), (M,)),
    (lambda x: np.max(x, axis=(0, 2)), (T,)),
    (lambda x: np.min(x), (F,)),
    (lambda x: np.min(x, axis=0), (K[:, None],)),
    (lambda x: np.max(x), (np.array([1.0, 3.0, 3.0, 3.0]),)),
    (lambda x: np.max(x), (np.array([0.1, 0.1, 0.1]),)),
    (lambda x: np.max(x), (np.array([1.0, np.nan, 3.0]),)),
    (lambda x: np.max(x), (np.array([1.0, np.inf, np.inf]),)),
    (lambda x: np.min(x), (np.array([-np.inf, -np.inf, 1.0]),)),
    (lambda x: np.max(x), (S,)),
    (lambda x: np.argmax(x), (V,)),
    (lambda x: np.argmin(x, axis=1), (M,)),
    (lambda x: np.argmax(x), (np.array([1.0, np.nan, 3.0, np.nan]),)),
    (lambda x: x.argmax(), (M,)),
    (lambda x, y: np.max(np.stack((x, y))), (V, W)),
)
def test_extremes(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x, y: x @ y, (V, W)),
    (lambda x, y: x @ y, (M, N)),
    (lambda x, y: x @ y, (M, N[:, 0])),
    (lambda x, y: x @ y, (M[:, 0], M)),
    (lambda x, y: x @ y, (T, N)),
    (lambda x, y: x @ y, (T, T.transpose(0, 2, 1))),
    (lambda x, y: x @ y, (M[None], T.transpose(0, 2, 1))),
    (lambda x, y: x @ y, (T, N[:, 0])),
    (lambda x, y: np.dot(x, y), (M, N)),
    (lambda x, y: np.dot(x, y), (V, 2.0)),
    (lambda x, y: x.dot(y), (V, W)),
    (lambda x, y: x @ y, (S, V)),
    (lambda x, y: x @ y, (K, K)),
    (lambda x, y: x @ y, (Z, K)),
    (lambda x, y: np.vdot(x, y), (V, W)),
    (lambda x, y: np.outer(x, y), (V, W)),
    (lambda x, y: np.inner(x, y), (M, N.T)),
    (lambda x, y: np.einsum("ij,jk->ik", x, y), (M, N)),
    (lambda x, y: np.einsum("ij,jk", x, y), (M, N)),
    (lambda x: np.einsum("ii", x), (M[:, :3],)),
    (lambda x: np.einsum("ij->ji", x), (M,)),
    (lambda x, y: np.einsum("i,i->", x, y), (V, W[:1])),
    (lambda x, y: np.einsum("...j,jk->...k", x, y), (T, N)),
    (lambda x, y: np.tensordot(x, y, axes=1), (M, N)),
    (lambda x, y: np.tensordot(x, y, axes=(0, 1)), (M[:, 0], M[:3, :3])),
    (lambda x, y: np.cross(x, y), (V[:3], W[:3])),
    (lambda x, y: np.kron(x, y), (M, N)),
    (lambda x: np.trace(x), (M,)),
    (lambda x: x.trace(offset=1), (M,)),
    (lambda x: np.linalg.norm(x), (V,)),
    (lambda x: np.linalg.norm(x), (M,)),
    (lambda x: np.linalg.norm(x, axis=1), (M,)),
    (lambda x: np.linalg.norm(x, 1), (V,)),
    (lambda x: np.linalg.norm(x, ord=np.inf), (V,)),
    (lambda x: np.linalg.norm(x, 3), (V,)),
    (lambda x: np.linalg.norm(x), (np.zeros(3),)),
    (lambda x, y: np.convolve(x, y), (V, W[:2])),
    (lambda x, y: np.convolve(x, y, mode="same"), (V, W[:2])),
    (lambda x, y: np.convolve(x, y, "valid"), (V, W[:2])),
)
def test_products(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda n: np.zeros(n), (3,)),
    (lambda n: np.zeros((n, 2), dtype=np.float32), (3,)),
    (lambda n: np.ones((2, n)), (3,)),
    (lambda n: np.full(n, 2.5), (3,)),
    (lambda n: np.full((n, n), 1), (3,)),
    (lambda x: np.zeros_like(x), (M,)),
    (lambda x: np.ones_like(x), (K,)),
    (lambda x: np.full_like(x, 7.0), (S,)),
    (lambda x: np.empty_like(x, dtype=np.int64).shape, (M,)),
    (lambda n: np.arange(n), (4,)),
    (lambda n: np.arange(1, n), (4,)),
    (lambda n: np.arange(n, 0, -2), (7,)),
    (lambda a, b: np.arange(a, b, 0.3), (0.5, 2.0)),
    (lambda n: np.arange(float(n)), (4,)),
    (lambda n: np.arange(n, dtype=np.float64), (4,)),
    (lambda a, b: np.linspace(a, b, 7), (0.5, 2.0)),
    (lambda a, b: np.linspace(a, b, 7, endpoint=False), (0.5, 2.0)),
    (lambda a, b, n: np.linspace(a, b, n), (0.5, 2.0, 1)),
    (lambda n: np.eye(n), (3,)),
    (lambda n: np.eye(n, 4, k=1), (3,)),
    (lambda n: np.identity(n), (2,)),
    (lambda x: np.array([x, 2.0 * x, 1]), (1.5,)),
    (lambda x: np.array([[x, 2], [3, 4]]), (1.5,)),
    (lambda x: np.array([1, 2, 3]), (1.5,)),
    (lambda x: np.array([x, x]), (V,)),
    (lambda x: np.asarray(x, dtype=np.float32), (V,)),
    (lambda x: np.asarray([x, 1.0]), (2.0,)),
    (lambda x: np.tril(x), (M,)),
    (lambda x: np.triu(x, 1), (M,)),
    (lambda x: np.diag(x), (V,)),
    (lambda x: np.diag(x), (M,)),
    (lambda x: np.diag(x, -1), (V,)),
    (lambda x: np.diag(x, 1), (M,)),
    (lambda x, y: np.meshgrid(x, y)[0], (V, W[:3])),
    (lambda x, y: np.meshgrid(x, y, indexing="ij")[1], (V, W[:3])),
    (lambda x: np.broadcast_to(x, (3, 5)), (V,)),
)
def test_creation(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x: x.reshape(4, 3), (M,)),
    (lambda x: x.reshape((2, -1)), (M,)),
    (lambda x: np.reshape(x, -1), (T,)),
    (lambda x: x.T.reshape(2, 6), (M,)),
    (lambda x: x.ravel(), (T,)),
    (lambda x: x.flatten(), (F,)),
    (lambda x: x[1:].reshape(-1), (M,)),
    (lambda x: x[:, ::2].ravel(), (M,)),
    (lambda x: x.T, (T,)),
    (lambda x: np.transpose(x, (1, 0, 2)), (T,)),
    (lambda x: x.transpose(2, 0, 1), (T,)),
    (lambda x: np.swapaxes(x, 0, -1), (T,)),
    (lambda x: np.moveaxis(x, 0, -1), (T,)),
    (lambda x: np.expand_dims(x, 0), (V,)),
    (lambda x: np.squeeze(x[None], axis=0), (V,)),
    (lambda x: np.concatenate((x, x * x, x)), (V,)),
    (lambda x, y: np.concatenate([x, y], axis=1), (M, 2.0 * M)),
    (lambda x, y: np.concatenate((x, y), axis=None), (M, N)),
    (lambda x, y: np.stack((x, y)), (V, W)),
    (lambda x, y: np.stack([x, y], axis=1), (V, W)),
    (lambda x, y: np.vstack((x, y)), (V, W)),
    (lambda x, y: np.hstack((x, y)), (V, W)),
    (lambda x, y: np.column_stack((x, y)), (V, W)),
    (lambda x, y: np.append(x, y), (V, 3.0)),
    (lambda x: np.concatenate((x, np.zeros(2, dtype=np.int64))), (S,)),
    (lambda x: np.flip(x), (M,)),
    (lambda x: np.flip(x, axis=1), (M,)),
    (lambda x: np.roll(x, 2), (V,)),
    (lambda x: np.roll(x, -1, axis=1), (M,)),
    (lambda x: np.repeat(x, 2), (M,)),
    (lambda x: np.repeat(x, 3, axis=0), (M,)),
    (lambda x: np.tile(x, 2), (V,)),
    (lambda x: np.tile(x, (2, 1)), (V,)),
    (lambda x, k: np.take(x, k), (V, K)),
    (lambda x, k: np.take(x, k, axis=1), (M, K)),
    (lambda x: np.take_along_axis(x, np.argsort(x, axis=1), 1), (M,)),
    (lambda x: np.atleast_2d(x), (V,)),
    (lambda x: (x.shape, x.size, x.ndim, len(x)), (M,)),
    (lambda x: x.astype(np.float32), (V,)),
    (lambda x: x.astype(np.int64), (V,)),
    (lambda x: x.copy(), (F,)),
    (lambda x: np.copy(x) + 1.0, (V,)),
    (lambda x: (x.real, x.imag), (V,)),
)
def test_shapes(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x: np.cumsum(x), (V,)),
    (lambda x: np.cumsum(x), (M,)),
    (lambda x: np.cumsum(x, axis=0), (M,)),
    (lambda x: x.cumsum(axis=1), (K[:, None],)),
    (lambda x: np.cumprod(x), (V,)),
    (lambda x: np.cumprod(x, axis=1), (M,)),
    (lambda x: np.diff(x), (V,)),
    (lambda x: np.diff(x, n=2), (V,)),
    (lambda x: np.diff(x, axis=0), (M,)),
    (lambda x: np.trapezoid(x), (V,)),
    (lambda x, y: np.trapezoid(x, y), (V, np.sort(W))),
    (lambda x: np.sort(x), (V,)),
    (lambda x: np.sort(x, axis=0), (M,)),
    (lambda x: np.sort(x), (T,)),
    (lambda x: np.sort(x), (np.array([2.0, np.nan, 1.0, 2.0]),)),
    (lambda x: np.argsort(x), (V,)),
    (lambda x: np.argsort(x, axis=0), (M,)),
    (lambda x: np.sort(x), (EMPTY,)),
    (lambda x: np.median(x), (V,)),
    (lambda x: np.median(x, axis=1), (M,)),
    (lambda x, v: np.searchsorted(x, v), (np.sort(V), W)),
    (lambda x, v: np.searchsorted(x, v, side="right"), (np.sort(V), 0.3)),
    (lambda x, p, f: np.interp(x, p, f), (W, np.sort(V), V)),
    (lambda x, p, f: np.interp(x, p, f), (0.1, np.sort(V), V)),
)
def test_order(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x: np.where(x > 0.0, x, -x), (V,)),
    (lambda x: np.where(x >= 0.0, x, np.sqrt(-x)), (V,)),
    (lambda x, y: np.where(x[:, None] > 0.0, y, 1.0), (M[:, 0], M)),
    (lambda x: np.where(x > 0, 1, 0), (V,)),
    (lambda x: np.where(x > 0, x, 2.0), (S,)),
    (lambda x: np.where(x > 0)[0], (V,)),
    (lambda x: np.nonzero(x > 0), (M,)),
    (lambda x: np.flatnonzero(x > 0), (M,)),
    (lambda x: np.clip(x, -0.5, 0.5), (V,)),
    (lambda x: np.clip(x, None, 0.5), (V,)),
    (lambda x: x.clip(0.0, 1.0), (M,)),
    (lambda x, y: np.maximum(x, y), (V, W)),
    (lambda x: np.minimum(1.0, x), (V,)),
    (lambda x: np.abs(x), (Z,)),
    (lambda x: abs(x), (V,)),
    (lambda x: np.sign(x) * np.floor(x), (V,)),
    (lambda x: np.isnan(x) | np.isfinite(x), (V,)),
    (lambda x: -(x**2) + x**0.5, (np.abs(V),)),
    (lambda x: 2.0**x, (V,)),
    (lambda x: x // 0.3 + x % 0.3, (V,)),
    (lambda x: (x > 0.0) * x * x, (V,)),
    (lambda x: ~(x > 0.0), (V,)),
    (lambda x: x / 0.0, (V,)),
    (lambda x, y: np.arctan2(x, y) + np.hypot(x, y), (V, W)),
    (lambda x: np.exp(1j * x), (V,)),
)
def test_elementwise(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


@check_each(
    (lambda x: np.array([v * v for v in x]) * x, (V,)),
    (lambda x: np.array([x[i] * i for i in range(len(x))])[::2], (V,)),
    (lambda x: np.asarray([v > 0.0 for v in x]), (V,)),
    (lambda n: np.array([k * k for k in range(n)]), (4,)),
    (lambda x: np.dot([v * v for v in x], x) + np.max([a * b for a, b in zip(x, x[::-1], strict=True)]), (V,)),
)
def test_arrays_of_comprehensions(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


NAN = np.array([1.0, np.nan, -2.0, 0.5])


@check_each(
    (lambda x: special.expit(x), (V * 300.0,)),
    (lambda x: special.expit(x), (0.3,)),
    (lambda x: special.log_expit(x), (V * 300.0,)),
    (lambda x: special.logit(x), (np.abs(V) / 5.0,)),
    (lambda x, y: special.xlogy(x, y), (np.array([0.0, 2.0]), np.array([0.0, 3.0]))),
    (lambda x: special.entr(x), (np.array([0.0, 2.0, -1.0]),)),
    (lambda x, y: special.rel_entr(x, y), (np.array([0.0, 2.0]), np.array([1.0, 3.0]))),
    (lambda x: special.logsumexp(x), (M * 1000.0,)),
    (lambda x: special.logsumexp(x, axis=1), (M,)),
    (lambda x: special.logsumexp(x, axis=0, keepdims=True), (M,)),
    (lambda x: special.softmax(x), (V,)),
    (lambda x: special.softmax(x, axis=1), (M,)),
    (lambda x: special.log_softmax(x, axis=0), (M,)),
    (lambda x: (special.erf(x), special.erfc(x), special.ndtr(x)), (V * 3.0,)),
    (lambda x: (special.erf(x), special.erfc(x), special.ndtr(x)), (M,)),
    (lambda x: (special.gammaln(x), special.gamma(x)), (np.array([-0.5, 0.0, 0.3, 7.0, 200.0]),)),
    (lambda x: (special.erf(x), special.ndtr(x), special.gammaln(x)), (0.3,)),
    (lambda k: special.gammaln(k), (np.array([1, 2, 5]),)),
    (lambda x: np.isclose(x, x + 1e-9), (V,)),
    (lambda x: np.allclose(x, x + 1e-9), (V,)),
    (lambda x, y: (np.array_equal(x, y), np.array_equal(x, x)), (V, W)),
    (lambda x, y: np.array_equal(x, y), (V, W[:3])),
    (lambda x: (np.nansum(x), np.nanmean(x), np.nanmax(x), np.nanmin(x)), (NAN,)),
    (lambda x: np.ptp(x, axis=0), (M,)),
    (lambda x: np.nan_to_num(x), (NAN,)),
    (lambda x: np.heaviside(x, 0.5), (np.array([-1.0, 0.0, 2.0]),)),
    (lambda x: np.sinc(x), (np.array([0.0, 1e-4, 0.3, 2.0]),)),
    (lambda k: np.bincount(k), (np.array([0, 3, 3, 1]),)),
    (lambda k, w: np.bincount(k, weights=w, minlength=6), (np.array([0, 3, 3, 1]), V[:4])),
    (lambda p, x: np.polyval(p, x), (V, W)),
    (lambda p, x: np.polyval(p, x), (V, 0.5)),
    (lambda x: np.unique(x), (np.array([3.0, 1.0, 3.0, 2.0, 1.0]),)),
    (lambda x: np.quantile(x, 0.3), (V,)),
    (lambda x: np.percentile(x, 75.0), (M,)),
    (lambda x, b: np.digitize(x, b), (V, np.array([-0.5, 0.0, 0.5]))),
)
def test_special(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


def in_place(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[1:] += y[:-1]
    y[0] = 5.0
    y[-1] *= 2.0
    y[::2] = y[1]
    y -= 1.0
    return y


def views(x: np.ndarray) -> np.ndarray:
    a = x * 1.0
    v = a[1:]
    u = v[::2]
    u += 10.0 * x[0]
    v[1] = u[0] * a[2]
    return a


def masks(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = x * x
    y[x < 0.0] = 7.0
    z = y.copy()
    z[y > 1.0] += 0.5
    z[x > 0.0] = y[x > 0.0] * 2.0
    return y, z


def buffers(x: np.ndarray, n: int) -> np.ndarray:
    u = x.copy()
    new = np.empty_like(u)
    for _ in range(n):
        new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        new[0] = u[0]
        new[-1] = u[-1]
        u, new = new, u
    return u


def through_transpose(x: np.ndarray) -> np.ndarray:
    base = np.zeros((4, 3))
    t = base.T
    t[1:3, :2] = x[:2, :2]
    t[0, 3] = x[0, 0] * x[1, 1]
    return base


def rows_of(x: np.ndarray) -> np.ndarray:
    out = np.zeros((3, x.shape[0]))
    out[:] = x
    out[0] = 2.0
    out[1, :] = x[::-1]
    return out


def scatter(x: np.ndarray, k: np.ndarray) -> np.ndarray:
    out = np.zeros(3)
    out[k] = x[:4]
    out[k] += 1.0
    return out


def fill(x: np.ndarray) -> np.ndarray:
    x.fill(3.0)
    x[1:3] = 0
    return x


def sorted_in_place(x: np.ndarray) -> np.ndarray:
    x.sort()
    return x * 2.0


def normalised(x: np.ndarray) -> np.ndarray:
    return x / np.sum(x * x, axis=1, keepdims=True)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def written_while_pending(x: np.ndarray) -> np.ndarray:
    def overwrite(a: np.ndarray) -> float:
        a[0] = 100.0
        return 1.0

    return np.exp(x) * 0.0 + x + overwrite(x)


@check_each(
    (in_place, (V,)),
    (views, (V,)),
    (masks, (V,)),
    (buffers, (V, 3)),
    (through_transpose, (M,)),
    (rows_of, (V,)),
    (scatter, (V, K)),
    (fill, (V,)),
    (sorted_in_place, (V,)),
    (normalised, (M,)),
    (softmax, (M,)),
    (written_while_pending, (V,)),
)
def test_programs(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)
