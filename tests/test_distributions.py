"""scipy.stats: every method of every distribution in the tails and out of its range, beside SciPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import srcgrad

Array = NDArray[np.float64]

# Each with its shapes. Far points lie on both sides of all supports.
CONTINUOUS: dict[str, tuple[float, ...]] = {
    "norm": (),
    "t": (3.5,),
    "laplace": (),
    "logistic": (),
    "cauchy": (),
    "gumbel_r": (),
    "gumbel_l": (),
    "genextreme": (0.2,),
    "skewnorm": (1.5,),
    "gamma": (2.5,),
    "chi2": (3.5,),
    "expon": (),
    "lognorm": (0.7,),
    "pareto": (2.5,),
    "weibull_min": (1.5,),
    "rayleigh": (),
    "invgamma": (2.5,),
    "f": (2.5, 3.5),
    "halfnorm": (),
    "maxwell": (),
    "invgauss": (0.7,),
    "genpareto": (0.2,),
    "beta": (2.0, 3.5),
    "uniform": (),
    "truncnorm": (-1.0, 2.0),
    "triang": (0.4,),
}
DISCRETE: dict[str, tuple[float, ...]] = {
    "poisson": (2.5,),
    "binom": (5, 0.3),
    "nbinom": (2.5, 0.3),
    "bernoulli": (0.3,),
    "geom": (0.3,),
}
WITHOUT_QUANTILES = {"skewnorm", "invgauss", "invgamma"}
BY_PPF = {"gamma", "chi2", "maxwell", "uniform"}  # isf(q) is ppf(1 - q), which has the digits of 1 - q
POINTS = np.array([-1e3, -30.0, -8.0, -1.0, 0.0, 0.3, 0.97, 1.0, 1.5, 2.0, 6.0, 12.0, 37.0, 300.0])
PROBABILITIES = np.array([-0.5, 0.0, 1e-200, 1e-30, 1e-8, 0.3, 0.5, 0.9, 1.0 - 1e-9, 1.0, 1.5, np.nan])


def ours(method: Any, shapes: tuple[float, ...]) -> Callable[[Array], Array]:
    def applied(x: Array) -> Array:
        return method(x, *shapes)  # type: ignore[no-any-return]

    return srcgrad.jit(applied, jit=False)


def theirs(method: Any, x: Array, shapes: tuple[float, ...]) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return method(x, *shapes)  # type: ignore[no-any-return]


@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_tails(name: str, method: str) -> None:
    shapes = CONTINUOUS[name]
    of_scipy = getattr(getattr(stats, name), method)
    want, got = theirs(of_scipy, POINTS, shapes), ours(of_scipy, shapes)(POINTS)
    if method.startswith("log") and name in ("laplace", "halfnorm"):  # SciPy takes the logarithm of 0
        want, got = want[np.isfinite(want)], got[np.isfinite(want)]
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("method", ["ppf", "isf"])
@pytest.mark.parametrize("name", [n for n in CONTINUOUS if n not in WITHOUT_QUANTILES])
def test_quantiles(name: str, method: str) -> None:
    shapes = CONTINUOUS[name]
    of_scipy = getattr(getattr(stats, name), method)
    q = PROBABILITIES[4:] if name in BY_PPF and method == "isf" else PROBABILITIES
    want, got = theirs(of_scipy, q, shapes), ours(of_scipy, shapes)(q)
    if name in ("t", "f", "beta"):  # whose far quantiles SciPy may miss, but not what lies beyond them
        beyond = theirs(getattr(stats, name).cdf if method == "ppf" else getattr(stats, name).sf, got, shapes)
        right = np.isclose(beyond, q, rtol=1e-8, atol=1e-190)
        want, got = want[~right], got[~right]
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_slopes_are_densities(name: str) -> None:
    """Those of what lies below and above, far out as well, where a difference of 1 and cdf would be 0."""
    shapes, distribution = CONTINUOUS[name], getattr(stats, name)
    density = theirs(distribution.pdf, POINTS, shapes)
    smooth = np.isfinite(density) & ~np.isin(POINTS, [0.0, 1.0, 2.0, -1.0])  # there may be an end of the support
    for method, sign in ((distribution.cdf, 1.0), (distribution.sf, -1.0)):
        slope = srcgrad.grad(lambda x, f=method: np.sum(f(x, *shapes)), jit=False)(POINTS)
        np.testing.assert_allclose(slope[smooth], sign * density[smooth], rtol=1e-8, atol=1e-290)


@pytest.mark.parametrize("name", [n for n in CONTINUOUS if n != "uniform"])
def test_what_is_no_shape_or_scale(name: str) -> None:
    """NaN, as SciPy gives it."""
    shapes, distribution = CONTINUOUS[name], getattr(stats, name)
    x = np.array([0.3, 0.7])
    for changed in ({"scale": -1.0}, {"scale": 0.0}):
        got = srcgrad.jit(lambda x, c=changed: distribution.cdf(x, *shapes, **c), jit=False)(x)  # type: ignore[misc]
        assert np.isnan(got).all()
    for k in range(len(shapes)):
        wrong = (*shapes[:k], -7.0, *shapes[k + 1 :])
        want = theirs(distribution.sf, x, wrong)
        np.testing.assert_allclose(ours(distribution.sf, wrong)(x), want, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("method", ["pmf", "logpmf", "cdf", "sf"])
@pytest.mark.parametrize("name", DISCRETE)
def test_counts(name: str, method: str) -> None:
    shapes = DISCRETE[name]
    of_scipy = getattr(getattr(stats, name), method)
    k = np.array([-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0, 5.0, 6.0, 60.0])
    np.testing.assert_allclose(ours(of_scipy, shapes)(k), theirs(of_scipy, k, shapes), rtol=1e-9, atol=1e-300)
    wrong = (*shapes[:-1], -0.2)
    np.testing.assert_array_equal(ours(of_scipy, wrong)(k), theirs(of_scipy, k, wrong))


def test_frozen_and_compiled() -> None:
    def upper(x: float, mu: float) -> float:
        tail = stats.norm(mu, 2.0).logsf(x) + stats.t(4.0, loc=mu).sf(x)
        return tail  # type: ignore[no-any-return]

    value, (dx, dmu) = srcgrad.value_and_grad(upper, argnums=(0, 1))(40.0, 1.0)
    assert value == pytest.approx(stats.norm.logsf(40.0, 1.0, 2.0) + stats.t.sf(39.0, 4.0), rel=1e-13)
    hazard = np.exp(stats.norm.logpdf(40.0, 1.0, 2.0) - stats.norm.logsf(40.0, 1.0, 2.0))
    assert dx == pytest.approx(-hazard - stats.t.pdf(39.0, 4.0), rel=1e-12)
    assert dmu == pytest.approx(-dx, rel=1e-15)
