"""The coefficients of srcgrad.vector_math: weighted minimax polynomials by Remez' exchange, in 60 digits.

Run it to print every table (`python tools/minimax.py`), each with the largest weighted error. A polynomial is in powers
of its variable, lowest first, so that it can be compared with what the modules hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp

Number = Any  # mpmath has no annotations
Real = Callable[[Number], Number]

mp.mp.dps = 60
POINTS_PER_EXTREMUM = 24


@dataclass(frozen=True)
class Approximation:
    """``function`` on an interval, by a polynomial of ``degree`` whose error times ``weight`` is smallest."""

    name: str
    function: Real
    low: float
    high: float
    degree: int
    weight: Real


def one(_: Number) -> Number:
    return mp.mpf(1)


def exp_tail(r: Number) -> Number:
    """``(exp(r) - 1 - r) / r**2``"""
    return mp.nsum(lambda i: r**i / mp.factorial(i + 2), [0, 60]) if abs(r) < 0.01 else (mp.expm1(r) - r) / r**2


def log_tail(z: Number) -> Number:
    """``(2 atanh(s) / s - 2) / s**2`` at ``z = s**2``; ``log(m)`` is ``2 atanh((m - 1) / (m + 1))``"""
    return mp.fsum(2 * z**i / (2 * i + 3) for i in range(60))


def log_tail_beyond(z: Number) -> Number:
    """The same without its first term: ``(log_tail(z) - 2/3) / z``"""
    return mp.fsum(2 * z**i / (2 * i + 5) for i in range(60))


def sin_tail(z: Number) -> Number:
    """``(sin(r) / r - 1) / r**2`` at ``z = r**2``"""
    return mp.fsum((-1) ** (i + 1) * z**i / mp.factorial(2 * i + 3) for i in range(30))


def cos_tail(z: Number) -> Number:
    """``(cos(r) - 1 + r**2 / 2) / r**4`` at ``z = r**2``"""
    return mp.fsum((-1) ** i * z**i / mp.factorial(2 * i + 4) for i in range(30))


def atan_tail(z: Number) -> Number:
    """``(atan(t) / t - 1) / t**2`` at ``z = t**2``"""
    return mp.fsum((-1) ** (i + 1) * z**i / (2 * i + 3) for i in range(100))


def erf_near(z: Number) -> Number:
    """``erf(x) / x - 1`` at ``z = x**2``"""
    series = mp.fsum((-1) ** i * z**i / (mp.factorial(i) * (2 * i + 1)) for i in range(60))
    return 2 / mp.sqrt(mp.pi) * series - 1


def erf_far_place(u: Number) -> Number:
    """``x`` of ``u = (x - 2) / (x + 2)``, which brings the far range close to where erfc falls evenly."""
    return 2 * (1 + u) / (1 - u)


def erf_far(u: Number) -> Number:
    """``erfc(x) exp(x**2)``"""
    x = erf_far_place(u)
    return mp.erfc(x) * mp.exp(x * x)


def erf_far_weight(u: Number) -> Number:
    """The error counts in ``1 - exp(-x**2) p``, beside 1."""
    return mp.exp(-(erf_far_place(u) ** 2)) + mp.mpf(10) ** -16


HALF_LN2 = 0.34658
QUARTER_PI = 0.7854
LOG_SQUARE = 0.029438  # ((sqrt(2) - 1) / (sqrt(2) + 1))**2
ATAN_SQUARE = 0.17158  # tan(pi / 8)**2

DOUBLE = (
    Approximation("EXP_TAIL", exp_tail, -HALF_LN2, HALF_LN2, 10, one),
    Approximation("LOG_TAIL", log_tail, 0.0, LOG_SQUARE, 6, one),
    Approximation("LOG_TAIL_BEYOND", log_tail_beyond, 0.0, LOG_SQUARE, 6, one),
    Approximation("SIN_TAIL", sin_tail, 0.0, QUARTER_PI**2, 5, one),
    Approximation("COS_TAIL", cos_tail, 0.0, QUARTER_PI**2, 5, one),
    Approximation("ATAN_TAIL", atan_tail, 0.0, ATAN_SQUARE, 10, one),
    Approximation("ERF_NEAR", erf_near, 0.0, 1.0, 11, one),
    Approximation("ERF_FAR", erf_far, -1.0 / 3.0, 0.5, 14, erf_far_weight),
)
SINGLE = (
    Approximation("EXP_TAIL", exp_tail, -HALF_LN2, HALF_LN2, 5, one),
    Approximation("LOG_TAIL", log_tail, 0.0, LOG_SQUARE, 3, one),
    Approximation("SIN_TAIL", sin_tail, 0.0, QUARTER_PI**2, 3, one),
    Approximation("COS_TAIL", cos_tail, 0.0, QUARTER_PI**2, 3, one),
    Approximation("ATAN_TAIL", atan_tail, 0.0, ATAN_SQUARE, 5, one),
    Approximation("ERF_NEAR", erf_near, 0.0, 1.0, 6, one),
    Approximation("ERF_FAR", erf_far, -1.0 / 3.0, 0.5, 7, erf_far_weight),
)


def minimax(wanted: Approximation, exchanges: int = 8) -> tuple[list[Number], Number]:
    """The coefficients and the largest weighted error."""
    n = wanted.degree + 2
    low, high = mp.mpf(wanted.low), mp.mpf(wanted.high)
    grid = _chebyshev(low, high, n * POINTS_PER_EXTREMUM)
    values = [(x, wanted.function(x), wanted.weight(x)) for x in grid]
    chosen = [values[round(k * (len(grid) - 1) / (n - 1))] for k in range(n)]
    for _ in range(exchanges):
        coefficients = _level(chosen)
        errors = [(f - mp.polyval(coefficients[::-1], x)) * w for x, f, w in values]
        chosen = [values[k] for k in _alternating(errors, n)]
    return coefficients, max(map(abs, errors))


def _chebyshev(low: Number, high: Number, count: int) -> list[Number]:
    """Points from ``high`` to ``low``, dense towards the ends."""
    return [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]


def _level(points: list[tuple[Number, Number, Number]]) -> list[Number]:
    """The polynomial whose weighted errors at the points are equal, with alternating signs."""
    rows = [[*(x**i for i in range(len(points) - 1)), (-1) ** k / w] for k, (x, _, w) in enumerate(points)]
    return list(mp.lu_solve(mp.matrix(rows), mp.matrix([f for _, f, _ in points])))[:-1]


def _alternating(errors: list[Number], count: int) -> list[int]:
    """Where the error is largest in each run of one sign; runs too many are left out at the smaller end."""
    peaks: list[int] = []
    for k, e in enumerate(errors):
        if peaks and (e > 0) == (errors[peaks[-1]] > 0):
            if abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = k
        else:
            peaks.append(k)
    while len(peaks) > count:
        del peaks[0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1]
    assert len(peaks) == count, "the error does not alternate often enough: more digits, or a lower degree"
    return peaks


def main() -> None:
    for title, tables in (("float64", DOUBLE), ("float32", SINGLE)):
        print(f"# {title}")
        for wanted in tables:
            coefficients, error = minimax(wanted)
            print(f"{wanted.name} = (  # error {mp.nstr(error, 2)}")
            print("".join(f"    {float(c)!r},\n" for c in coefficients) + ")")


if __name__ == "__main__":
    main()
