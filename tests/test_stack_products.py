"""Stacks of products and einsum of two arrays over BLAS: against NumPy, and their adjoints against forward mode."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import grad, hessian, jit, jvp
from srcgrad.frontend.arrays.matrix_products import Roles, roles_of
from srcgrad.ir.core import Op, walk
from srcgrad.ir.text import parse
from srcgrad.library.blas import stack_product
from srcgrad.optimize.lanes.streams import streams
from srcgrad.primitives.table import infer

RNG = np.random.default_rng(3)
EINSUMS = {
    "bij,bjk->bik": ((3, 4, 5), (3, 5, 6)),
    "bqhd,bkhd->bhqk": ((2, 5, 3, 4), (2, 6, 3, 4)),
    "bhqk,bkhd->bqhd": ((2, 3, 5, 6), (2, 6, 3, 4)),
    "ijk,kl->ijl": ((3, 4, 5), (5, 6)),
    "bcij,oc->boij": ((2, 5, 4, 3), (6, 5)),
    "ij,jk->ki": ((4, 5), (5, 6)),
    "ijab,abk->ijk": ((4, 5, 6, 7), (6, 7, 4)),
    "iajb,bka->ijk": ((4, 5, 6, 7), (7, 4, 5)),
    "bij,hjk->bhik": ((2, 4, 5), (3, 5, 6)),
    "i...j,j...k->ik...": ((4, 2, 3, 5), (5, 2, 3, 6)),
    "...ij,...jk": ((2, 1, 4, 5), (3, 5, 6)),
    "ij,ij->i": ((4, 5), (4, 5)),  # the rest are loops
    "ii,ij->j": ((4, 4), (4, 5)),
    "bij,jk->k": ((2, 4, 5), (5, 6)),
    "ij,kl->il": ((4, 5), (6, 7)),
}
CHAINS = {
    "ij,jk,kl->il": ((4, 5), (5, 6), (6, 7)),
    "ni,ij,nj->n": ((5, 4), (4, 6), (5, 6)),
    "ij,jk,kl,lm->mi": ((4, 5), (5, 6), (6, 7), (7, 4)),
    "bij,bjk,kl->bil": ((2, 4, 5), (2, 5, 6), (6, 4)),
    "ij,jk,ik->": ((4, 5), (5, 6), (4, 6)),
    "bij,bjk,bik->bik": ((1, 4, 5), (1, 5, 6), (3, 4, 6)),  # what is repeated stays in loops
    "ai,bi,ci->abc": ((4, 5), (6, 5), (7, 5)),
}
STACKS = [
    ((3, 4, 5), (3, 5, 6)),
    ((3, 4, 5), (5, 6)),
    ((4, 5), (3, 5, 6)),
    ((2, 3, 4, 5), (3, 5, 6)),
    ((1, 3, 4, 5), (2, 1, 5, 6)),
    ((2, 1, 4, 5), (3, 5, 6)),
    ((0, 4, 5), (0, 5, 6)),
    ((1, 4, 5), (0, 5, 6)),
    ((3, 4, 0), (0, 6)),
    ((3, 12, 13), (1, 13, 14)),
]


def made(product: str, names: str = "a, b") -> Callable[..., Any]:
    """A function of these names whose source can be found."""
    text = f"def f({names}):\n    return np.sum(np.sin({product}))\n"
    name = f"<{product}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]  # type: ignore[no-any-return]  # what the text defines


def layouts(shape: tuple[int, ...]) -> list[np.ndarray]:
    a = RNG.normal(size=shape)
    return [a, np.asfortranarray(a), np.repeat(a, 2, axis=-1)[..., ::2]]


def confirm(f: Callable[..., Any], *args: np.ndarray, jitted: bool = False) -> None:
    assert jit(f, jit=jitted)(*args) == pytest.approx(f(*args), rel=1e-12)
    gradients = grad(f, argnums=tuple(range(len(args))), jit=jitted)(*args)
    directions = tuple(RNG.normal(size=a.shape) for a in args)
    along = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    assert along == pytest.approx(jvp(f, args, directions, jit=jitted)[1], rel=1e-10)
    step = 1e-6
    ahead, behind = (f(*(a + s * d for a, d in zip(args, directions, strict=True))) for s in (step, -step))
    assert along == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("spec", EINSUMS)
def test_einsum(spec: str) -> None:
    f = made(f"np.einsum({spec!r}, a, b)")
    one, two = EINSUMS[spec]
    for a, b in zip(layouts(one), layouts(two), strict=True):
        confirm(f, a, b)


@pytest.mark.parametrize("spec", CHAINS)
def test_several_operands(spec: str) -> None:
    names = ", ".join("abcd"[: len(CHAINS[spec])])
    confirm(made(f"np.einsum({spec!r}, {names})", names), *(0.5 * RNG.normal(size=s) for s in CHAINS[spec]))


def test_operands_of_several_precisions() -> None:
    a, b = (RNG.normal(size=(5, 5)).astype(np.float32) for _ in "ab")
    c = RNG.normal(size=(5, 5))
    f = made("np.einsum('ij,jk,kl->il', a, b, c)", "a, b, c")
    assert jit(f, jit=False)(a, b, c) == pytest.approx(f(a, b, c), rel=1e-13)


@pytest.mark.parametrize(("one", "two"), STACKS)
def test_matmul(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    for a, b in zip(layouts(one), reversed(layouts(two)), strict=True):
        confirm(made("a @ b"), a, b)


@pytest.mark.parametrize("size", [pytest.param(3, marks=pytest.mark.slow), 12])  # loops, and BLAS
def test_compiled(size: int) -> None:
    f = made("np.einsum('bqhd,bkhd->bhqk', a, b)")
    confirm(f, RNG.normal(size=(2, size, 3, size)), RNG.normal(size=(2, size, 3, size)), jitted=True)
    confirm(made("a @ b"), RNG.normal(size=(4, size, size)), RNG.normal(size=(1, size, size)), jitted=True)


def test_single_precision_stays() -> None:
    a, b = (RNG.normal(size=(3, 4, 4)).astype(np.float32) for _ in "ab")
    f = made("a @ b")
    gradients = grad(f, argnums=(0, 1), jit=False)(a, b)
    assert [g.dtype for g in gradients] == [np.float32, np.float32]
    wide = grad(f, argnums=(0, 1), jit=False)(a.astype(float), b.astype(float))
    np.testing.assert_allclose(gradients[0], wide[0], rtol=1e-3, atol=1e-4)


def test_second_order() -> None:
    f = made("np.einsum('bij,kj->bik', a, b)")
    a, b = RNG.normal(size=(2, 2, 3)), RNG.normal(size=(4, 3))
    direction = RNG.normal(size=a.shape)
    gradient = grad(f, jit=False)
    difference = (gradient(a + 1e-5 * direction, b) - gradient(a - 1e-5 * direction, b)) / 2e-5
    np.testing.assert_allclose(
        np.tensordot(hessian(f, jit=False)(a, b), direction, 3), difference, rtol=1e-6, atol=1e-7
    )


def test_what_the_axes_are() -> None:
    assert roles_of("bqhd", "bkhd", "bhqk") == Roles("bh", "q", "d", "k")
    assert roles_of("ijk", "kl", "ijl") == Roles("", "ij", "k", "l")
    assert roles_of("bcij", "oc", "boij") == Roles("b", "ij", "c", "o")
    assert roles_of("ij", "j", "i") is None  # no columns
    assert roles_of("ij", "ij", "") is None
    assert roles_of("ijk", "jl", "il") is None  # an axis of one operand is summed


def test_the_adjoint_of_a_stack_is_two_stacks() -> None:
    a = np.ones((2, 3, 3))
    text = grad(made("a @ b"), argnums=(0, 1)).backward_source(a, a)
    assert text.count("stack_product(") == 4  # the definition, the product itself, and one for each operand


def loop(text: str) -> Op:
    return next(op for op in walk(parse(text, infer).body) if op.primitive == "for")


def test_a_nest_that_goes_through_memory_needs_no_lanes() -> None:
    nest = """
def f(x: f64[:, :, :], y: f64[:, :, :], n: i64):
    with for_(n):
        def _(i: i64):
            with for_(n):
                def _(j: i64):
                    with for_(n):
                        def _(k: i64):
                            v: f64 = load(x, i, j, k)
                            w: f64 = exp(v)
                            store(y, i, j, k, w)
    return
"""
    assert streams(loop(nest))
    assert not streams(
        loop(nest.replace("for_(n):\n                        def _(k", "for_(3):\n                        def _(k"))
    )
    assert not streams(loop(nest.replace("load(x, i, j, k)", "load(x, i, k, j)")))  # not in a row
    assert not streams(loop(nest.replace("store(y, i, j, k, w)", "store(y, 0, j, k, w)").replace("x, i, j", "x, 0, j")))


def test_a_stack_may_be_put_where_there_is_one() -> None:
    a, b = RNG.normal(size=(3, 2, 4)), RNG.normal(size=(3, 4, 5))
    for count in (0, 3):
        one = np.full((1, 2, 5), np.nan)
        stack_product(a[:count], b[:count], one)
        np.testing.assert_allclose(one[0], (a[:count] @ b[:count]).sum(axis=0), rtol=1e-12)
    confirm(made("a @ b"), a, b[:1])


def test_a_recurrence_needs_lanes() -> None:
    steps = """
def f(z: f64[:, :], n: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            with for_(n, 1.0) as (last,):
                def _(t: i64, x: f64):
                    v: f64 = load(z, i, t)
                    w: f64 = mul(x, v)
                    y: f64 = exp(w)
                    yield y
            s_1: f64 = add(s, last)
            yield s_1
    return total
"""
    assert not streams(loop(steps))
    sums = steps.replace("w: f64 = mul(x, v)", "w: f64 = exp(v)").replace("y: f64 = exp(w)", "y: f64 = add(x, w)")
    assert streams(loop(sums))
