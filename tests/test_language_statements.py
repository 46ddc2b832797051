"""Statements and sets: match, with, try, del, walrus, and what they refuse."""

from __future__ import annotations

import contextlib
import math
import warnings

import numba
import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, UnboundError, UnsupportedError, grad, jit

FLAGS = {1, 4}


def on_constant(x, mode=1):
    match mode:
        case 1:
            return x * x
        case 2 | 3:
            return x
        case _:
            return 0.0


def on_number(x, k):
    match k:
        case 0:
            return x
        case 1 | 2:
            return x * x
        case n if n > 5:
            return x * n
        case _:
            return x**3


def on_text(x, mode="a"):
    match mode:
        case "a":
            y = x * x
        case "b":
            y = x
    return y


def on_pair(x):
    match (x, 2.0):
        case (a, b, c):
            return a + b + c
        case (a, 3.0):
            return a
        case (a, b):
            return a * b


def on_class(x):
    match x:
        case np.ndarray(ndim=1) as v:
            return np.sum(v * v)
        case float(v):
            return v * v * v
    return 0.0


def inside_a_loop(x):
    total = 0.0
    for i in range(5):
        match i % 3:
            case 0:
                continue
            case 1:
                total += x
            case other:
                total *= x + other
    return total


def in_contexts(x):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        y = x / 2.0
        with contextlib.nullcontext():
            if x > 0.5:
                return y * x
    return y


def always_finally(x):
    try:
        y = x * x
        return y * x
    finally:
        x = 2.0


def never_caught(x):
    try:
        y = x * x
    except (ValueError, OSError):
        y = 0.0
    except KeyError:
        return 1.0
    else:
        y = y + x
    return y


def caught_division(x, z):
    try:
        y = x / z
    except ZeroDivisionError:
        y = x * x
    return y * x


def caught_and_returned(x, z):
    try:
        return x / z + math.sqrt(x)
    except ZeroDivisionError:
        return x * x * x


def caught_raise(x):
    try:
        if x < 0.0:
            raise ValueError("negative")
        y = math.sqrt(x)
    except ValueError:
        return x * x
    return y


def two_handlers(x, a, b):
    t = 0.0
    for k in range(3):
        try:
            y = x / (a - k) + x * (3 // b)
        except ZeroDivisionError:
            y = x * x * (k + 1)
        except ArithmeticError:
            y = 0.0
        t += y
    return t


def half_done(x, z):
    y = x
    try:
        y = x * x
        w = x / z
    except ZeroDivisionError:
        return y
    return w


def caught_after_a_store(x, z):
    a = np.zeros(2)
    try:
        a[0] = x
        a[1] = x / z
    except ZeroDivisionError:
        return a[0]
    return a[1]


class Holder:
    def __init__(self, x):
        self.x = x


def changes_an_object(x, z):
    s = Holder(x)
    try:
        s.x = s.x / z
    except ZeroDivisionError:
        return s.x
    return s.x


def warned(x):
    if x > 0.0:
        warnings.warn(f"positive: {x}", stacklevel=2)
    return x * x


def deleted(x):
    y = x * x
    z = y
    del y
    return z


def deleted_and_read(x):
    y = x * x
    del y
    return y  # noqa: F821


def walrus(x):
    return w * x if (w := x * x) > 0.1 else w


def known_sets(x, k):
    s = {1, 2, 3}
    total = x * len(s) + (x if 2 in s else 0.0) + (x * x if k in {3, 4} else 0.0)
    for v in set((1, 2, 2)) | frozenset([7]):  # noqa: C405
        total += v * x * x
    for v in {i * i for i in (-1, 1, 2)} - {1}:
        total *= v
    return total + x * len(FLAGS) + (x if k in FLAGS else 0.0)


@pytest.mark.parametrize(
    "f", [on_constant, on_text, on_pair, on_class, inside_a_loop, in_contexts, always_finally, never_caught]
)
def test_statements(f):
    confirm(f, 0.7)


@pytest.mark.parametrize("f", [caught_raise, warned, deleted, walrus])
def test_more_statements(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        confirm(f, 0.7)


@pytest.mark.parametrize("k", [0, 2, 4, 9])
def test_a_match_at_run_time(k):
    confirm(on_number, 0.7, k)


def test_a_match_of_an_array():
    confirm(on_class, np.array([1.0, 2.0]))


@pytest.mark.parametrize("z", [0.0, 2.0])
def test_a_caught_division(z):
    confirm(lambda x: caught_division(x, z), 0.7)
    confirm(lambda x: caught_and_returned(x, z), 0.7)
    assert jit(caught_division, jit=False)(0.7, z) == caught_division(0.7, z)
    assert grad(caught_and_returned, jit=False)(0.7, z) == pytest.approx(
        1 / z + 0.5 / math.sqrt(0.7) if z else 3 * 0.7**2
    )
    assert grad(caught_division)(0.7, z) == pytest.approx(2 * 0.7 / z if z else 3 * 0.7**2)


def test_the_first_that_fails_is_caught():
    assert jit(caught_raise, jit=False)(-2.0) == 4.0
    assert grad(caught_raise, jit=False)(-2.0) == -4.0
    for a, b in ((1.0, 2), (5.0, 0), (1.5, 4)):
        assert jit(two_handlers, jit=False)(0.7, a, b) == pytest.approx(two_handlers(0.7, a, b))


@pytest.mark.parametrize("z", [2.0, 0.0])
def test_what_a_half_done_body_has_assigned(z):
    assert jit(half_done, jit=False)(0.7, z) == half_done(0.7, z)
    assert grad(half_done, jit=False)(0.7, z) == pytest.approx(0.5 if z else 1.4)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_sets(k):
    confirm(lambda x: known_sets(x, k), 0.7)


def test_a_global_set_that_changes(monkeypatch):
    before = grad(known_sets, jit=False)(0.7, 5)
    monkeypatch.setitem(globals(), "FLAGS", {1, 5, 6})
    assert grad(known_sets, jit=False)(0.7, 5) == pytest.approx(before + 2.0)
    FLAGS.add(9)
    assert grad(known_sets, jit=False)(0.7, 5) == pytest.approx(before + 3.0)


def with_a_file(x):
    with open("nothing") as f:  # noqa: F841
        return x


def in_object_mode(x):
    with numba.objmode(y="float64"):
        y = x
    return y


def left_in_the_end(x):
    for _ in range(3):
        try:
            x = x * x
        finally:
            break  # noqa: B012
    return x


def with_the_exception(x):
    try:
        y = x / 2.0
    except ValueError as fault:
        y = 0.0 if fault.args else 1.0
    return y


def dict_pattern(x):
    match {"a": x}:
        case {"a": y}:
            return y
    return 0.0


def index_is_caught(x):
    try:
        y = x[7]
    except IndexError:
        y = 0.0
    return y


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (with_a_file, "this context is not in the language"),
        (in_object_mode, "objmode hands the program to Python"),
        (left_in_the_end, "leaving the `finally` of a try"),
        (with_the_exception, "a caught exception as a value"),
        (dict_pattern, "a pattern of a dict"),
        (changes_an_object, "may be raised behind other effects"),
        (deleted_and_read, "'y' has no value"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_refused(f, message):
    arguments = (0.7, 2.0) if f is changes_an_object else (0.7,)
    with pytest.raises(Error, match=message):
        grad(f, jit=False)(*arguments)


def test_a_store_before_what_is_caught_stands():
    assert grad(caught_after_a_store, argnums=(0, 1), jit=False)(0.7, 2.0) == pytest.approx((0.5, -0.7 / 4.0))
    assert grad(caught_after_a_store, argnums=(0, 1), jit=False)(0.7, 0.0) == (1.0, 0.0)


def test_a_caught_index_is_refused():
    with pytest.raises(UnsupportedError, match="out of range is caught"):
        grad(index_is_caught, jit=False)(np.ones(3))
    assert issubclass(UnboundError, Error)


def test_jitted():
    confirm(on_number, 0.7, 9, jitted=True)
    confirm(lambda x: two_handlers(x, 1.0, 2), 0.7, jitted=True, order=1)
