"""Arguments that a function writes to are copied: layout by layout, the caller's array stays as it was."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter import run

from srcgrad.analysis.written import written_parameters
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.copy_arguments import copy_arguments
from srcgrad.primitives.table import infer

DOUBLE = """
def double(x: f64[{axes}], y: f64[:]):
    v: f64 = load(x, 0, 1)
    w: f64 = mul(v, 2.0)
    store(x, 0, 1, w)
    u: f64 = load(x, 0, 1)
    return u
"""


@pytest.mark.parametrize(("axes", "order"), [(":, :", "C"), (":, :, 'F'", "F"), (":, :, 'A'", "A")])
def test_caller_keeps_its_array(axes: str, order: str) -> None:
    function = parse(DOUBLE.format(axes=axes), infer)
    assert written_parameters(function) == {0}
    copied = copy_arguments(function)
    verify(copied, infer)
    assert not written_parameters(copied)
    x = np.arange(12.0).reshape(3, 4)
    x = np.asfortranarray(x) if order == "F" else x[:, ::2] if order == "A" else x
    before = x.copy()
    (result,) = run(copied, x, np.zeros(2))
    assert result == 2 * before[0, 1]
    np.testing.assert_array_equal(x, before)


def test_nothing_written_nothing_copied() -> None:
    function = parse("def f(x: f64[:]):\n    v: f64 = load(x, 0)\n    return v\n", infer)
    assert copy_arguments(function) is function
