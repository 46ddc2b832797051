"""``scipy.stats``: continuous distributions, by the logarithm of the density, what lies below, and the quantiles."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions import Real, continuous


def t_log(z: Real, df: Real) -> Real:
    norm = special.gammaln(0.5 * df + 0.5) - special.gammaln(0.5 * df) - 0.5 * np.log(df * np.pi)
    return norm - (0.5 * df + 0.5) * np.log1p(z * z / df)


def t_below(z: Real, df: Real) -> Real:
    return special.stdtr(df, z)


def t_quantile(q: Real, df: Real) -> Real:
    return special.stdtrit(df, q)


def gamma_log(z: Real, a: Real) -> Real:
    return special.xlogy(a - 1.0, z) - z - special.gammaln(a) if z >= 0.0 else -np.inf


def gamma_below(z: Real, a: Real) -> Real:
    return special.gammainc(a, z) if z > 0.0 else 0.0


def gamma_quantile(q: Real, a: Real) -> Real:
    return special.gammaincinv(a, q)


def beta_log(z: Real, a: Real, b: Real) -> Real:
    if z < 0.0 or z > 1.0:
        return -np.inf
    return special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b)


def beta_below(z: Real, a: Real, b: Real) -> Real:
    return 0.0 if z <= 0.0 else 1.0 if z >= 1.0 else special.betainc(a, b, z)


def beta_quantile(q: Real, a: Real, b: Real) -> Real:
    return special.betaincinv(a, b, q)


def chi2_log(z: Real, df: Real) -> Real:
    h = 0.5 * df
    return special.xlogy(h - 1.0, z) - 0.5 * z - special.gammaln(h) - h * 0.6931471805599453 if z >= 0.0 else -np.inf


def chi2_below(z: Real, df: Real) -> Real:
    return special.gammainc(0.5 * df, 0.5 * z) if z > 0.0 else 0.0


def chi2_quantile(q: Real, df: Real) -> Real:
    return 2.0 * special.gammaincinv(0.5 * df, q)


def expon_log(z: Real) -> Real:
    return -z if z >= 0.0 else -np.inf


def expon_below(z: Real) -> Real:
    return -np.expm1(-z) if z > 0.0 else 0.0


def expon_quantile(q: Real) -> Real:
    return -np.log1p(-q)


def lognorm_log(z: Real, s: Real) -> Real:
    return -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - 0.9189385332046727 if z > 0.0 else -np.inf


def lognorm_below(z: Real, s: Real) -> Real:
    return special.ndtr(np.log(z) / s) if z > 0.0 else 0.0


def lognorm_quantile(q: Real, s: Real) -> Real:
    return np.exp(s * special.ndtri(q))


def uniform_log(z: Real) -> Real:
    return 0.0 * z if 0.0 <= z <= 1.0 else -np.inf


def uniform_below(z: Real) -> Real:
    return 0.0 if z <= 0.0 else 1.0 if z >= 1.0 else z


def uniform_quantile(q: Real) -> Real:
    return q if 0.0 <= q <= 1.0 else np.nan


def laplace_log(z: Real) -> Real:
    return -0.6931471805599453 - abs(z)  # type: ignore[operator]  # of numbers


def laplace_below(z: Real) -> Real:
    return 1.0 - 0.5 * np.exp(-z) if z > 0.0 else 0.5 * np.exp(z)


def laplace_quantile(q: Real) -> Real:
    return -np.log(2.0 * (1.0 - q)) if q > 0.5 else np.log(2.0 * q)


def logistic_log(z: Real) -> Real:
    y = -abs(z)  # type: ignore[operator]  # of numbers
    return y - 2.0 * np.log1p(np.exp(y))


def logistic_below(z: Real) -> Real:
    return special.expit(z)


def logistic_quantile(q: Real) -> Real:
    return special.logit(q)


def cauchy_log(z: Real) -> Real:
    return -1.1447298858494002 - np.log1p(z * z)


def cauchy_below(z: Real) -> Real:
    return 0.5 + np.arctan(z) / np.pi


def cauchy_quantile(q: Real) -> Real:
    return np.tan(np.pi * q - 0.5 * np.pi)


def pareto_log(z: Real, b: Real) -> Real:
    return np.log(b) - (b + 1.0) * np.log(z) if z >= 1.0 else -np.inf


def pareto_below(z: Real, b: Real) -> Real:
    return 1.0 - z ** (-b) if z > 1.0 else 0.0


def pareto_quantile(q: Real, b: Real) -> Real:
    return (1.0 - q) ** (-1.0 / b)


def weibull_log(z: Real, c: Real) -> Real:
    return np.log(c) + special.xlogy(c - 1.0, z) - z**c if z >= 0.0 else -np.inf


def weibull_below(z: Real, c: Real) -> Real:
    return -np.expm1(-(z**c)) if z > 0.0 else 0.0


def weibull_quantile(q: Real, c: Real) -> Real:
    return (-np.log1p(-q)) ** (1.0 / c)


def rayleigh_log(z: Real) -> Real:
    return np.log(z) - 0.5 * z * z if z >= 0.0 else -np.inf


def rayleigh_below(z: Real) -> Real:
    return -np.expm1(-0.5 * z * z) if z > 0.0 else 0.0


def rayleigh_quantile(q: Real) -> Real:
    return np.sqrt(-2.0 * np.log1p(-q))


def gumbel_r_log(z: Real) -> Real:
    return -z - np.exp(-z)


def gumbel_r_below(z: Real) -> Real:
    return np.exp(-np.exp(-z))


def gumbel_r_quantile(q: Real) -> Real:
    return -np.log(-np.log(q))


def gumbel_l_log(z: Real) -> Real:
    return z - np.exp(z)


def gumbel_l_below(z: Real) -> Real:
    return -np.expm1(-np.exp(z))


def gumbel_l_quantile(q: Real) -> Real:
    return np.log(-np.log1p(-q))


def invgamma_log(z: Real, a: Real) -> Real:
    return -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z if z > 0.0 else -np.inf


def invgamma_below(z: Real, a: Real) -> Real:
    return special.gammaincc(a, 1.0 / z) if z > 0.0 else 0.0


def f_log(z: Real, m: Real, n: Real) -> Real:
    if z < 0.0:
        return -np.inf
    h, k = 0.5 * m, 0.5 * n
    norm = h * np.log(m) + k * np.log(n) - special.betaln(h, k)
    return norm + special.xlogy(h - 1.0, z) - (h + k) * np.log(n + m * z)


def f_below(z: Real, m: Real, n: Real) -> Real:
    return special.betainc(0.5 * m, 0.5 * n, m * z / (n + m * z)) if z > 0.0 else 0.0


def f_quantile(q: Real, m: Real, n: Real) -> Real:
    w = special.betaincinv(0.5 * m, 0.5 * n, q)
    return n * w / (m * (1.0 - w))


def halfnorm_log(z: Real) -> Real:
    return -0.2257913526447274 - 0.5 * z * z if z >= 0.0 else -np.inf


def halfnorm_below(z: Real) -> Real:
    return special.erf(z * 0.7071067811865476) if z > 0.0 else 0.0


def halfnorm_quantile(q: Real) -> Real:
    return special.ndtri(0.5 + 0.5 * q)


def maxwell_log(z: Real) -> Real:
    return -0.2257913526447274 + 2.0 * np.log(z) - 0.5 * z * z if z >= 0.0 else -np.inf


def maxwell_below(z: Real) -> Real:
    return special.gammainc(1.5, 0.5 * z * z) if z > 0.0 else 0.0


def maxwell_quantile(q: Real) -> Real:
    return np.sqrt(2.0 * special.gammaincinv(1.5, q))


def invgauss_log(z: Real, mu: Real) -> Real:
    if z <= 0.0:
        return -np.inf
    r = (z - mu) / mu
    return -0.9189385332046727 - 1.5 * np.log(z) - 0.5 * r * r / z


def invgauss_below(z: Real, mu: Real) -> Real:
    if z <= 0.0:
        return 0.0
    root = np.sqrt(z)
    below_it = special.ndtr((z / mu - 1.0) / root)
    return below_it + np.exp(2.0 / mu + special.log_ndtr(-(z / mu + 1.0) / root))


def genextreme_log(z: Real, c: Real) -> Real:
    if c == 0.0:
        return -z - np.exp(-z)
    if c * z >= 1.0:
        return -np.inf
    u = np.log1p(-c * z)
    return u / c - np.exp(u / c) - u


def genextreme_below(z: Real, c: Real) -> Real:
    if c == 0.0:
        return np.exp(-np.exp(-z))
    if c * z >= 1.0:
        return 1.0 if c > 0.0 else 0.0
    return np.exp(-np.exp(np.log1p(-c * z) / c))


def genextreme_quantile(q: Real, c: Real) -> Real:
    u = np.log(-np.log(q))
    return -u if c == 0.0 else -np.expm1(c * u) / c


def genpareto_log(z: Real, c: Real) -> Real:
    if z < 0.0 or c * z <= -1.0:
        return -np.inf
    return -z if c == 0.0 else -(1.0 + 1.0 / c) * np.log1p(c * z)


def genpareto_below(z: Real, c: Real) -> Real:
    if z <= 0.0:
        return 0.0
    if c * z <= -1.0:
        return 1.0
    return -np.expm1(-z) if c == 0.0 else -np.expm1(-np.log1p(c * z) / c)


def genpareto_quantile(q: Real, c: Real) -> Real:
    u = np.log1p(-q)
    return -u if c == 0.0 else np.expm1(-c * u) / c


def truncnorm_mass(a: Real, b: Real) -> Real:
    """Of the normal distribution between two points; in the upper tail by symmetry, where differences are exact."""
    return special.ndtr(-a) - special.ndtr(-b) if a > 0.0 else special.ndtr(b) - special.ndtr(a)


def truncnorm_log(z: Real, a: Real, b: Real) -> Real:
    return -0.9189385332046727 - 0.5 * z * z - np.log(truncnorm_mass(a, b)) if a <= z <= b else -np.inf


def truncnorm_below(z: Real, a: Real, b: Real) -> Real:
    return 0.0 if z <= a else 1.0 if z >= b else truncnorm_mass(a, z) / truncnorm_mass(a, b)


def truncnorm_quantile(q: Real, a: Real, b: Real) -> Real:
    if a > 0.0:
        return -special.ndtri(special.ndtr(-a) - q * truncnorm_mass(a, b))
    return special.ndtri(special.ndtr(a) + q * truncnorm_mass(a, b))


def triang_log(z: Real, c: Real) -> Real:
    if z < 0.0 or z > 1.0:
        return -np.inf
    return np.log(2.0 * z / c) if z < c else np.log(2.0 * (1.0 - z) / (1.0 - c))


def triang_below(z: Real, c: Real) -> Real:
    if z <= 0.0 or z >= 1.0:
        return 0.0 if z <= 0.0 else 1.0
    return z * z / c if z < c else 1.0 - (1.0 - z) ** 2 / (1.0 - c)


def triang_quantile(q: Real, c: Real) -> Real:
    return np.sqrt(c * q) if q < c else 1.0 - np.sqrt((1.0 - c) * (1.0 - q))


def skewnorm_log(z: Real, a: Real) -> Real:
    return -0.2257913526447274 - 0.5 * z * z + special.log_ndtr(a * z)


def skewnorm_below(z: Real, a: Real) -> Real:
    return special.ndtr(z) - 2.0 * special.owens_t(z, a)


def vonmises_log(z: Real, kappa: Real) -> Real:
    return kappa * (np.cos(z) - 1.0) - 1.8378770664093453 - np.log(special.i0e(kappa))


continuous(stats.t, t_log, t_below, t_quantile)
continuous(stats.gamma, gamma_log, gamma_below, gamma_quantile)
continuous(stats.beta, beta_log, beta_below, beta_quantile)
continuous(stats.chi2, chi2_log, chi2_below, chi2_quantile)
continuous(stats.expon, expon_log, expon_below, expon_quantile)
continuous(stats.lognorm, lognorm_log, lognorm_below, lognorm_quantile)
continuous(stats.uniform, uniform_log, uniform_below, uniform_quantile)
continuous(stats.laplace, laplace_log, laplace_below, laplace_quantile)
continuous(stats.logistic, logistic_log, logistic_below, logistic_quantile)
continuous(stats.cauchy, cauchy_log, cauchy_below, cauchy_quantile)
continuous(stats.pareto, pareto_log, pareto_below, pareto_quantile)
continuous(stats.weibull_min, weibull_log, weibull_below, weibull_quantile)
continuous(stats.rayleigh, rayleigh_log, rayleigh_below, rayleigh_quantile)
continuous(stats.gumbel_r, gumbel_r_log, gumbel_r_below, gumbel_r_quantile)
continuous(stats.gumbel_l, gumbel_l_log, gumbel_l_below, gumbel_l_quantile)
continuous(stats.invgamma, invgamma_log, invgamma_below)
continuous(stats.f, f_log, f_below, f_quantile)
continuous(stats.halfnorm, halfnorm_log, halfnorm_below, halfnorm_quantile)
continuous(stats.maxwell, maxwell_log, maxwell_below, maxwell_quantile)
continuous(stats.invgauss, invgauss_log, invgauss_below)
continuous(stats.genextreme, genextreme_log, genextreme_below, genextreme_quantile)
continuous(stats.genpareto, genpareto_log, genpareto_below, genpareto_quantile)
continuous(stats.truncnorm, truncnorm_log, truncnorm_below, truncnorm_quantile)
continuous(stats.triang, triang_log, triang_below, triang_quantile)
continuous(stats.skewnorm, skewnorm_log, skewnorm_below)
continuous(stats.vonmises, vonmises_log)
