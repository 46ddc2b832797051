"""Incomplete gamma and beta functions, zeta, exponential integrals, inverse error functions: series and fractions.

The functions are plain Python that Numba compiles: generated modules contain their source.
"""

from __future__ import annotations

import math

import numpy as np


def gamma_or_nan(x: float) -> float:
    """The gamma function, with infinity or NaN where Python's own raises."""
    if x <= 0.0 and x == np.floor(x):
        return np.copysign(np.inf, x) if x == 0.0 else np.nan
    return math.gamma(x) if x < 171.6243769563027 else np.inf + x


def log_gamma_or_inf(x: float) -> float:
    """The logarithm of the gamma function, infinite where Python's own raises."""
    if (x <= 0.0 and x == np.floor(x)) or x > 2.5e305:
        return np.inf
    return math.lgamma(x)


def incomplete_gamma(a: float, x: float, upper: bool) -> float:
    """The regularised lower or upper integral: a series for small x, Legendre's continued fraction for large x."""
    if not (a >= 0.0 and x >= 0.0):
        return np.nan
    if x == 0.0 or a == 0.0 or x == np.inf:
        lower = 0.0 if x == 0.0 and a > 0.0 else 1.0
        return 1.0 - lower if upper else lower
    scale = np.exp(a * np.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        term = 1.0 / a
        total = term
        k = 1.0
        while abs(term) > 1e-17 * abs(total) and k < 1e5:
            term *= x / (a + k)
            total += term
            k += 1.0
        return 1.0 - scale * total if upper else scale * total
    b = x + 1.0 - a
    c = 1e300
    d = 1.0 / b
    h = d
    for k in range(1, 100000):
        factor = -k * (k - a)
        b += 2.0
        d = 1.0 / (factor * d + b)
        c = b + factor / c
        h *= d * c
        if not abs(d * c - 1.0) > 4e-16:  # the last place, or NaN
            break
    return scale * h if upper else 1.0 - scale * h


def lower_gamma(a: float, x: float) -> float:
    return incomplete_gamma(a, x, False)


def upper_gamma(a: float, x: float) -> float:
    return incomplete_gamma(a, x, True)


def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > 1e-300 else 1e-300)
    h = d
    for m in range(1, 100000):
        for step in range(2):
            if step == 0:
                factor = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
            else:
                factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
            d = 1.0 + factor * d
            d = 1.0 / (d if abs(d) > 1e-300 else 1e-300)
            c = 1.0 + factor / c
            c = c if abs(c) > 1e-300 else 1e-300
            h *= c * d
        if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
            break
    return h


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised integral, from the end where the fraction converges."""
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        return np.nan
    if x == 0.0 or x == 1.0:
        return x
    norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    scale = np.exp(norm + a * np.log(x) + b * np.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return scale * beta_fraction(a, b, x) / a
    return 1.0 - scale * beta_fraction(b, a, 1.0 - x) / b


def hurwitz_zeta(s: float, q: float) -> float:
    """The sum of ``(q + k)**-s`` over k from 0: some terms, and Euler and Maclaurin's formula for the rest."""
    if not s > 1.0:
        return np.inf if s == 1.0 else np.nan
    if q <= 0.0 and (q == np.floor(q) or s != np.floor(s)):
        return np.inf if q == np.floor(q) else np.nan
    if not -1e6 < q < np.inf:
        return 0.0 if q == np.inf else np.nan
    total = 0.0
    w = q
    while w < 12.0 + min(s, 60.0):
        total += np.power(w, -s)
        w += 1.0
    power = np.power(w, -s)
    total += power * (w / (s - 1.0) + 0.5)
    # Bernoulli's numbers over factorials: B2/2!, B4/4!, ...
    weights = (
        8.333333333333333e-02, -1.388888888888889e-03, 3.306878306878307e-05, -8.267195767195767e-07,
        2.087675698786810e-08, -5.284190138687493e-10, 1.338253653068468e-11, -3.389680296322583e-13,
        8.586062056277845e-15, -2.174868698558062e-16,
    )  # fmt: skip
    factor = s * power / w
    for k in range(len(weights)):
        total += weights[k] * factor
        factor *= (s + 2 * k + 1.0) * (s + 2 * k + 2.0) / (w * w)
    return total


def polygamma_of(n: float, x: float) -> float:
    """The n-th derivative of digamma, n at least 1."""
    if not 1.0 <= n < 170.0:
        return np.nan
    sign = 1.0 if int(n) % 2 == 1 else -1.0
    return sign * math.gamma(n + 1.0) * hurwitz_zeta(n + 1.0, x)


def exponential_integral_1(x: float) -> float:
    """E1: its power series up to 1, then a continued fraction."""
    if not 0.0 < x < 745.0:
        return np.inf if x == 0.0 else 0.0 if x >= 745.0 else np.nan
    if x <= 1.0:
        total = -0.5772156649015329 - np.log(x)
        term = -1.0
        for k in range(1, 40):
            term *= -x / k
            total += term / k
        return total
    b = x + 1.0
    c = 1e300
    d = 1.0 / b
    h = d
    for k in range(1, 10000):
        factor = -1.0 * k * k
        b += 2.0
        d = 1.0 / (factor * d + b)
        c = b + factor / c
        h *= c * d
        if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
            break
    return h * np.exp(-x)


def exponential_integral(x: float) -> float:
    """Ei: its power series up to 40, then the asymptotic one."""
    if not x > 0.0:
        return -np.inf if x == 0.0 else -exponential_integral_1(-x)
    if x == np.inf:
        return x
    if x <= 40.0:
        total = 0.5772156649015329 + np.log(x)
        term = 1.0
        for k in range(1, 200):
            term *= x / k
            total += term / k
        return total
    total = 1.0
    term = 1.0
    k = 1
    while k < x and term > 1e-17:
        term *= k / x
        total += term
        k += 1
    return np.exp(x) / x * total


def inverse_erfc(p: float) -> float:
    """Abramowitz and Stegun 26.2.23, and four of Halley's steps."""
    if not 0.0 < p < 2.0:
        return np.inf if p == 0.0 else -np.inf if p == 2.0 else np.nan
    tail = p if p <= 1.0 else 2.0 - p
    t = np.sqrt(-2.0 * np.log(0.5 * tail))
    numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    x = 0.7071067811865476 * (t - numerator / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))))
    for _ in range(4):
        u = (math.erfc(x) - tail) * -0.8862269254527580 * np.exp(x * x)
        x -= u / (1.0 + x * u)
    return x if p <= 1.0 else -x


def inverse_erf(y: float) -> float:
    if abs(y) >= 0.5:
        return np.copysign(inverse_erfc(1.0 - abs(y)), y)
    x = 0.8862269254527580 * y
    for _ in range(5):
        u = (math.erf(x) - y) * 0.8862269254527580 * np.exp(x * x)
        x -= u / (1.0 + x * u)
    return x


def normal_quantile(p: float) -> float:
    if abs(p - 0.5) < 0.25:
        return 1.4142135623730951 * inverse_erf(2.0 * p - 1.0)
    if p > 0.5:
        return 1.4142135623730951 * inverse_erfc(2.0 * (1.0 - p))
    return -1.4142135623730951 * inverse_erfc(2.0 * p)


def binomial(n: float, k: float) -> float:
    """A product for small whole k, else by gamma functions."""
    if k == np.floor(k) and 0.0 <= k < 40.0:
        product = 1.0
        for i in range(int(k)):
            product *= (n - i) / (i + 1.0)
        return product
    if n == np.floor(n) and n >= 0.0 and n - k == np.floor(n - k) and (n - k < 0.0 or k < 0.0):
        return 0.0
    if max(abs(n), abs(k)) < 150.0 and n - k < 150.0 and not (n < 0.0 and n == np.floor(n)):
        bottom = reciprocal_gamma(k + 1.0) * reciprocal_gamma(n - k + 1.0)
        return math.gamma(n + 1.0) * bottom
    if n < 0.0 and n == np.floor(n):
        return np.nan
    return np.exp(log_gamma_or_inf(n + 1.0) - log_gamma_or_inf(k + 1.0) - log_gamma_or_inf(n - k + 1.0))


def reciprocal_gamma(x: float) -> float:
    return 0.0 if x <= 0.0 and x == np.floor(x) else 1.0 / math.gamma(x)


def inverse_lower_gamma(a: float, p: float) -> float:
    """Where the regularised lower incomplete gamma function is ``p``: Newton's steps inside a bracket."""
    if not (a > 0.0 and 0.0 <= p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:
        return 0.0 if p == 0.0 else np.inf
    low = 0.0
    high = a + 1.0
    while incomplete_gamma(a, high, False) < p:
        low = high
        high *= 2.0
    x = np.exp((np.log(p) + math.lgamma(a + 1.0)) / a)
    for _ in range(200):
        if not low < x < high:
            x = 0.5 * (low + high)
        error = incomplete_gamma(a, x, False) - p
        if error > 0.0:
            high = x
        else:
            low = x
        step = error * np.exp(x - (a - 1.0) * np.log(x) + math.lgamma(a))
        x -= step
        if not abs(step) > 4e-16 * x:
            break
    return x


def inverse_incomplete_beta(a: float, b: float, p: float) -> float:
    """Where the regularised incomplete beta function is ``p``."""
    if not (a > 0.0 and b > 0.0 and 0.0 <= p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:
        return p
    low = 0.0
    high = 1.0
    norm = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    x = min(a / (a + b), np.exp((np.log(p) + np.log(a) + norm) / a))  # the latter near 0, where it is x**a / a
    if x == 0.0:
        return x
    for _ in range(300):
        if not low < x < high:
            x = 0.5 * (low + high)
        error = incomplete_beta(a, b, x) - p
        if error > 0.0:
            high = x
        else:
            low = x
        step = error * np.exp(norm - (a - 1.0) * np.log(x) - (b - 1.0) * np.log1p(-x))
        x -= step
        if not abs(step) > 4e-16 * x:
            break
    return x


def student_distribution(df: float, t: float) -> float:
    """Student's distribution function."""
    if t * t < df:
        return 0.5 + np.copysign(0.5 * incomplete_beta(0.5, 0.5 * df, t * t / (df + t * t)), t)
    tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + t * t))
    return tail if t < 0.0 else 1.0 - tail
