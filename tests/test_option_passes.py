"""The passes behind ``boundscheck=False`` and ``check_nan=True``."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter import run

from srcgrad import grad, value_and_grad
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.check_finite import check_finite
from srcgrad.optimize.trust_indices import trust_indices
from srcgrad.primitives.table import infer

PICK = """
def pick(x: f64[:], i: i64):
    n: i64 = dim(x, axis=0)
    k: i64 = check_index(i, n)
    v: f64 = load(x, k)
    y: f64 = log(v)
    return y
"""


def test_trusted_indices_still_count_from_the_end() -> None:
    trusting = trust_indices(parse(PICK, infer))
    verify(trusting, infer)
    assert all(op.primitive != "check_index" for op in walk(trusting.body))
    x = np.array([1.0, np.e])
    assert run(trusting, x, 1) == run(trusting, x, -1) == (1.0,)


def test_first_infinity_raises_with_its_name() -> None:
    checking = check_finite(parse(PICK, infer))
    verify(checking, infer)
    assert run(checking, np.array([1.0]), 0) == (0.0,)
    with pytest.raises(FloatingPointError, match="y is -inf"):
        run(checking, np.array([0.0]), 0)
    with pytest.raises(FloatingPointError, match="v is nan"):
        run(checking, np.array([np.nan]), 0)


@pytest.mark.parametrize("transform", [grad, value_and_grad])
def test_what_only_the_value_needs_is_checked_too(transform) -> None:
    # 1 / x is finite at -1, log(x) is not: the gradient alone would never compute it.
    derivative = transform(lambda x: np.log(x), check_nan=True, jit=False)
    with pytest.raises(FloatingPointError, match="log is nan"):
        derivative(-1.0)
    assert np.sum(derivative(1.0)) == 1.0


def test_checked_gradient_with_aux() -> None:
    derivative = grad(lambda x: (np.log(x), 2.0 * x), has_aux=True, check_nan=True, jit=False)
    assert derivative(2.0) == (0.5, 4.0)
