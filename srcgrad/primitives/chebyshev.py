"""Sums of Chebyshev polynomials, by which special functions are computed."""

from __future__ import annotations


def chebyshev(t: float, coefficients: tuple[float, ...]) -> float:
    """The sum of Chebyshev polynomials, by Clenshaw's recurrence."""
    last, before = 0.0, 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        last, before = 2.0 * t * last - before + coefficients[k], last
    return t * last - before + coefficients[0]
