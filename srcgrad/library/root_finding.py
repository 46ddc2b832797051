"""Roots of functions by SciPy's names, with the derivatives that the implicit function theorem gives.

What the search does is constant to every derivative. Two steps of Newton's method from the root it has found carry
the derivatives: a step from a point right up to derivatives of order k gives one right up to order 2k + 1, which makes
the first three right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
from scipy import optimize

from srcgrad.annotations.custom import custom_jvp, stop_gradient
from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.directions import value_and_slope
from srcgrad.primitives.library import library

Real = float
Scalar = Callable[..., Real]
Report = tuple[Real, SimpleNamespace]
Search = Callable[[Scalar, Real, Real, Sequence[object], Real, Real, int], Real]
EPSILON = 8.881784197001252e-16


def value_at(f: Scalar, x: Real, args: Sequence[object]) -> Real:
    return stop_gradient(f(x, *args))


def implicitly(f: Scalar, root: Real, args: Sequence[object]) -> Real:
    """The root as a function of all that ``f`` reads: x' = -f' / f_x."""
    start = stop_gradient(root)
    x = start
    for _ in range(2):
        x = newton_step(x, *value_and_slope(f, x, args))
    return start + (x - stop_gradient(x))


@custom_jvp
def newton_step(x: Real, y: Real, slope: Real) -> Real:
    """``x - y / slope``; where the slope is 0 only the derivative does not exist."""
    return x if slope == 0.0 else x - float(np.divide(y, slope))  # which has no check: it is called inside `try`


@newton_step.defjvp
def _newton_step_jvp(primals: tuple[Real, Real, Real], tangents: tuple[Real, Real, Real]) -> tuple[Real, Real]:
    x, y, slope = primals
    dx, dy, dslope = tangents
    if slope == 0.0:
        raise ZeroDivisionError("the function has slope 0 at its root, which therefore has no derivative")
    step = y / slope
    return x - step, dx - (dy - step * dslope) / slope


def bracketed(f: Scalar, a: Real, b: Real, args: Sequence[object], xtol: Real, rtol: Real, limit: int) -> Real:
    """Brent, Algorithms for Minimization without Derivatives (1973), chapter 4; b is the best, c on its other side."""
    fa, fb = value_at(f, a, args), value_at(f, b, args)
    if fa == 0.0:
        return a
    if fa * fb > 0.0:
        raise ValueError("f(a) and f(b) must have different signs")
    c, fc = a, fa
    step = before = b - a
    for _ in range(limit):
        if (fb > 0.0) == (fc > 0.0):
            c, fc = a, fa
            step = before = b - a
        if abs(fc) < abs(fb):
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        tolerance = 0.5 * (xtol + rtol * abs(b))
        half = 0.5 * (c - b)
        if abs(half) <= tolerance or fb == 0.0:
            return b
        new = half
        if abs(before) >= tolerance and abs(fa) > abs(fb):
            p, q = interpolated(half, b - a, a == c, fb / fa, fa / fc, fb / fc)
            if 2.0 * p < min(3.0 * half * q - abs(tolerance * q), abs(before * q)):
                new = p / q
        before = half if new == half else step
        step = new
        a, fa = b, fb
        b = b + (step if abs(step) > tolerance else np.copysign(tolerance, half))
        fb = value_at(f, b, args)
    raise RuntimeError("the search for a root has not converged")


def interpolated(half: Real, width: Real, linear: bool, s: Real, q: Real, r: Real) -> tuple[Real, Real]:
    """The step to the root of the secant or of the inverse parabola, as a quotient whose numerator is not negative."""
    above, below = 2.0 * half * s, 1.0 - s
    if not linear:
        above = s * (2.0 * half * q * (q - r) - width * (r - 1.0))
        below = (q - 1.0) * (r - 1.0) * (s - 1.0)
    return (above, -below) if above > 0.0 else (-above, below)


def halved(f: Scalar, a: Real, b: Real, args: Sequence[object], xtol: Real, rtol: Real, limit: int) -> Real:
    fa, fb = value_at(f, a, args), value_at(f, b, args)
    if fa == 0.0:
        return a
    if fb == 0.0:
        return b
    if fa * fb > 0.0:
        raise ValueError("f(a) and f(b) must have different signs")
    width = b - a
    for _ in range(limit):
        width = 0.5 * width
        middle = a + width
        fm = value_at(f, middle, args)
        if fm * fa >= 0.0:
            a = middle
        if fm == 0.0 or abs(width) < xtol + rtol * abs(middle):
            return middle
    raise RuntimeError("the search for a root has not converged")


def by_tangents(
    f: Scalar,
    x: Real,
    fprime: Scalar,
    fprime2: Scalar | None,
    args: Sequence[object],
    near: tuple[Real, Real],
    limit: int,
) -> tuple[Real, bool]:
    """Newton's method, or Halley's where the second derivative is given; the last point and whether it converged."""
    for _ in range(limit):
        y = value_at(f, x, args)
        if y == 0.0:
            return x, True
        slope = value_at(fprime, x, args)
        if slope == 0.0:
            return x, False
        step = y / slope
        if fprime2 is not None:
            bend = 0.5 * step * value_at(fprime2, x, args) / slope
            step = step / (1.0 - bend) if abs(bend) < 1.0 else step
        new = x - step
        if abs(new - x) <= near[0] + near[1] * abs(x):
            return new, True
        x = new
    return x, False


def by_secants(
    f: Scalar, x: Real, x1: Real | None, args: Sequence[object], near: tuple[Real, Real], limit: int
) -> tuple[Real, bool]:
    """The secant method; the last point and whether it converged."""
    other = x * (1.0 + 1e-4) + (1e-4 if x >= 0.0 else -1e-4) if x1 is None else float(x1)
    y, new = value_at(f, x, args), value_at(f, other, args)
    if abs(new) < abs(y):
        x, other = other, x
        y, new = new, y
    for _ in range(limit):
        if new == y:
            return 0.5 * (x + other), x == other
        move = -new / y * x + other if abs(new) <= abs(y) else -y / new * other + x
        ratio = new / y if abs(new) <= abs(y) else y / new
        following = move / (1.0 - ratio)
        if abs(following - other) <= near[0] + near[1] * abs(other):
            return following, True
        x, y = other, new
        other = following
        new = value_at(f, other, args)
    return other, False


def from_point(
    f: Scalar,
    x0: Real,
    x1: Real | None,
    fprime: Scalar | None,
    fprime2: Scalar | None,
    args: Sequence[object],
    near: tuple[Real, Real],
    limit: int,
) -> tuple[Real, bool]:
    """The root that is found from a point, with its derivatives, and whether the search converged."""
    if fprime is None:
        found, converged = by_secants(f, float(x0), x1, args, near, limit)
    else:
        found, converged = by_tangents(f, float(x0), fprime, fprime2, args, near, limit)
    return implicitly(f, found, args), converged


def between(
    search: Search, f: Scalar, bracket: Sequence[Real], args: Sequence[object], near: tuple[Real, Real], limit: int
) -> Real:
    """The root that a search finds between two points, with its derivatives."""
    found = search(f, float(bracket[0]), float(bracket[1]), args, near[0], near[1], limit)
    return implicitly(f, found, args)


def reported(root: Real, converged: bool, full_output: bool) -> Real | Report:
    return (root, SimpleNamespace(root=root, converged=converged)) if full_output else root


def as_tuple(args: object) -> Sequence[object]:
    return args if isinstance(args, tuple) else (args,)


@library(optimize.brentq, optimize.brenth, optimize.ridder, optimize.toms748)
def brentq(
    f: Scalar,
    a: Real,
    b: Real,
    args: Sequence[object] = (),
    xtol: Real = 2e-12,
    rtol: Real = EPSILON,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Real | Report:
    """All of these give the root to within the tolerances."""
    root = between(bracketed, f, (a, b), as_tuple(args), (xtol, rtol), maxiter)
    return reported(root, True, full_output)


@library(optimize.bisect)
def bisect(
    f: Scalar,
    a: Real,
    b: Real,
    args: Sequence[object] = (),
    xtol: Real = 2e-12,
    rtol: Real = EPSILON,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Real | Report:
    root = between(halved, f, (a, b), as_tuple(args), (xtol, rtol), maxiter)
    return reported(root, True, full_output)


@library(optimize.newton)
def newton(
    func: Scalar,
    x0: Real,
    fprime: Scalar | None = None,
    args: Sequence[object] = (),
    tol: Real = 1.48e-8,
    maxiter: int = 50,
    fprime2: Scalar | None = None,
    x1: Real | None = None,
    rtol: Real = 0.0,
    full_output: bool = False,
    disp: bool = True,
) -> Real | Report:
    if np.ndim(x0) != 0:
        refuse("newton() from an array of starting points", "Call it in a loop, for one root at a time.")
    root, converged = from_point(func, x0, x1, fprime, fprime2, as_tuple(args), (tol, rtol), maxiter)
    if disp and not converged:
        raise RuntimeError("Newton's method has not converged")
    return reported(root, converged, full_output)


@library(optimize.root_scalar)
def root_scalar(
    f: Scalar,
    args: Sequence[object] = (),
    method: str | None = None,
    bracket: Sequence[Real] | None = None,
    fprime: Scalar | None = None,
    fprime2: Scalar | None = None,
    x0: Real | None = None,
    x1: Real | None = None,
    xtol: Real | None = None,
    rtol: Real | None = None,
    maxiter: int | None = None,
    options: object = None,
) -> SimpleNamespace:
    if options is not None or isinstance(fprime, bool):
        refuse("root_scalar() with options, or fprime=True", "Pass the derivative as a function of its own.")
    if bracket is not None:
        limit = 100 if maxiter is None else maxiter
        near = (2e-12 if xtol is None else xtol, EPSILON if rtol is None else rtol)
        search = halved if method == "bisect" else bracketed
        return SimpleNamespace(root=between(search, f, bracket, as_tuple(args), near, limit), converged=True)
    slope = None if method == "secant" else fprime
    bend = fprime2 if method in (None, "halley") else None
    near = (1.48e-8 if xtol is None else xtol, 0.0 if rtol is None else rtol)
    assert x0 is not None, "root_scalar() is given neither a bracket nor x0"
    limit = 50 if maxiter is None else maxiter
    found, converged = from_point(f, x0, x1, slope, bend, as_tuple(args), near, limit)
    return SimpleNamespace(root=found, converged=converged)
