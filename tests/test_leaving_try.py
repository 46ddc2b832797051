"""Leaving a `try` by return, break and continue, and what variables hold where an exception was caught."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import confirm

from srcgrad import grad


def finally_after_return(x):
    y = x * x
    try:
        if y > 0.1:
            return y * x
        y = y + 1.0
    finally:
        y = 2.0
    return y * x


def out_of_a_loop(x, n):
    for i in range(n):
        try:
            if x > 2.0:
                return x * x
            z = 1.0 / (i - 3)
            if z > 5.0:
                break
        except ZeroDivisionError:
            return x * 3
        x = x + z * z
    return x


def in_both_branches(x):
    try:
        y = math.sqrt(x - 1.0)
        if y > 1.0:
            return y
        else:
            return y * 2
    except ValueError:
        return x * 7


def endless(x, n):
    i = 0
    while True:
        try:
            x = x * 1.5
            if x > 3:
                return x
            i += 1
        except OverflowError:
            break
    return 0.0


def only_the_last(x):
    try:
        return math.log(x)
    except ValueError:
        pass
    return x * x


def missing_key(x, d):
    try:
        s = d["q"]
    except KeyError:
        s = x
    return s * x


def of_a_number(x, t):
    try:
        n = len(t)
    except TypeError:
        n = 1
    return x * n


def raised_here(x):
    try:
        if x < 0:
            raise ValueError("neg")
        y = x**0.5
    except ValueError:
        y = -x
    finally:
        x = x * 2
    return y * x


def checked_root(x):
    if x < 0:
        raise ValueError("neg")
    return math.sqrt(x)


def raised_in_a_helper(x):
    try:
        return checked_root(x) * 2
    except ValueError:
        return checked_root(-x)


def secant(f, x0, n):
    for _ in range(n):
        d = (f(x0 + 1e-4) - f(x0)) / 1e-4
        if d == 0:
            raise RuntimeError("flat")
        x1 = x0 - f(x0) / d
        if abs(x1 - x0) < 1e-10:
            return x1
        x0 = x1
    raise RuntimeError("no conv")


def raised_in_a_loop(a):
    try:
        r = secant(lambda t: t * t - a, 1.0, 50)
    except RuntimeError:
        r = np.nan
    return r


def sums_so_far(x, n):
    total = 0.0
    cnt = 0
    for i in range(n):
        try:
            v = x / (i - 2)
            total += v * v
            w = math.log(i - 0.5)
            total += w * x
            cnt += 1
        except ZeroDivisionError:
            total += 10 * x
            continue
        except ValueError:
            total += 100 * x
    return total * cnt


def half_a_branch(x, n):
    s = x
    for i in range(n):
        try:
            if i % 2:  # noqa: SIM108
                s = s * 1.0 / (i - 3)
            else:
                s = s + x
            s = s * 1.5
        except ZeroDivisionError:
            s = x
    return s


def fills_memory(x, a):
    r = a.copy()
    try:
        y = np.zeros(3)
        for i in range(3):
            y[i] = x / (a[i] - 1.0)
        r = y * 2
        z = 1.0 / (x - 0.5)
    except ZeroDivisionError:
        z = 3.0
    return r.sum() * z


def finally_in_a_loop(x, n):
    for i in range(n):
        try:
            if i == 2:
                continue
            if i == 4:
                break
            x = x + 1.0 / (i + 1)
        finally:
            x = x * 1.1
    return x


def none_where_caught(x, n):
    for i in range(n):
        try:
            y = math.sqrt(x - i)
        except ValueError:
            y = None
        if y is not None:
            x = x + y
    return x


def one_in_the_other(x):
    try:
        try:
            y = math.log(x)
        except ValueError:
            y = 1.0 / x
            if y < -5:
                return y
        return y * x
    except ZeroDivisionError:
        return x + 3
    finally:
        x = 1


def value_behind_what_fails(x, z):
    v = x
    try:
        a = 1.0 / z
        v = None if x < 0.5 else 2.0 * x
    except ZeroDivisionError:
        a = 1.0
    return a * (v if v is not None else 3.0 * x)


def none_before_what_fails(x, z):
    v = None if x < 0.5 else 2.0 * x
    try:
        v = x / z
    except ZeroDivisionError:
        x = x * 2.0
    return v * x if v is not None else 3.0 * x


def none_between(x, z):
    v = None
    try:
        v = x
        v = v / z
        v = None
    except ZeroDivisionError:
        x = x * 2.0
    return v * x if v is not None else 3.0 * x


def none_by_iterations(x, z):
    v, s = None, 0.0
    for i in range(3):
        try:
            if v is not None:
                s = s + v
            v = x / (z * i)
        except ZeroDivisionError:
            s = s + 10.0 * x
    return s + x


V = np.array([2.0, 3.0, 4.0])
CASES = [
    (finally_after_return, (0.5,)),
    (finally_after_return, (0.1,)),
    (out_of_a_loop, (0.5, 5)),
    (out_of_a_loop, (2.5, 5)),
    (in_both_branches, (0.5,)),
    (in_both_branches, (1.5,)),
    (in_both_branches, (3.5,)),
    (endless, (0.5, 3)),
    (only_the_last, (0.5,)),
    (only_the_last, (-0.5,)),
    (missing_key, (0.5, {"a": 1.0})),
    (missing_key, (0.5, {"q": 1.0})),
    (of_a_number, (0.5, 3.0)),
    (of_a_number, (0.5, (3.0, 2.0))),
    (raised_here, (0.5,)),
    (raised_here, (-0.5,)),
    (raised_in_a_helper, (0.5,)),
    (raised_in_a_helper, (-0.5,)),
    (raised_in_a_loop, (2.0,)),
    (sums_so_far, (0.7, 5)),
    (half_a_branch, (0.7, 3)),
    (half_a_branch, (0.7, 5)),
    (fills_memory, (0.6, V)),
    (finally_in_a_loop, (0.7, 8)),
    (none_where_caught, (2.7, 8)),
    (one_in_the_other, (2.0,)),
    (one_in_the_other, (-1.0,)),
    (one_in_the_other, (-0.1,)),
    *((f, (x, z)) for f in (value_behind_what_fails, none_before_what_fails) for x in (0.3, 0.7) for z in (0, 2)),
    *((f, (x, z)) for f in (none_between, none_by_iterations) for x in (0.3, 0.7) for z in (0, 2)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_all_modes(f, args):
    confirm(f, *args)


@pytest.mark.parametrize(("f", "args"), [(sums_so_far, (0.7, 5)), (out_of_a_loop, (2.5, 5))])
def test_jitted(f, args):
    assert grad(f)(*args) == pytest.approx(grad(f, jit=False)(*args), rel=1e-13)


def test_where_python_raises():
    assert grad(one_in_the_other, jit=False)(0.0) == 1.0
    assert grad(fills_memory, jit=False)(0.5, V) == pytest.approx(3.0 * np.sum(2.0 / (V - 1.0)))


def test_a_loop_left_half_way_says_so():
    def summed(x, n):
        s = x
        try:
            for i in range(n):
                s = s + 1.0 / (i - 2)
        except ZeroDivisionError:
            return s * 3.0
        return s

    assert grad(summed, jit=False)(0.7, 2) == 1.0
    with pytest.raises(UnboundLocalError, match="'s'"):
        grad(summed, jit=False)(0.7, 5)


def left_in_each_iteration(x):
    s = x
    for _ in range(3):
        try:
            for j in range(3):
                s = s * 1.1
                if j == 1:
                    raise ValueError("half-way")
                s = s + 0.1
        except ValueError:
            continue
    return s


def test_half_way_in_an_iteration():
    """What the first iteration has left half-way the second cannot read."""
    with pytest.raises(UnboundLocalError, match="'s'"):
        grad(left_in_each_iteration, jit=False)(0.7)
