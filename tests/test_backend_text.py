"""The text that the back end writes for a piece of IR, and that it computes what the IR means."""

from __future__ import annotations

import copy
import itertools
import linecache
import random
from typing import Any

import interpreter
import numpy as np
import pytest

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.backend.numba_jit import compile_function
from srcgrad.backend.python_source import emit
from srcgrad.ir.build import build_function
from srcgrad.ir.core import Location, Operand, Value, constant
from srcgrad.ir.text import parse
from srcgrad.ir.types import F64, Array, Scalar
from srcgrad.primitives.table import infer
from srcgrad.settings import Options


def text_of(ir: str, level: str = "readable") -> str:
    """The functions without the imports."""
    return emit(parse(ir, infer), level).partition("import numpy as np\n")[2].strip()


def check(ir: str, expected: str, *arguments: Any, level: str = "readable") -> None:
    """The text is as expected, and a run of what is compiled gives what the interpreter gives, effects included."""
    assert text_of(ir, level) == expected.strip()
    function = parse(ir, infer)
    outcomes = []
    for run in (interpreter.run, lambda f, *a: compile_function(f, Options(jit=False))(*a)):
        given = copy.deepcopy(arguments)
        result = run(function, *given)
        flat = result if isinstance(result, tuple) else () if result is None else (result,)
        outcomes.append((flat, given))
    (wanted, wanted_effects), (results, effects) = outcomes
    for a, b in zip((*wanted, *wanted_effects), (*results, *effects), strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=2e-7 if np.asarray(a).dtype == np.float32 else 0.0)


X = np.array([0.5, -1.0, 2.0, 3.0, 0.25])


def test_versions_of_a_carried_variable_are_one_variable() -> None:
    check(
        """
def total(x: f64[:], c: f64):
    n: i64 = dim(x, axis=0)
    with for_(n, 0.0) as (s_2,):
        def _(i: i64, s: f64):
            _1: f64 = load(x, i)
            _2: f64 = mul(_1, c)
            s_1: f64 = add(s, _2)
            yield s_1
    return s_2
""",
        """
def total(x, c):
    n = x.shape[0]
    s = 0.0
    for i in range(n):
        s += x[i] * c

    return s
""",
        X,
        2.0,
    )


def test_what_is_carried_crosswise_is_copied_at_once() -> None:
    check(
        """
def fibonacci(n: i64):
    with for_(n, 0, 1) as (a_1, b_1):
        def _(i: i64, a: i64, b: i64):
            _1: i64 = add(a, b)
            yield b, _1
    return a_1
""",
        """
def fibonacci(n):
    a = 0
    b = 1
    for _ in range(n):
        a, b = b, a + b

    return a
""",
        10,
    )


def test_arrays_are_swapped() -> None:
    check(
        """
def swap(x: f64[:], y: f64[:], n: i64):
    with for_(n, x, y) as (u_1, v_1):
        def _(i: i64, u: f64[:], v: f64[:]):
            _1: f64 = load(u, 0)
            accumulate(v, 1, _1)
            yield v, u
    _2: f64 = load(u_1, 1)
    return _2
""",
        """
def swap(x, y, n):
    u = x
    v = y
    for _ in range(n):
        v[1] += u[0]
        u, v = v, u

    return u[1]
""",
        X,
        X + 1.0,
        3,
    )


def test_a_value_read_after_its_variable_is_bound_anew_keeps_a_name() -> None:
    check(
        """
def old(s: f64, n: i64):
    with for_(n, s, 0.0) as (s_1, t_1):
        def _(i: i64, s_2: f64, t: f64):
            s_3: f64 = sin(s_2)
            _1: f64 = mul(s_2, s_3)
            t_2: f64 = add(t, _1)
            yield s_3, t_2
    return s_1, t_1
""",
        """
def old(s, n):
    t = 0.0
    for _ in range(n):
        s_3 = np.sin(s)
        t += s * s_3
        s = s_3

    return s, t
""",
        0.7,
        3,
    )


def test_a_load_does_not_move_past_a_store_that_may_touch_it() -> None:
    check(
        """
def shift(x: f64[:], y: f64[:]):
    _1: f64 = load(x, 0)
    _2: f64 = load(x, 1)
    store(y, 0, _2)
    store(x, 0, 7.0)
    _3: f64 = add(_1, 1.0)
    return _3
""",
        """
def shift(x, y):
    t = x[0]
    y[0] = x[1]
    x[0] = 7.0
    return t + 1.0
""",
        X,
        X + 1.0,
    )


STENCIL = """
def stencil(x: f64[:], y: f64[:]):
    d: i64 = dim(x, axis=0)
    _1: i64 = sub(d, 2)
    _2: i64 = max(_1, 0)
    with for_(_2, 0.0) as (s_1,):
        def _(q: i64, s: f64):
            i: i64 = add(q, 1)
            _3: i64 = sub(i, 1)
            _4: f64 = load(x, _3)
            _5: f64 = load(x, i)
            _6: f64 = mul(_4, _5)
            s_2: f64 = add(s, _6)
            yield s_2
    with for_(_2):
        def _(q: i64):
            _7: i64 = sub(_2, q)
            i: i64 = add(_7, 0)
            _9: i64 = sub(i, 1)
            _10: f64 = load(x, i)
            accumulate(y, _9, _10)
    return s_1
"""


def test_a_loop_counts_as_the_user_wrote_it() -> None:
    check(
        STENCIL,
        """
def stencil(x, y):
    d = x.shape[0]
    s = 0.0
    for i in range(1, d - 1):
        s += x[i - 1] * x[i]

    for i in range(d - 2, 0, -1):
        y[i - 1] += x[i]

    return s
""",
        X,
        X + 1.0,
    )


def test_compiled_loops_count_up_and_index_unsigned_where_the_sign_is_not_plain() -> None:
    check(
        STENCIL,
        """
def stencil(x, y):
    d = x.shape[0]
    trips = max(d - 2, 0)
    s = 0.0
    for i in range(1, d - 1):
        s += x[i - 1] * x[i]

    for q in range(trips):
        i = trips - q
        y[np.uint64(i - 1)] += x[np.uint64(i)]

    return s
""",
        X,
        X + 1.0,
        level="compiled",
    )


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_loops_with_few_or_no_trips(n: int) -> None:
    """A range with the count's clamp left out is empty where the count was zero."""
    for level in ("readable", "compiled"):
        namespace: dict[str, Any] = {}
        exec(emit(parse(STENCIL, infer), level), namespace)
        x, y, z = np.arange(n) + 1.0, np.zeros(n), np.zeros(n)
        (wanted,) = interpreter.run(parse(STENCIL, infer), x, z)
        assert namespace["stencil"](x, y) == wanted
        np.testing.assert_array_equal(y, z)


def test_steps() -> None:
    check(
        """
def every(x: f64[:], m: i64):
    d: i64 = dim(x, axis=0)
    _1: i64 = sub(d, m)
    _2: i64 = add(_1, 1)
    _3: i64 = floordiv(_2, 2)
    _4: i64 = max(_3, 0)
    with for_(_4):
        def _(q: i64):
            _5: i64 = mul(q, 2)
            i: i64 = add(_5, m)
            store(x, i, 0.0)
    return
""",
        """
def every(x, m):
    d = x.shape[0]
    for i in range(m, d, 2):
        x[i] = 0.0
""",
        X,
        1,
    )


def test_branches_in_their_shortest_form() -> None:
    check(
        """
def branches(x: f64):
    _1: bool = gt(x, 1.0)
    with if_(_1) as (y,):
        def _():
            y_1: f64 = mul(x, 2.0)
            yield y_1
        def _():
            _2: bool = lt(x, -1.0)
            with if_(_2) as (y_2,):
                def _():
                    y_3: f64 = neg(x)
                    y_4: f64 = sin(y_3)
                    yield y_4
                def _():
                    yield 0.0
            yield y_2
    _3: bool = gt(y, 0.5)
    with if_(_3) as (z,):
        def _():
            z_1: f64 = sub(y, 0.5)
            yield z_1
        def _():
            yield 0.0
    return z
""",
        """
def branches(x):
    if x > 1.0:
        y = x * 2.0
    elif x < -1.0:
        y_3 = -x
        y = np.sin(y_3)
    else:
        y = 0.0
    z = y - 0.5 if y > 0.5 else 0.0
    return z
""",
        3.0,
    )


def test_a_loop_with_a_test() -> None:
    check(
        """
def halve(x: f64):
    with while_(x, 0) as (x_1, k_1):
        def _(x_2: f64, k: i64):
            _1: bool = gt(x_2, 1.0)
            yield _1
        def _(x_3: f64, k_2: i64):
            x_4: f64 = div(x_3, 2.0)
            k_3: i64 = add(k_2, 1)
            yield x_4, k_3
    return x_1, k_1
""",
        """
def halve(x):
    k = 0
    while x > 1.0:
        x /= 2.0
        k += 1

    return x, k
""",
        20.0,
    )


def test_the_fewest_parentheses() -> None:
    check(
        """
def tree(a: f64, b: f64):
    _1: f64 = sub(a, b)
    _2: f64 = sub(a, _1)
    _3: f64 = mul(_2, -2.0)
    _4: f64 = neg(b)
    _5: f64 = pow(_4, 2.0)
    _6: f64 = div(_5, _3)
    _7: f64 = add(_6, a)
    return _7
""",
        """
def tree(a, b):
    return (-b) ** 2.0 / ((a - (a - b)) * -2.0) + a
""",
        1.5,
        2.0,
    )


def test_dtypes_are_kept() -> None:
    check(
        """
def narrow(x: f32, k: i32, n: i64):
    _1: f32 = mul(x, f32(0.1))
    _2: i32 = add(k, i32(5))
    _3: f32 = cast(n, dtype=f32)
    _4: f32 = add(_1, _3)
    _5: f32 = ipow(_4, 3)
    return _5, _2
""",
        """
def narrow(x, k, n):
    return np.float32((x * np.float32(0.1) + np.float32(n)) ** 3), np.int32(k + np.int32(5))
""",
        np.float32(0.3),
        np.int32(4),
        2,
    )


def test_views_and_slices() -> None:
    check(
        """
def views(a: f64[:, :], i: i64):
    n: i64 = dim(a, axis=1)
    row: f64[:] = slice(a, i, axes='i:')
    _1: i64 = sub(n, 1)
    rest: f64[:] = slice(row, 1, _1, 1, axes='s')
    back: f64[:, 'A'] = slice(row, _1, n, -1, axes='s')
    flipped: f64[:, :, 'F'] = transpose(a, permutation=(1, 0))
    _2: f64 = load(rest, 0)
    _3: f64 = load(back, 0)
    _4: f64 = load(flipped, 0, i)
    store(row, 0, 9.0)
    return _2, _3, _4
""",
        """
def views(a, i):
    n = a.shape[1]
    row = a[i]
    rest = row[1:n]
    back = row[:n][::-1]
    flipped = a.T
    t = rest[0]
    t_1 = back[0]
    t_2 = flipped[0, i]
    row[0] = 9.0
    return t, t_1, t_2
""",
        np.arange(6.0).reshape(2, 3),
        1,
    )


def test_checks_raise_with_their_values() -> None:
    ir = """
def checked(x: f64[:], i: i64):
    n: i64 = dim(x, axis=0)
    k: i64 = check_index(i, n)
    _1: bool = lt(k, 4)
    check(_1, k, exception='ValueError', message='k is {0}')
    _2: f64 = load(x, k)
    return _2
"""
    check(
        ir,
        """
def checked(x, i):
    n = x.shape[0]
    if not -n <= i < n:
        raise IndexError("index {0} is out of range for an axis of extent {1}", i, n)
    k = i if i >= 0 else i + n
    if k >= 4:
        raise ValueError("k is {0}", k)
    return x[k]
""",
        X,
        -2,
    )
    for jit in (False, True):
        run = compile_function(parse(ir, infer), Options(jit=jit, cache=False))
        with pytest.raises(IndexError, match="index 7 is out of range for an axis of extent 5"):
            run(X, 7)
        with pytest.raises(ValueError, match="k is 4"):
            run(X, 4)


def test_division_by_zero_is_infinite_also_for_literals_and_what_starts_from_them() -> None:
    ir = """
def poles(n: i64, x: f64):
    with for_(n, 0.0) as (s_1,):
        def _(i: i64, s: f64):
            s_2: f64 = add(s, 1.0)
            yield s_2
    _1: f64 = div(1.0, s_1)
    _2: f64 = div(x, s_1)
    _3: f64 = ipow(s_1, -2)
    return _1, _2, _3
"""
    for jit in (False, True):
        run = compile_function(parse(ir, infer), Options(jit=jit, cache=False))
        assert run(0, 2.0) == (np.inf, np.inf, np.inf)


def test_names_that_mean_something_else_are_left_alone() -> None:
    check(
        """
def range(np: f64, lambda_: f64):
    max: f64 = add(np, lambda_)
    len: f64 = mul(max, max)
    _1: f64 = sin(len)
    return _1
""",
        """
def range_1(np_1, lambda_):
    max_1 = np_1 + lambda_
    len_1 = max_1 * max_1
    return np.sin(len_1)
""",
        1.0,
        2.0,
    )


def test_the_users_line_stands_over_what_comes_from_it() -> None:
    lines = ["def f(x, a):\n", "    a[0] = x * x  # square\n", "    a[1] = 2.0 * x\n", "    return x\n"]
    linecache.cache["users.py"] = (1, None, lines, "users.py")
    x, a = Value(Scalar(F64), "x"), Value(Array(F64, 1), "a")

    def body(b: Any) -> list[Operand]:
        b.location = Location("users.py", 2)
        b.emit("store", a, constant(0), b("mul", x, x))
        b.location = Location("users.py", 3)
        t = b("sin", x)
        b.emit("store", a, constant(1), t)
        b.emit("accumulate", a, constant(0), b("neg", t))
        return [x]

    text = emit(build_function(infer, "f", [x, a], body)).partition("import numpy as np\n")[2].strip()
    assert (
        text
        == """
def f(x, a):
    a[0] = x * x
    # a[1] = 2.0 * x
    t = np.sin(x)
    a[1] = t
    a[0] -= t
    return x
""".strip()
    )


def random_condition(rng: random.Random, lines: list[str], depth: int) -> str:
    """The name of a condition made of four truth values; ``lines`` get the IR."""
    if depth == 0:
        return rng.choice("abcd")
    kind = rng.choice(["and_", "or_", "not_", "ne"])
    operands = [random_condition(rng, lines, depth - 1) for _ in range(1 if kind == "not_" else 2)]
    lines.append(f"_{len(lines) + 1}: bool = {kind}({', '.join(operands)})")
    return f"_{len(lines)}"


@pytest.mark.parametrize("seed", range(60))
def test_conditions_and_their_negations(seed: int) -> None:
    rng, lines = random.Random(seed), list[str]()
    condition = random_condition(rng, lines, rng.randint(1, 4))
    body = "".join(f"    {line}\n" for line in lines)
    check_op = f"    check({condition}, exception='ValueError', message='no')\n"
    branch = f"    with if_({condition}):\n        def _():\n            pass\n"
    branch += "        def _():\n            store(x, 0, 1.0)\n"
    head = "def f(a: bool, b: bool, c: bool, d: bool, x: f64[:]):\n"
    checks, branches = (parse(head + body + op + "    return a\n", infer) for op in (check_op, branch))
    for truths in itertools.product([False, True], repeat=4):
        raised = []
        for run in (interpreter.run, lambda f, *a: compile_function(f, Options(jit=False))(*a)):
            x = np.zeros(1)
            try:
                run(checks, *map(np.bool_, truths), x)
                raised.append(False)
            except ValueError:
                raised.append(True)
            run(branches, *map(np.bool_, truths), x)
            raised.append(x[0] == 1.0)
        assert raised[0] == raised[1] == raised[2] == raised[3]
