"""Zeros to which a loop adds once everywhere are never made; all that could tell the difference forbids it."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter import run

from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.optimize.store_first import store_first
from srcgrad.primitives.table import infer

PROGRAM = """
def f(x: f64[:, :]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(x, axis=1)
    a: f64[:, :] = alloc({shape}, dtype=f64, fill='zeros')
    {before}
    with for_({rows}):
        def _(i: i64):
            {outside}
            with for_({columns}):
                def _(j: i64):
                    v: f64 = load(x, i, j)
                    {early}
                    {addition}
                    {later}
            {behind}
    return a
"""
PLAIN = {
    "shape": "n, m",
    "rows": "n",
    "columns": "m",
    "addition": "accumulate(a, i, j, v)",
    **dict.fromkeys(("before", "outside", "early", "later", "behind"), ""),
}
TRANSPOSED = {"shape": "m, n", "addition": "accumulate(a, j, i, v)"}
AGAIN = {"later": "w: f64 = load(a, i, j)\n                    accumulate(a, i, j, w)"}


def program(changes: dict[str, str]) -> Function:
    text = PROGRAM.format(**{**PLAIN, **changes})
    return parse("\n".join(line for line in text.splitlines() if line.strip()) + "\n", infer)


@pytest.mark.parametrize("changes", [{}, TRANSPOSED, AGAIN], ids=["plain", "transposed", "again"])
def test_filled(changes: dict[str, str]) -> None:
    before = program(changes)
    after = store_first(before)
    assert [op.attributes["fill"] for op in walk(after.body) if op.primitive == "alloc"] == ["empty"]
    for shape in ((2, 3), (1, 1), (0, 2)):
        x = np.random.default_rng(0).normal(size=shape)
        np.testing.assert_array_equal(run(after, x)[0], run(before, x)[0])


TELLING = {
    "rows left out": {"rows": "1"},
    "columns of the rows' number": {"columns": "n"},
    "written before": {"before": "store(a, 0, 0, 1.0)"},
    "seen before": {"before": "b: f64[:] = slice(a, 0, axes='i:')"},
    "read first": {"early": "w: f64 = load(a, i, j)", "addition": "accumulate(a, i, j, w)"},
    "one row for all": {"addition": "accumulate(a, 0, j, v)"},
    "the diagonal": {"columns": "n", "addition": "accumulate(a, i, i, v)"},
    "another element": {"later": "accumulate(a, 0, 0, v)"},
    "a view of it": {"later": "b: f64[:] = slice(a, i, axes='i:')"},
    "read by the row around": {"behind": "w: f64 = load(a, 0, 0)"},
    "read in front of the row": {"outside": "w: f64 = load(a, 0, 0)"},
    "stored into itself": {"later": "w: f64 = load(a, i, 0)"},
}


@pytest.mark.parametrize("changes", TELLING.values(), ids=TELLING.keys())
def test_left_alone(changes: dict[str, str]) -> None:
    before = program(changes)
    assert store_first(before) is before


def test_an_array_that_a_loop_hands_on() -> None:
    text = """
def f(x: f64[:]):
    n: i64 = dim(x, axis=0)
    a: f64[:] = alloc(n, dtype=f64, fill='zeros')
    with for_(n, x) as (last,):
        def _(i: i64, b: f64[:]):
            yield a
    return last
"""
    before = parse(text, infer)
    assert store_first(before) is before


def test_additions_on_one_path_only() -> None:
    text = """
def f(x: f64[:]):
    n: i64 = dim(x, axis=0)
    a: f64[:] = alloc(n, dtype=f64, fill='zeros')
    with for_(n):
        def _(i: i64):
            v: f64 = load(x, i)
            c: bool = gt(v, 0.0)
            with if_(c):
                def _():
                    accumulate(a, i, v)
                def _():
                    pass
    return a
"""
    before = parse(text, infer)
    assert store_first(before) is before
