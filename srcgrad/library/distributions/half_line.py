"""Distributions of positive numbers: waiting times, squares and their quotients, sizes with heavy tails."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions.methods import Real, continuous


def chi_square(z: Real, df: Real) -> Real:
    h = 0.5 * df
    return special.xlogy(h - 1.0, z) - 0.5 * z - special.gammaln(h) - h * 0.6931471805599453 if z >= 0.0 else -np.inf


def fisher(z: Real, m: Real, n: Real) -> Real:
    if z < 0.0:
        return -np.inf
    h, k = 0.5 * m, 0.5 * n
    norm = h * np.log(m) + k * np.log(n) - special.betaln(h, k)
    return norm + special.xlogy(h - 1.0, z) - (h + k) * np.log(n + m * z)


def fisher_quantile(q: Real, m: Real, n: Real) -> Real:
    if q > 0.5:
        w = special.betaincinv(0.5 * n, 0.5 * m, 1.0 - q)
        return n * (1.0 - w) / (m * w)
    w = special.betaincinv(0.5 * m, 0.5 * n, q)
    return n * w / (m * (1.0 - w))


def inverse_gauss(z: Real, mu: Real) -> Real:
    if z <= 0.0:
        return -np.inf
    r = (z - mu) / mu
    return -0.9189385332046727 - 1.5 * np.log(z) - 0.5 * r * r / z


def below_inverse_gauss(z: Real, mu: Real) -> Real:
    if z <= 0.0:
        return 0.0
    root = np.sqrt(z)
    return special.ndtr((z / mu - 1.0) / root) + np.exp(2.0 / mu + special.log_ndtr(-(z / mu + 1.0) / root))


def above_inverse_gauss(z: Real, mu: Real) -> Real:
    if z <= 0.0:
        return 1.0
    root = np.sqrt(z)
    return special.ndtr((1.0 - z / mu) / root) - np.exp(2.0 / mu + special.log_ndtr(-(z / mu + 1.0) / root))


def log_above_pareto(z: Real, c: Real) -> Real:
    """Of the generalized one."""
    if z <= 0.0:
        return 0.0
    if c * z <= -1.0:
        return -np.inf
    return -z if c == 0.0 else -np.log1p(c * z) / c


def generalized_pareto(z: Real, c: Real) -> Real:
    if z < 0.0 or c * z <= -1.0:
        return -np.inf
    return -z if c == 0.0 else -(1.0 + 1.0 / c) * np.log1p(c * z)


def pareto_quantile(u: Real, c: Real) -> Real:
    """Where what lies above has the logarithm u."""
    return -u if c == 0.0 else np.expm1(-c * u) / c


continuous(
    stats.gamma,
    logpdf=lambda z, a: special.xlogy(a - 1.0, z) - z - special.gammaln(a) if z >= 0.0 else -np.inf,
    cdf=lambda z, a: special.gammainc(a, z) if z > 0.0 else 0.0,
    sf=lambda z, a: special.gammaincc(a, z) if z > 0.0 else 1.0,
    ppf=lambda q, a: special.gammaincinv(a, q),
)
continuous(
    stats.chi2,
    logpdf=chi_square,
    cdf=lambda z, df: special.gammainc(0.5 * df, 0.5 * z) if z > 0.0 else 0.0,
    sf=lambda z, df: special.gammaincc(0.5 * df, 0.5 * z) if z > 0.0 else 1.0,
    ppf=lambda q, df: 2.0 * special.gammaincinv(0.5 * df, q),
)
continuous(
    stats.expon,
    logpdf=lambda z: -z if z >= 0.0 else -np.inf,
    cdf=lambda z: -np.expm1(-z) if z > 0.0 else 0.0,
    sf=lambda z: np.exp(-z) if z > 0.0 else 1.0,
    logsf=lambda z: -z if z > 0.0 else 0.0,
    ppf=lambda q: -np.log1p(-q),
    isf=lambda q: -np.log(q),
)
continuous(
    stats.lognorm,
    logpdf=lambda z, s: -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - 0.9189385332046727 if z > 0.0 else -np.inf,
    cdf=lambda z, s: special.ndtr(np.log(z) / s) if z > 0.0 else 0.0,
    sf=lambda z, s: special.ndtr(-np.log(z) / s) if z > 0.0 else 1.0,
    logcdf=lambda z, s: special.log_ndtr(np.log(z) / s) if z > 0.0 else -np.inf,
    logsf=lambda z, s: special.log_ndtr(-np.log(z) / s) if z > 0.0 else 0.0,
    ppf=lambda q, s: np.exp(s * special.ndtri(q)),
    isf=lambda q, s: np.exp(-s * special.ndtri(q)),
)
continuous(
    stats.pareto,
    logpdf=lambda z, b: np.log(b) - (b + 1.0) * np.log(z) if z >= 1.0 else -np.inf,
    cdf=lambda z, b: -np.expm1(-b * np.log(z)) if z > 1.0 else 0.0,
    sf=lambda z, b: z ** (-b) if z > 1.0 else 1.0,
    logsf=lambda z, b: -b * np.log(z) if z > 1.0 else 0.0,
    ppf=lambda q, b: np.exp(-np.log1p(-q) / b),
    isf=lambda q, b: q ** (-1.0 / b),
)
continuous(
    stats.weibull_min,
    logpdf=lambda z, c: np.log(c) + special.xlogy(c - 1.0, z) - z**c if z >= 0.0 else -np.inf,
    cdf=lambda z, c: -np.expm1(-(z**c)) if z > 0.0 else 0.0,
    sf=lambda z, c: np.exp(-(z**c)) if z > 0.0 else 1.0,
    logsf=lambda z, c: -(z**c) if z > 0.0 else 0.0,
    ppf=lambda q, c: (-np.log1p(-q)) ** (1.0 / c),
    isf=lambda q, c: (-np.log(q)) ** (1.0 / c),
)
continuous(
    stats.rayleigh,
    logpdf=lambda z: np.log(z) - 0.5 * z * z if z >= 0.0 else -np.inf,
    cdf=lambda z: -np.expm1(-0.5 * z * z) if z > 0.0 else 0.0,
    sf=lambda z: np.exp(-0.5 * z * z) if z > 0.0 else 1.0,
    logsf=lambda z: -0.5 * z * z if z > 0.0 else 0.0,
    ppf=lambda q: np.sqrt(-2.0 * np.log1p(-q)),
    isf=lambda q: np.sqrt(-2.0 * np.log(q)),
)
continuous(
    stats.invgamma,
    logpdf=lambda z, a: -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z if z > 0.0 else -np.inf,
    cdf=lambda z, a: special.gammaincc(a, 1.0 / z) if z > 0.0 else 0.0,
    sf=lambda z, a: special.gammainc(a, 1.0 / z) if z > 0.0 else 1.0,
    isf=lambda q, a: 1.0 / special.gammaincinv(a, q),
)
continuous(
    stats.f,
    logpdf=fisher,
    cdf=lambda z, m, n: special.betainc(0.5 * m, 0.5 * n, m * z / (n + m * z)) if z > 0.0 else 0.0,
    sf=lambda z, m, n: special.betainc(0.5 * n, 0.5 * m, n / (n + m * z)) if z > 0.0 else 1.0,
    ppf=fisher_quantile,
    isf=lambda q, m, n: 1.0 / fisher_quantile(q, n, m),
)
continuous(
    stats.halfnorm,
    logpdf=lambda z: -0.2257913526447274 - 0.5 * z * z if z >= 0.0 else -np.inf,
    cdf=lambda z: special.erf(z * 0.7071067811865476) if z > 0.0 else 0.0,
    sf=lambda z: 2.0 * special.ndtr(-z) if z > 0.0 else 1.0,
    logsf=lambda z: 0.6931471805599453 + special.log_ndtr(-z) if z > 0.0 else 0.0,
    ppf=lambda q: special.ndtri(0.5 + 0.5 * q),
    isf=lambda q: -special.ndtri(0.5 * q),
)
continuous(
    stats.maxwell,
    logpdf=lambda z: -0.2257913526447274 + 2.0 * np.log(z) - 0.5 * z * z if z >= 0.0 else -np.inf,
    cdf=lambda z: special.gammainc(1.5, 0.5 * z * z) if z > 0.0 else 0.0,
    sf=lambda z: special.gammaincc(1.5, 0.5 * z * z) if z > 0.0 else 1.0,
    ppf=lambda q: np.sqrt(2.0 * special.gammaincinv(1.5, q)),
)
continuous(stats.invgauss, logpdf=inverse_gauss, cdf=below_inverse_gauss, sf=above_inverse_gauss)
continuous(
    stats.genpareto,
    logpdf=generalized_pareto,
    cdf=lambda z, c: -np.expm1(log_above_pareto(z, c)),
    sf=lambda z, c: np.exp(log_above_pareto(z, c)),
    logsf=log_above_pareto,
    ppf=lambda q, c: pareto_quantile(np.log1p(-q), c),
    isf=lambda q, c: pareto_quantile(np.log(q), c),
    valid=lambda scale, c: scale > 0.0 and np.isfinite(c),
)
