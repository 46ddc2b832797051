"""Distributions on the whole line: the normal one and its relatives, and those of extremes."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions.methods import Real, continuous
from srcgrad.primitives.special_integrals import owen_beyond


def student(z: Real, df: Real) -> Real:
    norm = special.gammaln(0.5 * df + 0.5) - special.gammaln(0.5 * df) - 0.5 * np.log(df * np.pi)
    return norm - (0.5 * df + 0.5) * np.log1p(z * z / df)


def logistic(z: Real) -> Real:
    y = -abs(z)  # type: ignore[operator]  # of numbers
    return y - 2.0 * np.log1p(np.exp(y))


def cauchy_quantile(q: Real) -> Real:
    if q > 0.75:
        return 1.0 / np.tan(np.pi * (1.0 - q))
    return -1.0 / np.tan(np.pi * q) if q < 0.25 else np.tan(np.pi * (q - 0.5))


def extreme(z: Real, c: Real) -> Real:
    if c == 0.0:
        return -z - np.exp(-z)
    if c * z >= 1.0:
        return -np.inf
    u = np.log1p(-c * z)
    return u / c - np.exp(u / c) - u


def log_below_extreme(z: Real, c: Real) -> Real:
    if c == 0.0:
        return -np.exp(-z)
    if c * z >= 1.0:
        return 0.0 if c > 0.0 else -np.inf
    return -np.exp(np.log1p(-c * z) / c)


def extreme_quantile(u: Real, c: Real) -> Real:
    """Of what has the logarithm -exp(u)."""
    return -u if c == 0.0 else -np.expm1(c * u) / c


def below_skewed(z: float, a: float) -> float:
    """Of the skewed normal one; around its short tail not as a difference."""
    if z < 0.0 and a > 0.0:
        return 2.0 * owen_beyond(-z, a)
    if z > 0.0 and a < 0.0:
        return 1.0 - 2.0 * owen_beyond(z, -a)
    return special.ndtr(z) - 2.0 * special.owens_t(z, a)


continuous(
    stats.norm,
    logpdf=lambda z: -0.5 * z * z - 0.9189385332046727,
    cdf=special.ndtr,
    logcdf=special.log_ndtr,
    ppf=special.ndtri,
    symmetric=True,
)
continuous(
    stats.t,
    logpdf=student,
    cdf=lambda z, df: special.stdtr(df, z),
    ppf=lambda q, df: special.stdtrit(df, q),
    symmetric=True,
)
continuous(
    stats.laplace,
    logpdf=lambda z: -0.6931471805599453 - abs(z),
    cdf=lambda z: 1.0 - 0.5 * np.exp(-z) if z > 0.0 else 0.5 * np.exp(z),
    logcdf=lambda z: np.log1p(-0.5 * np.exp(-z)) if z > 0.0 else z - 0.6931471805599453,
    ppf=lambda q: -np.log(2.0 * (1.0 - q)) if q > 0.5 else np.log(2.0 * q),
    symmetric=True,
)
continuous(
    stats.logistic, logpdf=logistic, cdf=special.expit, logcdf=special.log_expit, ppf=special.logit, symmetric=True
)
continuous(
    stats.cauchy,
    logpdf=lambda z: -1.1447298858494002 - np.log1p(z * z),
    cdf=lambda z: np.arctan2(1.0, -z) / np.pi,
    ppf=cauchy_quantile,
    symmetric=True,
)
continuous(
    stats.gumbel_r,
    logpdf=lambda z: -z - np.exp(-z),
    cdf=lambda z: np.exp(-np.exp(-z)),
    sf=lambda z: -np.expm1(-np.exp(-z)),
    logcdf=lambda z: -np.exp(-z),
    ppf=lambda q: -np.log(-np.log(q)),
    isf=lambda q: -np.log(-np.log1p(-q)),
)
continuous(
    stats.gumbel_l,
    logpdf=lambda z: z - np.exp(z),
    cdf=lambda z: -np.expm1(-np.exp(z)),
    sf=lambda z: np.exp(-np.exp(z)),
    logsf=lambda z: -np.exp(z),
    ppf=lambda q: np.log(-np.log1p(-q)),
    isf=lambda q: np.log(-np.log(q)),
)
continuous(
    stats.genextreme,
    logpdf=extreme,
    cdf=lambda z, c: np.exp(log_below_extreme(z, c)),
    sf=lambda z, c: -np.expm1(log_below_extreme(z, c)),
    logcdf=log_below_extreme,
    ppf=lambda q, c: extreme_quantile(np.log(-np.log(q)), c),
    isf=lambda q, c: extreme_quantile(np.log(-np.log1p(-q)), c),
    valid=lambda scale, c: scale > 0.0 and np.isfinite(c),
)
continuous(
    stats.skewnorm,
    logpdf=lambda z, a: -0.2257913526447274 - 0.5 * z * z + special.log_ndtr(a * z),
    cdf=below_skewed,
    sf=lambda z, a: below_skewed(-z, -a),
    valid=lambda scale, a: scale > 0.0 and np.isfinite(a),
)
continuous(
    stats.vonmises,
    logpdf=lambda z, kappa: kappa * (np.cos(z) - 1.0) - 1.8378770664093453 - np.log(special.i0e(kappa)),
    valid=lambda scale, kappa: scale > 0.0 and kappa >= 0.0,
)
