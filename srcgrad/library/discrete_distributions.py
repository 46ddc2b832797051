"""``scipy.stats``: distributions of whole numbers, by the logarithm of the probability, and what lies below."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions import Real, discrete


def is_count(k: Real) -> bool:
    return k >= 0.0 and k == np.floor(k)  # type: ignore[return-value]  # of numbers


def poisson_log(k: Real, mu: Real) -> Real:
    return special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu if is_count(k) else -np.inf


def poisson_below(k: Real, mu: Real) -> Real:
    return special.gammaincc(np.floor(k) + 1.0, mu) if k >= 0.0 else 0.0


def binom_log(k: Real, n: Real, p: Real) -> Real:
    if not is_count(k) or k > n:
        return -np.inf
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)


def binom_below(k: Real, n: Real, p: Real) -> Real:
    j = np.floor(k)
    return 0.0 if j < 0.0 else 1.0 if j >= n else special.betainc(n - j, j + 1.0, 1.0 - p)


def nbinom_log(k: Real, n: Real, p: Real) -> Real:
    ways = special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)
    return ways + n * np.log(p) + special.xlog1py(k, -p) if is_count(k) else -np.inf


def bernoulli_log(k: Real, p: Real) -> Real:
    return np.log(p) if k == 1.0 else np.log1p(-p) if k == 0.0 else -np.inf


def geom_log(k: Real, p: Real) -> Real:
    return special.xlog1py(k - 1.0, -p) + np.log(p) if is_count(k) and k >= 1.0 else -np.inf


discrete(stats.poisson, poisson_log, poisson_below)
discrete(stats.binom, binom_log, binom_below)
discrete(stats.nbinom, nbinom_log)
discrete(stats.bernoulli, bernoulli_log)
discrete(stats.geom, geom_log)
