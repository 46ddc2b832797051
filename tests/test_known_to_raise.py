"""What is known to raise stands in a branch or loop that may not be reached: only where it is, it is caught."""

from __future__ import annotations

import pytest
from agreement import confirm

from srcgrad import Error, jit


def missing_key_in_a_branch(x, z):
    d, s = {"a": x}, x
    try:
        if z > 0:
            s = d["b"]
    except LookupError:
        s = x * 7.0
    return s


def in_a_loop(x, z):
    d, s = {"a": x}, x
    for i in range(3):
        t = x
        try:
            t = d["b"] if z > i else 2.0 * x
        except KeyError:
            t = x * x
        s = s * t + 0.1
    return s


def in_a_helper(x, z):
    def length():
        if z > 0:
            return len(x)
        return 4

    try:
        s = x * length()
    except TypeError:
        s = x * 7.0
    return s


def loop_may_not_run(x, z):
    d = {"a": x}
    y = [0.0]
    try:
        for _ in range(z):
            y[0] = d["b"]
        t = 2.0
    except KeyError:
        t = 7.0
    return x * t


def expression(x, z):
    d = {"a": x}
    try:
        s = x * 2.0 if z < 1 else d["b"]
    except KeyError:
        s = x * 7.0
    return s


def in_the_test(x, z):
    d, t = {"a": x}, 2.0
    try:
        s = x * 3.0 if z > 0 and d["b"] > 1.0 else x
    except KeyError:
        s, t = x * 7.0, 3.0
    return s * t


def two_tries(x, z):
    d, s = {"a": x}, x
    if z > 0:
        try:
            s = s * d["b"]
        except KeyError:
            s = s * 7.0
    else:
        try:
            try:
                s = s * d["b"]
            except ValueError:
                s = 0.0
            finally:
                s = s + 1.0
        except KeyError:
            s = s * 5.0
    return s


def too_short(x, z):
    t = (x, 2.0)
    try:
        s = t[2] if z > 0 else t[0] * 3.0
    except IndexError:
        s = x * 5.0
    return s


FUNCTIONS = [
    too_short,
    missing_key_in_a_branch,
    in_a_loop,
    in_a_helper,
    loop_may_not_run,
    expression,
    in_the_test,
    two_tries,
]


@pytest.mark.parametrize("z", [0, 2])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_python(f, z):
    confirm(f, 0.7, z)


def test_jitted():
    for z in (0, 2):
        assert jit(in_a_loop)(0.7, z) == pytest.approx(in_a_loop(0.7, z), rel=1e-14)


def test_in_a_comprehension():
    """Whether it has an iteration is not known: refused."""

    def f(x, z):
        d, s = {"a": x}, x
        try:
            s = s * sum([d["b"] for _ in range(z)])
        except KeyError:
            s = s * 7.0
        return s

    with pytest.raises(Error, match="key"):
        jit(f, jit=False)(0.7, 0)
