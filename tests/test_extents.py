"""Extents are followed to the allocation through views, swaps and merges; where they vary, they stay what they are."""

from __future__ import annotations

import pytest

from srcgrad.analysis.extents import Dim, Extents
from srcgrad.ir.core import Function, Value, defined, index
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer

SWAP = """
def swap(x: f64[:], n: i64):
    m: i64 = dim(x, axis=0)
    u: f64[:] = alloc(m, dtype=f64, fill='zeros')
    v: f64[:] = alloc(m, dtype=f64, fill='zeros')
    with for_(n, u, v) as (last, before):
        def _(i: i64, p: f64[:], q: f64[:]):
            k: i64 = dim(q, axis=0)
            w: f64[:] = alloc(k, dtype=f64, fill='zeros')
            yield q, w
    r: i64 = dim(last, axis=0)
    return r
"""

GROWING = """
def growing(x: f64[:], n: i64):
    with for_(n, x, x) as (last, other):
        def _(i: i64, p: f64[:], q: f64[:]):
            m: i64 = dim(p, axis=0)
            k: i64 = add(m, 1)
            w: f64[:] = alloc(k, dtype=f64, fill='zeros')
            yield w, q
    r: i64 = dim(last, axis=0)
    s: i64 = dim(other, axis=0)
    return r, s
"""

ROTATED = """
def rotated(x: f64[:], y: f64[:], n: i64):
    with for_(n, x, x, y) as (a, b, c):
        def _(i: i64, p: f64[:], q: f64[:], r: f64[:]):
            yield q, r, p
    k: i64 = dim(b, axis=0)
    return k
"""

MERGED = """
def merged(x: f64[:], y: f64[:], c: bool):
    n: i64 = dim(x, axis=0)
    with if_(c) as (a, b):
        def _():
            u: f64[:] = alloc(n, dtype=f64, fill='zeros')
            yield u, x
        def _():
            yield x, y
    return n
"""

VIEWS = """
def views(x: f64[:, :, 1], i: i64, s: i64, n: i64):
    t: f64[:, 1, :, 'A'] = transpose(x, permutation=(1, 2, 0))
    v: f64[:, :, 'A'] = slice(t, s, n, 2, i, axes='si:')
    e: f64[1, :, :, 'A'] = expand(v, axes=(0,))
    return n
"""


def named(function: Function) -> dict[str, Value]:
    return {v.name: v for v in defined(function.body)}


def shapes(text: str) -> dict[str, tuple[str, ...]]:
    function = parse(text, infer)
    extents = Extents(function)
    return {
        v.name: tuple(e.name if isinstance(e, Value) else str(getattr(e, "value", "own")) for e in extents.of(v))
        for v in defined(function.body)
        if v in extents.shapes
    }


def test_swapped_references_keep_their_extent() -> None:
    function = parse(SWAP, infer)
    extents, values = Extents(function), named(function)
    for name in ("u", "p", "q", "w", "last", "before"):
        assert extents.of(values[name]) == extents.of(values["x"]), name
    assert extents.canonical(values["r"]) == extents.canonical(values["m"])


def test_an_extent_that_grows_is_not_the_initial_one() -> None:
    function = parse(GROWING, infer)
    extents, values = Extents(function), named(function)
    assert extents.canonical(values["r"]) != extents.of(values["x"])[0]
    assert extents.canonical(values["m"]) != extents.of(values["x"])[0]
    assert extents.canonical(values["s"]) == extents.of(values["x"])[0]


def test_a_rotation_mixes_extents_one_iteration_after_another() -> None:
    function = parse(ROTATED, infer)
    extents, values = Extents(function), named(function)
    assert len({extents.of(values[name])[0] for name in ("a", "b", "c", "p", "q", "r", "x", "y")}) == 8


def test_a_merge_keeps_what_both_sides_have() -> None:
    function = parse(MERGED, infer)
    extents, values = Extents(function), named(function)
    assert extents.of(values["a"]) == extents.of(values["x"])
    assert extents.of(values["b"]) != extents.of(values["x"])


@pytest.mark.parametrize(("name", "shape"), [("t", ("own", "1", "own")), ("v", ("n", "own")), ("e", ("1", "n", "own"))])
def test_views(name: str, shape: tuple[str, ...]) -> None:
    assert shapes(VIEWS)[name] == shape


CHECKED = """
def checked(x: f64[:], y: f64[:], n: i64, m: i64):
    a: i64 = dim(x, axis=0)
    b: i64 = dim(y, axis=0)
    c: bool = eq(a, b)
    d: bool = eq(b, 3)
    {}
    with for_(n, x) as (last,):
        def _(i: i64, p: f64[:]):
            {}
            w: f64[:] = alloc(3, dtype=f64, fill='zeros')
            yield w
    r: i64 = dim(last, axis=0)
    return r
"""
CHECK = "check({}, exception='ValueError', message='')"


def test_a_check_in_front_of_a_loop_says_what_is_carried() -> None:
    text = CHECKED.format(f"{CHECK.format('c')}\n    {CHECK.format('d')}", "k: i64 = dim(p, axis=0)")
    program = parse(text, infer)
    extents = Extents(program)
    carried = program.body.ops[-2].blocks[0].parameters[1]
    assert extents.of(carried) == (index(3),)


def test_a_check_in_the_loop_says_nothing_of_what_is_carried() -> None:
    program = parse(CHECKED.format(CHECK.format("c"), CHECK.format("d")), infer)
    carried = program.body.ops[-2].blocks[0].parameters[1]
    assert Extents(program).of(carried) == (Dim(carried, 0),)
