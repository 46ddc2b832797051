"""Functions out of line, recursion, and stacks that cross calls, plain and jitted."""

from __future__ import annotations

import copy
from typing import Any

import interpreter
import numpy as np
import pytest

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.backend.numba_jit import compile_function
from srcgrad.backend.python_source import emit
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

CALLEES = """
def main(x: f64[:]):
    y, z = call(x, 2.0, callee='helper', types=(f64, i64))
    call(x, callee='bump', types=())
    _1: f64 = load(x, 0)
    _2: f64 = add(y, _1)
    return _2, z

def helper(a: f64[:], c: f64):
    v: f64 = load(a, 1)
    w: f64 = mul(v, c)
    store(a, 1, w)
    return w, 3

def bump(a: f64[:]):
    accumulate(a, 0, 1.0)
"""

# Thirty numbers are pushed on the way down, so that the stack grows inside the recursion, and popped by another.
SHARED_STACK = """
def main(n: i64, x: f64):
    s: stack[f64] = stack(element=(f64,))
    y: f64 = call(n, x, s, callee='down', types=(f64,))
    z: f64 = call(n, 1.0, s, callee='back', types=(f64,))
    return y, z

def down(n: i64, x: f64, s: stack[f64]):
    _0: bool = gt(n, 0)
    with if_(_0) as (r,):
        def _():
            push(s, x)
            _1: i64 = sub(n, 1)
            _2: f64 = mul(x, 0.9)
            _3: f64 = call(_1, _2, s, callee='down', types=(f64,))
            _4: f64 = mul(_3, x)
            yield _4
        def _():
            yield 1.0
    return r

def back(n: i64, g: f64, s: stack[f64]):
    _0: bool = gt(n, 0)
    with if_(_0) as (r,):
        def _():
            p: f64 = pop(s)
            _1: i64 = sub(n, 1)
            _2: f64 = mul(g, p)
            _3: f64 = call(_1, _2, s, callee='back', types=(f64,))
            yield _3
        def _():
            yield g
    return r
"""

MUTUAL = """
def main(n: i64, x: f64):
    y: f64 = call(n, x, callee='even', types=(f64,))
    return y

def even(n: i64, x: f64):
    _0: bool = gt(n, 0)
    with if_(_0) as (r,):
        def _():
            _1: i64 = sub(n, 1)
            _2: f64 = call(_1, x, callee='odd', types=(f64,))
            _3: f64 = mul(_2, x)
            yield _3
        def _():
            yield 1.0
    return r

def odd(n: i64, x: f64):
    _0: bool = gt(n, 0)
    with if_(_0) as (r,):
        def _():
            _1: i64 = sub(n, 1)
            _2: f64 = call(_1, x, callee='even', types=(f64,))
            _3: f64 = add(_2, x)
            yield _3
        def _():
            yield 2.0
    return r
"""

REFERENCES = """
def main(x: f64[:], n: i64):
    s: stack[f64[:, 'A']] = stack(element=(f64[:, 'A'],))
    _0: f64[:, 'A'] = relax(x)
    with for_(n, _0) as (_1,):
        def _(i: i64, u: f64[:, 'A']):
            call(s, u, callee='keep', types=())
            _9: i64 = dim(u, axis=0)
            _8: i64 = sub(_9, 1)
            v: f64[:, 'A'] = slice(u, 1, _8, 1, axes='s')
            yield v
    with for_(n, 0.0) as (t_1,):
        def _(i: i64, t: f64):
            u: f64[:, 'A'] = pop(s)
            _3: f64 = load(u, 0)
            t_2: f64 = add(t, _3)
            yield t_2
    return t_1

def keep(s: stack[f64[:, 'A']], u: f64[:, 'A']):
    push(s, u)
"""

PROGRAMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "callees": (CALLEES, (np.arange(3.0),)),
    "shared stack": (SHARED_STACK, (30, 1.5)),
    "mutual recursion": (MUTUAL, (5, 1.5)),
    "references": (REFERENCES, (np.arange(5.0), 3)),
}


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "jitted"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, jit: bool) -> None:
    text, arguments = PROGRAMS[name]
    function = parse(text, infer)
    expected, effects = copy.deepcopy(arguments), copy.deepcopy(arguments)
    wanted = interpreter.run(function, *expected)
    found = compile_function(function, Options(jit=jit, cache=False))(*effects)
    np.testing.assert_allclose(np.ravel(found), np.ravel(wanted), rtol=1e-12)
    for a, b in zip(effects, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_stack_of_numbers_travels_with_its_cursor() -> None:
    text = emit(parse(SHARED_STACK, infer))
    assert "y, s, s_top = down(n, x, s, s_top)" in text
    assert "return r, s, s_top" in text
