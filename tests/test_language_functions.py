"""Functions as values, arguments of all kinds, sequences and Python's own functions of them."""

from __future__ import annotations

import functools
import itertools
import math

import numba
import numpy as np
import pytest
from agreement import confirm
from numba import literal_unroll

from srcgrad import grad, jit

V = np.array([1.3, 2.1, 0.4])
DEFAULT = np.array([1.0, 2.0])


def square(x):
    return x * x


# -- arguments ------------------------------------------------------------------------------------------------


def variadic(x, *args, **kw):
    t = x
    for a in args:
        t += a * x
    for k in kw:
        t += kw[k]
    return t


def keyword_only(x, *, scale=2.0, f=math.sin):
    return f(x) * scale


def defaults(x, a=DEFAULT, t=(1.0, 2.0), f=lambda q: q * q):
    return x * np.sum(a) + t[1] * f(x)


def starred_calls(x):
    a, d = (x, 2.0), {"scale": x}
    return variadic(x, *a, *a) + keyword_only(x, **d) + variadic(*[x, x], **{"z": x})


def lambda_defaults(x):
    f = lambda a, b=x * 2, *c: a * b  # noqa: E731
    return f(x) + f(x, 3.0)


def rebinds(x):
    total = 0.0

    def add(y):
        nonlocal total
        total += y * x

    for i in range(3):
        add(x * i)
    return total


# -- a choice of functions ----------------------------------------------------------------------------------


def chosen_by_expression(x, c):
    f = math.sin if c > 0 else math.exp
    return f(x)


def chosen_by_statement(x, c):
    f = square
    if c > 1.0:
        f = math.sin
    elif c > 0.5:
        f = lambda q: q * x  # noqa: E731
    return f(x) * f(2.0 * x)


def chosen_in_a_loop(x):
    f, t = np.cos, 0.0
    for i in range(len(x)):
        t += f(x[i] * i)
        f = square if i % 2 == 0 else np.sin
    return t + f(x[0])


def chosen_by_index(x, k):
    return (square, math.sin, math.exp)[k](x) * x


def chosen_array_functions(x, c):
    f = np.sin if c > 0 else np.exp
    return np.sum(f(x) * x)


# -- sequences ----------------------------------------------------------------------------------------------


def zips_and_maps(x):
    t = 0.0
    for a, b in zip((x, 2.0), (3.0, x), strict=True):
        t += a * b
    for v in map(lambda q: q * q, (x, 2.0)):  # noqa: C417
        t += v
    for v in filter(lambda q: q > 1, (1, 2, 3)):
        t += v * x
    for v in reversed([x, 2.0]):
        t = t * v
    for v in sorted([3, 1, 2], key=lambda q: -q):
        t = t * v + x
    for i, v in enumerate(map(math.sin, (x, 2.0)), 1):
        t += i * v
    return t


def of_itertools(x):
    t = x
    for a, b in itertools.product((1, 2), (x, 3.0)):
        t += a * b
    for a, b in itertools.combinations((x, 2.0, x * x), 2):
        t += a * b
    for p in itertools.permutations((0, 1)):
        t = t * x + p[0]
    for a, b in itertools.pairwise((x, 2.0, 3.0)):
        t += a * b
    for v in itertools.chain((x,), (2.0, x)):
        t += v * v
    for v in itertools.accumulate((x, 2.0, x)):
        t += v
    return functools.reduce(lambda a, b: a * b, (x, t, 2.0))


def mapped_at_run_time(x):
    return sum(map(lambda q: q * q, x)) + sum(  # noqa: C417
        map(lambda i, v: x[i] * v, range(len(x)), x)
    )


def nexts(x):
    return next(iter((x, 2.0))) * next((v for v in (x * x, 2.0) if True), 0.0) + next((v for v in ()), x)


def arrays_in_a_list(x):
    rows = []
    for i in range(3):
        rows.append(x * i)
    return np.sum(rows[1] * rows[2]) + sum(np.sum(a) for a in rows)


def closures_in_a_list(x):
    fs = []
    for k in (1.0, 2.0, 3.0):
        fs.append(lambda q, k=k: q * k)
    return sum(f(x) for f in fs)


def pairs_in_a_list(x):
    pairs = [(x, 1.0), (2.0, x)]
    t = 0.0
    for i in range(len(pairs)):
        t += pairs[i][0] * pairs[i][1]
    for i, b in [(i, x * i) for i in range(3)]:
        t += i * b
    return t


def dict_by_loop_index(x):
    d = {0: x, 1: 2.0, 2: square}
    t = 0.0
    for i in range(2):
        t += d[i] * x
    return d[2](t)


def unrolled(x):
    t = 0.0
    for v in literal_unroll((1, 2.0, x)):
        t += v * x
    return t


def of_different_ranks(x):
    t = 0.0
    for i in range(2):
        part = x if i == 0 else x[:, None] * x
        t += np.sum(part)
    return t


def by_slices(x):
    s = slice(0, 2)
    a, b = divmod(7, 3)
    return np.sum(x[s]) * a + b * x[-1] + pow(x[0], 2) + round(2.345, 2) * x[1]


def asks_types(x):
    y = getattr(np, "sin")(x) if hasattr(np, "sin") else 0.0  # noqa: B009
    if hasattr(np, "nothing_of_the_kind"):
        y = 0.0
    if callable(square) and not callable(x):
        y += x
    if issubclass(float, object) and isinstance(x, (int, float)) and type(x) is float:
        y *= x
    return y + getattr(np, "nothing_of_the_kind", 2.0) * x


def casts(x):
    return numba.float64(x) * numba.int64(3) + numba.types.float64(x) * type(x)(2.0)


def wraps_around(x):
    s, t = 123456789, 0.0
    for _ in range(4):
        s = (s * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
        t += x * (s >> 40)
        s ^= s << 3 & 0xFFFF
        s |= 1
        s >>= 1
        s %= 1000003
    return t * 1e-9


def in_place_operators(x):
    y = x
    y **= 2
    n = 7
    n //= 2
    n <<= 2
    b = x > 0.5
    b &= x > 0.1
    b ^= False
    y -= 1
    y *= b * x + (not b) * 2.0
    y /= 3
    return y * n


@pytest.mark.parametrize(
    "f",
    [
        *(keyword_only, defaults, starred_calls, lambda_defaults, rebinds, zips_and_maps, of_itertools, nexts),
        *(closures_in_a_list, pairs_in_a_list, dict_by_loop_index, unrolled, asks_types, casts, in_place_operators),
    ],
)
def test_of_numbers(f):
    confirm(f, 0.7)


@pytest.mark.parametrize("f", [mapped_at_run_time, arrays_in_a_list, of_different_ranks, by_slices, chosen_in_a_loop])
def test_of_arrays(f):
    confirm(f, V)


def test_variadic():
    confirm(variadic, 1.2, 2.0, 3.0)
    confirm(lambda x: variadic(x, a=2.0, b=x), 1.2)
    assert grad(variadic, argnums=2, jit=False)(1.2, 2.0, 3.0) == 1.2


@pytest.mark.parametrize("c", [-1.0, 0.75, 2.0])
def test_a_choice_of_functions(c):
    for f in (chosen_by_expression, chosen_by_statement):
        confirm(lambda x, f=f: f(x, c), 0.7)
    confirm(lambda x: chosen_array_functions(x, c), V)


@pytest.mark.parametrize("k", [0, 1, -1])
def test_a_function_from_a_tuple(k):
    confirm(chosen_by_index, 0.7, k)


def test_integers_that_wrap():
    confirm(wraps_around, 0.7)


def test_rounding_of_decimals():
    def f(x):
        return round(x, 2) * x

    assert grad(f, jit=False)(1.234) == 1.23


def test_jitted():
    confirm(chosen_in_a_loop, V, jitted=True)
    assert jit(chosen_by_index)(0.7, 2) == pytest.approx(chosen_by_index(0.7, 2))


def methods_of_containers(x):
    names, values = ["a", "b", "a"], [1, 2, 3]
    values.remove(2)
    total = x * names.index("b") + names.count("a") * x * x + (1, 3, 3).count(3) * x + values[1]
    d = {"a": x}
    total += d.setdefault("b", x * x) + d.setdefault("a", 7.0) + d.pop("a") + d.pop("c", 2.0) + len(d)
    values.clear()
    return total * (1 + len(values))


def test_methods_of_containers():
    confirm(methods_of_containers, 0.7)
