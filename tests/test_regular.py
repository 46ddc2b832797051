"""Where no strong zero is needed: exponentials that cannot overflow, divisors and logarithms away from 0."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, jacfwd
from srcgrad.differentiate.regular import mark_regular
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer

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
