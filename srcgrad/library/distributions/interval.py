"""Distributions between two numbers."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.library.distributions.methods import Real, continuous


def beta(z: Real, a: Real, b: Real) -> Real:
    if z < 0.0 or z > 1.0:
        return -np.inf
    return special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b)


def normal_mass(a: Real, b: Real) -> Real:
    """Of the normal distribution between two points; in the upper tail by symmetry, where differences are exact."""
    return special.ndtr(-a) - special.ndtr(-b) if a > 0.0 else special.ndtr(b) - special.ndtr(a)


def truncated_normal_quantile(q: Real, a: Real, b: Real) -> Real:
    if a > 0.0:
        return -special.ndtri(special.ndtr(-a) - q * normal_mass(a, b))
    return special.ndtri(special.ndtr(a) + q * normal_mass(a, b))


def triangle(z: Real, c: Real) -> Real:
    if z < 0.0 or z > 1.0:
        return -np.inf
    return np.log(2.0 * z / c) if z < c else np.log(2.0 * (1.0 - z) / (1.0 - c))


def below_triangle(z: Real, c: Real) -> Real:
    if z <= 0.0 or z >= 1.0:
        return 0.0 if z <= 0.0 else 1.0
    return z * z / c if z < c else 1.0 - (1.0 - z) ** 2 / (1.0 - c)


continuous(
    stats.beta,
    logpdf=beta,
    cdf=lambda z, a, b: 0.0 if z <= 0.0 else 1.0 if z >= 1.0 else special.betainc(a, b, z),
    sf=lambda z, a, b: 1.0 if z <= 0.0 else 0.0 if z >= 1.0 else special.betainc(b, a, 1.0 - z),
    ppf=lambda q, a, b: special.betaincinv(a, b, q),
    isf=lambda q, a, b: special.betaincinv(a, b, 1.0 - q) if q > 0.5 else 1.0 - special.betaincinv(b, a, q),
)
continuous(
    stats.uniform,
    logpdf=lambda z: 0.0 * z if 0.0 <= z <= 1.0 else -np.inf,
    cdf=lambda z: 0.0 if z <= 0.0 else 1.0 if z >= 1.0 else z,
    sf=lambda z: 1.0 if z <= 0.0 else 0.0 if z >= 1.0 else 1.0 - z,
    ppf=lambda q: q,
)
continuous(
    stats.truncnorm,
    logpdf=lambda z, a, b: -0.9189385332046727 - 0.5 * z * z - np.log(normal_mass(a, b)) if a <= z <= b else -np.inf,
    cdf=lambda z, a, b: 0.0 if z <= a else 1.0 if z >= b else normal_mass(a, z) / normal_mass(a, b),
    sf=lambda z, a, b: 1.0 if z <= a else 0.0 if z >= b else normal_mass(z, b) / normal_mass(a, b),
    ppf=truncated_normal_quantile,
    isf=lambda q, a, b: -truncated_normal_quantile(q, -b, -a),
    valid=lambda scale, a, b: scale > 0.0 and a < b,
)
continuous(
    stats.triang,
    logpdf=triangle,
    cdf=below_triangle,
    sf=lambda z, c: below_triangle(1.0 - z, 1.0 - c),
    ppf=lambda q, c: np.sqrt(c * q) if q < c else 1.0 - np.sqrt((1.0 - c) * (1.0 - q)),
    isf=lambda q, c: 1.0 - np.sqrt((1.0 - c) * q) if q < 1.0 - c else np.sqrt(c * (1.0 - q)),
    valid=lambda scale, c: scale > 0.0 and c >= 0.0 and c <= 1.0,
)
