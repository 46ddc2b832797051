"""Calls, closures, recursion and containers, against Python itself."""

from __future__ import annotations

import collections
import dataclasses
import functools

import numba
import numpy as np
import pytest
from lowered import check, lowered, through_ir

X = np.array([1.0, -2.0, 3.0, 0.5, 4.0])
TABLE = np.array([1.0, 2.0])
FACTOR = 3.0
SETTINGS = {"rate": 0.5, "table": TABLE, "names": ("a", "b")}

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Model:
    w: float
    v: object

    def total(self, k=1):
        return self.w * k + self.v[0]

    @property
    def twice(self):
        return self.w * 2


def binding(x):
    def g(a, b=2.0, *rest, k=1.0, **kw):
        return a * b + k + len(rest) + kw.get("z", 0.0)

    h = lambda q: g(q, q)  # noqa: E731
    return g(x), h(x), g(x, 3.0, 4, 5, k=x), g(x, z=x), g(*(x, x)), g(**{"a": x, "b": x})


def keyword_only(x, *args, scale=2.0, **kw):
    return x * scale + sum(args)


def factorial(n):
    if n <= 1:
        return 1.0
    return n * factorial(n - 1)


def fibonacci(n, x):
    return x if n < 2 else fibonacci(n - 1, x) + fibonacci(n - 2, x * x)


def calls_recursive(x):
    return fibonacci(6, x) + fibonacci(3, x)


def even(n, x):
    return x if n == 0 else odd(n - 1, x * FACTOR)


def odd(n, x):
    return -x if n == 0 else even(n - 1, x + 1)


def halves(x, k):
    c = x[0]

    def rec(lo, hi):
        if hi - lo == 1:
            return x[lo] * c * TABLE[1]
        m = (lo + hi) // 2
        return rec(lo, m) + rec(m, hi)

    return rec(0, len(x)) + k


def doubles_rest(x, lo):
    if lo >= len(x):
        return
    x[lo] = x[lo] * 2
    doubles_rest(x, lo + 1)


def counts(x, n):
    s = 0.0
    count = 0

    def add(v):
        nonlocal s, count
        s += v
        count += 1

    for i in range(n):
        if i % 2 == 0:
            add(x[i])
    return s, count


def mutates_through_view(x):
    def scale(a, k):
        for i in range(len(a)):
            a[i] *= k

    scale(x, 2.0)
    scale(x[1:3], 3.0)
    return x[0] + x[1]


def records(p, d, q):
    r = Pair(p.a * 2, b=p.b)
    q = {**q, "new": r.a}
    return r, d.total(3) + d.twice, q, q["new"], [v for k, v in q.items()], len(q), "x" in q


def comprehensions(x, n):
    a = [v * 2 for v in (1.0, 2.0, x[0])]
    b = sum(x[i] * i for i in range(n))
    c = [x[i] ** 2 for i in range(n)]
    d = sum(c) + c[1] + len(c)
    truths = all(v > -5 for v in x), any(v > 100 for v in x)
    return a, b, d, max(v for v in x), truths, tuple(i * x[1] for i in range(3) if i != 1)


def higher_order(x):
    t = x
    for f in [lambda a: a + 1, lambda a: a * x, functools.partial(pow, x)]:
        t = f(t)
    product = functools.reduce(lambda a, b: a * b, (x, 2.0, t))
    return t, product, (lambda *a, **k: a[0] + k["z"])(x, z=1), list(map(lambda q: q + 1, (x, 2)))  # noqa: C417


@numba.njit
def jitted(a, b=2.0):
    return a * b


def calls_jitted(x):
    return jitted(x) + jitted(x, b=x)


def lists(x):
    a = []
    a.append(x)
    a.append(2 * x)
    a[0] = 5.0
    a += [1.0]
    b = a
    b.pop()
    t = 0.0
    for v in a:
        t += v
    return t, a, len(b)


def tuples_by_run_time_index(x, n):
    w = (1.0, 2.0, 4.0)
    s = 0.0
    for i in range(n):
        s += w[i] * x
    return s, w[-1], w[1:], w[n - 1]


def by_mode(x, mode="a", flag=None):
    if mode == "a":
        return x
    if mode == "b" and flag is None:
        return (x, 2 * x)
    return {"k": x, mode: mode.upper()}


def settings(x):
    return x * SETTINGS["rate"] + SETTINGS["table"][1] + len(SETTINGS["names"])


def counter():
    c = 0

    def inc(k=1):
        nonlocal c
        c += k
        return c

    return inc


def uses_counter(x, n):
    inc = counter()
    s = 0.0
    for i in range(n):
        if x[i] > 0:
            s += inc() * x[i]
        else:
            inc(2)
    return s, inc()


def late_binding(x):
    fs = [lambda: i * x[0] for i in range(3)]  # noqa: B023
    return [f() for f in fs]


def effects_in_comprehensions(x, n):
    s = 0.0

    def add(v):
        nonlocal s
        s += v
        return v

    a = [add(x[i]) for i in range(n)]
    b = sum(add(v) for v in x)
    return s, sum(a), b


class Settings:
    def __init__(self):
        self.rate = 0.5
        self.table = np.array([3.0])
        self.parent = self

    def scale(self, x):
        return x * self.rate + self.table[0]

    def __call__(self, x):
        return self.scale(x) + 1


OBJECT = Settings()


def reads_objects(x):
    return OBJECT.scale(x) + OBJECT.parent.rate + OBJECT(x)


def sequences(x):
    xs = [x, x * 2]
    ys = [*xs, 1.0] + [3.0]  # noqa: RUF005
    xs[0] = 7.0
    a, *rest = ys
    return sum(ys), max(xs), min(*ys), a, rest, tuple(ys[1:]), len(rest), 3 * (x,), ys == ys


def text(x):
    s = ""
    for c in "abc":
        s += c
    return {"abc": x}[s], f"{s}!", s.upper() == "ABC"


def grows(x, n):
    out = []
    for i in range(n):
        if x[i % 5] > 0:
            out.append(x[i % 5] * i)
    s = 0.0
    for v in out:
        s += v
    return s, len(out), np.array(out), sum(out), max(out), out[0], out[-1]


def grows_while(n):
    fib = [1, 1]
    while fib[-1] < n:
        fib.append(fib[-1] + fib[-2])
    return fib[-1], len(fib), np.array(fib)


def stack_of_numbers(x):
    a = []
    b = a
    for v in x:
        a.append(v)
        if v < 0:
            a.pop()
        a[-1] += 1.0
    t = 0.0
    while b:
        t = t * 0.5 + b.pop()
    return t, len(a)


def widens(x):
    a = [0]
    for v in x:
        a.append(v)
    return np.sum(a), a[0]


def new_list_each_time(x):
    total = 0.0
    for i in range(3):
        row = []
        for v in x:
            if v > i:
                row.append(v)
        total += len(row) * sum(row)
    return total


def grows_in_closure(x):
    a = []

    def push(v):
        a.append(v * 2)

    for v in x:
        push(v)
    if len(a) > 3:
        a.append(1.0)
    return np.asarray(a).sum(), a[2]


def index_past_grown(x):
    a = []
    for v in x:
        a.append(v)
    return a[10]


def assigns_in_comprehension(x):
    w = 0.0
    a = [(w := v) if v > x[0] else 0 for v in (0.5, 2.0, 0.7)]
    return w, a


def total(a):
    s = 0.0
    for v in a:
        s += v
    return s


def each_call_has_its_types(x):
    return list(map(total, (x, x.astype(np.float32), x)))  # the second is a float32


PART = slice(1, 4, 2)


def slices_from_outside(x, part):
    return x[part], x[PART], (1, 2, 3)[part]


CALLS = [
    (assigns_in_comprehension, X),
    (assigns_in_comprehension, -X),
    (assigns_in_comprehension, 3 * X),
    (each_call_has_its_types, X),
    (slices_from_outside, X, slice(0, 2)),
    (grows, X, 5),
    (grows, X, 40),
    (grows_while, 100),
    (stack_of_numbers, X),
    (widens, X),
    (new_list_each_time, X),
    (grows_in_closure, X),
    (index_past_grown, X),
    (uses_counter, X, 5),
    (late_binding, X),
    (effects_in_comprehensions, X, 3),
    (reads_objects, 2.0),
    (sequences, 1.5),
    (text, 1.0),
    (binding, 1.5),
    (keyword_only, 1.0),
    (factorial, 5),
    (calls_recursive, 0.7),
    (even, 5, 0.7),
    (even, 4, 0.7),
    (halves, X, 1.0),
    (doubles_rest, X, 0),
    (counts, X, 5),
    (mutates_through_view, X),
    (records, Pair(1.0, X), Model(2.0, X), {"x": 1.0}),
    (comprehensions, X, 4),
    (higher_order, 1.2),
    (calls_jitted, 3.0),
    (jitted, 3.0),
    (lists, 1.5),
    (tuples_by_run_time_index, 1.5, 3),
    (tuples_by_run_time_index, 1.5, 4),
    (by_mode, 1.0),
    (by_mode, 1.0, "b"),
    (by_mode, 1.0, "c", 3),
    (settings, 2.0),
]


@pytest.mark.parametrize(("function", "arguments"), [(f, a) for f, *a in CALLS])
def test_as_python(function, arguments):
    check(function, *arguments)


def test_starred_parameters():
    check(keyword_only, 1.0, 2.0, 3.0, scale=5.0, other=1.0)


def test_recursion_is_a_function_of_its_own():
    assert [*lowered(factorial, 3)[0].function.callees] == ["factorial_1"]
    assert len(lowered(calls_recursive, 0.5)[0].function.callees) == 1


def reads_table(x):
    return x * TABLE[0]


def test_a_global_array_is_a_hidden_argument(monkeypatch):
    result, leaves = lowered(reads_table, 2.0)
    assert [c.name for c in result.hidden] == ["TABLE"] and leaves[1] is TABLE
    monkeypatch.setitem(globals(), "TABLE", np.array([10.0, 2.0]))
    assert through_ir(reads_table, 2.0) == 20.0


def uses_factor(x):
    return x * FACTOR


def test_a_changed_global_is_seen(monkeypatch):
    result, _ = lowered(uses_factor, 2.0)
    (captured,) = result.captured
    assert captured.holds()
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    assert not captured.holds()
    assert through_ir(uses_factor, 2.0) == 8.0


def test_closure_cells():
    a = np.array([1.0, 2.0])
    k = 2.0

    def f(x):
        return x * a[1] * k

    check(f, 3.0)
    assert [c.name for c in lowered(f, 3.0)[0].hidden] == ["a"]


def test_lambdas_on_one_line():
    f, g = (lambda x: x + 1.0), (lambda x: x * 3.0)
    check(f, 2.0)
    check(g, 2.0)
