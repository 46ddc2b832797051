"""Modified Bessel functions I and K of any real order, scaled by exponentials; exponential integrals of any order.

K of the order's fraction comes from N. M. Temme's series (On the numerical evaluation of the modified Bessel function
of the third kind, 1975) or from a continued fraction; recurrence leads to the order, and I follows from the Wronskian
with the continued fraction of its logarithmic derivative.
"""

from __future__ import annotations

import math

import numpy as np


def half_turns(v: float) -> tuple[float, float]:
    """``cos(pi v)`` and ``sin(pi v)``, 0 where they are: a function that they are a factor of may be very large."""
    part = v - 2.0 * math.floor(0.5 * v)
    quarters = math.floor(2.0 * part + 0.5)
    rest = math.pi * (part - 0.5 * quarters)
    c = math.cos(rest)
    s = math.sin(rest)
    if quarters == 1:
        return -s, c
    if quarters == 2:
        return -c, -s
    if quarters == 3:
        return s, -c
    return c, s


def temme_gammas(mu: float) -> tuple[float, float]:
    """``(1/G(1-mu) - 1/G(1+mu)) / (2 mu)`` and half of their sum, G the gamma function; ``|mu| <= 1/2``.

    The odd and the even terms of the series of ``1/G(1+x)``; the coefficients were computed with mpmath.
    """
    s = mu * mu
    odd = 0.577215664901532861 + s * (
        -0.0420026350340952355 + s * (-0.0421977345555443367 + s * 0.00721894324666309954)
    )
    odd += s**4 * (-0.000215241674114950973 + s * (-2.01348547807882387e-05 + s * 1.13302723198169588e-06))
    odd += s**7 * (6.11609510448141582e-09 + s * -1.18127457048702014e-09)
    even = 1.0 + s * (-0.655878071520253881 + s * (0.16653861138229149 + s * -0.00962197152787697356))
    even += s**4 * (-0.00116516759185906511 + s * (0.000128050282388116186 + s * -1.25049348214267066e-06))
    even += s**7 * (-2.0563384169776071e-07 + s * 5.00200764446922293e-09)
    return -odd, even


def temme_start(mu: float, x: float) -> tuple[float, float, float]:
    """What both of Temme's series begin with: ``pi mu / sin(pi mu)``, its factor, and ``(2 / x)**mu``."""
    d = -math.log(0.5 * x)
    e = mu * d
    turn = math.pi * mu
    ratio = 1.0 if abs(turn) < 1e-15 else turn / math.sin(turn)
    growth = 1.0 if abs(e) < 1e-15 else math.sinh(e) / e
    one, two = temme_gammas(mu)
    return ratio, one * math.cosh(e) + two * growth * d, math.exp(e)


def temme_pair(mu: float, x: float) -> tuple[float, float]:
    """``exp(x) K(mu, x)`` and ``exp(x) K(mu + 1, x)`` for ``x <= 2`` and ``|mu| <= 1/2``."""
    half = 0.5 * x
    ratio, factor, e = temme_start(mu, x)
    f = ratio * factor
    p = 0.5 * e * math.gamma(1.0 + mu)
    q = 0.5 / e * math.gamma(1.0 - mu)
    c = 1.0
    total = f
    other = p
    k = 1.0
    while k < 500.0:
        f = (k * f + p + q) / (k * k - mu * mu)
        c *= half * half / k
        p /= k - mu
        q /= k + mu
        total += c * f
        other += c * (p - k * f)
        if abs(c * f) < abs(total) * 1e-17:
            break
        k += 1.0
    scale = math.exp(x)
    return scale * total, scale * other * 2.0 / x


def steed_pair(mu: float, x: float) -> tuple[float, float]:
    """The same for larger ``x``, by Steed's algorithm for the second continued fraction."""
    b = 2.0 * (1.0 + x)
    d = 1.0 / b
    h = d
    delta = d
    q1 = 0.0
    q2 = 1.0
    a1 = 0.25 - mu * mu
    c = a1
    q = a1
    a = -a1
    s = 1.0 + q * delta
    k = 2.0
    while k < 100000.0:
        a -= 2.0 * (k - 1.0)
        c = -a * c / k
        new = (q1 - b * q2) / a
        q1 = q2
        q2 = new
        q += c * new
        b += 2.0
        d = 1.0 / (b + a * d)
        delta = (b * d - 1.0) * delta
        h += delta
        s += q * delta
        if abs(q * delta) < abs(s) * 1e-17:
            break
        k += 1.0
    first = math.sqrt(math.pi / (2.0 * x)) / s
    return first, first * (mu + x + 0.5 - a1 * h) / x


def scaled_k_pair(v: float, x: float) -> tuple[float, float]:
    """``exp(x) K(v, x)`` and ``exp(x) K(v + 1, x)`` for ``v >= 0``, ``x > 0``."""
    steps = math.floor(v + 0.5)
    mu = v - steps
    k, following = temme_pair(mu, x) if x <= 2.0 else steed_pair(mu, x)
    for i in range(int(steps)):
        k, following = following, k + 2.0 * (mu + i + 1.0) / x * following
    return k, following


def scaled_kv(v: float, x: float) -> float:
    """``exp(x) K(v, x)``."""
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if not abs(v) <= 1e6:  # the recurrence takes a step for each whole number below the order
        return np.nan
    if x == np.inf:
        return 0.0
    return scaled_k_pair(abs(v), x)[0]


def ratio_of_i(v: float, x: float) -> float:
    """``I(v + 1, x) / I(v, x)``, a continued fraction, by Lentz's method."""
    b = 2.0 * (v + 1.0) / x
    h = b
    c = b
    d = 0.0
    k = 2.0
    while k < 200000.0:
        b = 2.0 * (v + k) / x
        d = 1.0 / (b + d)
        c = b + 1.0 / c
        h *= c * d
        if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
            break
        k += 1.0
    return 1.0 / h


def scaled_i_far(v: float, x: float) -> float:
    """The expansion for ``x`` that is large beside the square of the order."""
    term = 1.0
    total = 1.0
    k = 1.0
    while k < 60.0:
        following = -term * (4.0 * v * v - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        if abs(following) > abs(term) or abs(following) < 1e-18:
            break
        term = following
        total += term
        k += 1.0
    return total / math.sqrt(2.0 * math.pi * x)


def scaled_iv(v: float, x: float) -> float:
    """``exp(-|x|) I(v, x)``; of negative numbers for whole orders alone."""
    if x != x or not abs(v) <= 1e6:
        return 0.0 if abs(v) == np.inf and abs(x) < np.inf else np.nan
    whole = v == math.floor(v)
    if x < 0.0:
        if not whole:
            return np.nan
        return scaled_iv_positive(abs(v), -x) * (1.0 if abs(v) % 2.0 == 0.0 else -1.0)
    if x == 0.0:
        return 1.0 if v == 0.0 else 0.0 if v > 0.0 or whole else np.inf
    if v >= 0.0 or whole:
        return scaled_iv_positive(abs(v), x)
    other = scaled_k_pair(-v, x)[0] * math.exp(-2.0 * x) if x < 350.0 else 0.0
    return scaled_iv_positive(-v, x) + 2.0 / math.pi * half_turns(-v)[1] * other


def scaled_iv_positive(v: float, x: float) -> float:
    if x == np.inf:
        return 0.0
    if x > 500.0 and x > 4.0 * v * v:
        return scaled_i_far(v, x)
    k, following = scaled_k_pair(v, x)
    if following == np.inf:
        return 0.0 if v > 0.0 else 1.0
    return 1.0 / (x * (following + ratio_of_i(v, x) * k))


def unscaled_iv(v: float, x: float) -> float:
    return scaled_iv(v, x) * np.exp(abs(x))  # type: ignore[no-any-return]  # NumPy of a float


def unscaled_kv(v: float, x: float) -> float:
    return scaled_kv(v, x) * np.exp(-x)  # type: ignore[no-any-return]  # as above


def generalised_exponential_integral(n: float, x: float) -> float:
    """``E_n(x)`` of whole ``n``: a series, a continued fraction, or recurrence down from ``E_0`` (in derivatives)."""
    if not (x >= 0.0 and n == np.floor(n) and -1000.0 < n < np.inf):
        return np.nan
    if n <= 0.0:
        if x == 0.0:
            return np.inf
        value = math.exp(-x) / x
        for k in range(int(-n)):
            value = (math.exp(-x) + (k + 1.0) * value) / x
        return value
    if x == 0.0:
        return np.inf if n == 1.0 else 1.0 / (n - 1.0)
    if x > 1.0:
        b = x + n
        c = 1e300
        d = 1.0 / b
        h = d
        for k in range(1, 1000):
            a = -k * (n - 1.0 + k)
            b += 2.0
            d = 1.0 / (a * d + b)
            c = b + a / c
            h *= c * d
            if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
                break
        return h * math.exp(-x)
    total = 1.0 / (n - 1.0) if n > 1.0 else -math.log(x) - 0.57721566490153286
    factor = 1.0
    for k in range(1, 200):
        factor *= -x / k
        if k == n - 1.0:
            psi = -0.57721566490153286
            for j in range(1, k + 1):
                psi += 1.0 / j
            term = factor * (psi - math.log(x))
        else:
            term = -factor / (k - n + 1.0)
        total += term
        if abs(term) < abs(total) * 1e-17:
            break
    return total
