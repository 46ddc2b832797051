"""Promotion (NEP 50) and carried types, against NumPy itself."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest
from lowered import check, lowered, through_ir

from srcgrad.frontend.calls.inline import inline
from srcgrad.ir.core import Const, Value
from srcgrad.ir.types import F32, F64, INDEX, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import new_builder

SAMPLES = [
    np.float32(2.5),
    np.float64(1.5),
    np.int64(3),
    np.int32(-2),
    np.uint8(5),
    2.5,
    3,
    True,
    1.5j,
    np.complex64(1j),
]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq]
# Numba cannot tell these from Python's own numbers, so that as arguments they adapt like those.
PYTHON = {np.float64: float, np.int64: int}


def python_number(value):
    return PYTHON.get(type(value), lambda v: v)(value)


@pytest.mark.parametrize("apply", OPERATORS)
@pytest.mark.parametrize(("a", "b"), list(itertools.product(SAMPLES, SAMPLES)))
def test_promotion_is_numpys(apply, a, b):
    def f(x, y):
        return apply(x, y)

    x, y = python_number(a), python_number(b)
    if apply is operator.lt and (isinstance(x, complex | np.complex64) or isinstance(y, complex | np.complex64)):
        pytest.skip("NumPy has an order of complex numbers; srcgrad refuses it")
    try:
        with np.errstate(all="ignore"):
            wanted = apply(x, y)
    except TypeError:
        pytest.skip("no such operation")
    result = through_ir(f, x, y)
    assert np.asarray(result).dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(result, wanted, rtol=1e-6)


def float32_loop(x, y):
    s = 0.0
    t = 1
    for v in x:
        s += v
        t = t * v
    return s, t, s / 2, y[0] * 2.5, np.float32(2.5) * s, s * np.float64(1.0), x[0] * 3


def test_literals_adapt_to_float32():
    check(float32_loop, np.arange(4, dtype=np.float32), np.ones(2, dtype=np.float32))


def integer_becomes_float(x, n):
    total = 0
    for i in range(n):
        total = total + x[i]
    return total


def test_a_carried_integer_widens():
    x = np.array([1.5, 2.5])
    check(integer_becomes_float, x, 2)
    assert lowered(integer_becomes_float, x, 0)[0].function.results[0].type == Scalar(F64)


RULES = [row for row in SCALARS.values() if row.partials is not None]


@pytest.mark.parametrize("dtype", [F64, F32])
@pytest.mark.parametrize("row", RULES, ids=lambda row: row.name)
def test_rules_keep_the_dtype(row, dtype):
    count = row.partials.__code__.co_argcount
    parameters = [Value(Scalar(dtype)) for _ in range(count)]
    if row.name == "ipow":
        parameters[1] = Value(INDEX)
    builder = new_builder()
    builder.open(parameters)
    partials = inline(builder, row.partials, parameters)
    assert len(partials) == count - 1
    assert all(p.type == Scalar(dtype) for p in partials)


def test_a_literal_partial_is_a_constant():
    builder = new_builder()
    parameters = [Value(Scalar(F32)) for _ in range(3)]
    builder.open(parameters)
    one, minus = inline(builder, SCALARS["sub"].partials, parameters)
    assert isinstance(one, Const) and isinstance(minus, Const) and (one.value, minus.value) == (1.0, -1.0)
    assert not builder.ops


def of_a_dtype_made_of_others(x, n):
    """``np.ndarray`` makes empty memory; dtypes are asked about while compiling."""
    wide = np.ndarray((n, 2), dtype=np.promote_types(x.dtype, np.float32))
    wide[:] = x[:, None]
    if np.issubdtype(wide.dtype, np.floating) and not np.can_cast(wide.dtype, np.int64):
        return np.sum(wide**2)
    return 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_are_asked_about_while_compiling(dtype):
    check(of_a_dtype_made_of_others, np.arange(3, dtype=dtype), 3)
