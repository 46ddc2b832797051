"""Questions about the class of a value that has one of several: refused of numbers, answered where it may be None."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from agreement import confirm

from srcgrad import UnsupportedError, jit, value_and_grad


def int_or_float(x):
    v = 1 if x > 0.5 else x
    return v * x * 10.0 if isinstance(v, int) else v * x


def still_an_int(x):
    v = 1
    for i in range(3):
        if x > 0.5 + i:
            v = v * x
    return x * 10.0 if type(v) is int else x


def loop_may_not_run(x):
    v = 0
    for _ in range(int(4.0 * x)):
        v = v + x
    return x * 10.0 if isinstance(v, int) else v


def after_arithmetic(x):
    v = (1 if x > 0.5 else x) * 2 - 1
    return x * 10.0 if isinstance(-v, int) else x


def larger_of_two(x):
    return x * 10.0 if isinstance(max(1, 2.0 * x), int) else x


def truth_or_int(x):
    v = x > 0.5 if x > 0.3 else 2
    return x * 10.0 if isinstance(v, bool) else x


def very_truth(x):
    v = 1 if x < 0.5 else True
    return x * 10.0 if v is True else x


def of_numpy(x):
    v = x if x > 0.5 else np.array([x])[0]
    return x * 10.0 if isinstance(v, np.float64) else x


def in_a_list(x):
    found = []
    for i in range(int(5.0 * x)):
        found.append(i if i % 2 else x)
    return sum(x * 10.0 if isinstance(t, int) else x for t in found)


def in_a_dict(x):
    d = {"a": 1 if x > 0.5 else x}
    return x * 10.0 if isinstance(d["a"], int) else x


def by_exception(x):
    try:
        v = 1.0 / (x - 0.7)
    except ZeroDivisionError:
        v = 1
    return x * 10.0 if isinstance(v, int) else x


def by_generator(x):
    def numbers(n):
        for i in range(n):
            yield i if i % 2 else x

    return sum(x * 10.0 if isinstance(t, int) else x for t in numbers(int(5.0 * x)))


SEVERAL = [int_or_float, still_an_int, loop_may_not_run, after_arithmetic, larger_of_two, truth_or_int, very_truth]
SEVERAL += [of_numpy, in_a_list, in_a_dict, by_exception, by_generator]


@pytest.mark.parametrize("f", SEVERAL)
def test_number_of_several_classes(f: Callable[[float], float]) -> None:
    """The program holds one number; which class it has in Python is not known."""
    for x in (0.7, 0.3):
        with pytest.raises(UnsupportedError, match=r"depending on the path|identity"):
            value_and_grad(f, jit=False)(x)


def mean_of(x, n):
    total = 0.0
    for k in range(n):
        total += x[k]
    try:
        return x[0] / total + 1.0 / total
    except ZeroDivisionError:
        return x[0] * 5.0


def mean_of_floats(x, n):
    total = 0.0
    for k in range(n):
        total += x[k]
    try:
        return 1.0 / float(total) + x[0] / total
    except ZeroDivisionError:
        return x[0] * 5.0


def test_division_of_several_classes() -> None:
    """0.0 is Python's, and raises; what is added to it is NumPy's, and gives infinity."""
    x = np.array([0.7, -0.3])
    with pytest.raises(UnsupportedError, match=r"float\(v\)"):
        value_and_grad(mean_of, jit=False)(x, 0)
    for n in (0, 1, 2):
        confirm(mean_of_floats, x, n)


def same_answer(x):
    v = 1 if x > 0.5 else x
    return v * x if isinstance(v, int | float) else x


def float_again(x):
    v = 0
    for _ in range(3):
        v = v + x
    w = v * 1.0
    return w if isinstance(w, float) else 7.0 * x


def int_on_all_paths(x):
    v = 3
    while v > x:
        v = v - 1
    return 2.0 * x if isinstance(v, int) else x


def none_or_float(x):
    v = None if x < 0.5 else x
    return v * v if isinstance(v, float) else 3.0 * x


def none_or_array(x):
    v = None if x < 0.5 else np.array([x, x])
    if isinstance(v, np.ndarray):
        return v.sum() * x
    return x if np.isscalar(v) else x * 5.0


def type_of_none(x):
    v = None if x < 0.5 else x
    return x * 2.0 if type(v) is float else x * 5.0


def attribute_of_none(x):
    v = None if x < 0.5 else np.array([x, x])
    return v.sum() if hasattr(v, "shape") else x * 5.0


def asked_in_a_helper(x):
    def doubled(t):
        return t * 2.0 if isinstance(t, float) else x * 3.0

    return doubled(None if x < 0.5 else x)


def changes_in_a_loop(x):
    v, total = None, 0.0
    for i in range(3):
        if isinstance(v, float):
            total = total + v * i
        if x > 0.25 * i:
            v = x * x
    return total + x


def changed_list(x):
    s = [x, x * x]
    if x < 0.5:
        s = None
    return s[1] if isinstance(s, list) else 3.0 * x


@pytest.mark.parametrize("x", [0.7, 0.3])
@pytest.mark.parametrize(
    "f",
    [
        same_answer,
        float_again,
        int_on_all_paths,
        none_or_float,
        none_or_array,
        type_of_none,
        attribute_of_none,
        asked_in_a_helper,
        changes_in_a_loop,
        changed_list,
    ],
)
def test_answered(f: Callable[[float], float], x: float) -> None:
    confirm(f, x)


def test_jitted() -> None:
    assert jit(changes_in_a_loop)(0.7) == changes_in_a_loop(0.7)
    assert jit(none_or_array)(0.3) == none_or_array(0.3)
