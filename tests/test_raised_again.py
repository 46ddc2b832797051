"""Exceptions that pass a `finally`, or that a handler raises again: it does its part, and the class stays the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import confirm

from srcgrad import grad, jit


def passes_a_finally(x, z):
    s = 0.0
    try:
        s = s + x
        try:
            s = s + x / z
        finally:
            s = s * 10.0
    except ZeroDivisionError:
        s = s + 5.0
    return s


def passes_two(x, z):
    s = x
    try:
        try:
            try:
                s = s / z
            finally:
                s = s + 1.0
        finally:
            s = s * 2.0
    except ArithmeticError:
        s = s * 3.0
    return s


def in_a_helper(x, z):
    y = np.zeros(2)

    def divided():
        try:
            y[0] = x
            return x / z
        finally:
            y[1] = x * x

    try:
        s = divided()
    except ZeroDivisionError:
        s = 3.0
    return s + y[0] + 2.0 * y[1]


def behind_a_handler(x):
    try:
        try:
            raise ValueError("first")
        except ValueError:
            s = x * 2.0
            raise KeyError("second") from None
        finally:
            s = s + 1.0
    except KeyError:
        s = s * 3.0
    return s


def by_a_return(x, z):
    try:
        try:
            return x / z
        finally:
            x = x * 2.0
    except ZeroDivisionError:
        return x * 3.0


def of_two_classes(x, z):
    y = np.zeros(1)
    try:
        try:
            s = math.log(x) / z
        except (ValueError, ZeroDivisionError):
            y[0] = x
            raise
    except ZeroDivisionError:
        s = y[0] * 3.0
    except ValueError:
        s = y[0] * 5.0
    return s


def of_any_class(x, z):
    y = np.zeros(1)
    try:
        try:
            s = math.log(x) / z
        except Exception as error:
            y[0] += x
            raise error
        finally:
            y[0] *= 2.0
    except ZeroDivisionError:
        s = y[0] * 3.0
    except ValueError:
        s = y[0] * 5.0
    return s


def in_a_loop(x, z):
    s = x
    for _ in range(3):
        try:
            try:
                s = math.log(s + 0.2) / z
            finally:
                s = s + 7.0
            s = s * 0.2
        except ZeroDivisionError:
            s = s * 3.0
            break
        except ValueError:
            s = s * 5.0
    return s


def helper_in_a_loop(x):
    y = np.zeros(3)

    def taken(t):
        try:
            y[0] += t
            if t > 0.6:
                raise KeyError("large")
            y[1] += math.log(t - 0.35)
        finally:
            y[2] += 3.0 * t
        return t

    s = 0.0
    for i in range(4):
        try:
            s += taken(x + 0.1 * i)
        except KeyError:
            s += 2.0 * x
        except ValueError:
            s += 5.0 * x
    return s + y[0] + 2.0 * y[1] + 3.0 * y[2]


CASES = [(f, (x, z)) for f in (passes_a_finally, passes_two, in_a_helper, by_a_return) for x in (0.7,) for z in (0, 2)]
CASES += [(f, (x, z)) for f in (of_two_classes, of_any_class, in_a_loop) for x in (0.7, -0.3) for z in (0, 2)]
CASES += [(behind_a_handler, (0.7,)), (helper_in_a_loop, (0.31,))]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_as_python(f, args):
    confirm(f, *args)


def test_jitted():
    assert jit(of_any_class)(-0.3, 2) == of_any_class(-0.3, 2)
    assert grad(helper_in_a_loop)(0.31) == pytest.approx(grad(helper_in_a_loop, jit=False)(0.31), rel=1e-13)


def test_nobody_catches():
    """The exception that leaves the function is the one that was raised."""

    def f(x):
        try:
            if x < 0.0:
                raise KeyError("negative")
            return x
        except LookupError:
            x = 1.0
            raise
        finally:
            x = 2.0

    assert grad(f, jit=False)(1.0) == 1.0
    with pytest.raises(KeyError, match="negative"):
        grad(f, jit=False)(-1.0)
