"""Arrays that a loop carries are taken to keep their extents; where they do not, the program is made again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import confirm

import srcgrad
from srcgrad.ir.core import Const, walk
from srcgrad.ir.text import parse
from srcgrad.optimize.hoist_checks import hoist_checks
from srcgrad.optimize.unify_extents import unify_extents
from srcgrad.primitives.table import infer

RNG = np.random.default_rng(17)


def steps(a: Any, n: int) -> Any:
    x = np.ones(3)
    for _ in range(n):
        x = np.sin(a @ x)
    return np.sum(x * x)


def hidden_state(w: Any, u: Any, xs: Any, h0: Any) -> Any:
    h = h0
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t])
    return np.sum(h)


def until_small(a: Any, x: Any) -> Any:
    while np.sum(x * x) > 1e-2:
        x = 0.5 * (a @ x)
    return np.sum(x)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_square_matrix(n: int) -> None:
    confirm(steps, RNG.normal(size=(3, 3)), n)


def test_one_iteration_may_change_the_extent() -> None:
    confirm(steps, RNG.normal(size=(5, 3)), 1)
    with pytest.raises(ValueError, match="extents 3 and 5"):
        srcgrad.grad(steps, jit=False)(RNG.normal(size=(5, 3)), 2)


def test_an_extent_of_a_loop_that_does_not_run_is_not_checked() -> None:
    assert srcgrad.jit(steps, jit=False)(np.ones((2, 7)), 0) == 3.0


def test_the_state_has_as_many_elements_as_the_matrix_has_rows() -> None:
    confirm(
        hidden_state,
        RNG.normal(size=(3, 3)),
        RNG.normal(size=(3, 2)),
        RNG.normal(size=(4, 2)),
        RNG.normal(size=3),
        order=1,
    )
    confirm(
        hidden_state,
        RNG.normal(size=(4, 2)),
        RNG.normal(size=(4, 3)),
        RNG.normal(size=(1, 3)),
        RNG.normal(size=2),
        order=1,
    )


def test_a_while_loop() -> None:
    confirm(until_small, RNG.normal(size=(3, 3)) * 0.3, RNG.normal(size=3))


def test_a_state_that_was_broadcast() -> None:
    def f(w: Any) -> Any:
        h = np.zeros(1)
        for _ in range(3):
            h = h * 0.5 + w * w
        return np.sum(h)

    confirm(f, RNG.normal(size=4), order=1)


def test_a_state_that_grows() -> None:
    def f(w: Any, n: int) -> Any:
        h = w
        for _ in range(n):
            h = np.concatenate((h * 0.5, w * w))
        return np.sum(h * h)

    confirm(f, RNG.normal(size=2), 3)


def test_extents_are_literals_in_the_loop() -> None:
    def f(a: Any, n: int) -> Any:
        x = np.ones(5)
        for _ in range(n):
            x = np.sin(a @ x)
        return np.sum(x)

    program = parse(srcgrad.grad(f).ir(RNG.normal(size=(5, 5)), 3, after="write_out_products"), infer)
    made = [op for op in walk(program.body) if op.primitive == "alloc"]
    assert made and all(isinstance(n, Const) for op in made for n in op.operands)


def test_memory_of_its_own_is_filled_in_front_of_a_check_that_moves() -> None:
    text = """
def f(x: f64[:], y: f64[:], n: i64, m: i64):
    a: f64[:] = alloc(4, dtype=f64, fill='empty')
    with for_(n):
        def _(i: i64):
            with for_(4):
                def _(j: i64):
                    store({}, j, 1.0)
            c: bool = eq(n, m)
            check(c, exception='ValueError', message='not as long')
"""
    own, given = (parse(text.format(target), infer) for target in ("a", "x"))
    assert [op.primitive for op in hoist_checks(own).body.ops][-2:] == ["check", "for"]
    assert "check" not in [op.primitive for op in hoist_checks(given).body.ops]


def test_a_check_in_front_of_a_loop_holds_where_the_loop_runs() -> None:
    text = """
def f(x: f64[:], n: i64):
    m: i64 = dim(x, axis=0)
    c: bool = eq(m, 3)
    idle: bool = le(n, 0)
    either: bool = or_(c, idle)
    check(either, exception='ValueError', message='not three')
    with for_(n):
        def _(i: i64):
            inside: f64[:] = alloc(m, dtype=f64, fill='zeros')
    outside: f64[:] = alloc(m, dtype=f64, fill='zeros')
    return outside
"""
    after = unify_extents(parse(text, infer))
    made = {op.result.name: op.operands[0] for op in walk(after.body) if op.primitive == "alloc"}
    assert isinstance(made["inside"], Const) and not isinstance(made["outside"], Const)


def test_a_product_of_small_matrices_is_written_out() -> None:
    def f(a: Any, b: Any) -> Any:
        c, d = np.zeros((2, 4)), np.zeros((4, 3))
        c[:] = a
        d[:] = b
        return np.sum(np.sin(c @ d) @ np.ones((3, 2)))

    arguments = RNG.normal(size=(2, 4)), RNG.normal(size=(4, 3))
    confirm(f, *arguments)
    assert "matrix_product" not in srcgrad.grad(f).source(*arguments)


def test_a_product_of_small_complex_matrices() -> None:
    def f(t: Any) -> Any:
        a = np.zeros((2, 2), dtype=np.complex128)
        a[0, 0], a[0, 1], a[1, 0], a[1, 1] = np.exp(1j * t), t, 1j * t * t, 2.0 - t
        b = a @ a @ a
        return np.sum(np.abs(b) ** 2)

    confirm(f, 0.7)
