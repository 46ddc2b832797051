"""scipy.interpolate, scipy.integrate's integrals of functions, samples and frozen distributions, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm
from scipy import integrate, interpolate, stats

from srcgrad import Error, grad, jit

RNG = np.random.default_rng(3)
X = np.array([0.0, 0.7, 1.9, 2.6, 4.1, 5.0])
Y = RNG.normal(size=6)
Q = np.array([-0.2, 0.3, 2.5, 3.3, 4.9, 5.4])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.2, 3.0, 3.0, 3.0, 3.0])


def not_a_knot(x, y, q):
    return interpolate.CubicSpline(x, y)(q)


def natural(x, y, q):
    spline = interpolate.CubicSpline(x, y, bc_type="natural")
    return spline(q) + spline(q, 1) * 0.3 + spline(q, 2) * 0.1


def clamped(x, y, q):
    return interpolate.CubicSpline(x, y, bc_type="clamped")(q)


def monotone(x, y, q):
    return interpolate.PchipInterpolator(x, y)(q)


def extrapolated(x, y, q):
    return interpolate.interp1d(x, y, fill_value="extrapolate")(q)


def filled(x, y, q):
    return interpolate.interp1d(x, y, bounds_error=False, fill_value=(1.5, 2.5))(q)


def with_cubes(x, y, q):
    return interpolate.interp1d(x, y, kind="cubic", fill_value="extrapolate")(q)


@pytest.mark.parametrize("f", [not_a_knot, natural, clamped, monotone, extrapolated, filled, with_cubes])
def test_through_points(f):
    confirm(f, X, Y, Q, order=1)
    confirm(f, X, Y, 3.3)


def by_coefficients(c, q):
    return interpolate.splev(q, (KNOTS, c, 3)) + 0.5 * interpolate.splev(q, (KNOTS, c, 3), der=1)


def as_an_object(c, q):
    spline = interpolate.BSpline(KNOTS, c, 3)
    return spline(q) * spline(q, 2)


@pytest.mark.parametrize("f", [by_coefficients, as_an_object])
def test_by_coefficients(f):
    confirm(f, Y, np.array([0.1, 1.7, 2.1, 2.9, 3.4]), order=1)
    confirm(f, Y, 1.7)


def gauss(a, b):
    return integrate.quad(lambda t: np.exp(-a * t * t) * np.cos(b * t), 0.0, b)[0]


def with_arguments(a, b):
    return integrate.quad(lambda t, p, q: p * t**q, 0.1, 2.0, args=(a, b))[0]


def to_infinity(a, b):
    return integrate.quad(lambda t: np.exp(-a * t) / (1.0 + b * t * t), 0.0, np.inf)[0]


def from_everywhere(a, b):
    return integrate.quad(lambda t: np.exp(-a * t * t + b * t), -np.inf, np.inf)[0]


def fixed(a, b):
    return integrate.fixed_quad(lambda t: np.exp(-a * t * t), 0.0, b, n=6)[0]


@pytest.mark.parametrize("f", [gauss, with_arguments, to_infinity, from_everywhere, fixed])
def test_integrals(f):
    assert jit(f, jit=False)(1.3, 0.7) == pytest.approx(f(1.3, 0.7), rel=1e-11)
    h = 1e-4
    for k, slope in enumerate(grad(f, argnums=(0, 1), jit=False)(1.3, 0.7)):
        step = np.eye(2)[k] * h
        difference = (f(1.3 + step[0], 0.7 + step[1]) - f(1.3 - step[0], 0.7 - step[1])) / (2.0 * h)
        assert slope == pytest.approx(difference, rel=1e-6)


def test_integral_jitted():
    assert grad(gauss)(1.3, 0.7) == pytest.approx(grad(gauss, jit=False)(1.3, 0.7), rel=1e-13)


SAMPLES = [
    lambda a, b: stats.skew(a) + stats.skew(a, bias=False),
    lambda a, b: stats.kurtosis(a) + stats.kurtosis(a, fisher=False, bias=False),
    lambda a, b: np.sum(stats.zscore(a, ddof=1) * b),
    lambda a, b: stats.gmean(a) + stats.hmean(a) + stats.sem(a) + stats.variation(a) + stats.moment(a, 3),
    lambda a, b: stats.entropy(a) + stats.entropy(a, b) + stats.entropy(a, base=2),
    lambda a, b: stats.pearsonr(a, b)[0] + stats.pearsonr(a, b).statistic,
    lambda a, b: stats.linregress(a, b).slope + stats.linregress(a, b)[1] + stats.linregress(a, b).stderr,
]


@pytest.mark.parametrize("f", SAMPLES)
def test_samples(f):
    confirm(f, np.array([0.3, 0.8, 1.7, 4.2, 2.2]), np.array([0.4, 1.1, 0.9, 2.6, 1.3]))


def vector(x, mean, root):
    cov = root @ root.T + np.eye(2)
    one = stats.multivariate_normal.logpdf(x, mean, cov)
    return one + stats.multivariate_normal(mean, cov).pdf(x)


def test_vectors():
    root = np.array([[0.5, 0.2], [-0.3, 0.8]])
    confirm(vector, np.array([0.3, -0.4]), np.array([0.1, 0.2]), root)
    confirm(vector, RNG.normal(size=(3, 2)), np.array([0.1, 0.2]), root, order=1)


FROZEN = [
    lambda x, s: stats.norm(0.3, s).logpdf(x) + stats.norm(loc=x, scale=s).cdf(0.2),
    lambda x, s: stats.gamma(2.0, scale=s).logpdf(x) + stats.gamma(a=2.0).sf(x),
    lambda x, s: stats.t(df=3.5, scale=s).pdf(x) + stats.t(3.5).ppf(0.3 + 0.1 * x),
    lambda x, s: stats.poisson(s).logpmf(3) * x,
]


@pytest.mark.parametrize("f", FROZEN)
def test_frozen(f):
    confirm(f, 0.7, 1.3)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: interpolate.CubicSpline(X, Y, bc_type="periodic")(x), "these ends of a CubicSpline"),
        (lambda x: interpolate.interp1d(X, Y, kind="quadratic")(x), "interp1d of this kind"),
        (lambda x: stats.levy.pdf(x), "levy|rv_continuous"),
    ],
)
def test_refused(f, message):
    with pytest.raises(Error, match=message):
        grad(f, jit=False)(1.0)


def test_outside_the_points():
    with pytest.raises(ValueError, match="outside the interpolation range"):
        jit(lambda x: interpolate.interp1d(X, Y)(x), jit=False)(7.0)
