"""Distributions of whole numbers: counts, and tries until one succeeds."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions.methods import Real, discrete


def is_count(k: Real) -> bool:
    return k >= 0.0 and k == np.floor(k)  # type: ignore[return-value]  # of numbers


def binomial(k: Real, n: Real, p: Real) -> Real:
    if not is_count(k) or k > n:
        return -np.inf
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)


def at_most(k: Real, n: Real, p: Real) -> Real:
    """Of n tries that succeed with probability p, k do or fewer."""
    j = np.floor(k)
    return 0.0 if j < 0.0 else 1.0 if j >= n else special.betainc(n - j, j + 1.0, 1.0 - p)


def more_than(k: Real, n: Real, p: Real) -> Real:
    j = np.floor(k)
    return 1.0 if j < 0.0 else 0.0 if j >= n else special.betainc(j + 1.0, n - j, p)


def failures(k: Real, n: Real, p: Real) -> Real:
    if not is_count(k):
        return -np.inf
    ways = special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)
    return ways + n * np.log(p) + special.xlog1py(k, -p)


discrete(
    stats.poisson,
    logpmf=lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu if is_count(k) else -np.inf,
    cdf=lambda k, mu: special.gammaincc(np.floor(k) + 1.0, mu) if k >= 0.0 else 0.0,
    sf=lambda k, mu: special.gammainc(np.floor(k) + 1.0, mu) if k >= 0.0 else 1.0,
    valid=lambda one, mu: mu >= 0.0,
)
discrete(
    stats.binom,
    logpmf=binomial,
    cdf=at_most,
    sf=more_than,
    valid=lambda one, n, p: n >= 0.0 and n == np.floor(n) and p >= 0.0 and p <= 1.0,
)
discrete(
    stats.nbinom,
    logpmf=failures,
    cdf=lambda k, n, p: special.betainc(n, np.floor(k) + 1.0, p) if k >= 0.0 else 0.0,
    sf=lambda k, n, p: special.betainc(np.floor(k) + 1.0, n, 1.0 - p) if k >= 0.0 else 1.0,
    valid=lambda one, n, p: n > 0.0 and p > 0.0 and p <= 1.0,
)
discrete(
    stats.bernoulli,
    logpmf=lambda k, p: np.log(p) if k == 1.0 else np.log1p(-p) if k == 0.0 else -np.inf,
    cdf=lambda k, p: 0.0 if k < 0.0 else 1.0 if k >= 1.0 else 1.0 - p,
    sf=lambda k, p: 1.0 if k < 0.0 else 0.0 if k >= 1.0 else p,
    valid=lambda one, p: p >= 0.0 and p <= 1.0,
)
discrete(
    stats.geom,
    logpmf=lambda k, p: special.xlog1py(k - 1.0, -p) + np.log(p) if is_count(k) and k >= 1.0 else -np.inf,
    cdf=lambda k, p: -np.expm1(np.floor(k) * np.log1p(-p)) if k >= 1.0 else 0.0,
    sf=lambda k, p: np.exp(np.floor(k) * np.log1p(-p)) if k >= 1.0 else 1.0,
    valid=lambda one, p: p > 0.0 and p <= 1.0,
)
