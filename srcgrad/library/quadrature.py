"""``scipy.integrate``'s integrals of functions, with derivatives by the ends and by whatever the function reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from srcgrad.frontend.calls.compile_time import compile_time, is_known
from srcgrad.library.queues import stands_for

# Kronrod's 15 points and weights from the middle out, and the weights of Gauss's 7 among them (QUADPACK, 1983).
POINTS = (
    0.0, 0.2077849550078985, 0.4058451513773972, 0.5860872354676911, 0.7415311855993945, 0.8648644233597691,
    0.9491079123427585, 0.9914553711208126,
)  # fmt: skip
KRONROD = (
    0.2094821410847278, 0.2044329400752989, 0.1903505780647854, 0.1690047266392679, 0.1406532597159259,
    0.1047900103222502, 0.0630920926299786, 0.0229353220105292,
)  # fmt: skip
GAUSS = (0.4179591836734694, 0.0, 0.3818300505051189, 0.0, 0.2797053914892767, 0.0, 0.1294849661688697, 0.0)
MOST = 200  # intervals


@stands_for(scipy.integrate.quad)
def quad(
    func: Callable[..., float],
    a: float,
    b: float,
    args: Any = (),
    full_output: int = 0,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
) -> tuple[float, float]:
    """By halves until Gauss and Kronrod agree; an end at infinity is written as such, the lower one first."""
    require_short(full_output)
    more = args if isinstance(args, tuple) else (args,)
    if is_infinite(a) and is_infinite(b):
        below = half_line(func, 0.0, -1.0, more, epsabs, epsrel)
        over = half_line(func, 0.0, 1.0, more, epsabs, epsrel)
        return below[0] + over[0], below[1] + over[1]
    if is_infinite(b):
        return half_line(func, 1.0 * a, 1.0, more, epsabs, epsrel)
    if is_infinite(a):
        return half_line(func, 1.0 * b, -1.0, more, epsabs, epsrel)
    return adaptive(lambda t: func(t, *more), 1.0 * a, 1.0 * b, epsabs, epsrel)


def half_line(
    func: Callable[..., float], end: float, sign: float, more: Any, epsabs: float, epsrel: float
) -> tuple[float, float]:
    """From an end to infinity, or from minus infinity to it."""
    return adaptive(lambda t: func(end + sign * (1.0 - t) / t, *more) / (t * t), 0.0, 1.0, epsabs, epsrel)


def is_infinite(end: float) -> bool:
    return infinite(end) if is_known(end) else False


@compile_time
def infinite(end: float) -> bool:
    return bool(np.isinf(end))


@compile_time
def require_short(full_output: int) -> None:
    if full_output:
        raise ValueError("quad() gives the integral and an estimate of its error here: leave out full_output")


def adaptive(f: Callable[[float], float], a: float, b: float, epsabs: float, epsrel: float) -> tuple[float, float]:
    points, kronrod, gauss = np.array(POINTS), np.array(KRONROD), np.array(GAUSS)
    pending = [(a, b)]
    total, error = 0.0, 0.0
    done = 0
    while len(pending) > 0 and done < MOST:
        low, high = pending.pop()
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        fine, coarse = 0.0, 0.0
        for k in range(15):
            j = abs(k - 7)
            x = middle + half * points[j] if k > 7 else middle - half * points[j]
            value = f(x)
            fine += kronrod[j] * value
            coarse += gauss[j] * value
        difference = abs((fine - coarse) * half)
        share = abs(high - low) / abs(b - a) if b != a else 1.0
        done += 1
        if difference <= 1e-4 * max(epsabs, epsrel * abs(fine * half)) * share or abs(half) < 1e-13 * abs(middle):
            total += fine * half
            error += difference
        else:
            pending.append((middle, high))
            pending.append((low, middle))
    if len(pending) > 0:
        raise RuntimeError("quad() does not converge here: divide the interval, or look for a pole")
    return total, error


@stands_for(scipy.integrate.fixed_quad)
def fixed_quad(func: Callable[..., Any], a: float, b: float, args: Any = (), n: int = 5) -> tuple[Any, None]:
    """Gauss and Legendre's rule; the function takes all points at once."""
    points, weights = np.polynomial.legendre.leggauss(n)
    half = 0.5 * (b - a)
    return half * np.sum(weights * func(half * (points + 1.0) + a, *args), axis=-1), None
