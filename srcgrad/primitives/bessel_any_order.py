"""Bessel functions J and Y of any real order.

For large arguments Hankel's expansion; else the logarithmic derivative of J is a continued fraction, and either N. M.
Temme's series (On the numerical evaluation of the ordinary Bessel function of the second kind, 1976) or a second,
complex fraction gives both functions at the order's fraction, from which recurrence leads to the order.
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.primitives.bessel import bessel_jn, bessel_yn
from srcgrad.primitives.fractional_bessel import half_turns, temme_start


def far_pair(v: float, x: float) -> tuple[float, float]:
    """J and Y by Hankel's expansion, for ``x`` large beside the square of the order."""
    p = 1.0
    q = 0.0
    term = 1.0
    k = 1
    while k < 80:
        following = term * (4.0 * v * v - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        if abs(following) > abs(term) or abs(following) < 1e-18:
            break
        term = following
        if k % 2 == 1:
            q += term if k % 4 == 1 else -term
        else:
            p += term if k % 4 == 0 else -term
        k += 1
    phase = (0.5 * v + 0.25) * math.pi
    c = math.cos(x) * math.cos(phase) + math.sin(x) * math.sin(phase)
    s = math.sin(x) * math.cos(phase) - math.cos(x) * math.sin(phase)
    size = math.sqrt(2.0 / (math.pi * x))
    return size * (p * c - q * s), size * (p * s + q * c)


def slope_of_j(v: float, x: float) -> tuple[float, float]:
    """``J'(v, x) / J(v, x)`` and the sign of J, by Lentz's method."""
    h = v / x if v > 0.0 else 1e-300
    b = 2.0 * v / x
    c = h
    d = 0.0
    sign = 1.0
    for _ in range(100000):
        b += 2.0 / x
        d = b - d
        d = d if d != 0.0 else 1e-300
        c = b - 1.0 / c
        c = c if c != 0.0 else 1e-300
        d = 1.0 / d
        h *= c * d
        if d < 0.0:
            sign = -sign
        if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
            break
    return h, sign


def temme_y_pair(mu: float, x: float) -> tuple[float, float]:
    """``Y(mu, x)`` and ``Y(mu + 1, x)`` for ``x < 2`` and ``|mu| <= 1/2``."""
    half = 0.5 * x
    ratio, factor, e = temme_start(mu, x)
    f = 2.0 / math.pi * ratio * factor
    p = e * math.gamma(1.0 + mu) / math.pi
    q = math.gamma(1.0 - mu) / (e * math.pi)
    quarter = 0.5 * math.pi * mu
    bend = 1.0 if abs(quarter) < 1e-15 else math.sin(quarter) / quarter
    r = math.pi * quarter * bend * bend
    c = 1.0
    total = f + r * q
    other = p
    k = 1.0
    while k < 500.0:
        f = (k * f + p + q) / (k * k - mu * mu)
        c *= -half * half / k
        p /= k - mu
        q /= k + mu
        step = c * (f + r * q)
        total += step
        other += c * p - k * step
        if abs(step) < (1.0 + abs(total)) * 1e-17:
            break
        k += 1.0
    return -total, -other * 2.0 / x


def second_fraction(mu: float, x: float) -> complex:
    """``(J' + iY') / (J + iY)`` of order ``mu``, for ``x >= 2``."""
    h = 1e-300 + 0.0j
    c = h
    d = 0.0 + 0.0j
    for k in range(1, 100000):
        a = (k - 0.5) ** 2 - mu * mu
        b = 2.0 * (x + 1j * k)
        d = 1.0 / (b + a * d)
        c = b + a / c
        h *= c * d
        if not abs(c * d - 1.0) > 4e-16:  # the last place, or NaN
            break
    return -0.5 / x + 1j + 1j / x * h


def near_pair(v: float, x: float) -> tuple[float, float]:
    """J and Y by fractions and recurrences; ``v >= 0``."""
    steps = int(np.floor(v + 0.5)) if x < 2.0 else max(0, int(np.floor(v - x + 1.5)))
    mu = v - steps
    slope, sign = slope_of_j(v, x)
    j = sign * 1e-250
    change = slope * j
    at_order = j
    for k in range(steps):
        order = v - k
        lower = order / x * j + change
        change = (order - 1.0) / x * lower - j
        j = lower
    slope = change / j
    if x < 2.0:
        y, following = temme_y_pair(mu, x)
        j_mu = 2.0 / (math.pi * x) / (mu / x * y - following - slope * y)
    else:
        fraction = second_fraction(mu, x)
        p = fraction.real
        q = fraction.imag
        gamma = (p - slope) / q
        j_mu = math.copysign(math.sqrt(2.0 / (math.pi * x) / ((p - slope) * gamma + q)), j)
        y = j_mu * gamma
        following = mu / x * y - (p * y + q * j_mu)
    for k in range(steps):
        y, following = following, 2.0 * (mu + k + 1.0) / x * following - y
    return at_order * (j_mu / j), y


def bessel_pair(v: float, x: float) -> tuple[float, float]:
    """``J(v, x)`` and ``Y(v, x)`` for ``v >= 0``, ``x > 0``."""
    return far_pair(v, x) if x > 25.0 + 0.5 * v * v else near_pair(v, x)


def bessel_jv(v: float, x: float) -> float:
    if v == np.floor(v) and abs(v) < 1e6:
        return bessel_jn(v, x)
    if not 0.0 <= x < np.inf or not abs(v) < 1e6:  # at infinity as SciPy does
        return np.nan
    if x == 0.0:
        return 0.0 if v > 0.0 else np.inf
    j, y = bessel_pair(abs(v), x)
    if v > 0.0:
        return j
    c, s = half_turns(v)
    return c * j + s * y


def bessel_yv(v: float, x: float) -> float:
    if v == np.floor(v) and abs(v) < 1e6:
        return bessel_yn(v, x)
    if not 0.0 <= x < np.inf or not abs(v) < 1e6:  # at infinity as SciPy does
        return np.nan
    if x == 0.0:
        return -np.inf
    j, y = bessel_pair(abs(v), x)
    if v > 0.0:
        return y
    c, s = half_turns(v)
    return -s * j if c == 0.0 else c * y - s * j
