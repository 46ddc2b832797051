"""Where no strong zero is needed: exponentials that cannot overflow, divisors and logarithms away from 0."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from oracle.programs import load

from srcgrad import grad, jacfwd
from srcgrad.differentiate.regular import mark_regular
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer
from srcgrad.testing import check_grads

BRANCHES = [
    ("ne(x, 0.0)", True, False),
    ("eq(x, 0.0)", False, True),
    ("gt(x, 0.0)", True, False),
    ("ge(x, 1.0)", True, False),
    ("ge(x, 0.0)", False, True),
    ("lt(x, 0.5)", False, True),
    ("lt(x, 0.0)", True, False),
    ("le(x, 0.0)", False, True),
    ("lt(0.0, x)", True, False),
    ("lt(x, y)", False, False),
    ("ne(x, 2.0)", False, True),
    ("eq(x, 2.0)", True, False),
    ("ne(y, 0.0)", False, False),
]
EXPONENTS = [
    (["a: f64 = mul(x, x)", "b: f64 = neg(a)"], True),
    (["a: f64 = mul(x, x)", "b: f64 = mul(-0.5, a)"], True),
    (["a: f64 = mul(-0.5, x)", "b: f64 = mul(a, x)"], True),
    (["a: f64 = ipow(x, 2)", "b: f64 = neg(a)"], True),
    (["a: f64 = abs(x)", "b: f64 = neg(a)"], True),
    (["a: f64 = mul(x, y)", "c: f64 = mul(a, a)", "b: f64 = mul(c, -2.0)"], True),
    (["a: f64 = mul(x, x)", "b: f64 = mul(a, 0.5)"], False),
    (["a: f64 = mul(x, y)", "b: f64 = neg(a)"], False),
    (["a: f64 = mul(x, x)", "c: f64 = mul(a, x)", "b: f64 = neg(c)"], False),
    (["a: f64 = ipow(x, 3)", "b: f64 = neg(a)"], False),
    (["b: f64 = neg(x)"], False),
    (["a: f64 = mul(x, x)", "c: f64 = neg(a)", "b: f64 = neg(c)"], False),
]


@pytest.mark.parametrize(("ops", "regular"), EXPONENTS)
def test_an_exponential_of_what_is_not_positive_is_regular(ops: list[str], regular: bool) -> None:
    lines = "".join(f"    {op}\n" for op in ops)
    function = parse(f"def f(x: f64, y: f64):\n{lines}    r: f64 = exp(b)\n    return r\n", infer)
    (marked,) = (op for op in walk(mark_regular(function).body) if op.primitive == "exp")
    assert bool(marked.attributes.get("regular")) is regular


@pytest.mark.parametrize(("condition", "then", "otherwise"), BRANCHES)
def test_a_branch_says_what_is_not_zero(condition: str, then: bool, otherwise: bool) -> None:
    text = f"""
def f(x: f64, y: f64):
    c: bool = {condition}
    with if_(c) as (r,):
        def _():
            a: f64 = div(y, x)
            yield a
        def _():
            b: f64 = div(y, x)
            yield b
    d: f64 = div(r, x)
    return d
"""
    marked = [op for op in walk(mark_regular(parse(text, infer)).body) if op.primitive == "div"]
    assert [bool(op.attributes.get("regular")) for op in marked] == [then, otherwise, False]


def test_both_conditions_and_a_root_of_squares() -> None:
    text = """
def f(x: f64, y: f64):
    a: f64 = mul(x, x)
    b: f64 = mul(y, y)
    s: f64 = add(a, b)
    p: bool = ne(s, 0.0)
    q: bool = lt(x, y)
    c: bool = and_(p, q)
    with if_(c) as (r,):
        def _():
            t: f64 = sqrt(s)
            u: f64 = div(x, t)
            yield u
        def _():
            yield y
    return r
"""
    marked = [op for op in walk(mark_regular(parse(text, infer)).body) if op.primitive in ("div", "sqrt")]
    assert all(op.attributes.get("regular") for op in marked)


def turned(x: np.ndarray) -> float:
    """A rotation's angle is 0 where there is none; what is selected then has no derivative of another side."""
    square = x[0] * x[0] + x[1] * x[1]
    if square != 0.0:
        angle = math.sqrt(square)
        return math.sin(angle) * x[0] / angle + math.log(angle)
    return x[0] + 3.0 * x[1]


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.3, -0.4), (0.0, 2.0), (-1e-3, 0.0)])
def test_gradients_on_both_sides(at: tuple[float, float]) -> None:
    x = np.array(at)
    r = math.hypot(*at)
    slope = 0.0 if r == 0.0 else (math.cos(r) * at[0] - math.sin(r) * at[0] / r + 1.0) / r
    expected = np.array([1.0, 3.0]) if r == 0.0 else slope * x / r + np.array([math.sin(r) / r, 0.0])
    np.testing.assert_allclose(grad(turned, jit=False)(x), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(jacfwd(turned, jit=False)(x), expected, rtol=1e-12, atol=1e-14)


def not_checked_yet(s: float, x: np.ndarray, used: bool) -> float:
    """That a divisor was not 0 is known where the check is, and here nobody comes by."""
    total = 0.0
    if used:
        total = 1.0 / s
    return total + np.sum(np.clip(x / s, -5.0, 5.0)) + s


def checked_in_no_iteration(s: float, x: np.ndarray, used: bool) -> float:
    total = 0.0
    for _ in range(x.shape[0] if used else 0):
        total += 1.0 / s
    return total + np.sum(np.where(x > 100.0, x[0] / s, 0.0)) + s


@pytest.mark.parametrize("f", [not_checked_yet, checked_in_no_iteration])
def test_a_check_that_was_not_passed_says_nothing(f: Callable[..., float]) -> None:
    assert grad(f, jit=False)(0.0, np.ones(3), False) == 1.0
    assert jacfwd(f, jit=False)(0.0, np.ones(3), False) == 1.0


@pytest.mark.parametrize(("kind", "zero", "dtype"), [("f64", "0.0", "f32"), ("i64", "0", "f64")])
def test_a_cast_may_make_zero_of_a_small_number(kind: str, zero: str, dtype: str) -> None:
    text = f"""
def f(x: {kind}, y: {dtype}):
    c: bool = ne(x, {zero})
    check(c, exception="ValueError", message="zero")
    d: {dtype} = cast(x, dtype={dtype})
    r: {dtype} = div(y, d)
    return r
"""
    (marked,) = (op for op in walk(mark_regular(parse(text, infer)).body) if op.primitive == "div")
    assert bool(marked.attributes.get("regular")) is (kind == "i64")


DIVISORS = [
    (["a: f64 = mul(x, x)", "b: f64 = mul(y, y)", "c: f64 = add(a, b)", "d: f64 = add(c, 0.01)"], True),
    (["a: f64 = mul(x, x)", "b: f64 = add(a, 0.01)", "r: f64 = sqrt(b)", "d: f64 = mul(b, r)"], True),
    (["a: f64 = mul(x, x)", "b: f64 = add(0.01, a)", "d: f64 = pow(b, 1.5)"], True),
    (["a: f64 = max(x, 0.5)", "b: f64 = mul(a, a)", "d: f64 = mul(b, 2.0)"], True),
    (["a: f64 = abs(x)", "b: f64 = add(a, 1e-300)", "d: f64 = add(b, b)"], True),
    (["a: f64 = abs(x)", "b: f64 = add(a, 1e-300)", "d: f64 = mul(b, b)"], False),  # it may underflow
    (["a: f64 = mul(x, y)", "b: f64 = add(a, 0.01)", "d: f64 = mul(b, 2.0)"], False),
    (["a: f64 = mul(x, x)", "d: f64 = sub(a, 0.01)"], False),
    (["a: f64 = max(x, 0.0)", "d: f64 = mul(a, 2.0)"], False),
    (["a: f64 = mul(x, x)", "b: f64 = mul(y, y)", "d: f64 = add(a, b)"], False),
    (["a: f64 = mul(x, x)", "b: f64 = add(a, 0.01)", "c: f64 = add(b, y)", "d: f64 = mul(c, c)"], False),
]


@pytest.mark.parametrize(("ops", "regular"), DIVISORS)
def test_a_divisor_with_a_bound(ops: list[str], regular: bool) -> None:
    lines = "".join(f"    {op}\n" for op in ops)
    function = parse(f"def f(x: f64, y: f64):\n{lines}    q: f64 = div(x, d)\n    return q\n", infer)
    (marked,) = (op for op in walk(mark_regular(function).body) if op.primitive == "div")
    assert bool(marked.attributes.get("regular")) is regular


@pytest.mark.parametrize(
    ("start", "step", "regular"),
    [("0.0", "add(s, t)", True), ("x", "add(s, t)", False), ("0.0", "add(s, x)", False), ("0.0", "sub(s, t)", False)],
)
def test_a_loop_adds_up_squares(start: str, step: str, regular: bool) -> None:
    text = f"""
def f(x: f64, n: i64):
    with for_(n, {start}) as (total,):
        def _(i: i64, s: f64):
            t: f64 = mul(x, x)
            u: f64 = {step}
            yield u
    d: f64 = add(total, 0.001)
    r: f64 = sqrt(d)
    return r
"""
    (marked,) = (op for op in walk(mark_regular(parse(text, infer)).body) if op.primitive == "sqrt")
    assert bool(marked.attributes.get("regular")) is regular


def softened(x: np.ndarray) -> float:
    """Pairs of bodies, as codes write them that must not divide by 0."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            if i != j:
                d = 0.0
                for k in range(x.shape[1]):
                    d += (x[i, k] - x[j, k]) ** 2
                total += 1.0 / ((d + 0.01) * np.sqrt(d + 0.01))
    return total


def test_softened_distances_need_no_strong_zeros() -> None:
    x = np.random.default_rng(0).normal(size=(4, 3))
    assert " else 0.0" not in grad(softened).source(x)
    check_grads(softened, (x,), order=2, jit=False)


def test_long_sums() -> None:
    """Of a generated program: no recursion over its statements."""
    lines = "".join(f"    s = s + x[{k % 7}] * x[{k % 7}]\n" for k in range(400))
    doubled = "    s = s + s\n" * 70
    f = load(f"def f(x):\n    s = 0.0\n{lines}{doubled}    return np.sqrt(s + 0.5)\n")
    x = np.linspace(0.1, 0.7, 7)
    g = grad(f, jit=False)(x)
    scale = 2.0**70
    counts = np.array([sum(k % 7 == j for k in range(400)) for j in range(7)])
    np.testing.assert_allclose(g, scale * counts * x / np.sqrt(scale * np.sum(counts * x * x) + 0.5), rtol=1e-12)
