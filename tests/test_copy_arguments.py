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


CHOSEN = """
def chosen(x: f64[{axes}], c: bool):
    store(x, 0, 0, 2.0)
    with if_(c) as (y,):
        def _():
            yield x
        def _():
            yield x
    v: f64 = load(y, 0, 0)
    return v
"""


@pytest.mark.parametrize("axes", ["1, :", "1, :, 'F'", ":, 1, 'F'", "1, :, 'A'", ":, 1, 'A'", ":, :, 'A'"])
def test_a_copy_is_of_the_very_type(axes: str) -> None:
    """Where branches merge it with other arrays, nothing else would fit."""
    function = parse(CHOSEN.format(axes=axes), infer)
    copied = copy_arguments(function)
    verify(copied, infer)
    (branch,) = (op for op in copied.body.ops if op.primitive == "if")
    assert [b.yields[0].type for b in branch.blocks] == [function.parameters[0].type] * 2
    x = np.ones((1, 3)) if axes.startswith("1") else np.ones((3, 1))
    assert run(copied, x, True) == (2.0,)
    assert x[0, 0] == 1.0


def test_nothing_written_nothing_copied() -> None:
    function = parse("def f(x: f64[:]):\n    v: f64 = load(x, 0)\n    return v\n", infer)
    assert copy_arguments(function) is function
