"""Where no strong zero is needed: exponentials that cannot overflow, divisors and logarithms away from 0."""

from __future__ import annotations

import pytest

from srcgrad.differentiate.regular import mark_regular
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer

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
